// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Main.Repair;

public sealed class MissingBlockListTests : RepairTestBase
{
    private long m_lost;
    private long m_kept;
    private long m_target;

    private static string Hash(string seed) => SampleDatabase.Hash(seed);

    // In the lost volume: a and c (data of "/f", at 0 and 2), m (metadata of "/f" and "/g") and the blocklist of "/f". In the kept one: b.
    private void Fill()
    {
        m_lost = Data.Volume("lost");
        m_kept = Data.Volume("kept");
        m_target = Data.Volume("target");
        var (a, b, c) = (Data.Block("a", 10, m_lost), Data.Block("b", 10, m_kept), Data.Block("c", 5, m_lost));
        var meta = Data.Metadata(Data.Blockset("meta", 7, Data.Block("m", 7, m_lost)));
        var file = Data.Blockset("file", 25, a, b, c);
        Data.Blocklist(file, 0, "list");
        Data.Block("list", 96, m_lost);
        var other = Data.Blockset("other", 10, b);
        Data.Fileset(1000, Data.File("/f", file, meta));
        Data.Fileset(2000, Data.File("/g", other, meta));
    }

    [Test]
    [Contract("B 5.4 CreateBlockListAsync")]
    public void A_volume_without_blocks_is_an_error()
    {
        Data.Volume("empty");

        Assert.That(async () => await Db.CreateBlockListAsync("empty", None), Throws.TypeOf<Exception>());
        Assert.That(async () => await Db.CreateBlockListAsync("unknown", None), Throws.TypeOf<Exception>());
    }

    [Test]
    [Contract("B 5.4 SetBlockRestoredAsync")]
    public async Task Marking_moves_a_block_once_and_remembers_the_old_place()
    {
        Fill();
        await using var list = await Db.CreateBlockListAsync("lost", None);

        Assert.That(await list.GetMissingBlockCountAsync(None), Is.EqualTo(4));
        Assert.That(await list.SetBlockRestoredAsync(Hash("a"), 10, m_target, None), Is.True);
        Assert.That(await list.SetBlockRestoredAsync(Hash("a"), 10, m_kept, None), Is.False, "again");
        Assert.That(await list.SetBlockRestoredAsync(Hash("a"), 11, m_target, None), Is.False, "other size");
        Assert.That(await list.SetBlockRestoredAsync(Hash("b"), 10, m_target, None), Is.False, "not lost");

        Assert.That(await list.GetMissingBlockCountAsync(None), Is.EqualTo(3));
        Assert.That(Rows($"SELECT BlockID, VolumeID FROM DuplicateBlock"), Is.EqualTo(new[] { $"1|{m_lost}" }));
        Assert.That(Rows("SELECT VolumeID FROM Block ORDER BY ID LIMIT 3"), Is.EqualTo(new[] { $"{m_target}", $"{m_kept}", $"{m_lost}" }));
    }

    [Test]
    public async Task A_duplicate_that_is_known_is_no_error_but_a_block_that_is_gone_is()
    {
        Fill();
        Data.DuplicateBlock(1, m_lost);
        await using var list = await Db.CreateBlockListAsync("lost", None);
        Execute($"DELETE FROM Block WHERE Hash = '{Hash("c")}'");

        Assert.That(await list.SetBlockRestoredAsync(Hash("a"), 10, m_target, None), Is.True);
        Assert.That(Rows("SELECT COUNT(*) FROM DuplicateBlock"), Is.EqualTo(new[] { "1" }));
        Assert.That(async () => await list.SetBlockRestoredAsync(Hash("c"), 5, m_target, None), Throws.TypeOf<Exception>());
    }

