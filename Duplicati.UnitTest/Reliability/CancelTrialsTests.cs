// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Benchmarks.Scale;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;

namespace Duplicati.UnitTest.Reliability;

/// <summary>Each long member is cancelled at random times: it ends, leaves nothing behind, and its object can be used again.</summary>
[TestFixture]
public class CancelTrialsTests
{
    [Test]
    public Task A_member_that_is_cancelled_ends_and_leaves_nothing_behind() => RunAsync(new VersionedBackup(10, 100, 10, 100), 2);

    /// <summary>
    /// On a million blocks, 200 cancels each. Prints how long a cancelled member goes on, and how long a call keeps its caller.
    /// </summary>
    [Test]
    [Explicit]
    [Category(LongRun.Category)]
    public Task Long_run_of_cancels() => RunAsync(new VersionedBackup(100, 1000, 10, 500), LongRun.Count(200));

    private static async Task RunAsync(VersionedBackup backup, int count)
    {
        using var folder = new TestFolder();
        backup.Make(folder.File("db.sqlite"));
        var trials = new CancelTrials(folder.File("db.sqlite"), backup.Versions, new Random(LongRun.Seed()));
        foreach (var member in CancelTrials.Members)
        {
            var figures = await trials.RunAsync(member, count);
            TestContext.Out.WriteLine(figures);
            Assert.That(figures.Blocked, Has.Count.EqualTo(count), member.Name);
            Assert.That(figures.Latencies, Has.Count.LessThanOrEqualTo(count), member.Name);
        }
    }
}

/// <summary>Long members of the API that are cancelled at random times.</summary>
/// <param name="template">A closed database with versions.</param>
/// <param name="versions">How many.</param>
/// <param name="random">Chooses the times.</param>
internal sealed class CancelTrials(string template, int versions, Random random)
{
    private const string Operation = "Cancel";

    /// <summary>A member: its name, the object it is of, and the call.</summary>
    internal sealed record Member(
        string Name,
        Func<string, Task<LocalDatabase>> Open,
        Func<LocalDatabase, int, CancellationToken, Task> Run
    );

    /// <summary>All of them.</summary>
    public static IReadOnlyList<Member> Members { get; } =
    [
        new(
            "check the consistency",
            OpenAsync,
            (db, _, token) => db.VerifyConsistencyAsync(VersionedBackup.BlockBytes, VersionedBackup.HashBytes, true, token)
        ),
        new("remove a volume", OpenAsync, RemoveAsync),
        new(
            "delete the oldest half",
            OpenDeleteAsync,
            (db, count, token) =>
                DrainAsync(
                    ((LocalDeleteDatabase)db).DropFilesetsFromTableAsync(
                        [.. Enumerable.Range(0, count / 2).Select(VersionedBackup.UtcTime)],
                        token
                    )
                )
        ),
        new(
            "report what to compact",
            OpenDeleteAsync,
            (db, _, token) => ((LocalDeleteDatabase)db).GetCompactReportAsync(1 << 20, 1, 0, 20, token)
        ),
        new("purge files", static async path => await LocalPurgeDatabase.CreateAsync(path, null, default), PurgeAsync),
        new("list changes", static async path => await LocalListChangesDatabase.CreateAsync(path, null, default), ChangesAsync),
        new("prepare a restore", static async path => await LocalRestoreDatabase.CreateAsync(path, null, default), RestoreAsync),
        new(
            "find missing blocks",
            static async path => await LocalListBrokenFilesDatabase.CreateAsync(path, null, default),
            (db, _, token) => DrainAsync(((LocalListBrokenFilesDatabase)db).GetBrokenFilesetsAsync(DateTime.UtcNow, null, token))
        ),
    ];

    /// <summary>Cancels a member again and again, each time on a database that is opened anew, and without a commit.</summary>
    /// <returns>What it took.</returns>
    /// <exception cref="InvalidOperationException">A cancelled member left something behind.</exception>
    public async Task<CancelFigures> RunAsync(Member member, int trials)
    {
        var before = await CountAsync();
        // The first one compiles.
        await OnceAsync(member, TimeSpan.MaxValue);
        var whole = (await OnceAsync(member, TimeSpan.MaxValue)).Whole;
        var (latencies, blocked) = (new List<double>(), new List<double>());
        for (var i = 0; i < trials; i++)
        {
            var trial = await OnceAsync(member, whole * random.NextDouble());
            blocked.Add(trial.Blocked.TotalMilliseconds);
            if (trial.Latency is { } latency)
                latencies.Add(latency.TotalMilliseconds);
        }

        return await CountAsync() == before
            ? new CancelFigures(member.Name, whole.TotalMilliseconds, latencies, blocked)
            : throw new InvalidOperationException($"'{member.Name}' has changed the database though it was cancelled.");
    }

