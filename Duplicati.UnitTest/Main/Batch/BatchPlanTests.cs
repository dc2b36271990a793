// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.UnitTest.Main.Backup;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Batch;

/// <summary>Random plans by batches, at the door, and by plain statements: equal answers at each step, equal tables at the end.</summary>
[TestFixture]
internal sealed class BatchPlanTests
{
    private const int Steps = 120;
    private const int Numbers = 400;
    private const int Blocksize = 1024;

    private static readonly int[] s_digestBytes = [16, 20, 32, 32, 32, 48, 64, 80];
    private static readonly long[] s_sizes = [Blocksize, Blocksize, Blocksize, Blocksize, 7, 0, -1, 1L << 40];
    private static readonly string[] s_tables = ["Block", "DeletedBlock", "Blockset", "BlocksetEntry", "BlocklistHash"];

    private TestFolder m_folder = null!;
    private BackupFixture m_batch = null!;
    private BackupFixture m_door = null!;
    private PlainBackup m_plain = null!;
    private Random m_random = null!;
    private int m_seed;

    [TearDown]
    public async Task TearDown()
    {
        m_plain.Dispose();
        await m_batch.DisposeAsync();
        await m_door.DisposeAsync();
        m_folder.Dispose();
    }

    [Test]
    [Contract("A 7.2")]
    [Contract("A 7.3")]
    [Contract("A 13 row Q1")]
    public async Task A_random_plan_gives_the_same_answers_and_tables_on_all_three_ways(
        [Range(0, 3)] int part,
        [Values(0L, 600L, 600_000L, 1L << 30)] long mapBytes
    )
    {
        m_seed = LongRun.Seed() + part;
        m_random = new Random(m_seed);
        m_folder = new TestFolder();
        m_batch = await PrepareAsync(mapBytes);
        m_door = await PrepareAsync(mapBytes);
        await OpenPlainAsync();
        for (var step = 0; step < Steps; step++)
            await StepAsync();
        foreach (var table in s_tables)
        {
            var expected = BackupFixture.Lines(m_plain.Connection, $"""SELECT * FROM "{table}" ORDER BY 1, 2""");
            Assert.That(
                BackupFixture.Lines(m_batch.Database.Connection, $"""SELECT * FROM "{table}" ORDER BY 1, 2"""),
                Is.EqualTo(expected),
                $"{table}, seed {m_seed}"
            );
            Assert.That(
                BackupFixture.Lines(m_door.Database.Connection, $"""SELECT * FROM "{table}" ORDER BY 1, 2"""),
                Is.EqualTo(expected),
                $"{table} of the door, seed {m_seed}"
            );
        }
    }

    private async Task<BackupFixture> PrepareAsync(long mapBytes)
    {
        var random = new Random(m_seed);
        var backup = await BackupFixture.CreateAsync();
        foreach (var state in new[] { RemoteVolumeState.Verified, RemoteVolumeState.Deleting })
        {
            var volume = await backup.AddVolumeAsync(state.ToString(), RemoteVolumeType.Blocks, state);
            for (var i = 0; i < 60; i++)
            {
                var text = BatchBlocks.Text(random.Next(Numbers), s_digestBytes[random.Next(s_digestBytes.Length)]);
                backup.Execute(
                    $"""INSERT OR IGNORE INTO "DeletedBlock" ("Hash", "Size", "VolumeID") VALUES ('{text}', {s_sizes[random.Next(s_sizes.Length)]}, {volume})"""
                );
            }
        }

        await backup.Database.CommitAsync(default);
        BlockOptions.Of(backup.Database.Session).MapBytes = mapBytes;
        return backup;
    }

    private async Task OpenPlainAsync()
    {
        var copy = m_folder.File("plain.sqlite");
        m_batch.Execute("COMMIT");
        m_batch.Execute($"VACUUM INTO '{copy}'");
        m_batch.Execute("BEGIN");
        m_plain = new PlainBackup(copy);
        await m_batch.Database.CommitAsync(default);
    }

    private async Task StepAsync()
    {
        switch (m_random.Next(20))
        {
            case < 8:
                await AddAsync(RandomBlocks());
                break;
            case < 13:
                await FindAsync(RandomBlocks());
                break;
            case < 17:
                await LinkAsync();
                break;
            case < 19:
                await m_batch.Database.CommitAsync(default);
                await m_door.Database.CommitAsync(default);
                m_plain.Commit();
                break;
            default:
                await m_batch.Database.Transaction.RollBackAsync(default(CancellationToken));
                await m_door.Database.Transaction.RollBackAsync(default(CancellationToken));
                m_plain.RollBack();
                break;
        }
    }

