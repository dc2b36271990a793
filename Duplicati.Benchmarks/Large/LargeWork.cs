using Duplicati.Benchmarks.Micro.Recreate;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Large;

/// <summary>Does a step on a database; opening and closing it are part of the step.</summary>
internal static class LargeWork
{
    /// <summary>Does one step; that of a chain needs the database that the one before it left.</summary>
    internal static Task RunAsync(string step, LargeBackup backup, string path, LayerClock clock, CancellationToken token) => step switch
    {
        LargeSteps.FirstBackup => BackUpAsync(0, backup, path, clock, token),
        LargeSteps.FindOrInsert => BackUpAsync(1, backup, path, clock, token),
        LargeSteps.Check => clock.TimeAsync(() => CheckAsync(path, token)),
        LargeSteps.Delete => clock.TimeAsync(() => DeleteAsync(path, token)),
        LargeSteps.Recreate => RecreateAsync(backup, path, clock),
        _ => throw new ArgumentException($"There is no step '{step}'."),
    };

    private static async Task BackUpAsync(int version, LargeBackup backup, string path, LayerClock clock, CancellationToken token)
    {
        var database = await clock.TimeAsync(() => LocalBackupDatabase.CreateAsync(path, new Options([]), token)).ConfigureAwait(false);
        try
        {
            await new LargeDoor(backup, database, clock).RunAsync(version, token).ConfigureAwait(false);
        }
        finally
        {
            await clock.TimeAsync(() => database.DisposeAsync().AsTask()).ConfigureAwait(false);
        }
    }

    private static async Task CheckAsync(string path, CancellationToken token)
    {
        var database = await LocalDatabase.CreateLocalDatabaseAsync(path, "Backup", true, null, token).ConfigureAwait(false);
        await using (database.ConfigureAwait(false))
            await database.VerifyConsistencyAsync(SyntheticBackup.BlockBytes, SyntheticBackup.HashBytes, true, token).ConfigureAwait(false);
    }

    private static async Task DeleteAsync(string path, CancellationToken token)
    {
        var database = await LocalDeleteDatabase.CreateAsync(path, "Delete", null, token).ConfigureAwait(false);
        await using (database.ConfigureAwait(false))
        {
            await database.DropFilesetsFromTableAsync([LargeDoor.FirstTime], token).CountAsync(token).ConfigureAwait(false);
            await database.Transaction.CommitAsync("CommitDelete", true, token).ConfigureAwait(false);
        }
    }

    private static async Task RecreateAsync(LargeBackup backup, string path, LayerClock clock)
    {
        using var layer = await clock.TimeAsync(() => Task.FromResult(new LayerVariant(path))).ConfigureAwait(false);
        var run = new RebuildRun(backup.First, layer);
        run.Run();
        foreach (var phase in run.Phases)
            clock.Add(phase.Elapsed, phase.Processor);
    }
}