    private async Task<(TimeSpan Whole, TimeSpan Blocked, TimeSpan? Latency)> OnceAsync(Member member, TimeSpan at)
    {
        using var source = new CancellationTokenSource();
        await using var database = await member.Open(template);
        var cancelled = 0L;
        using var over = new ManualResetEventSlim();
        var canceller = new Thread(() =>
        {
            if (at == TimeSpan.MaxValue || over.Wait(at))
                return;
            Volatile.Write(ref cancelled, Stopwatch.GetTimestamp());
            source.Cancel();
        });
        canceller.Start();
        // The start of a thread waits for that thread, which is not the member's doing.
        var start = Stopwatch.GetTimestamp();
        var call = member.Run(database, versions, source.Token);
        var blocked = Stopwatch.GetElapsedTime(start);
        var wasCancelled = false;
        try
        {
            await call;
        }
        catch (OperationCanceledException)
        {
            wasCancelled = true;
        }

        var end = Stopwatch.GetTimestamp();
        over.Set();
        Wait.ForEnd(canceller, "the thread that cancels");
        // The object is as good as before.
        await database.Transaction.RollBackAsync(CancellationToken.None);
        if (await database.FilesetTimesAsync(CancellationToken.None).CountAsync() != versions)
            throw new InvalidOperationException($"'{member.Name}' cannot be rolled back after it was cancelled.");
        return (
            Stopwatch.GetElapsedTime(start, end),
            blocked,
            wasCancelled ? Stopwatch.GetElapsedTime(Volatile.Read(ref cancelled), end) : null
        );
    }

    // What is committed.
    private async Task<(int Versions, int Volumes)> CountAsync()
    {
        await using var database = await OpenAsync(template);
        return (await database.FilesetTimesAsync(default).CountAsync(), await database.GetRemoteVolumesAsync(default).CountAsync());
    }

    private static async Task<LocalDatabase> OpenAsync(string path) =>
        await LocalDatabase.CreateLocalDatabaseAsync(path, Operation, true, null, default);

    private static async Task<LocalDatabase> OpenDeleteAsync(string path) =>
        await LocalDeleteDatabase.CreateAsync(path, Operation, null, default);

    private static async Task RemoveAsync(LocalDatabase database, int versions, CancellationToken token)
    {
        var volume = await database.GetRemoteVolumesAsync(token).FirstAsync(x => x.Type == RemoteVolumeType.Blocks, token);
        await database.RemoveRemoteVolumesAsync([volume.Name], token);
    }

    private static async Task PurgeAsync(LocalDatabase database, int versions, CancellationToken token)
    {
        await using var fileset = await ((LocalPurgeDatabase)database).CreateTemporaryFilesetAsync(versions, token);
        await fileset.ApplyFilterAsync(new FilterExpression("*/file *7"), token);
    }

    private static async Task ChangesAsync(LocalDatabase database, int versions, CancellationToken token)
    {
        await using var storage = await ((LocalListChangesDatabase)database).CreateStorageHelperAsync(token);
        await storage.AddFromDbAsync(1, false, new FilterExpression(), token);
        await storage.AddFromDbAsync(versions, true, new FilterExpression(), token);
        await storage.CreateChangeSizeReportAsync(token);
    }

    private static async Task RestoreAsync(LocalDatabase database, int versions, CancellationToken token)
    {
        var restore = (LocalRestoreDatabase)database;
        await restore.PrepareRestoreFilelistAsync(DateTime.UtcNow, null, null, true, token);
        await restore.SetTargetPathsAsync("/source/", "/target/", token);
        await restore.FindMissingBlocksAsync(false, token);
    }

    private static async Task DrainAsync<T>(IAsyncEnumerable<T> rows)
    {
        await foreach (var row in rows)
            _ = row;
    }
}

/// <summary>What cancelling one member took.</summary>
/// <param name="Name">The member.</param>
/// <param name="Whole">All of it when it is not cancelled, ms.</param>
/// <param name="Latencies">From the cancel to the end, ms, of the trials that were cancelled in time.</param>
/// <param name="Blocked">Until the call returned a task, ms, of each trial.</param>
internal sealed record CancelFigures(string Name, double Whole, IReadOnlyList<double> Latencies, IReadOnlyList<double> Blocked)
{
    public override string ToString() =>
        FormattableString.Invariant(
            $"{Name}: whole {Whole:F0} ms, {Latencies.Count} cancelled; goes on {Percentiles(Latencies)}; keeps the caller {Percentiles(Blocked)}"
        );

    private static string Percentiles(IReadOnlyList<double> values) =>
        values.Count == 0
            ? "–"
            : FormattableString.Invariant(
                $"{Percentile(values, 50):F2} ms at 50 %, {Percentile(values, 99):F2} at 99 %, {values.Max():F2} at most"
            );

    private static double Percentile(IReadOnlyList<double> values, int percent) =>
        values.Order().ElementAt((int)Math.Ceiling(values.Count * percent / 100.0) - 1);
}