    private BatchBlocks RandomBlocks() =>
        new(
            s_digestBytes[m_random.Next(s_digestBytes.Length)],
            [
                .. Enumerable
                    .Range(0, m_random.Next(120))
                    .Select(_ => (m_random.Next(Numbers), s_sizes[m_random.Next(m_random.Next(8) == 0 ? s_sizes.Length : 5)])),
            ]
        );

    private async Task AddAsync(BatchBlocks blocks)
    {
        var added = BatchBackup.Of(m_batch.Database).Add(blocks.Hashes, blocks.Sizes, 1, blocks.Ids, blocks.IsNew, default);
        for (var i = 0; i < blocks.Ids.Length; i++)
        {
            Assert.That(
                await m_door.Database.AddBlockAsync(blocks.Text(i), blocks.Sizes[i], 1, default),
                Is.EqualTo(blocks.IsNew[i]),
                $"door, seed {m_seed}"
            );
            Assert.That(m_plain.AddBlock(blocks.Text(i), blocks.Sizes[i], 1), Is.EqualTo(blocks.IsNew[i]), $"plain, seed {m_seed}");
        }

        Assert.That(added, Is.EqualTo(blocks.IsNew.Count(x => x)));
        await CheckIdsAsync(blocks);
    }

    private async Task FindAsync(BatchBlocks blocks)
    {
        var found = BatchBackup.Of(m_batch.Database).Find(blocks.Hashes, blocks.Sizes, blocks.Ids, default);
        Assert.That(found, Is.EqualTo(blocks.Ids.Count(id => id >= 0)));
        await CheckIdsAsync(blocks);
    }

    private async Task CheckIdsAsync(BatchBlocks blocks)
    {
        for (var i = 0; i < blocks.Ids.Length; i++)
        {
            Assert.That(blocks.Ids[i], Is.EqualTo(m_plain.FindBlock(blocks.Text(i), blocks.Sizes[i])), $"plain, seed {m_seed}");
            Assert.That(
                await m_door.Database.FindBlockIDAsync(blocks.Text(i), blocks.Sizes[i], default),
                Is.EqualTo(blocks.Ids[i]),
                $"door, seed {m_seed}"
            );
        }
    }

    private async Task LinkAsync()
    {
        var blocks = new BatchBlocks(
            32,
            [.. Enumerable.Range(0, m_random.Next(1, 80)).Select(_ => (m_random.Next(Numbers), (long)Blocksize))]
        );
        await AddAsync(blocks);
        var parts = Enumerable.Range(0, m_random.Next(1, 5)).Select(_ => blocks.Ids[..m_random.Next(blocks.Ids.Length + 1)]).ToArray();
        var lists = parts.Select(part => part.Length > 1 ? m_random.Next(3) : 0).ToArray();
        var blocksets = parts
            .Select(
                (part, i) =>
                    new BatchBlockset(
                        BatchBlocks.Digest(part.Length, 32),
                        part.Length * Blocksize,
                        part,
                        BatchBlocks.Range(0, lists[i]).Hashes,
                        lists[i]
                    )
            )
            .ToArray();
        var (ids, isNew) = (new long[parts.Length], new bool[parts.Length]);
        BatchBackup.Of(m_batch.Database).Link(blocksets, Blocksize, ids, isNew, default);
        for (var i = 0; i < parts.Length; i++)
        {
            string[] hashes = [.. Enumerable.Range(0, parts[i].Length).Select(x => blocks.Text(x))];
            string[] texts = [.. Enumerable.Range(0, lists[i]).Select(x => BatchBlocks.Text(x))];
            var full = BatchBlocks.Text(parts[i].Length);
            Assert.That(
                m_plain.AddBlockset(full, hashes.Length * Blocksize, Blocksize, hashes, texts),
                Is.EqualTo((isNew[i], ids[i])),
                $"plain, seed {m_seed}"
            );
            Assert.That(
                await m_door.Database.AddBlocksetAsync(full, hashes.Length * Blocksize, Blocksize, hashes, texts, default),
                Is.EqualTo((isNew[i], ids[i])),
                $"door, seed {m_seed}"
            );
        }
    }
}
