// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using System.Text.Json;
using Duplicati.Benchmarks.Processes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Memory;

namespace Duplicati.Benchmarks.Scale;

/// <summary>The operations on a number of blocks, each in a process of its own.</summary>
internal static class BlockSteps
{
    internal const string FirstBackup = "first-backup";
    internal const string FindOrInsert = "find-or-insert";
    internal const string Check = "check";
    internal const string Delete = "delete";
    internal const string Recreate = "recreate";

    /// <summary>The only word of the command line of such a process, before the case and a folder.</summary>
    internal const string Command = "scale-case";

    // Enough to have everything compiled as it stays; small ones, because the peak of memory is that of the process.
    private const int WarmUpRounds = 10;
    private const long WarmUpBlocks = 20_000;

    private static readonly TimeSpan s_givesBack = TimeSpan.FromSeconds(1);

    /// <summary>All of them.</summary>
    internal static readonly string[] All = [FirstBackup, FindOrInsert, Check, Delete, Recreate];

    /// <summary>Those that one database goes through, in their order.</summary>
    internal static readonly string[] Chain = [FirstBackup, FindOrInsert, Check, Delete];

    /// <summary>The runtime's settings of <c>duplicati-db</c>, whose memory the bounds are for.</summary>
    internal static readonly (string Name, string Value)[] Settings =
    [
        ("DOTNET_GCgen0size", "0x400000"),
        ("DOTNET_GCConserveMemory", "5"),
        ("DOTNET_gcConcurrent", "0"),
        ("DOTNET_TieredPGO", "0"),
    ];

    /// <summary>The file of the database within the folder.</summary>
    internal static string DatabaseIn(string folder) => Path.Combine(folder, "db.sqlite");

    /// <summary>What is rebuilt: files of any length, unlike those of a backup that is to be changed.</summary>
    internal static SyntheticBackup Rebuilt(ScaleCase item) => new(item.Size, Math.Min(item.BlocksPerFile, item.Size));

    /// <summary>The blocks that the cost of a case is divided by.</summary>
    internal static long BlocksOf(ScaleCase item) => new BlockBackup(item.Size, item.BlocksPerFile).BlocksOf(item.Operation);

    /// <summary>What <see cref="BlockContent.Count"/> must give after a case.</summary>
    internal static long ExpectedRows(ScaleCase item) =>
        item.Operation == Recreate
            ? Rebuilt(item).ExpectedRows
            : new BlockBackup(item.Size, item.BlocksPerFile).ExpectedRows(item.Operation);

    /// <summary>The side of the process: does a case, and writes what it took.</summary>
    /// <param name="text">The case, as JSON.</param>
    /// <param name="folder">An existing folder with the database of the step before.</param>
    /// <param name="output">Gets the cost, as JSON.</param>
    internal static async Task<int> RunAsync(string text, string folder, TextWriter output)
    {
        var item = JsonSerializer.Deserialize<ScaleCase>(text)!;
        using var preset = ConnectionPreset.Use(item.Preset);
        using var memory = item.Preset == ConnectionPreset.Small.Name ? KeepLittleMemory() : null;
        await WarmUpAsync(item, folder);
        var written = ProcessWrites.Bytes() ?? 0;
        var cost = await RunAsync(item, DatabaseIn(folder), default);
        using var self = Process.GetCurrentProcess();
        cost = cost with { PeakBytes = self.PeakWorkingSet64, WrittenBytes = (ProcessWrites.Bytes() ?? 0) - written };
        await output.WriteLineAsync(JsonSerializer.Serialize(cost));
        return ExitCodes.Done;
    }

    /// <summary>Does a case; one of a chain needs the database that the one before it left. Opening and closing belong to it.</summary>
    private static async Task<ScaleCost> RunAsync(ScaleCase item, string path, CancellationToken token)
    {
        var clock = new ScaleClock();
        var backup = new BlockBackup(item.Size, item.BlocksPerFile);
        switch (item.Operation)
        {
            case FirstBackup:
                await BackUpAsync(0, backup, path, clock, token);
                break;
            case FindOrInsert:
                await BackUpAsync(1, backup, path, clock, token);
                break;
            case Check:
                await clock.TimeAsync(() => CheckAsync(path, token));
                break;
            case Delete:
                await clock.TimeAsync(() => DeleteAsync(path, token));
                break;
            default:
                return await RebuildAsync(item, path, clock);
        }

        return clock.Cost;
    }

    // As duplicati-db does under this preset.
    private static Timer KeepLittleMemory()
    {
        NativeHeap.KeepLittle();
        return new Timer(static _ => NativeHeap.GiveBack(), null, s_givesBack, s_givesBack);
    }

    private static async Task WarmUpAsync(ScaleCase item, string folder)
    {
        string[] steps = item.Operation == Recreate ? [Recreate] : Chain[..(Array.IndexOf(Chain, item.Operation) + 1)];
        var place = Directory.CreateDirectory(Path.Combine(folder, "warm-up"));
        // Who asks for less only tries it out.
        for (var round = 0; round < (item.Size > WarmUpBlocks ? WarmUpRounds : 1); round++)
        {
            var path = Path.Combine(place.FullName, FormattableString.Invariant($"{round}.sqlite"));
            foreach (var step in steps)
                await RunAsync(item with { Operation = step, Size = Math.Min(WarmUpBlocks, item.Size) }, path, default);
        }

        place.Delete(recursive: true);
        GC.Collect();
    }

    private static async Task BackUpAsync(int version, BlockBackup backup, string path, ScaleClock clock, CancellationToken token)
    {
        var database = await clock.TimeAsync(() => LocalBackupDatabase.CreateAsync(path, new Options([]), token));
        try
        {
            await new BlockBackupRun(backup, database, clock, version).RunAsync(token);
        }
        finally
        {
            await clock.TimeAsync(() => database.DisposeAsync().AsTask());
        }
    }

    private static async Task CheckAsync(string path, CancellationToken token)
    {
        await using var database = await LocalDatabase.CreateLocalDatabaseAsync(path, "Backup", true, null, token);
        await database.VerifyConsistencyAsync(SyntheticBackup.BlockBytes, SyntheticBackup.HashBytes, true, token);
    }

    private static async Task DeleteAsync(string path, CancellationToken token)
    {
        await using var database = await LocalDeleteDatabase.CreateAsync(path, "Delete", null, token);
        await database.DropFilesetsFromTableAsync([BlockBackupRun.FirstTime], token).CountAsync(token);
        await database.Transaction.CommitAsync("CommitDelete", true, token);
    }

    private static async Task<ScaleCost> RebuildAsync(ScaleCase item, string path, ScaleClock clock)
    {
        var rebuild = await clock.TimeAsync(() => Task.FromResult(SyntheticRebuild.Open(item.Way, path)));
        var run = new RebuildRun(Rebuilt(item), rebuild);
        run.Run();
        return new ScaleCost(clock.Processor + run.Phases.Values.Sum(), clock.Clock + run.Clock) { Phases = run.Phases };
    }
}
