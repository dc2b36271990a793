// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Restore;
using Duplicati.Library.Main.Operation.Restore;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Restore;

[TestFixture]
public class BlockReadTests : SampleTestBase
{
    [Test]
    [Contract("B 1.8 GetBlocksFromFileAsync")]
    [Contract("B 1.8 GetMetadataBlocksFromFileAsync")]
    [Contract("B 10 Q7")]
    public async Task Blocks_come_in_index_order_with_running_numbers()
    {
        var volume = Data.Volume("v1");
        var (a, b, c) = (Data.Block("a", 3, volume), Data.Block("b", 2, volume), Data.Block("c", 1, -1));
        var set = Data.Blockset("set", 6);
        foreach (var (index, block) in new[] { (7L, a), (2L, c), (5L, b) })
            Data.Insert("""INSERT INTO "BlocksetEntry" VALUES (?1, ?2, ?3)""", set, index, block);
        var file = Data.File("/d/a", Data.Blockset("other", 0), Data.Metadata(set));
        await using var db = await RestoreFixture.OpenAsync(Data.Close());

        var blocks = await db.GetBlocksFromFileAsync(set, default).ToListAsync();
        var metadata = await db.GetMetadataBlocksFromFileAsync(file, default).ToListAsync();

        var expected = new[]
        {
            (c, 0L, SampleDatabase.Hash("c"), 1L, -1L),
            (b, 1L, SampleDatabase.Hash("b"), 2L, volume),
            (a, 2L, SampleDatabase.Hash("a"), 3L, volume),
        };
        Assert.That(blocks.Select(x => (x.BlockID, x.BlockOffset, x.BlockHash, x.BlockSize, x.VolumeID)), Is.EqualTo(expected));
        Assert.That(metadata.Select(x => (x.BlockID, x.BlockOffset, x.BlockHash, x.BlockSize, x.VolumeID)), Is.EqualTo(expected));
        Assert.That(blocks.Select(x => x.RequestType), Is.All.EqualTo(BlockRequestType.Download));
    }

    [Test]
    [Contract("B 1.8 GetBlocksFromFileAsync")]
    public async Task Links_empty_files_and_unknown_ids_have_no_blocks()
    {
        var empty = Data.Blockset("empty", 0);
        await using var db = await RestoreFixture.OpenAsync(Data.Close());

        Assert.That(await db.GetBlocksFromFileAsync(empty, default).CountAsync(), Is.Zero);
        Assert.That(await db.GetBlocksFromFileAsync(SampleDatabase.Symlink, default).CountAsync(), Is.Zero);
        Assert.That(await db.GetMetadataBlocksFromFileAsync(99, default).CountAsync(), Is.Zero);
    }

    [Test]
    [Contract("B 1.8 GetVolumeInfoAsync")]
    public async Task Volumes_are_described_by_id()
    {
        var known = Data.Volume("known", size: 77, hash: "hash");
        var bare = Data.Volume("bare", size: null, hash: null);
        Data.Volume("list", "Files", size: 5000);
        await using var db = await RestoreFixture.OpenAsync(Data.Close());

        Assert.That(await db.GetVolumeInfoAsync(known, default).SingleAsync(), Is.EqualTo(("known", 77L, "hash")));
        Assert.That(await db.GetVolumeInfoAsync(bare, default).SingleAsync(), Is.EqualTo(("bare", -1L, "")));
        Assert.That(await db.GetVolumeInfoAsync(12345, default).CountAsync(), Is.Zero);
        Assert.That(await db.GetLargestVolumeAsync(default), Is.EqualTo(77));
    }

    [Test]
    [Contract("B 1.8 GetLargestVolumeAsync")]
    public async Task Without_block_volumes_the_largest_is_minus_one()
    {
        await using var db = await RestoreFixture.OpenAsync(Data.Close());

        Assert.That(await db.GetLargestVolumeAsync(default), Is.EqualTo(-1));
    }

    [Test]
    [Contract("B 1.8 pool")]
    public async Task Only_committed_rows_are_read()
    {
        var set = Data.Blockset("set", 1);
        var block = Data.Block("a", 1, Data.Volume("v1"));
        await using var db = await RestoreFixture.OpenAsync(Data.Close());
        db.Connection.Execute($"""INSERT INTO "BlocksetEntry" VALUES ({set}, 0, {block})""");

        Assert.That(await db.GetBlocksFromFileAsync(set, default).CountAsync(), Is.Zero);
        await db.Transaction.CommitAsync();
        Assert.That(await db.GetBlocksFromFileAsync(set, default).CountAsync(), Is.EqualTo(1));
    }

