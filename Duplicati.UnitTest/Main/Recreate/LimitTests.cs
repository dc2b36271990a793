// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Recreate;

namespace Duplicati.UnitTest.Main.Recreate;

/// <summary>With hardly any memory the answers are the same; and long work stops when it is told to.</summary>
[TestFixture]
internal sealed class LimitTests : RebuildTestBase
{
    private const int Files = 300;

    // The bounds leave the map of blocks nothing, or its fingerprints alone.
    [TestCase(20_000)]
    [TestCase(150_000)]
    [Contract("B 9.8 rule 11")]
    public async Task Without_memory_the_tables_are_the_same(long bytes)
    {
        using var large = new RecreateWork(Db.Session, new RecreateLimits(1 << 30, 1 << 30, 1 << 30));
        await LoadAsync(large, Db);
        large.Dispose();
        await Db.CommitAsync(CancellationToken.None);

        var path = await RebuildFile.CreateAsync(Folder, "small.sqlite", Volumes);
        await using (var db = await LocalDatabase.CreateLocalDatabaseAsync(path, "Recreate", true, null, default))
        {
            using var small = new RecreateWork(db.Session, new RecreateLimits(bytes, bytes, 0));
            await LoadAsync(small, db);
            small.Dispose();
            await db.CommitAsync(CancellationToken.None);
        }

        Assert.That(RebuildFile.Dump(path), Is.EqualTo(RebuildFile.Dump(DatabasePath)));
        Assert.That(RebuildFile.Schema(path), Is.EqualTo(RebuildFile.Schema(DatabasePath)));
    }

    // As the zeros of a sparse file are: it is asked for again before its row is written.
    [Test]
    [Contract("B 9.8 rule 11")]
    public async Task A_block_that_is_named_twice_at_once_is_added_once_without_memory([Values] bool isInVolume)
    {
        var path = await RebuildFile.CreateAsync(Folder, "small.sqlite", Volumes);
        await using (var rebuild = await RealRebuild.OpenAsync(path, new RecreateLimits(1, 1, 0)))
        {
            var block = Convert.FromBase64String(Hash(9));
            await rebuild.AddBlocksetAsync(Hash(1), 2 * BlockBytes, [ListHash(1, 0)], 1);
            await rebuild.UpdateBlockAsync(ListHash(1, 0), 2 * HashBytes, 100);
            await rebuild.AddListAsync(ListHash(1, 0), [Hash(9), Hash(9)]);
            if (isInVolume)
                rebuild.Recreate.Work.AddVolume(
                    101,
                    new PackedBlocks([.. block, .. block], [BlockBytes, BlockBytes]),
                    CancellationToken.None
                );
            await rebuild.ResolveAsync(HashBytes, BlockBytes);
            await rebuild.CommitAsync();
        }

        var rows = RebuildFile.Dump(path);
        Assert.That(rows, Has.One.EqualTo($"block|{Hash(9)}|{BlockBytes}|{(isInVolume ? 101 : -1)}|0|0"));
        Assert.That(rows, Has.Exactly(2).StartsWith($"entry|{Hash(1)}|").And.Exactly(2).EndsWith($"|{Hash(9)}|{BlockBytes}"));
    }

    [Test]
    public async Task A_file_is_not_mapped_while_the_map_has_fingerprints_only([Values] bool isSuspended)
    {
        var path = await RebuildFile.CreateAsync(Folder, "small.sqlite", Volumes);
        await using var db = await LocalDatabase.CreateLocalDatabaseAsync(path, "Recreate", true, null, default);
        var before = db.Session.ReadNumber("PRAGMA mmap_size");
        using (var work = new RecreateWork(db.Session, new RecreateLimits(150_000, 150_000, 0)))
        {
            for (var i = 0; i < 3000; i++)
                await work.UpdateBlockAsync(
                    Convert.ToBase64String(System.Security.Cryptography.SHA256.HashData(BitConverter.GetBytes(i))),
                    1,
                    100,
                    CancellationToken.None
                );
            Assert.That(work.Blocks.MapBytes, Is.Positive);
            Assert.That(db.Session.ReadNumber("PRAGMA mmap_size"), Is.Zero);
            if (isSuspended)
                work.Suspend();
        }

        Assert.That(db.Session.ReadNumber("PRAGMA mmap_size"), Is.EqualTo(before).And.Positive);
    }

    [Test]
    public async Task A_cancelled_resolve_leaves_nothing_half_done_and_can_be_repeated()
    {
        await LoadRowsAsync(Rebuild);
        await Db.CommitAsync(CancellationToken.None);
        using var cancel = new CancelAtStep(Db.Session.Statements, 1, x => x.Contains("\"BlocksetEntry\"", StringComparison.Ordinal));
        Assert.That(
            async () => await Db.FindMissingBlocklistHashesAsync(HashBytes, BlockBytes, cancel.Token),
            Throws.InstanceOf<OperationCanceledException>()
        );
        cancel.End();

        Assert.That(await CommitAndCountAsync("SELECT COUNT(*) FROM BlocksetEntry"), Is.Zero);
        await ResolveAsync();
        Assert.That(Committed("SELECT COUNT(*) FROM BlocksetEntry"), Is.EqualTo(Files * 2));
    }

    [Test]
    public async Task Rows_that_another_member_removes_are_not_remembered()
    {
        await Db.AddBlocksetAsync(Hash(1), 5, [], 0, default);
        await Rebuild.AddLinkAsync(Hash(1), Hash(1), 5);
        await Rebuild.UpdateBlockAsync(Hash(1), 5, 100);
        await ResolveAsync();
        await Db.RemoveRemoteVolumeAsync("v100", default);

        Assert.That(await Rebuild.UpdateBlockAsync(Hash(1), 5, 101), Is.EqualTo((true, true)));
        var blockset = await Db.AddBlocksetAsync(Hash(1), 5, [], 0, default);
        Assert.That(await CommitAndCountAsync($"SELECT COUNT(*) FROM Blockset WHERE ID = {blockset}"), Is.EqualTo(1));
    }

