// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.UnitTest.Main.Blocks;
using Duplicati.UnitTest.Main.Plain;

namespace Duplicati.UnitTest.Main.Backup;

/// <summary>A random backup on the real object and on plain statements: equal answers at each step, equal tables when asked.</summary>
internal sealed class BackupPlan : IAsyncDisposable
{
    // The id of the operation is of no interest.
    private static readonly string[] s_without = [AllRows.DeletedBlockIds, "Fileset.OperationID"];

    private readonly TestFolder m_folder = new();
    private readonly Random m_random;
    private BackupFixture m_backup = null!;
    private PlainLayer m_plain = null!;
    private DateTime m_time;

    /// <param name="seed">Of all that is random.</param>
    internal BackupPlan(int seed)
    {
        TestContext.Out.WriteLine($"seed {seed}");
        m_random = new Random(seed);
    }

    internal BackupFixture Real => m_backup;

    internal PlainLayer Plain => m_plain;

    internal Random Random => m_random;

    internal async Task BeginAsync()
    {
        m_time = new DateTime(2024, 1, 1, 0, 0, 0, DateTimeKind.Utc);
        m_backup = await BackupFixture.CreateAsync();
        foreach (var state in new[] { RemoteVolumeState.Verified, RemoteVolumeState.Deleting })
        {
            var volume = await m_backup.AddVolumeAsync(state.ToString(), RemoteVolumeType.Blocks, state);
            for (var i = 0; i < 30; i++)
                m_backup.Execute(
                    $"""INSERT OR IGNORE INTO "DeletedBlock" ("Hash", "Size", "VolumeID") VALUES ('{BlockFixture.Hash(m_random.Next(200))}', 1024, {volume})"""
                );
        }

        await m_backup.Database.CommitAsync(default);
        var copy = m_folder.File("plain.sqlite");
        m_backup.Execute("COMMIT");
        m_backup.Execute($"VACUUM INTO '{copy}'");
        m_backup.Execute("BEGIN");
        m_plain = new PlainLayer(copy);
        await AddFilesetAsync();
    }

    internal async Task StepAsync()
    {
        switch (m_random.Next(100))
        {
            case < 20:
                await AddBlockAsync(m_random.Next(200));
                break;
            case < 35:
                await FindBlockAsync();
                break;
            case < 55:
                await AddBlocksetAsync();
                break;
            case < 85:
                await AddFileAsync();
                break;
            case < 90:
                await AddKnownFileAsync();
                break;
            case < 92:
                await MoveBlockAsync();
                break;
            case < 94:
                await AddFilesetAsync();
                break;
            case < 95:
                await AppendAsync();
                break;
            case < 96:
                await m_backup.Database.RemoveDuplicatePathsFromFilesetAsync(CurrentFileset(), default);
                m_plain.RemoveDuplicatePaths();
                break;
            case < 99:
                await m_backup.Database.CommitAsync(default);
                m_plain.Commit();
                break;
            default:
                // The current fileset must survive, or both would add entries to nothing.
                await m_backup.Database.Transaction.RollBackAsync(default(CancellationToken));
                m_plain.RollBack();
                await AddFilesetAsync();
                break;
        }
    }

    internal Task AddBlockAsync(int number) => AddBlockAsync(number, 1);

    internal async Task AddBlockAsync(int number, long volumeId) =>
        Assert.That(
            await m_backup.Database.AddBlockAsync(Hash(number), 1024, volumeId, default),
            Is.EqualTo(m_plain.AddBlock(Hash(number), 1024, volumeId))
        );

    internal async Task FindBlockAsync()
    {
        var hash = Hash(m_random.Next(200));
        var size = m_random.Next(10) == 0 ? 5 : 1024;
        Assert.That(await m_backup.Database.FindBlockIDAsync(hash, size, default), Is.EqualTo(m_plain.FindBlock(hash, size)));
    }

