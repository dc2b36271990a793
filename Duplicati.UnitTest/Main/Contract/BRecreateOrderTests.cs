// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Recreate;

namespace Duplicati.UnitTest.Main.Contract;

/// <summary>
/// A recreate as the handler drives it: volumes in listing order, lists, index files, passes over block volumes, cleaning up.
/// </summary>
[TestFixture]
internal sealed class BRecreateOrderTests : RebuildTestBase
{
    private const string Missing = "missing.dblock.zip";

    protected override IEnumerable<PlanVolume> Volumes => [];

    [Test]
    [Contract("B 7 row 6")]
    [Contract("B 3.4 CleanupMissingVolumesAsync")]
    [Contract("B 3.4 CleanupDeletedBlocksAsync")]
    [Contract("B 4.2 step 8")]
    [Contract("B 4.2 step 15")]
    [Contract("B 7 row 9")]
    public async Task An_index_of_a_volume_that_does_not_exist_leaves_no_trace_of_it(
        [Values] bool listedFirst,
        [Values] bool lostBlockIsUsed
    )
    {
        using var log = new LogCapture();
        await RegisterAsync("a.dblock.zip", "i1", "i2");
        await AddSmallFileAsync("kept", 10);
        await AddSmallFileAsync("copied", 11);
        if (lostBlockIsUsed)
            await AddSmallFileAsync("lost", 12);
        await Db.CommitAsync(default);
        // Block 13 is used by nothing and has a copy; 14 by nothing, in the missing volume only.
        var missing = ("i1", Missing, (byte[])[11, 12, 13, 14]);
        var present = ("i2", "a.dblock.zip", (byte[])[10, 11, 13]);
        foreach (
            var (index, volume, blocks) in listedFirst ? [missing, present] : (IEnumerable<(string, string, byte[])>)[present, missing]
        )
            await LoadIndexAsync(index, volume, blocks);
        await Db.CommitAsync(default);

        await Db.CleanupMissingVolumesAsync(default);
        await ResolveAsync();
        for (var pass = 0; pass < 3; pass++)
            Assert.That(await Rebuild.PassAsync(pass, BlockBytes, HashBytes, false), Is.Empty, $"pass {pass}");
        await Db.CleanupDeletedBlocksAsync(default);
        await Db.CleanupMissingVolumesAsync(default);
        await Rebuild.DisposeAsync();

        Assert.That(log.Of(LogMessageType.Warning, "MissingVolumesDetected"), Has.Count.EqualTo(2), "one for each call that found any");
        AssertNoTrace();
        Assert.That(Committed("SELECT COUNT(*) FROM Fileset"), Is.EqualTo(3));
        Assert.That(Committed($"SELECT COUNT(*) FROM Block WHERE Hash IN ('{Hash(10)}', '{Hash(11)}')"), Is.EqualTo(2));
        Assert.That(Committed($"SELECT COUNT(*) FROM DeletedBlock WHERE Hash = '{Hash(13)}'"), Is.EqualTo(1));
        Assert.That(
            Committed("SELECT COUNT(*) FROM BlocksetEntry WHERE BlockID NOT IN (SELECT ID FROM Block)"),
            Is.EqualTo(lostBlockIsUsed ? 1 : 0)
        );
    }

    [Test]
    [Contract("B 7 row 10")]
    [Contract("B 4.2 step 11")]
    public async Task A_block_that_is_both_content_and_a_blocklist_makes_nothing_missing([Values] bool smallFileFirst)
    {
        await RegisterAsync("a.dblock.zip", "i1");
        if (smallFileFirst)
            await AddSmallFileAsync("list as file", (byte)101, 64);
        var blockset = await AddFileAsync(1, 128, [10, 11]);
        await Db.AddFileEntryAsync(1, 1, "big", default, blockset, -1, default);
        if (!smallFileFirst)
            await AddSmallFileAsync("list as file", (byte)101, 64);
        await Db.CommitAsync(default);
        await LoadIndexAsync("i1", "a.dblock.zip", [10, 11, 101]);
        await ResolveAsync();

        for (var pass = 0; pass < 3; pass++)
            Assert.That(await Rebuild.PassAsync(pass, BlockBytes, HashBytes, false), Is.Empty, $"pass {pass}");
        await Db.CleanupDeletedBlocksAsync(default);
        Assert.That(Committed("SELECT COUNT(*) FROM Block"), Is.EqualTo(3));
        Assert.That(Committed("SELECT COUNT(*) FROM BlocksetEntry"), Is.EqualTo(3));
    }

