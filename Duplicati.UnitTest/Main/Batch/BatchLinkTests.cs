// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.UnitTest.Main.Backup;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;
using NUnit.Framework;
using SQLitePCL;

namespace Duplicati.UnitTest.Main.Batch;

/// <summary>Adding blocksets by the ids of their blocks, many at a time.</summary>
[TestFixture]
internal sealed class BatchLinkTests
{
    private const int Blocksize = BackupFixture.Blocksize;

    private BackupFixture m_backup = null!;
    private long[] m_blocks = null!;

    private BatchBackup Batch => BatchBackup.Of(m_backup.Database);

    [SetUp]
    public async Task SetUp()
    {
        m_backup = await BackupFixture.CreateAsync();
        var blocks = BatchBlocks.Range(0, 100);
        Batch.Add(blocks.Hashes, blocks.Sizes, m_backup.VolumeId, blocks.Ids, blocks.IsNew, default);
        m_blocks = blocks.Ids;
    }

    [TearDown]
    public async Task TearDown() => await m_backup.DisposeAsync();

    [Test]
    [Contract("A 7.3")]
    public async Task The_rows_are_those_of_the_door_and_one_commit_makes_them_lasting()
    {
        var tail = new BatchBlocks(32, (500, 7));
        Batch.Add(tail.Hashes, tail.Sizes, m_backup.VolumeId, tail.Ids, tail.IsNew, default);
        BatchBlockset[] blocksets =
        [
            Blockset(1, (70 * Blocksize) + 7, [.. m_blocks[..70], tail.Ids[0]], 2),
            Blockset(2, 0, []),
            Blockset(3, Blocksize, m_blocks[5..6]),
        ];
        var (ids, isNew) = (new long[3], new bool[3]);
        Assert.That(Batch.Link(blocksets, Blocksize, ids, isNew, default), Is.EqualTo(3));
        Assert.That(isNew, Is.All.True);
        Assert.That(m_backup.Committed("""SELECT COUNT(*) FROM "BlocksetEntry" """), Is.EqualTo(72));
        var batch = Rows();

        m_backup.Execute("""DELETE FROM "BlocksetEntry"; DELETE FROM "BlocklistHash"; DELETE FROM "Blockset" """);
        string[] hashes = [.. Enumerable.Range(0, 70).Select(x => BatchBlocks.Text(x)), BatchBlocks.Text(500)];
        await m_backup.Database.AddBlocksetAsync(Text(1), (70 * Blocksize) + 7, Blocksize, hashes, [Text(10_001), Text(10_002)], default);
        await m_backup.Database.AddBlocksetAsync(Text(2), 0, Blocksize, [], [], default);
        await m_backup.Database.AddBlocksetAsync(Text(3), Blocksize, Blocksize, [BatchBlocks.Text(5)], [], default);
        Assert.That(batch, Is.EqualTo(Rows()));
    }

    [Test]
    public void Known_ones_are_found_also_in_the_same_batch()
    {
        var (ids, isNew) = (new long[3], new bool[3]);
        BatchBlockset[] blocksets =
        [
            Blockset(1, 2 * Blocksize, m_blocks[..2]),
            Blockset(2, Blocksize, m_blocks[..1]),
            Blockset(1, 2 * Blocksize, m_blocks[..2]),
        ];
        Assert.That(Batch.Link(blocksets, Blocksize, ids, isNew, default), Is.EqualTo(2));
        Assert.That(isNew, Is.EqualTo(new[] { true, true, false }));
        Assert.That(ids[2], Is.EqualTo(ids[0]));
        Assert.That(Batch.Link(blocksets, Blocksize, ids, isNew, default), Is.Zero);
        Assert.That(isNew, Is.All.False);
    }