    private async Task<long> AddBlocksetAsync()
    {
        var numbers = Enumerable.Range(0, m_random.Next(40)).Select(_ => m_random.Next(200)).ToArray();
        if (m_random.Next(20) > 0)
        {
            foreach (var number in numbers)
                await AddBlockAsync(number);
        }

        var hashes = numbers.Select(Hash).ToArray();
        string[] blocklists = hashes.Length > 1 ? [Hash(0), Hash(1)] : [];
        var full = "full " + m_random.Next(100);
        var expected = m_plain.AddBlockset(full, numbers.Length * 1024, 1024, hashes, blocklists);
        if (expected is null)
        {
            Assert.That(
                () => m_backup.Database.AddBlocksetAsync(full, numbers.Length * 1024, 1024, hashes, blocklists, default),
                Throws.Exception
            );
            return -1;
        }

        Assert.That(
            await m_backup.Database.AddBlocksetAsync(full, numbers.Length * 1024, 1024, hashes, blocklists, default),
            Is.EqualTo(expected)
        );
        return expected.Value.Item2;
    }

    private async Task AddFileAsync()
    {
        var blocksetId = m_random.Next(5) == 0 ? -100 : await AddBlocksetAsync();
        if (blocksetId == -1)
            return;

        var metadata = "full " + m_random.Next(100);
        var size = 1024 * m_random.Next(1, 10);
        var expected = m_plain.AddMetadataset(metadata, size, 1);
        Assert.That(
            await m_backup.Database.AddMetadatasetAsync(metadata, size, 1, new BackupFixture.Metahash(metadata), default),
            Is.EqualTo(expected)
        );
        var prefix = $"/folder {m_random.Next(4)}/";
        var name = $"file {m_random.Next(15)}";
        var ticks = m_random.NextInt64(1_000_000);
        Check(
            m_plain.AddFile(prefix, name, ticks, blocksetId, expected.Item2),
            () => m_backup.Database.AddFileAsync(prefix + name, new DateTime(ticks, DateTimeKind.Utc), blocksetId, expected.Item2, default)
        );
    }

    internal async Task AddKnownFileAsync()
    {
        var id = m_plain.Number("""SELECT "ID" FROM "FileLookup" ORDER BY "ID" LIMIT 1 OFFSET @0""", m_random.Next(60));
        if (id < 0)
            return;

        Check(m_plain.AddKnownFile(id, id), () => m_backup.Database.AddKnownFileAsync(id, new DateTime(id, DateTimeKind.Utc), default));
        await Task.CompletedTask;
    }

    private async Task MoveBlockAsync()
    {
        var hash = Hash(m_random.Next(200));
        if (m_plain.MoveBlock(hash, 1024, 1, 3))
            await m_backup.Database.MoveBlockToVolumeAsync(hash, 1024, 1, 3, default);
        else
            Assert.That(() => m_backup.Database.MoveBlockToVolumeAsync(hash, 1024, 1, 3, default), Throws.Exception);
    }

    internal async Task AddFilesetAsync()
    {
        m_time = m_time.AddDays(1);
        var id = await m_backup.Database.CreateFilesetAsync(1, m_time, default);
        // Not asked through the connection: handing it out would make the entries be written one by one.
        Assert.That(m_plain.CreateFileset(1, 1, (long)(m_time - DateTime.UnixEpoch).TotalSeconds), Is.EqualTo(id));
    }

    private async Task AppendAsync()
    {
        string[] deleted = [.. Enumerable.Range(0, 3).Select(_ => $"/folder {m_random.Next(4)}/file {m_random.Next(15)}")];
        var current = CurrentFileset();
        var previous = m_plain.Number(
            """SELECT "ID" FROM "Fileset" WHERE "ID" < @0 ORDER BY "ID" DESC LIMIT 1 OFFSET @1""",
            current,
            m_random.Next(3) == 0 ? 1 : 0
        );
        await m_backup.Database.AppendFilesFromPreviousSetAsync(deleted, current, previous, m_time, default);
        m_plain.Append(previous, deleted);
    }

    private long CurrentFileset() => m_plain.Number("""SELECT MAX("ID") FROM "Fileset" """);

    public async ValueTask DisposeAsync()
    {
        m_plain.Dispose();
        await m_backup.DisposeAsync();
        m_folder.Dispose();
    }

    private static void Check(bool succeeds, Func<Task> call)
    {
        if (succeeds)
            Assert.That(call, Throws.Nothing);
        else
            Assert.That(call, Refused.Engine(19));
    }

    internal void CompareTables() =>
        Assert.That(AllRows.Of(m_backup.Database.Connection, s_without), Is.EqualTo(AllRows.Of(m_plain.Connection, s_without)));

    internal static string Hash(int number) => number % 40 == 7 ? $"odd {number}" : BlockFixture.Hash(number);
}