    [Test]
    public async Task A_blockset_that_another_member_removes_is_not_resolved()
    {
        await Db.AddBlocksetAsync(Hash(1), 2 * BlockBytes, [ListHash(1, 0)], 1, default);
        await Rebuild.UpdateBlockAsync(ListHash(1, 0), 2 * HashBytes, 100);
        await ResolveAsync();
        await Db.RemoveRemoteVolumeAsync("v100", default);

        await Rebuild.UpdateBlockAsync(ListHash(1, 0), 2 * HashBytes, 101);
        await Rebuild.AddListAsync(ListHash(1, 0), [Hash(10), Hash(11)]);
        await ResolveAsync();
        Assert.That(Committed("SELECT COUNT(*) FROM BlocksetEntry"), Is.Zero);
    }

    [Test]
    public async Task A_blockset_with_the_id_of_a_removed_one_is_resolved()
    {
        var removed = await Db.AddBlocksetAsync(Hash(1), 2 * BlockBytes, [ListHash(1, 0)], 1, default);
        await Rebuild.UpdateBlockAsync(ListHash(1, 0), 2 * HashBytes, 100);
        await ResolveAsync();
        await Db.RemoveRemoteVolumeAsync("v100", default);

        var blockset = await AddFileAsync(2, 2 * BlockBytes, [20, 21]);
        Assert.That(blockset, Is.EqualTo(removed));
        await Rebuild.UpdateBlockAsync(ListHash(2, 0), 2 * HashBytes, 101);
        await ResolveAsync();
        Assert.That(Committed($"SELECT COUNT(*) FROM BlocksetEntry WHERE BlocksetID = {blockset}"), Is.EqualTo(2));
    }

    [Test]
    public async Task The_link_of_a_removed_blockset_counts_for_one_that_comes_again()
    {
        await Db.AddBlocksetAsync(Hash(1), 5, [], 0, default);
        await Rebuild.AddLinkAsync(Hash(1), Hash(1), 5);
        await Rebuild.UpdateBlockAsync(Hash(1), 5, 100);
        await ResolveAsync();
        await Db.RemoveRemoteVolumeAsync("v100", default);

        await Rebuild.UpdateBlockAsync(Hash(1), 5, 101);
        var blockset = await Db.AddBlocksetAsync(Hash(1), 5, [], 0, default);
        await Rebuild.AddLinkAsync(Hash(1), Hash(1), 5);
        await ResolveAsync();
        Assert.That(Committed($"SELECT COUNT(*) FROM BlocksetEntry WHERE BlocksetID = {blockset}"), Is.EqualTo(1));
    }

    [Test]
    public async Task A_blocklist_that_comes_after_a_removal_is_asked_for()
    {
        await Db.AddBlocksetAsync(Hash(1), 2 * BlockBytes, [ListHash(1, 0)], 1, default);
        await Rebuild.UpdateBlockAsync(ListHash(1, 0), 2 * HashBytes, 100);
        Assert.That(await Rebuild.Recreate.GetBlockListsAsync(100, default).ToListAsync(), Is.EqualTo(new[] { ListHash(1, 0) }));
        await Db.RemoveRemoteVolumeAsync("v100", default);

        await Db.AddBlocksetAsync(Hash(2), 2 * BlockBytes, [ListHash(2, 0)], 1, default);
        await Rebuild.UpdateBlockAsync(ListHash(2, 0), 2 * HashBytes, 101);
        Assert.That(await Rebuild.Recreate.GetBlockListsAsync(101, default).ToListAsync(), Is.EqualTo(new[] { ListHash(2, 0) }));
    }

    private static async Task LoadRowsAsync(IRebuild rebuild)
    {
        for (var i = 0; i < Files; i++)
        {
            await rebuild.AddBlocksetAsync(Text(i, 0), 100, [Text(i, 1)], 1);
            await rebuild.UpdateBlockAsync(Text(i, 1), 64, 100);
            await rebuild.AddListAsync(Text(i, 1), [Text(i, 2), Text(i, 3)]);
        }
    }

    private static async Task LoadAsync(RecreateWork work, LocalDatabase db)
    {
        for (var i = 0; i < Files; i++)
        {
            var blockset = work.Filelist.AddBlockset(Text(i, 0), 100, [Text(i, 1)], 1, default);
            var metadata = work.Filelist.AddMetadataset(Text(i % 50, 4), 7, [], 0, default);
            work.Filelist.AddEntry(1, 1, $"file{i}", default, blockset, metadata);
            await work.AddLinkAsync(Text(i % 50, 4), Text(i % 50, 4), 7, default);
            await work.UpdateBlockAsync(Text(i, 1), 64, 100, default);
            await work.UpdateBlockAsync(Text(i, 2), 64, 101, default);
            await work.UpdateBlockAsync(Text(i / 2, 2), 64, 100, default);
            await work.AddBlocklistAsync(Text(i, 1), [Text(i, 2), Text(i, 3)], default);
            work.Filelist.AddEntry(2, 1, $"file{i}", default, blockset, metadata);
        }

        await work.ResolveAsync(x => db.Transaction.Commit(x), HashBytes, BlockBytes, default);
        await work.RemoveUnusedBlocksAsync(x => db.Transaction.Commit(x), default);
    }

    private static string Text(int number, int kind) =>
        Convert.ToBase64String(System.Security.Cryptography.SHA256.HashData(BitConverter.GetBytes((number * 10) + kind)));
}