    [Test]
    [Contract("B 5.4 CreateBlockListAsync")]
    public async Task A_list_that_has_gone_with_a_rollback_does_not_say_that_nothing_is_missing()
    {
        Fill();
        await (await Db.CreateBlockListAsync("lost", None)).DisposeAsync();
        await Db.CommitAsync(None);
        await using var gone = await Db.CreateBlockListAsync("lost", None);
        await Db.Transaction.RollBackAsync(None);
        await using var list = await Db.CreateBlockListAsync("lost", None);

        Assert.That(() => gone.GetMissingBlockCountAsync(None), Throws.InvalidOperationException);
        Assert.That(() => gone.SetBlockRestoredAsync(Hash("a"), 10, m_target, None), Throws.InvalidOperationException);
        Assert.That(async () => await gone.GetSourceFilesWithBlocksAsync(10, None).ToListAsync(), Throws.InvalidOperationException);
        Assert.That(async () => await gone.GetSourceItemsWithMetadataBlocksAsync(None).ToListAsync(), Throws.InvalidOperationException);
        Assert.That(async () => await gone.GetBlocklistHashesAsync(2, None).ToListAsync(), Throws.InvalidOperationException);
        Assert.That(async () => await gone.GetFilesetsUsingMissingBlocksAsync(None).ToListAsync(), Throws.InvalidOperationException);
        Assert.That(async () => await gone.GetMissingBlockSourcesAsync(None).ToListAsync(), Throws.InvalidOperationException);
        await gone.DisposeAsync();
        Assert.That(await list.GetMissingBlockCountAsync(None), Is.EqualTo(4));
    }

    [Test]
    public async Task A_list_whose_table_has_gone_with_a_rollback_says_so()
    {
        Fill();
        await Db.CommitAsync(None);
        await using var gone = await Db.CreateBlockListAsync("lost", None);
        await Db.Transaction.RollBackAsync(None);

        Assert.That(() => gone.GetMissingBlockCountAsync(None), Throws.InvalidOperationException);
        Assert.That(() => gone.SetBlockRestoredAsync(Hash("a"), 10, m_target, None), Throws.InvalidOperationException);
    }

    [Test]
    [Contract("B 5.4 GetSourceFilesWithBlocksAsync")]
    public async Task Sources_are_all_versions_with_their_offsets_in_order_while_blocks_are_marked()
    {
        Fill();
        Data.File("/e", 2, 777);
        await using var list = await Db.CreateBlockListAsync("lost", None);

        var found = new List<LocalRepairDatabase.BlockWithSourceData>();
        await foreach (var source in list.GetSourceFilesWithBlocksAsync(10, None))
        {
            found.Add(source);
            await list.SetBlockRestoredAsync(source.Hash, source.Size, m_target, None);
        }

        var expected = new[] { ("a", 10L, 0L), ("c", 5L, 20L) }
            .SelectMany(x =>
                new[] { "/e", "/f" }.Select(path => new LocalRepairDatabase.BlockWithSourceData(Hash(x.Item1), x.Item2, path, x.Item3))
            )
            .OrderBy(x => x.Hash, StringComparer.Ordinal)
            .ThenBy(x => x.File, StringComparer.Ordinal);
        Assert.That(found, Is.EqualTo(expected));
        Assert.That(await list.GetSourceFilesWithBlocksAsync(10, None).ToListAsync(), Is.Empty, "all found");
    }

    [Test]
    [Contract("B 5.4 GetSourceItemsWithMetadataBlocksAsync")]
    public async Task Metadata_sources_are_the_entries_that_have_it()
    {
        Fill();
        await using var list = await Db.CreateBlockListAsync("lost", None);

        var found = await list.GetSourceItemsWithMetadataBlocksAsync(None).ToListAsync();

        Assert.That(
            found,
            Is.EqualTo(new[] { "/f", "/g" }.Select(x => new LocalRepairDatabase.BlockWithMetadataSourceData(Hash("m"), 7, x)))
        );
    }

    [Test]
    [Contract("B 5.4 GetBlocklistHashesAsync")]
    public async Task A_lost_blocklist_gives_all_blocks_of_its_blockset_while_it_is_marked()
    {
        Fill();
        await using var list = await Db.CreateBlockListAsync("lost", None);

        var found = new List<LocalRepairDatabase.BlocklistHashesEntry>();
        await foreach (var entry in list.GetBlocklistHashesAsync(4, None))
        {
            found.Add(entry);
            await list.SetBlockRestoredAsync(Hash("list"), 96, m_target, None);
        }

        var file = found[0].BlocksetId;
        Assert.That(
            found,
            Is.EqualTo(
                new[] { "a", "b", "c" }.Select(
                    (x, i) => new LocalRepairDatabase.BlocklistHashesEntry(file, Hash("list"), 25, 0, i, Hash(x))
                )
            )
        );
        Assert.That(await list.GetBlocklistHashesAsync(4, None).ToListAsync(), Is.Empty, "found");
    }

