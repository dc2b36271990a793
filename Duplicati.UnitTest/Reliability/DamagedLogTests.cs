// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Reliability;

/// <summary>Databases opened with a write-ahead log that was cut off, that is older than the file, or that is damaged.</summary>
[TestFixture]
internal sealed class DamagedLogTests
{
    private const int Transactions = 12;
    private const int VolumesEach = 40;
    private const int LogHeader = 32;
    private const int FrameHeader = 24;

    // Commits on a new database while a copy of file and log is taken after each: what a power loss could leave behind.
    private static async Task<List<(byte[] File, byte[] Log)>> CommitAsync(string path)
    {
        var copies = new List<(byte[], byte[])>();
        await using var database = await LocalDatabase.CreateLocalDatabaseAsync(path, "Test", true, null, default);
        for (var transaction = 0; transaction < Transactions; transaction++)
        {
            for (var volume = 0; volume < VolumesEach; volume++)
                await database.RegisterRemoteVolumeAsync(
                    $"{Path.GetFileName(path)}-{transaction}-{volume}",
                    RemoteVolumeType.Blocks,
                    RemoteVolumeState.Uploading,
                    default
                );
            await database.CommitAsync(default);
            copies.Add((Databases.Read(path), Databases.Read(path + "-wal")));
        }

        return copies;
    }

    [Test]
    public async Task A_log_cut_off_anywhere_leaves_the_last_whole_transaction()
    {
        using var folder = new TestFolder();
        var (file, log) = (await CommitAsync(folder.File("made.sqlite")))[^1];
        var commits = Commits(log);
        Assert.That(commits, Has.Count.AtLeast(Transactions));
        var earlier = commits.Count - Transactions;
        var path = folder.File("cut.sqlite");
        foreach (var cut in Cuts(log))
        {
            Write(path, file, log.AsSpan(0, cut));
            var whole = commits.Count(end => end <= cut);

            Assert.That(await WholeTransactionsAsync(path), Is.EqualTo(Math.Max(0, whole - earlier)), $"cut at {cut}");
        }
    }

    [Test]
    public async Task A_changed_byte_in_the_log_leaves_the_transactions_before_it()
    {
        var random = new Random(LongRun.Seed());
        using var folder = new TestFolder();
        var (file, log) = (await CommitAsync(folder.File("made.sqlite")))[^1];
        var commits = Commits(log);
        var path = folder.File("changed.sqlite");
        for (var i = 0; i < 60; i++)
        {
            var at = random.Next(LogHeader, log.Length);
            var changed = (byte[])log.Clone();
            changed[at] ^= (byte)random.Next(1, 256);
            Write(path, file, changed);

            Assert.That(
                await WholeTransactionsAsync(path),
                Is.EqualTo(Math.Max(0, commits.Count(end => end <= at) - (commits.Count - Transactions))),
                $"changed at {at}"
            );
        }
    }

    [Test]
    public async Task An_older_log_of_the_same_file_leaves_one_of_its_transactions()
    {
        using var folder = new TestFolder();
        var copies = await CommitAsync(folder.File("made.sqlite"));
        var path = folder.File("older.sqlite");
        for (var i = 0; i < copies.Count; i++)
        {
            Write(path, copies[^1].File, copies[i].Log);

            Assert.That(await WholeTransactionsAsync(path), Is.EqualTo(i + 1));
        }
    }

    /// <summary>Opens, checks, and counts the transactions that are there as a whole, one after the other from the first.</summary>
    private static async Task<int> WholeTransactionsAsync(string path)
    {
        Databases.AssertSound(path);
        await using var database = await LocalDatabase.CreateLocalDatabaseAsync(path, "Test", true, null, default);
        var names = await database.GetRemoteVolumesAsync(default).Select(x => x.Name).ToHashSetAsync();
        Assert.That(names, Has.Count.EqualTo(names.Count / VolumesEach * VolumesEach), "no part of a transaction");
        var whole = names.Count / VolumesEach;
        for (var transaction = 0; transaction < whole; transaction++)
            Assert.That(
                Enumerable.Range(0, VolumesEach).Count(volume => names.Contains($"made.sqlite-{transaction}-{volume}")),
                Is.EqualTo(VolumesEach),
                $"transaction {transaction} of {whole}"
            );
        return whole;
    }

    // Lengths of the log at which a transaction is whole: the frame that ends one holds the size of the database. Source:
    // https://www.sqlite.org/fileformat2.html#walformat.
    private static List<int> Commits(byte[] log) =>
        [
            .. Frames(log)
                .Where(start => BinaryPrimitives.ReadUInt32BigEndian(log.AsSpan(start + 4)) != 0)
                .Select(start => start + FrameHeader + PageSize(log)),
        ];

    private static IEnumerable<int> Frames(byte[] log)
    {
        for (var start = LogHeader; start + FrameHeader + PageSize(log) <= log.Length; start += FrameHeader + PageSize(log))
            yield return start;
    }

    private static IEnumerable<int> Cuts(byte[] log) =>
        Frames(log).Append(log.Length).SelectMany(x => new[] { x - 1, x, x + 1 }).Prepend(0).Where(x => x <= log.Length);

    private static int PageSize(byte[] log) => (int)BinaryPrimitives.ReadUInt32BigEndian(log.AsSpan(8));

    private static void Write(string path, byte[] file, ReadOnlySpan<byte> log)
    {
        File.Delete(path + "-shm");
        File.WriteAllBytes(path, file);
        File.WriteAllBytes(path + "-wal", log);
    }
}
