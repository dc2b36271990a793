// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;

namespace Duplicati.UnitTest.Main.Recreate;

/// <summary>Two digests fit in a blocklist here.</summary>
[TestFixture]
internal sealed class ResolveTests : RebuildTestBase
{
    [Test]
    [Contract("B 3.4 FindMissingBlocklistHashesAsync")]
    public async Task A_block_that_a_list_names_twice_and_nobody_has_is_added_once()
    {
        var blockset = await AddFileAsync(1, 128, [10, 10]);
        await Rebuild.UpdateBlockAsync(ListHash(1, 0), 64, 100);
        await ResolveAsync();
        Assert.That(Committed($"SELECT COUNT(*) FROM Block WHERE Hash = '{Hash(10)}' AND VolumeID = -1"), Is.EqualTo(1));
        Assert.That(
            Committed(
                $"SELECT COUNT(*) FROM BlocksetEntry e JOIN Block b ON b.ID = e.BlockID WHERE e.BlocksetID = {blockset} AND b.Hash = '{Hash(10)}'"
            ),
            Is.EqualTo(2)
        );
    }

    // The block of the first file that nobody has yet is the list of the second.
    [Test]
    [Contract("B 3.4 FindMissingBlocklistHashesAsync")]
    public async Task A_list_whose_own_block_the_same_call_adds_is_followed_by_the_next_one()
    {
        var first = await Db.AddBlocksetAsync(Hash(1), 128, [ListHash(1, 0)], 1, default);
        await Rebuild.AddListAsync(ListHash(1, 0), [ListHash(2, 0), Hash(11)]);
        await Rebuild.UpdateBlockAsync(ListHash(1, 0), 64, 100);
        var second = await AddFileAsync(2, 128, [20, 21]);

        await ResolveAsync();
        Assert.That(Committed($"SELECT COUNT(*) FROM BlocksetEntry WHERE BlocksetID = {first}"), Is.EqualTo(2));
        Assert.That(Committed($"SELECT COUNT(*) FROM BlocksetEntry WHERE BlocksetID = {second}"), Is.Zero);

        await ResolveAsync();
        Assert.That(Committed($"SELECT COUNT(*) FROM BlocksetEntry WHERE BlocksetID = {second}"), Is.EqualTo(2));
    }

    // A small file list can say so of a file of zeros that never was.
    [Test]
    public async Task A_list_that_a_file_repeats_is_kept_once_and_followed_everywhere()
    {
        const int Lists = 100_000;
        const long MostBytes = 4 << 20;
        var last = await AddFileAsync(2, 128, [20, 21]);
        await ResolveAsync();
        var blockset = await Db.AddBlocksetAsync(
            Hash(1),
            Lists * 128L,
            Enumerable.Repeat(ListHash(1, 0), Lists),
            Lists,
            CancellationToken.None
        );
        var before = GC.GetTotalMemory(forceFullCollection: true);

        await ResolveAsync();

        Assert.That(GC.GetTotalMemory(forceFullCollection: true) - before, Is.LessThan(MostBytes));
        await Rebuild.AddListAsync(ListHash(1, 0), [Hash(10), Hash(11)]);
        await ResolveAsync();
        Assert.That(GC.GetTotalMemory(forceFullCollection: true) - before, Is.LessThan(MostBytes), "its own block is not known");
        await Rebuild.UpdateBlockAsync(ListHash(1, 0), 64, 100);
        await Rebuild.UpdateBlockAsync(ListHash(2, 0), 64, 100);
        await ResolveAsync();
        Assert.That(Committed($"SELECT COUNT(DISTINCT \"Index\") FROM BlocksetEntry WHERE BlocksetID = {blockset}"), Is.EqualTo(2 * Lists));
        Assert.That(Committed($"SELECT COUNT(*) FROM BlocksetEntry WHERE BlocksetID = {last}"), Is.EqualTo(2));
    }

    [Test]
    public async Task A_list_that_two_files_share_connects_both()
    {
        await AddFileAsync(1, 128, [10, 11]);
        await Db.AddBlocksetAsync(Hash(2), 127, [ListHash(1, 0)], 1, default);
        await Rebuild.UpdateBlockAsync(ListHash(1, 0), 64, 100);
        await ResolveAsync();
        Assert.That(Committed("SELECT COUNT(*) FROM BlocksetEntry"), Is.EqualTo(4));
        Assert.That(Committed($"SELECT COUNT(*) FROM Block WHERE Hash = '{Hash(11)}'"), Is.EqualTo(2), "one of 64 bytes, one of 63");
    }

    [Test]
    public async Task A_list_that_is_too_long_does_not_take_the_place_of_the_next_ones_first_block()
    {
        using var log = new LogCapture();
        var blockset = await AddFileAsync(1, 192, [10, 11, 99], [12]);
        await Rebuild.UpdateBlockAsync(ListHash(1, 0), 64, 100);
        await Rebuild.UpdateBlockAsync(ListHash(1, 1), 32, 100);
        await ResolveAsync();
        Assert.That(Committed($"SELECT COUNT(*) FROM BlocksetEntry WHERE BlocksetID = {blockset}"), Is.EqualTo(3));
        Assert.That(
            Committed(
                $"""SELECT COUNT(*) FROM BlocksetEntry e JOIN Block b ON b.ID = e.BlockID WHERE e."Index" = 2 AND b.Hash = '{Hash(12)}'"""
            ),
            Is.EqualTo(1)
        );
        Assert.That(log.WarningsAndErrors, Is.Empty);
    }