    [Test]
    public async Task Blocks_are_assigned_to_blocklists_by_index_over_several_pages()
    {
        m_lost = Data.Volume("lost");
        var blocks = Enumerable.Range(0, 10_000).Select(i => Data.Block($"b{i}", 10, m_lost)).ToArray();
        var file = Data.Blockset("file", 100_000, blocks);
        for (var i = 0; i < 313; i++)
            Data.Blocklist(file, i, $"list{i}");
        Data.Block("list312", 512, m_lost);
        await using var list = await Db.CreateBlockListAsync("lost", None);

        var found = await list.GetBlocklistHashesAsync(32, None).ToListAsync();

        Assert.That(found.Select(x => x.Index), Is.EqualTo(Enumerable.Range(0, 10_000)));
        Assert.That(
            found,
            Has.All.Matches<LocalRepairDatabase.BlocklistHashesEntry>(x =>
                x.BlocklistHashIndex == x.Index / 32
                && x.BlocklistHash == Hash($"list{x.Index / 32}")
                && x.Hash == Hash($"b{x.Index}")
                && x.BlocklistHashLength == 100_000
            )
        );
    }

    [Test]
    [Contract("B 5.4 GetBlocklistHashesAsync")]
    public async Task A_blockset_without_the_row_of_a_blocklist_is_an_error()
    {
        Fill();
        await using var list = await Db.CreateBlockListAsync("lost", None);

        // With two hashes a block there should be a second blocklist.
        Assert.That(async () => await list.GetBlocklistHashesAsync(2, None).ToListAsync(), Throws.TypeOf<Exception>());
    }

    [Test]
    [Contract("B 5.4 GetFilesetsUsingMissingBlocksAsync")]
    public async Task Filesets_that_need_a_block_for_data_or_as_a_blocklist_count_and_for_metadata_do_not()
    {
        Fill();
        await using var list = await Db.CreateBlockListAsync("lost", None);
        var lists = list.GetFilesetsUsingMissingBlocksAsync(None);

        Assert.That(await lists.Select(x => x.Name).ToListAsync(), Is.EqualTo(new[] { "duplicati-1000.dlist.zip" }));
        Execute("UPDATE BlocksetEntry SET BlockID = 2");
        Assert.That(await lists.CountAsync(), Is.EqualTo(1), "through the blocklist");
        await list.SetBlockRestoredAsync(Hash("list"), 96, m_target, None);
        Assert.That(await lists.CountAsync(), Is.EqualTo(1), "also when found");
        Execute("DELETE FROM BlocklistHash");
        Assert.That(await lists.CountAsync(), Is.Zero);
    }

    [Test]
    [Contract("B 5.4 GetMissingBlockSourcesAsync")]
    public async Task Other_sources_are_volumes_that_missing_blocks_were_assigned_to()
    {
        Fill();
        await using var list = await Db.CreateBlockListAsync("lost", None);

        Assert.That(await list.GetMissingBlockSourcesAsync(None).ToListAsync(), Is.Empty);
        Execute($"UPDATE Block SET VolumeID = {m_kept} WHERE Hash = '{Hash("a")}'");
        Assert.That(await list.GetMissingBlockSourcesAsync(None).Select(x => x.Name).ToListAsync(), Is.EqualTo(new[] { "kept" }));
        await list.SetBlockRestoredAsync(Hash("a"), 10, m_target, None);
        Assert.That(await list.GetMissingBlockSourcesAsync(None).ToListAsync(), Is.Empty);
    }

    [Test]
    public async Task Two_lists_do_not_disturb_each_other_and_commits_do_not_end_them()
    {
        Fill();
        await using var lost = await Db.CreateBlockListAsync("lost", None);
        var kept = await Db.CreateBlockListAsync("kept", None);

        Assert.That((await lost.GetMissingBlockCountAsync(None), await kept.GetMissingBlockCountAsync(None)), Is.EqualTo((4L, 1L)));
        await Db.Transaction.CommitAsync();
        await kept.DisposeAsync();
        await kept.DisposeAsync();
        Assert.That(await lost.GetMissingBlockCountAsync(None), Is.EqualTo(4));
    }

    [Test]
    public async Task Disposing_after_a_rollback_or_after_the_database_is_no_error()
    {
        Fill();
        var first = await Db.CreateBlockListAsync("lost", None);
        await Db.Transaction.RollBackAsync();
        await first.DisposeAsync();
        var second = await Db.CreateBlockListAsync("lost", None);
        Db.Dispose();

        Assert.That(second.Dispose, Throws.Nothing);
    }
}