    [Test]
    [Contract("B 7 row 7")]
    [Contract("B 9.8 rule 6")]
    public async Task Copies_of_volumes_and_index_files_make_duplicates_in_listing_order()
    {
        await RegisterAsync("a.dblock.zip", "b.dblock.zip", "i1", "i2", "i3");
        await AddSmallFileAsync("file", 10);
        await Db.CommitAsync(default);
        await LoadIndexAsync("i1", "b.dblock.zip", [10]);
        await LoadIndexAsync("i2", "a.dblock.zip", [10]);
        // The same index file once more under another name.
        await LoadIndexAsync("i3", "b.dblock.zip", [10]);
        await ResolveAsync();
        await Db.CleanupDeletedBlocksAsync(default);

        Assert.That(
            Committed("SELECT COUNT(*) FROM Block b JOIN Remotevolume v ON v.ID = b.VolumeID WHERE v.Name = 'b.dblock.zip'"),
            Is.EqualTo(1)
        );
        Assert.That(
            Committed("SELECT COUNT(*) FROM DuplicateBlock d JOIN Remotevolume v ON v.ID = d.VolumeID WHERE v.Name = 'a.dblock.zip'"),
            Is.EqualTo(1)
        );
        Assert.That(Committed("SELECT COUNT(*) FROM DuplicateBlock"), Is.EqualTo(1));
        Assert.That(Committed("SELECT COUNT(*) FROM IndexBlockLink WHERE IndexVolumeID IN (SELECT ID FROM Remotevolume)"), Is.EqualTo(3));
    }

    [Test]
    [Contract("B 4.2 durability")]
    [Contract("B 3.3 commits")]
    public async Task Rows_are_durable_where_the_handler_expects_it_and_not_before()
    {
        await RegisterAsync("a.dblock.zip", "i1");
        await AddSmallFileAsync("file", 10);
        Assert.That(Committed("SELECT COUNT(*) FROM FileLookup"), Is.Zero, "members of the list phase do not commit");
        await Db.CommitAsync(default);
        Assert.That(Committed("SELECT COUNT(*) FROM FileLookup"), Is.EqualTo(1));
        await LoadIndexAsync("i1", "a.dblock.zip", [10, 11]);
        await Db.CleanupMissingVolumesAsync(default);
        await Db.AddBlockAndBlockSetEntryFromTempAsync(HashBytes, BlockBytes, false, default);
        Assert.That(
            (Committed("SELECT COUNT(*) FROM Block"), Committed("SELECT COUNT(*) FROM BlocksetEntry")),
            Is.EqualTo((0, 0)),
            "nor do the index phase and the other resolve"
        );
        await ResolveAsync();
        Assert.That((Committed("SELECT COUNT(*) FROM Block"), Committed("SELECT COUNT(*) FROM BlocksetEntry")), Is.EqualTo((2, 1)));
        await Db.CleanupDeletedBlocksAsync(default);
        Assert.That(Committed("SELECT COUNT(*) FROM DeletedBlock"), Is.EqualTo(1));
        await Db.LogRemoteOperationAsync("get", "a.dblock.zip", null, default);
        await Db.DisposeAsync();
        Assert.That(Committed("SELECT COUNT(*) FROM RemoteOperation"), Is.EqualTo(1), "a disposal commits for the parent (Q1)");
    }