    [Test]
    [Contract("B 3.3 AddSmallBlocksetLinkAsync")]
    public async Task The_first_link_of_a_blockset_and_of_a_block_wins()
    {
        var first = await Db.AddBlocksetAsync(Hash(1), 20, [], 0, default);
        var second = await Db.AddBlocksetAsync(Hash(2), 20, [], 0, default);
        await Rebuild.AddLinkAsync(Hash(1), Hash(3), 20);
        await Rebuild.AddLinkAsync(Hash(1), Hash(4), 20);
        await Rebuild.AddLinkAsync(Hash(2), Hash(3), 20);
        await Rebuild.AddLinkAsync(Hash(3), Hash(3), 20);
        await ResolveAsync();
        Assert.That(Committed($"SELECT COUNT(*) FROM BlocksetEntry WHERE BlocksetID IN ({first}, {second})"), Is.EqualTo(1));
        Assert.That(Committed("SELECT COUNT(*) FROM Block"), Is.EqualTo(1));
    }

    [Test]
    [Contract("B 3.3 AddSmallBlocksetLinkAsync")]
    public async Task Links_without_a_hash_are_ignored()
    {
        await Rebuild.AddLinkAsync(null, Hash(1), 5);
        await Rebuild.AddLinkAsync(Hash(1), null, 5);
        await ResolveAsync();
        Assert.That(Committed("SELECT COUNT(*) FROM Block"), Is.Zero);
    }

    [Test]
    public async Task A_link_that_comes_before_or_after_its_blockset_has_been_looked_at_is_applied()
    {
        await Rebuild.AddLinkAsync(Hash(1), Hash(1), 5);
        await ResolveAsync();
        await Db.AddBlocksetAsync(Hash(1), 5, [], 0, default);
        await Db.AddBlocksetAsync(Hash(2), 5, [], 0, default);
        await ResolveAsync();
        await Rebuild.AddLinkAsync(Hash(2), Hash(2), 5);
        await ResolveAsync();
        Assert.That(Committed("SELECT COUNT(*) FROM BlocksetEntry"), Is.EqualTo(2));
    }

    [Test]
    [Contract("B 3.4 AddBlockAndBlockSetEntryFromTempAsync")]
    public async Task The_other_resolve_does_not_commit_and_can_leave_the_links_out()
    {
        await Db.AddBlocksetAsync(Hash(1), 5, [], 0, default);
        await Rebuild.AddLinkAsync(Hash(1), Hash(1), 5);
        await AddFileAsync(2, 128, [10, 11]);
        await Rebuild.UpdateBlockAsync(ListHash(2, 0), 64, 100);
        await Db.CommitAsync(CancellationToken.None);

        await Db.AddBlockAndBlockSetEntryFromTempAsync(HashBytes, BlockBytes, true, default);
        Assert.That(Committed("SELECT COUNT(*) FROM BlocksetEntry"), Is.Zero, "not committed");
        Assert.That(await CommitAndCountAsync("SELECT COUNT(*) FROM BlocksetEntry"), Is.EqualTo(2));
        await Db.AddBlockAndBlockSetEntryFromTempAsync(HashBytes, BlockBytes, false, default);
        Assert.That(await CommitAndCountAsync("SELECT COUNT(*) FROM BlocksetEntry"), Is.EqualTo(3));
    }

    [Test]
    [Contract("B 11.3 row 2")]
    [Contract("B 10 Q22")]
    public async Task A_failure_to_write_is_undone_and_can_be_repeated([Values(10, 13, 19)] int code)
    {
        await AddFileAsync(1, 128, [10, 11]);
        await Rebuild.UpdateBlockAsync(ListHash(1, 0), 64, 100);
        await Db.CommitAsync(CancellationToken.None);
        using var log = new LogCapture();
        Db.Session.Statements.Fault = sql =>
            sql.Contains("\"BlocksetEntry\"", StringComparison.Ordinal) && sql.StartsWith("INSERT", StringComparison.Ordinal) ? code : 0;
        // Only what SQLite refuses is reported as a bug; a full disk keeps its type.
        if (code == 19)
            Assert.That(ResolveAsync, Throws.TypeOf<Exception>());
        else
            Assert.That(ResolveAsync, Refused.Engine(code));
        Assert.That(log.Of(LogMessageType.Error, "BlocksetInsertFailed"), Has.Count.EqualTo(code == 19 ? 1 : 0));

        Db.Session.Statements.Fault = null;
        Assert.That(
            await CommitAndCountAsync("SELECT (SELECT COUNT(*) FROM BlocksetEntry) + (SELECT COUNT(*) FROM Block WHERE VolumeID = -1)"),
            Is.Zero
        );
        await ResolveAsync();
        Assert.That(Committed("SELECT COUNT(*) FROM BlocksetEntry"), Is.EqualTo(2));
    }
}
