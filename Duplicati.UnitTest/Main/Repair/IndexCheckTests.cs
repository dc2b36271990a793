// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Main.Repair;

public sealed class IndexCheckTests : RepairTestBase
{
    private const long BLOCKSIZE = 64;
    private const long DIGEST = 32;

    private static string Hash(string seed) => SampleDatabase.Hash(seed);

    private Task CheckBlocks(string volume, params string[] seeds) =>
        Db.CheckAllBlocksAreInVolumeAsync(volume, seeds.Select(x => KeyValuePair.Create(Hash(x), 10L)), None);

    private Task CheckList(string seed, long length, params string[] seeds) =>
        Db.CheckBlocklistCorrectAsync(Hash(seed), length, seeds.Select(Hash), BLOCKSIZE, DIGEST, None);

    // Five blocks, two in a blocklist.
    private void FillBlockset()
    {
        var volume = Data.Volume("v");
        var blocks = new[] { "a", "b", "c", "d", "e" }.Select(x => Data.Block(x, 10, volume)).ToArray();
        var set = Data.Blockset("file", 50, blocks);
        Data.Blocklist(set, 0, "list0");
        Data.Blocklist(set, 1, "list1");
        Data.Blocklist(set, 2, "list2");
        foreach (var list in new[] { "list0", "list1" })
            Data.Block(list, 64, volume);
        Data.Block("list2", 32, volume);
    }

    [Test]
    [Contract("B 10 Q13")]
    public async Task Known_blocks_of_the_volume_and_unknown_blocks_are_right()
    {
        Data.Block("a", 10, Data.Volume("v"));
        Data.Block("b", 11, Data.Volume("w"));

        await CheckBlocks("v", "a", "unknown", "b");

        Assert.That(Rows("SELECT COUNT(*) FROM Block"), Is.EqualTo(new[] { "2" }));
    }

    [Test]
    [Contract("B 5.3 CheckAllBlocksAreInVolumeAsync")]
    public void A_known_block_of_another_volume_is_an_error()
    {
        var volume = Data.Volume("v");
        Data.Block("a", 10, volume);
        Data.DuplicateBlock(Data.Block("b", 10, Data.Volume("w")), volume);

        Assert.That(async () => await CheckBlocks("v", "a", "b"), Throws.TypeOf<Exception>().With.Message.Contains("1 of 2"));
        Assert.That(async () => await CheckBlocks("no such volume", "a"), Throws.TypeOf<Exception>());
    }

    [Test]
    [Contract("B 5.3 CheckBlocklistCorrectAsync")]
    public async Task A_blocklist_is_compared_with_its_part_of_the_blockset()
    {
        FillBlockset();

        await CheckList("list0", 64, "a", "b");
        await CheckList("list1", 64, "c", "d");
        await CheckList("list2", 32, "e");
        await CheckList("unknown", 0);

        Assert.That(Rows("SELECT COUNT(*) FROM BlocklistHash"), Is.EqualTo(new[] { "3" }));
    }

    [TestCase("list1", 64, "d,c", "Mismatch")]
    [TestCase("list1", 64, "c", "Too few")]
    [TestCase("list1", 64, "c,d,e", "Too many")]
    [TestCase("list1", 63, "c,d", "Too many")]
    [TestCase("unknown", 64, "c,d", "Too many")]
    [Contract("B 5.3 CheckBlocklistCorrectAsync")]
    public void A_blocklist_that_differs_is_an_error(string list, long length, string hashes, string message)
    {
        FillBlockset();

        Assert.That(
            async () => await CheckList(list, length, hashes.Split(',')),
            Throws.TypeOf<Exception>().With.Message.Contains(message)
        );
    }

    // The second file with the blocklist differs, so that the answer tells which one was asked.
    [Test]
    public async Task Own_changes_between_two_checks_are_seen()
    {
        var (gone, kept) = (Data.Volume("gone"), Data.Volume("kept"));
        Data.Blocklist(Data.Blockset("first", 20, Data.Block("a", 10, gone), Data.Block("b", 10, gone)), 0, "list");
        Data.Blocklist(Data.Blockset("second", 20, Data.Block("c", 10, kept), Data.Block("d", 10, kept)), 0, "list");
        Data.Block("list", 64, kept);
        await CheckList("list", 64, "a", "b");

        await Db.RemoveRemoteVolumeAsync("gone", None);

        await CheckList("list", 64, "c", "d");
    }

    [Test]
    public async Task Changes_between_two_checks_are_seen()
    {
        FillBlockset();
        await CheckList("list2", 32, "e");
        Execute("UPDATE BlocklistHash SET Hash = 'x' WHERE \"Index\" = 2");

        Assert.That(async () => await CheckList("list2", 32, "e"), Throws.TypeOf<Exception>());

        await Db.Transaction.RollBackAsync();
        await CheckList("list2", 32, "e");
    }
}
