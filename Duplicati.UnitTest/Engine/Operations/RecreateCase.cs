// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.Concurrent;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>A backup whose recreate reads volumes of all kinds, and recreates of it that are interrupted.</summary>
internal sealed class RecreateCase : IDisposable
{
    // Fetched, parsed or waiting while the process ends: those of a feed for two processors, and the one at work.
    internal const int MostInFlight = 9;

    private RecreateCase(BackupCase backup) => Backup = backup;

    internal BackupCase Backup { get; }

    internal string Database => Backup.File("recreated.sqlite");

    internal string Beside => Database + ".recreating";

    /// <summary>The database that a recreate makes that nobody disturbs.</summary>
    internal string Whole => Backup.File("whole.sqlite");

    /// <summary>Number of volumes it reads.</summary>
    internal int Volumes { get; private set; }

    /// <summary>Makes two versions, and takes every third index volume away.</summary>
    internal static async Task<RecreateCase> MakeAsync(Random random, int files = 12, Func<EngineOptions, EngineOptions>? change = null)
    {
        var backup = new BackupCase(x => (change is null ? x : change(x)) with { VolumeSize = 20 * 1024 });
        SourceTree.Make(backup.Source, random);
        for (var i = 0; i < files; i++)
            SourceTree.Write(backup.Source, $"more/{i}", random.Next(1, 60_000), random);
        await backup.BackUpAsync();
        SourceTree.Change(backup.Source, random);
        await backup.BackUpAsync();
        var indexes = backup.Volumes("dindex");
        for (var i = 0; i < indexes.Length; i += 3)
            File.Delete(indexes[i]);
        return await OfAsync(backup);
    }

    /// <summary>Takes a backup as it is, and recreates it undisturbed.</summary>
    internal static async Task<RecreateCase> OfAsync(BackupCase backup)
    {
        var result = new RecreateCase(backup);
        var report = await backup.RecreateAsync(result.Whole);
        Assert.That(report.Problems, Is.Zero);
        Assert.That(report.BlockVolumes, Is.Positive);
        result.Volumes = report.Filelists + report.IndexVolumes + report.BlockVolumes;
        return result;
    }

    /// <summary>Recreates to the end, and returns what was fetched.</summary>
    internal async Task<(RecreateReport Report, string[] Fetched)> RecreateAsync(
        bool overwrite = false,
        Func<EngineOptions, EngineOptions>? change = null
    )
    {
        var fetched = new ConcurrentQueue<string>();
        var report = await Operation(fetched.Enqueue, overwrite, change).RunAsync(default);
        return (report, [.. fetched]);
    }

    /// <summary>Cancels a recreate, as Ctrl+C does, when it fetches its n-th volume.</summary>
    internal async Task<string[]> InterruptAsync(int at, bool overwrite = false)
    {
        using var stop = new CancellationTokenSource();
        var fetched = new ConcurrentQueue<string>();
        void Fetching(string name)
        {
            fetched.Enqueue(name);
            // Two may come at once.
            if (fetched.Count >= at)
                stop.Cancel();
        }

        Assert.That(
            async () => await Operation(Fetching, overwrite, null).RunAsync(stop.Token),
            Throws.InstanceOf<OperationCanceledException>()
        );
        return [.. fetched];
    }

    internal RecreateOperation Operation(Action<string> fetching, bool overwrite = false, Func<EngineOptions, EngineOptions>? change = null)
    {
        var options = Backup.Options with { DatabasePath = Database };
        return new RecreateOperation(change is null ? options : change(options), Backup.Warnings)
        {
            Overwrite = overwrite,
            Through = x => new WatchedFolder(x, fetching),
        };
    }

    /// <summary>The volumes that an interrupted recreate will not read again.</summary>
    internal static string[] Done(string path) =>
        File.Exists(path) && SampleDatabase.Rows(path, "SELECT 1 FROM \"sqlite_master\" WHERE \"name\" = 'RecreateVolume'").Length > 0
            ? SampleDatabase.Rows(path, """SELECT "Name" FROM "RecreateVolume" WHERE "IsDone" = 1""")
            : [];

    /// <summary>The database is the one of an undisturbed recreate, and nothing is left beside it or in it.</summary>
    internal void AssertComplete(string when)
    {
        Databases.AssertEqual(Whole, Database, when);
        const string Schema = """SELECT "type", "name" FROM "sqlite_master" WHERE "name" NOT LIKE 'sqlite_stat%'""";
        Assert.That(SampleDatabase.Rows(Database, Schema), Is.EqualTo(SampleDatabase.Rows(Whole, Schema)), when);
        Assert.That(
            SampleDatabase.Rows(Database, "SELECT \"Key\" FROM \"Configuration\""),
            Is.EqualTo(SampleDatabase.Rows(Whole, "SELECT \"Key\" FROM \"Configuration\"")),
            when
        );
        Assert.That(
            Directory.GetFiles(Path.GetDirectoryName(Database)!, Path.GetFileName(Database) + "*"),
            Is.EqualTo(new[] { Database }),
            when
        );
    }

    public void Dispose() => Backup.Dispose();
}
