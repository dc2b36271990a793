// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using System.Text;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

public sealed class BlockTests : LocalDatabaseTestBase
{
    private static string Hash(string text) => Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(text)));

    // Volume 1 holds the blocks 0, 2, 4 and the blocklists; the other blocks are elsewhere. Three entries fit in a blocklist.
    private void FillBlockset()
    {
        for (var i = 0; i < 5; i++)
            Execute(
                $"INSERT INTO Block (ID, Hash, Size, VolumeID) VALUES ({i + 1}, '{Hash($"{i}")}', 96, {1 + (i % 2)}); INSERT INTO BlocksetEntry VALUES (1, {i}, {i + 1}), (2, {i}, {i + 1})"
            );
        Execute(
            $"""
            INSERT INTO Block (ID, Hash, Size, VolumeID) VALUES (10, '{Hash("list0")}', 96, 1), (11, '{Hash("list1")}', 64, 3);
            INSERT INTO DuplicateBlock VALUES (11, 1);
            INSERT INTO DeletedBlock (Hash, Size, VolumeID) VALUES ('{Hash("deleted")}', 3, 1), ('{Hash("deleted")}', 3, 2);
            INSERT INTO BlocklistHash VALUES (1, 0, '{Hash("list0")}'), (1, 1, '{Hash("list1")}'), (2, 0, '{Hash("list0")}'), (2, 1, '{Hash(
                "list1"
            )}'), (3, 0, '{Hash("deleted")}');
            """
        );
    }

    [Test]
    [Contract("A 6.10 GetBlocksAsync")]
    public async Task The_blocks_of_a_volume_are_live_deleted_and_duplicate_ones_each_once()
    {
        FillBlockset();

        var blocks = await ListAsync(Db.GetBlocksAsync(1, default));

        Assert.That(
            blocks.Select(x => (x.Hash, x.Size)),
            Is.EquivalentTo(
                new[] { (Hash("0"), 96L), (Hash("2"), 96), (Hash("4"), 96), (Hash("list0"), 96), (Hash("list1"), 64), (Hash("deleted"), 3) }
            )
        );
    }

    [Test]
    [Contract("A 6.10 GetBlocklistsAsync")]
    public async Task Blocklists_of_a_volume_are_rebuilt_from_blocks_of_any_volume_each_once_and_padded()
    {
        FillBlockset();

        var lists = await ListAsync(Db.GetBlocklistsAsync(1, 100, 32, default));

        Assert.That(
            lists.Select(x => (x.Hash, x.Buffer.Length, x.Size)),
            Is.EqualTo(new[] { (Hash("list0"), 100, 96), (Hash("list1"), 100, 64) })
        );
        Assert.That(
            lists[1].Buffer.AsSpan(0, 64).ToArray(),
            Is.EqualTo(Convert.FromBase64String(Hash("3")).Concat(Convert.FromBase64String(Hash("4"))))
        );
        Assert.That(lists[1].Buffer.AsSpan(64).ToArray(), Is.All.Zero);
    }

    [TestCase("DELETE FROM Block WHERE ID = 2")]
    [TestCase("UPDATE Block SET Hash = 'c2hvcnQ=' WHERE ID = 2")]
    [TestCase("UPDATE Block SET Hash = '*' WHERE ID = 2")]
    [Contract("A 6.10 GetBlocklistsAsync")]
    public void A_blocklist_with_an_entry_that_is_no_digest_is_an_error(string damage)
    {
        FillBlockset();
        Execute(damage);

        Assert.That(() => ListAsync(Db.GetBlocklistsAsync(1, 96, 32, default)), Throws.TypeOf<Exception>());
    }

    [Test]
    [Contract("A 1.4 row 7")]
    public async Task Blocks_and_blocklists_can_be_read_while_another_call_writes_and_commits()
    {
        FillBlockset();
        var writer = Task.Run(async () =>
        {
            for (var i = 0; i < 200; i++)
            {
                await Db.AddIndexBlockLinkAsync(1, i + 1, default);
                await Db.Transaction.CommitAsync(default);
            }
        });

        for (var i = 0; i < 200; i++)
        {
            Assert.That(await ListAsync(Db.GetBlocklistsAsync(1, 96, 32, default)), Has.Count.EqualTo(2));
            Assert.That(await ListAsync(Db.GetBlocksAsync(1, default)), Has.Count.EqualTo(6));
        }

        await writer;
        Assert.That(Committed("SELECT COUNT(*) FROM IndexBlockLink"), Is.EqualTo("200"));
    }

    [Test]
    [Contract("A 6.10 GetBlocksLargerThanAsync")]
    public async Task Larger_blocks_are_counted()
    {
        FillBlockset();

        Assert.That(await Db.GetBlocksLargerThanAsync(64, default), Is.EqualTo(6));
        Assert.That(await Db.GetBlocksLargerThanAsync(96, default), Is.Zero);
    }
}
