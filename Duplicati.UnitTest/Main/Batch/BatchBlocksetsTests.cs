// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Operation.Restore;
using Duplicati.UnitTest.Main.Backup;
using Duplicati.UnitTest.Support;
using NUnit.Framework;
using SQLitePCL;

namespace Duplicati.UnitTest.Main.Batch;

/// <summary>The blocks of many blocksets at a time.</summary>
[TestFixture]
internal sealed class BatchBlocksetsTests
{
    private const int Blocksize = BackupFixture.Blocksize;

    private BackupFixture m_backup = null!;

    private BatchBlocksets Batch => BatchBlocksets.Of(m_backup.Database);

    [SetUp]
    public async Task SetUp() => m_backup = await BackupFixture.CreateAsync();

    [TearDown]
    public async Task TearDown() => await m_backup.DisposeAsync();

    [Test]
    public async Task Random_blocksets_are_listed_as_by_the_plain_statement_and_at_the_door()
    {
        var seed = LongRun.Seed();
        var random = new Random(seed);
        var known = AddBlocksets(random, 40);
        await m_backup.Database.CommitAsync(default);
        await using var restore = await LocalRestoreDatabase.CreateAsync(m_backup.Database, null, default);
        var rows = new BatchBlockRows();
        for (var round = 0; round < 20; round++)
        {
            long[] asked =
            [
                .. Enumerable.Range(0, random.Next(12)).Select(_ => random.Next(10) == 0 ? 1_000_000L : known[random.Next(known.Length)]),
            ];

            var count = BatchBlocksets.Of(restore).Read(asked, rows, default);

            Assert.That(rows.Blocksets, Is.EqualTo(asked.Length), $"seed {seed}");
            Assert.That(count, Is.EqualTo(rows.Count));
            for (var i = 0; i < asked.Length; i++)
            {
                var lines = Lines(rows, i);
                Assert.That(lines, Is.EqualTo(Plain(asked[i])), $"blockset {asked[i]}, seed {seed}");
                Assert.That(lines, Is.EqualTo(await DoorAsync(restore, asked[i])), $"blockset {asked[i]} at the door, seed {seed}");
            }
        }
    }

    [Test]
    public void What_is_not_committed_and_not_even_written_yet_is_listed()
    {
        var blocks = BatchBlocks.Range(0, 3);
        BatchBackup.Of(m_backup.Database).Add(blocks.Hashes, blocks.Sizes, m_backup.VolumeId, blocks.Ids, blocks.IsNew, default);
        var ids = new long[1];
        BatchBackup
            .Of(m_backup.Database)
            .Link([new BatchBlockset(BatchBlocks.Digest(9, 32), 3 * Blocksize, blocks.Ids)], Blocksize, ids, new bool[1], default);
        var later = BatchBlocks.Range(3, 1);
        BatchBackup.Of(m_backup.Database).Add(later.Hashes, later.Sizes, m_backup.VolumeId, later.Ids, later.IsNew, default);
        m_backup.Execute($"""INSERT INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") VALUES ({ids[0]}, 3, {later.Ids[0]})""");

        var rows = new BatchBlockRows();
        Assert.That(Batch.Read(ids, rows, default), Is.EqualTo(4));

        Assert.That(rows.Ids.ToArray(), Is.EqualTo((long[])[.. blocks.Ids, .. later.Ids]));
        Assert.That(rows.Digests.ToArray(), Is.EqualTo((byte[])[.. blocks.Hashes, .. later.Hashes]));
        Assert.That(rows.VolumeIds.ToArray(), Is.All.EqualTo(m_backup.VolumeId));
        Assert.That(m_backup.Committed("""SELECT COUNT(*) FROM "BlocksetEntry" """), Is.EqualTo(3), "nothing was committed");
    }

    [Test]
    public void An_answer_forgets_the_one_before()
    {
        var known = AddBlocksets(new Random(1), 2);
        var rows = new BatchBlockRows();
        Batch.Read(known, rows, default);
        var first = Lines(rows, 0);

        Assert.That(Batch.Read(known.AsSpan(0, 1), rows, default), Is.EqualTo(first.Length));
        Assert.That(Lines(rows, 0), Is.EqualTo(first));
        Assert.That(Batch.Read([], rows, default), Is.Zero);
        Assert.That((rows.Count, rows.Blocksets, rows.DigestBytes, rows.Digests.Length), Is.EqualTo((0, 0, 0, 0)));
    }