    [Test]
    public async Task A_batch_without_anything_new_does_not_commit()
    {
        await m_backup.Database.CommitAsync(default);
        var (ids, isNew) = (new long[1], new bool[1]);
        Batch.Link([Blockset(1, Blocksize, m_blocks[..1])], Blocksize, ids, isNew, default);
        var blocks = BatchBlocks.Range(1000, 1);
        Batch.Add(blocks.Hashes, blocks.Sizes, 1, blocks.Ids, blocks.IsNew, default);
        Batch.Link([Blockset(1, Blocksize, m_blocks[..1])], Blocksize, ids, isNew, default);
        Batch.Link([], Blocksize, [], [], default);
        Assert.That(m_backup.Committed("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(100));
    }

    [TestCase(-1L, 2 * Blocksize)]
    [TestCase(0L, 2 * Blocksize)]
    [TestCase(100_000L, 2 * Blocksize)]
    [TestCase(1L, (2 * Blocksize) - 1)]
    [TestCase(1L, (2 * Blocksize) + 1)]
    [TestCase(1L, 1)]
    public void An_id_that_does_not_belong_there_leaves_nothing_of_the_batch(long id, long length)
    {
        var (ids, isNew) = (new long[3], new bool[3]);
        BatchBlockset[] blocksets = [Blockset(1, Blocksize, m_blocks[..1]), Blockset(2, length, [m_blocks[0], id], 1), Blockset(3, 0, [])];
        Assert.That(() => Batch.Link(blocksets, Blocksize, ids, isNew, default), Throws.Exception.With.Message.Contains("Cannot link"));
        Assert.That(Rows(), Is.Empty);
        Assert.That(m_backup.Number("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(100), "what was there before stays");
    }

    [Test]
    public void Blocklists_that_do_not_divide_are_refused()
    {
        var (ids, isNew) = (new long[2], new bool[2]);
        var odd = Blockset(2, Blocksize, m_blocks[..1]) with { BlocklistHashes = new byte[33], Blocklists = 2 };
        Assert.That(
            () => Batch.Link([Blockset(1, Blocksize, m_blocks[..1]), odd], Blocksize, ids, isNew, default),
            Throws.ArgumentException
        );
        Assert.That(() => Batch.Link([odd with { Blocklists = 0 }], Blocksize, ids, isNew, default), Throws.ArgumentException);
        Assert.That(
            () => Batch.Link([odd with { FullHash = default, Blocklists = 1 }], Blocksize, ids, isNew, default),
            Throws.ArgumentException
        );
        Assert.That(() => Batch.Link([odd], 0, ids, isNew, default), Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(() => Batch.Link([odd], Blocksize, ids, [], default), Throws.ArgumentException);
        Assert.That(Rows(), Is.Empty);
    }

    [Test]
    public void Cancelled_half_way_nothing_of_the_batch_stays()
    {
        using var cancel = new CancellationTokenSource();
        var statements = 0;
        m_backup.Database.Session.Statements.Fault = sql =>
        {
            if (sql.Contains("INSERT INTO \"Blockset\"", StringComparison.Ordinal) && ++statements == 2)
                cancel.Cancel();
            return 0;
        };
        BatchBlockset[] blocksets = [.. Enumerable.Range(0, 5).Select(x => Blockset(x, Blocksize, m_blocks[..1], 1))];
        Assert.That(
            () => Batch.Link(blocksets, Blocksize, new long[5], new bool[5], cancel.Token),
            Throws.InstanceOf<OperationCanceledException>()
        );
        m_backup.Database.Session.Statements.Fault = null;
        Assert.That(statements, Is.EqualTo(2));
        Assert.That(Rows(), Is.Empty);
        Assert.That(
            () => Batch.Link(blocksets, Blocksize, new long[5], new bool[5], cancel.Token),
            Throws.InstanceOf<OperationCanceledException>()
        );
        Assert.That(Batch.Link(blocksets, Blocksize, new long[5], new bool[5], default), Is.EqualTo(5));
    }

    [TestCase(raw.SQLITE_BUSY)]
    [TestCase(raw.SQLITE_FULL)]
    [TestCase(raw.SQLITE_IOERR)]
    public async Task A_failed_statement_leaves_nothing_of_the_batch(int code)
    {
        await m_backup.Database.CommitAsync(default);
        BatchBlockset[] blocksets = [.. Enumerable.Range(0, 3).Select(x => Blockset(x, Blocksize * 2, m_blocks[..2], 1))];
        var open = m_backup.Database.Session.Statements;
        for (var failAt = 1; ; failAt++)
        {
            var count = 0;
            open.Fault = _ => ++count == failAt ? code : raw.SQLITE_OK;
            try
            {
                Batch.Link(blocksets, Blocksize, new long[3], new bool[3], default);
                open.Fault = null;
                Assert.That(failAt, Is.GreaterThan(15));
                break;
            }
            catch (SqliteException ex)
            {
                open.Fault = null;
                Assert.That(ex.SqliteErrorCode, Is.EqualTo(code));
                Assert.That(Rows(), Is.Empty, $"failing at {failAt}");
            }
        }
    }

    [Test]
    public async Task A_rollback_after_the_batch_takes_nothing_back()
    {
        Batch.Link([Blockset(1, Blocksize, m_blocks[..1])], Blocksize, new long[1], new bool[1], default);
        await m_backup.Database.Transaction.RollBackAsync(default(CancellationToken));
        Assert.That(m_backup.Number("""SELECT COUNT(*) FROM "Blockset" """), Is.EqualTo(1));
    }

    private static BatchBlockset Blockset(int number, long length, long[] blocks, int lists = 0) =>
        new(
            BatchBlocks.Digest(number, 32),
            length,
            blocks,
            Enumerable.Range(1, lists).SelectMany(x => BatchBlocks.Digest((10_000 * number) + x, 32)).ToArray(),
            lists
        );

    private static string Text(int number) => BatchBlocks.Text(number);

    private string[] Rows() =>
        BackupFixture.Lines(
            m_backup.Database.Connection,
            """
            SELECT 'set', "FullHash", "Length", 0, '' FROM "Blockset"
            UNION ALL SELECT 'entry', "FullHash", "BlocksetEntry"."Index", "BlockID", '' FROM "BlocksetEntry" LEFT JOIN "Blockset" ON "Blockset"."ID" = "BlocksetID"
            UNION ALL SELECT 'list', "FullHash", "BlocklistHash"."Index", 0, "Hash" FROM "BlocklistHash" LEFT JOIN "Blockset" ON "Blockset"."ID" = "BlocksetID"
            ORDER BY 1, 2, 3
            """
        );
}
