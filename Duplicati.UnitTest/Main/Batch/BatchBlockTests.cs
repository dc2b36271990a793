// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.UnitTest.Main.Backup;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Batch;

/// <summary>Looking up and adding blocks by raw digests, many at a time.</summary>
[TestFixture]
[NonParallelizable]
internal sealed class BatchBlockTests
{
    private const string CacheVariable = "DUPLICATI_DELETEDBLOCKCACHESIZE";

    private BackupFixture m_backup = null!;

    private BatchBackup Batch => BatchBackup.Of(m_backup.Database);

    [SetUp]
    public async Task SetUp() => m_backup = await BackupFixture.CreateAsync();

    [TearDown]
    public async Task TearDown() => await m_backup.DisposeAsync();

    [TestCase(16)]
    [TestCase(20)]
    [TestCase(32)]
    [TestCase(64)]
    [TestCase(65)]
    [TestCase(96)]
    public async Task Blocks_are_new_once_and_then_found_by_the_door_too(int digestBytes)
    {
        var blocks = BatchBlocks.Range(0, 100, digestBytes: digestBytes);
        Assert.That(Find(blocks), Is.Zero);
        Assert.That(blocks.Ids, Is.All.EqualTo(-1));
        Assert.That(Add(blocks), Is.EqualTo(100));
        Assert.That(blocks.IsNew, Is.All.True);
        var ids = blocks.Ids.ToArray();
        Assert.That(ids, Is.Unique);

        Assert.That(Add(blocks), Is.Zero);
        Assert.That(blocks.IsNew, Is.All.False);
        Assert.That(blocks.Ids, Is.EqualTo(ids));
        Assert.That(Find(blocks), Is.EqualTo(100));
        Assert.That(blocks.Ids, Is.EqualTo(ids));
        for (var i = 0; i < 100; i++)
            Assert.That(await m_backup.Database.FindBlockIDAsync(blocks.Text(i), 1024, default), Is.EqualTo(ids[i]));
    }