    [Test]
    [Contract("B 4.2 step 12")]
    [Contract("B 3.4 GetBlockListsAsync")]
    [Contract("B 9.8 rule 7")]
    public async Task Lost_index_files_are_made_up_for_volume_by_volume()
    {
        await RegisterAsync("a.dblock.zip", "b.dblock.zip", "c.dblock.zip", "i1");
        var blockset = await Db.AddBlocksetAsync(Hash(1), 256, [ListHash(1, 0), ListHash(1, 1)], 2, default);
        await Db.AddFileEntryAsync(1, 1, "big", default, blockset, -1, default);
        await Db.CommitAsync(default);
        await LoadIndexAsync("i1", "a.dblock.zip", [10, 101]);
        await ResolveAsync();

        Assert.That(await Rebuild.PassAsync(0, BlockBytes, HashBytes, false), Is.EqualTo(new[] { "a.dblock.zip" }));
        await LoadBlockVolumeAsync("a.dblock.zip", [10, 101], (101, [10, 11]));
        Assert.That(
            await Rebuild.PassAsync(1, BlockBytes, HashBytes, false),
            Is.EqualTo(new[] { "b.dblock.zip", "c.dblock.zip" }),
            "block 11 is in none that is known"
        );
        await LoadBlockVolumeAsync("b.dblock.zip", [11, 12, 13], null);
        await LoadBlockVolumeAsync("c.dblock.zip", [102], (102, [12, 13]));
        Assert.That(await Rebuild.PassAsync(2, BlockBytes, HashBytes, false), Is.Empty);
        await Db.CleanupDeletedBlocksAsync(default);
        Assert.That(Committed("SELECT COUNT(*) FROM BlocksetEntry JOIN Block ON Block.ID = BlockID"), Is.EqualTo(4));
    }

    // A download: volume state, blocks, the blocklists among them, and a resolve if anything is new.
    private async Task LoadBlockVolumeAsync(string name, byte[] blocks, (byte Name, byte[] Entries)? list)
    {
        var id = await Db.GetRemoteVolumeIDAsync(name, default);
        await Db.UpdateRemoteVolumeAsync(name, RemoteVolumeState.Uploaded, 1000, "hash", default);
        var isNew = false;
        foreach (var block in blocks)
            isNew |= (await Rebuild.UpdateBlockAsync(Hash(block), 64, id)).Item1;
        await foreach (var hash in Db.GetBlockListsAsync(id, default))
        {
            Assert.That(hash, Is.EqualTo(Hash(list!.Value.Name)));
            isNew |= await Db.AddTempBlockListHashAsync(hash, list.Value.Entries.Select(Hash), default);
        }

        Assert.That(isNew);
        await ResolveAsync();
        await Db.Transaction.CommitAsync("CommitRestoredBlocklist", true, default);
    }

    private async Task RegisterAsync(params string[] names)
    {
        await Db.RepairInProgressAsync(default, true);
        foreach (var name in names)
            await Db.RegisterRemoteVolumeAsync(
                name,
                name[0] == 'i' ? RemoteVolumeType.Index : RemoteVolumeType.Blocks,
                100,
                RemoteVolumeState.Uploaded,
                default
            );
    }

    private async Task AddSmallFileAsync(string name, byte content, long size = 64)
    {
        var blockset = await Db.AddBlocksetAsync(Hash(content), size, null!, 0, default);
        await Db.AddFileEntryAsync(1, 1, name, DateTime.UtcNow, blockset, -1, default);
        await Db.AddSmallBlocksetLinkAsync(Hash(content), Hash(content), size, default);
    }

    private async Task LoadIndexAsync(string index, string volume, byte[] blocks)
    {
        await Db.UpdateRemoteVolumeAsync(index, RemoteVolumeState.Verified, 100, "hash", default);
        var id = await Db.GetRemoteVolumeIDAsync(volume, default);
        var state = id < 0 ? RemoteVolumeState.Temporary : RemoteVolumeState.Verified;
        if (id < 0)
            id = await Db.RegisterRemoteVolumeAsync(volume, RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default);
        foreach (var block in blocks)
            await Db.UpdateBlockAsync(Hash(block), 64, id, default);
        await Db.UpdateRemoteVolumeAsync(volume, state, 1000, "hash", default);
        await Db.AddIndexBlockLinkAsync(await Db.GetRemoteVolumeIDAsync(index, default), id, default);
    }

    private void AssertNoTrace()
    {
        Assert.That(Committed("SELECT COUNT(*) FROM Remotevolume WHERE State = 'Temporary'"), Is.Zero);
        foreach (var table in (string[])["Block", "DeletedBlock", "DuplicateBlock"])
            Assert.That(Committed($"SELECT COUNT(*) FROM {table} WHERE VolumeID NOT IN (SELECT ID FROM Remotevolume)"), Is.Zero, table);
        Assert.That(Committed("SELECT COUNT(*) FROM IndexBlockLink WHERE BlockVolumeID NOT IN (SELECT ID FROM Remotevolume)"), Is.Zero);
        Assert.That(Committed("SELECT COUNT(*) FROM DuplicateBlock WHERE BlockID NOT IN (SELECT ID FROM Block)"), Is.Zero);
    }
}