    [Test]
    public void Nothing_is_allocated_for_a_block_once_there_is_room()
    {
        var known = AddBlocksets(new Random(2), 30);
        var rows = new BatchBlockRows();
        Batch.Read(known, rows, default);
        Batch.Read(known, rows, default);

        var before = GC.GetAllocatedBytesForCurrentThread();
        Batch.Read(known, rows, default);

        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan(rows.Count));
    }

    [TestCase("not Base64 at all, but long enough to be 44")]
    [TestCase("")]
    [TestCase("QR==", Description = "not what the encoder would write")]
    [TestCase(" QUJD", Description = "white space, which the decoder skips")]
    public void A_hash_without_a_binary_form_is_told_and_leaves_no_rows(string hash)
    {
        var known = AddBlocksets(new Random(3), 2);
        m_backup.Execute(
            $"""UPDATE "Block" SET "Hash" = '{hash}' WHERE "ID" = (SELECT MAX("BlockID") FROM "BlocksetEntry" WHERE "BlocksetID" = {known[1]})"""
        );
        var rows = new BatchBlockRows();

        Assert.That(
            () => Batch.Read(known, rows, default),
            Throws.TypeOf<InvalidDataException>().With.Message.Contains("not the Base64 text")
        );
        Assert.That((rows.Count, rows.Blocksets), Is.EqualTo((0, 0)));
    }

    [Test]
    public void Digests_of_two_lengths_are_told()
    {
        var known = AddBlocksets(new Random(4), 1, blocks: 5);
        m_backup.Execute(
            $"""UPDATE "Block" SET "Hash" = '{BatchBlocks.Text(77, 16)}' WHERE "ID" = (SELECT "BlockID" FROM "BlocksetEntry" WHERE "BlocksetID" = {known[0]} AND "Index" = 4)"""
        );

        Assert.That(
            () => Batch.Read(known, new BatchBlockRows(), default),
            Throws.TypeOf<InvalidDataException>().With.Message.Contains("has 16 bytes, those before have 32")
        );
    }

    [Test]
    public void A_cancelled_question_leaves_no_rows_and_the_next_one_is_answered()
    {
        var known = AddBlocksets(new Random(5), 6);
        var rows = new BatchBlockRows();
        using var cancel = new CancellationTokenSource();
        var asked = 0;
        var statements = m_backup.Database.Session.Statements;
        statements.Fault = sql =>
        {
            if (sql.Contains("\"BlocksetEntry\" e", StringComparison.Ordinal) && ++asked == 3)
                cancel.Cancel();
            return raw.SQLITE_OK;
        };

        Assert.That(() => Batch.Read(known, rows, cancel.Token), Throws.InstanceOf<OperationCanceledException>());
        statements.Fault = null;
        Assert.That(asked, Is.GreaterThanOrEqualTo(3));
        Assert.That((rows.Count, rows.Blocksets), Is.EqualTo((0, 0)));
        Assert.That(() => Batch.Read([], rows, cancel.Token), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(Batch.Read(known, rows, default), Is.GreaterThan(0));
    }

    // Blocksets of random blocks of 32 bytes' digest, some of them more than once; the ids.
    private long[] AddBlocksets(Random random, int count, int? blocks = null)
    {
        var all = BatchBlocks.Range(0, 200);
        BatchBackup.Of(m_backup.Database).Add(all.Hashes, all.Sizes, m_backup.VolumeId, all.Ids, all.IsNew, default);
        var blocksets = Enumerable
            .Range(0, count)
            .Select(number =>
            {
                long[] ids = [.. Enumerable.Range(0, blocks ?? random.Next(1, 60)).Select(_ => all.Ids[random.Next(all.Ids.Length)])];
                if (blocks is not null)
                    ids = [.. all.Ids.Take(blocks.Value)];
                return new BatchBlockset(BatchBlocks.Digest(1000 + number, 32), ids.Length * Blocksize, ids);
            })
            .ToArray();
        var known = new long[count];
        BatchBackup.Of(m_backup.Database).Link(blocksets, Blocksize, known, new bool[count], default);
        return known;
    }

    private string[] Plain(long blocksetId) =>
        BackupFixture.Lines(
            m_backup.Database.Connection,
            $"""
            SELECT "Block"."ID", "Block"."Hash", "Block"."Size", "Block"."VolumeID"
            FROM "BlocksetEntry" JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
            WHERE "BlocksetID" = {blocksetId} ORDER BY "Index"
            """
        );

    private static async Task<string[]> DoorAsync(LocalRestoreDatabase restore, long blocksetId)
    {
        var lines = new List<string>();
        await foreach (BlockRequest block in restore.GetBlocksFromFileAsync(blocksetId, default))
            lines.Add($"{block.BlockID}|{block.BlockHash}|{block.BlockSize}|{block.VolumeID}");
        return [.. lines];
    }

    private static string[] Lines(BatchBlockRows rows, int blockset)
    {
        var (first, count) = rows.Rows(blockset).GetOffsetAndLength(rows.Count);
        var lines = new string[count];
        for (var i = 0; i < count; i++)
            lines[i] =
                $"{rows.Ids[first + i]}|{Convert.ToBase64String(rows.Digest(first + i))}|{rows.Sizes[first + i]}|{rows.VolumeIds[first + i]}";
        return lines;
    }
}