    [Test]
    public void Of_two_equal_blocks_in_a_batch_the_first_is_new()
    {
        var blocks = new BatchBlocks(32, (1, 10), (2, 10), (1, 10), (1, 11), (2, 10));
        Assert.That(Add(blocks), Is.EqualTo(3));
        Assert.That(blocks.IsNew, Is.EqualTo(new[] { true, true, false, true, false }));
        Assert.That(blocks.Ids[2], Is.EqualTo(blocks.Ids[0]));
        Assert.That(blocks.Ids[4], Is.EqualTo(blocks.Ids[1]));
        Assert.That(m_backup.Number("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(3));
    }

    [TestCase(0)]
    [TestCase(-1)]
    [TestCase(long.MinValue)]
    [TestCase(int.MaxValue)]
    [TestCase(int.MaxValue + 1L)]
    [TestCase(long.MaxValue)]
    public async Task Any_size_is_a_size(long size)
    {
        var blocks = new BatchBlocks(32, (1, 5), (1, size), (1, size));
        Assert.That(Add(blocks), Is.EqualTo(2));
        Assert.That(blocks.IsNew, Is.EqualTo(new[] { true, true, false }));
        Assert.That(await m_backup.Database.FindBlockIDAsync(BatchBlocks.Text(1), size, default), Is.EqualTo(blocks.Ids[1]));
        Assert.That(m_backup.Number($"""SELECT COUNT(*) FROM "Block" WHERE "Size" = {size}"""), Is.EqualTo(1));
    }

    [Test]
    public void An_empty_batch_is_answered_by_nothing()
    {
        Assert.That(Batch.Find([], [], [], default), Is.Zero);
        Assert.That(Batch.Add([], [], 1, [], [], default), Is.Zero);
    }

    [Test]
    public void Digests_that_do_not_divide_and_missing_room_are_refused_before_anything_is_done()
    {
        var (hashes, sizes, ids, isNew) = (new byte[64], new long[2], new long[2], new bool[2]);
        Assert.That(() => Batch.Add(hashes.AsSpan(1), sizes, 1, ids, isNew, default), Throws.ArgumentException);
        Assert.That(() => Batch.Add([], sizes, 1, ids, isNew, default), Throws.ArgumentException);
        Assert.That(() => Batch.Add(hashes, [], 1, ids, isNew, default), Throws.ArgumentException);
        Assert.That(() => Batch.Add(hashes, sizes, 1, ids.AsSpan(1), isNew, default), Throws.ArgumentException);
        Assert.That(() => Batch.Add(hashes, sizes, 1, ids, isNew.AsSpan(1), default), Throws.ArgumentException);
        Assert.That(() => Batch.Find(new byte[194], sizes, ids, default), Throws.ArgumentException, "97 bytes a digest");
        Assert.That(() => BatchBackup.Of(null!), Throws.ArgumentNullException);
        Assert.That(m_backup.Number("""SELECT COUNT(*) FROM "Block" """), Is.Zero);
    }

    [Test]
    [Contract("A 7.2")]
    public async Task Nothing_is_committed_and_a_rollback_makes_the_blocks_new_again()
    {
        var blocks = BatchBlocks.Range(0, 3000);
        Add(blocks);
        Assert.That(m_backup.Committed("""SELECT COUNT(*) FROM "Block" """), Is.Zero);
        await m_backup.Database.Transaction.RollBackAsync(default(CancellationToken));
        Assert.That(Find(blocks), Is.Zero);
        Assert.That(Add(blocks), Is.EqualTo(3000));
        await m_backup.Database.CommitAsync(default);
        Assert.That(m_backup.Committed("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(3000));
        await m_backup.Database.Transaction.RollBackAsync(default(CancellationToken));
        Assert.That(Find(blocks), Is.EqualTo(3000));
    }

    [TestCase("0")]
    [TestCase("1")]
    [TestCase("1000")]
    [Contract("A 7.2")]
    [Contract("A 13 row Q1")]
    public async Task Deleted_blocks_become_live_in_their_volume_unless_it_is_going(string cacheSize)
    {
        using var variable = new EnvironmentVariable(CacheVariable, cacheSize);
        var kept = await m_backup.AddVolumeAsync("kept", RemoteVolumeType.Blocks, RemoteVolumeState.Verified);
        var going = await m_backup.AddVolumeAsync("going", RemoteVolumeType.Blocks, RemoteVolumeState.Deleting);
        AddDeleted(1, kept);
        AddDeleted(2, going);
        AddDeleted(3, 12345);
        await m_backup.Database.CommitAsync(default);
        await m_backup.ReopenAsync();

        var blocks = new BatchBlocks(32, (1, 10), (2, 10), (3, 10), (4, 10), (1, 10), (1, 11));
        Assert.That(Add(blocks), Is.EqualTo(4));
        Assert.That(blocks.IsNew, Is.EqualTo(new[] { false, true, true, true, false, true }));
        Assert.That(VolumeOf(1), Is.EqualTo(kept));
        Assert.That(VolumeOf(2), Is.EqualTo(m_backup.VolumeId));
        Assert.That(m_backup.Number("""SELECT COUNT(*) FROM "DeletedBlock" """), Is.EqualTo(2));
        Assert.That(
            await m_backup.Database.AddBlockAsync(BatchBlocks.Text(1), 10, 99, default),
            Is.False,
            "the door knows what the batch has taken"
        );
    }

    [Test]
    public async Task A_negative_cache_size_never_reuses()
    {
        using var variable = new EnvironmentVariable(CacheVariable, "-1");
        AddDeleted(1, m_backup.VolumeId);
        await m_backup.Database.CommitAsync(default);
        await m_backup.ReopenAsync();
        Assert.That(Add(new BatchBlocks(32, (1, 10))), Is.EqualTo(1));
        Assert.That(m_backup.Number("""SELECT COUNT(*) FROM "DeletedBlock" """), Is.EqualTo(1));
    }

    [Test]
    public async Task Blocks_that_another_connection_commits_are_found_after_the_next_commit()
    {
        var blocks = BatchBlocks.Range(0, 200);
        Assert.That(Find(blocks), Is.Zero);
        await m_backup.Database.CommitAsync(default);
        using (var other = SQLiteLoader.LoadConnection(m_backup.Path))
            other.Execute($"""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('{blocks.Text(7)}', 1024, 1)""");

        Assert.That(Find(blocks), Is.EqualTo(1));
        Assert.That(blocks.Ids[7], Is.Positive);
        Assert.That(Add(blocks), Is.EqualTo(199));
        Assert.That(blocks.IsNew[7], Is.False);
    }

    [Test]
    public async Task A_child_object_sees_what_the_batch_has_added_and_the_other_way_round()
    {
        var blocks = BatchBlocks.Range(0, 50);
        Add(blocks);
        await using var child = await LocalBackupDatabase.CreateAsync(m_backup.Database, new Options([]), null, default);
        Assert.That(await child.FindBlockIDAsync(blocks.Text(3), 1024, default), Is.EqualTo(blocks.Ids[3]));
        Assert.That(await child.AddBlockAsync(BatchBlocks.Text(1000), 1024, 1, default), Is.True);
        var more = new BatchBlocks(32, (1000, 1024), (1001, 1024));
        Assert.That(Add(more), Is.EqualTo(1));
        var ofChild = new BatchBlocks(32, (1001, 1024), (1002, 1024));
        Assert.That(BatchBackup.Of(child).Add(ofChild.Hashes, ofChild.Sizes, 1, ofChild.Ids, ofChild.IsNew, default), Is.EqualTo(1));
        Assert.That(ofChild.Ids[0], Is.EqualTo(more.Ids[1]));
    }

    [Test]
    public async Task Rows_changed_through_the_raw_connection_are_noticed()
    {
        var blocks = BatchBlocks.Range(0, 100);
        Add(blocks);
        m_backup.Execute($"""DELETE FROM "Block" WHERE "Hash" = '{blocks.Text(5)}'""");
        Assert.That(Find(blocks), Is.EqualTo(99));
        Assert.That(blocks.Ids[5], Is.EqualTo(-1));
        await m_backup.Database.RemoveRemoteVolumeAsync("block-1", default);
        Assert.That(Find(blocks), Is.Zero);
    }

    [Test]
    public async Task Nothing_is_allocated_for_a_block()
    {
        var blocks = BatchBlocks.Range(0, 20_000);
        Add(blocks);
        await m_backup.Database.CommitAsync(default);
        Find(blocks);
        var before = GC.GetAllocatedBytesForCurrentThread();
        Find(blocks);
        var finding = GC.GetAllocatedBytesForCurrentThread() - before;
        before = GC.GetAllocatedBytesForCurrentThread();
        Add(blocks);
        var adding = GC.GetAllocatedBytesForCurrentThread() - before;
        Assert.That(finding, Is.LessThan(500), "for the whole batch");
        Assert.That(adding, Is.LessThan(500), "for the whole batch");
    }

    [Test]
    public void A_token_that_is_cancelled_before_leaves_nothing()
    {
        var blocks = BatchBlocks.Range(0, 10);
        Assert.That(
            () => Batch.Add(blocks.Hashes, blocks.Sizes, 1, blocks.Ids, blocks.IsNew, new CancellationToken(true)),
            Throws.InstanceOf<OperationCanceledException>()
        );
        Assert.That(
            () => Batch.Find(blocks.Hashes, blocks.Sizes, blocks.Ids, new CancellationToken(true)),
            Throws.InstanceOf<OperationCanceledException>()
        );
        Assert.That(blocks.Ids, Is.All.EqualTo(-1));
        Assert.That(m_backup.Number("""SELECT COUNT(*) FROM "Block" """), Is.Zero);
    }

    [Test]
    public void Cancelled_half_way_the_ids_tell_which_blocks_are_live()
    {
        const int count = 10_000;
        var blocks = BatchBlocks.Range(0, count);
        using var cancel = new CancellationTokenSource();
        m_backup.Database.Session.Statements.Fault = sql =>
        {
            if (sql == BlockSql.Insert)
                cancel.Cancel();
            return 0;
        };
        Assert.That(
            () => Batch.Add(blocks.Hashes, blocks.Sizes, 1, blocks.Ids, blocks.IsNew, cancel.Token),
            Throws.InstanceOf<OperationCanceledException>()
        );
        m_backup.Database.Session.Statements.Fault = null;

        var done = blocks.Ids.Count(id => id >= 0);
        Assert.That(done, Is.InRange(1000, count - 1));
        Assert.That(blocks.IsNew.Count(x => x), Is.EqualTo(done));
        Assert.That(m_backup.Number("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(done));
        Assert.That(Add(blocks), Is.EqualTo(count - done), "and the rest can be offered again");
    }

    [Test]
    public async Task Filling_the_map_is_cancelled_too_and_repeated()
    {
        var blocks = BatchBlocks.Range(0, 10_000);
        Add(blocks);
        await m_backup.Database.CommitAsync(default);
        await m_backup.ReopenAsync();
        using var cancel = new CancellationTokenSource();
        m_backup.Database.Session.Statements.Fault = sql =>
        {
            if (sql == BlockSql.All)
                cancel.Cancel();
            return 0;
        };
        Assert.That(
            () => Batch.Find(blocks.Hashes, blocks.Sizes, blocks.Ids, cancel.Token),
            Throws.InstanceOf<OperationCanceledException>()
        );
        m_backup.Database.Session.Statements.Fault = null;
        Assert.That(BlockMap.Of(m_backup.Database.Session).IsComplete, Is.False);
        Assert.That(Find(blocks), Is.EqualTo(10_000));
    }

    private int Find(BatchBlocks blocks) => Batch.Find(blocks.Hashes, blocks.Sizes, blocks.Ids, default);

    private int Add(BatchBlocks blocks) => Batch.Add(blocks.Hashes, blocks.Sizes, m_backup.VolumeId, blocks.Ids, blocks.IsNew, default);

    private void AddDeleted(int number, long volumeId) =>
        m_backup.Execute(
            $"""INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") VALUES ('{BatchBlocks.Text(number)}', 10, {volumeId})"""
        );

    private long VolumeOf(int number) =>
        m_backup.Number($"""SELECT "VolumeID" FROM "Block" WHERE "Hash" = '{BatchBlocks.Text(number)}' AND "Size" = 10""");
}