    [Test]
    [Contract("B 1.8 pool")]
    public async Task Many_processes_read_at_the_same_time()
    {
        using var backup = new RandomBackup(LongRun.Seed());
        await using var db = await RestoreFixture.PrepareAsync(backup.Path);
        var files = await db.GetFilesAndSymlinksToRestoreAsync(default).ToArrayAsync();

        var totals = await Task.WhenAll(
            Enumerable
                .Range(0, 8)
                .Select(_ =>
                    Task.Run(async () =>
                    {
                        long blocks = await db.GetBlocksAndVolumeIDsAsync(false, default).CountAsync();
                        foreach (var file in files)
                        {
                            blocks -= await db.GetBlocksFromFileAsync(file.BlocksetID, default).CountAsync();
                            blocks -= await db.GetMetadataBlocksFromFileAsync(file.ID, default).CountAsync();
                            await db.MarkFileDataVerifiedAsync(file.ID, default);
                        }

                        await foreach (var folder in db.GetFolderMetadataToRestoreAsync(default))
                            blocks -= await db.GetMetadataBlocksFromFileAsync(folder.ID, default).CountAsync();
                        return blocks;
                    })
                )
        );

        Assert.That(totals, Is.All.Zero, "what is fetched is exactly what was announced");
        await db.DisposePoolAsync();
        Assert.That(await db.GetBlocksFromFileAsync(files[0].BlocksetID, default).CountAsync(), Is.Positive, "the pool opens again");
    }

    [Test]
    [Contract("B 1.8 pool")]
    public async Task A_consumer_that_stops_in_the_middle_holds_no_connection()
    {
        var volume = Data.Volume("v1");
        var set = Data.Blockset("set", 2, Data.Block("a", 1, volume), Data.Block("b", 1, volume));
        var file = Data.File("/d/a", set, Data.Metadata(set));
        await using var db = await RestoreFixture.OpenAsync(Data.Close());
        var blocks = db.GetMetadataBlocksFromFileAsync(file, default).GetAsyncEnumerator();
        Assert.That(await blocks.MoveNextAsync());

        // Would find the database locked if the reader above were still open.
        db.Connection.Execute("""UPDATE "Remotevolume" SET "Size" = 5""");
        await db.Transaction.CommitAsync("end", false);
        Assert.That(db.Connection.Scalar("PRAGMA wal_checkpoint(TRUNCATE)"), Is.EqualTo("0"));
        Assert.That(new FileInfo(Data.Path + "-wal").Length, Is.Zero);
        await blocks.DisposeAsync();
        db.Transaction.Dispose();
        await db.DisposePoolAsync();
    }

    [Test]
    [Contract("B 1.8 GetConnectionFromPoolAsync")]
    public async Task Pairs_from_the_pool_are_put_back_by_the_caller()
    {
        await using var db = await RestoreFixture.OpenAsync(Data.Close());

        var (connection, transaction) = await db.GetConnectionFromPoolAsync(default);

        Assert.That(connection.State, Is.EqualTo(System.Data.ConnectionState.Open));
        Assert.That(connection.DataSource, Is.EqualTo(Data.Path));
        Assert.That(transaction.Transaction.Connection, Is.SameAs(connection));
        transaction.Dispose();
        await connection.DisposeAsync();
    }

    [Test]
    public async Task Of_volumes_that_have_a_block_the_recorded_one_comes_before_its_copies_and_none_twice()
    {
        var (planned, copy, recorded, other) = (Data.Volume("v1"), Data.Volume("v2"), Data.Volume("v3"), Data.Volume("v4"));
        var going = Data.Volume("v5", state: "Deleting");
        var block = Data.Block("a", 1, recorded);
        foreach (var volume in new[] { planned, copy, other, going })
            Data.DuplicateBlock(block, volume);
        var need = new VolumeNeed(planned, "v1", 1, "", [new BlockNeed(block, SampleDatabase.Hash("a"), 1, default)]);
        await using var db = await RestoreFixture.OpenAsync(Data.Close());

        var order = new List<long> { planned };
        while (db.FindMovedBlocks(need, order, default) is [var next])
        {
            Assert.That(next.Blocks, Is.EqualTo(need.Blocks));
            order.Add(next.VolumeId);
        }

        Assert.That(order, Is.EqualTo(new[] { planned, recorded, copy, other }));
    }

    [Test]
    public void A_pooled_reader_refuses_to_write()
    {
        using var reader = Library.SQLiteHelper.Connections.ReadConnection.Open(
            new SqliteConnectionStringBuilder { DataSource = Data.Close() }.ConnectionString
        );

        Assert.That(() => reader.Statements.Execute("""DELETE FROM "Block" """), Throws.InstanceOf<SqliteException>());
        Assert.That(reader.Connection.Pragma("cache_size"), Is.EqualTo("-8192"));
        Assert.That(reader.Connection.Pragma("busy_timeout"), Is.EqualTo("10000"));
    }

    [Test]
    public void A_reader_never_makes_a_file()
    {
        using var folder = new TestFolder();
        var settings = new SqliteConnectionStringBuilder { DataSource = folder.File("none.sqlite") };

        Assert.That(
            () => Library.SQLiteHelper.Connections.ReadConnection.Open(settings.ConnectionString),
            Throws.InstanceOf<SqliteException>()
        );
        Assert.That(folder.Files(), Is.Empty);
    }
}
