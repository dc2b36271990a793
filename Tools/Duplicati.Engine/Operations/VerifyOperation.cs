using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Testing;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Engine.Operations;

/// <summary>Checks the database in itself, the remote folder against it, and the content of every volume. Changes nothing.</summary>
/// <param name="options">What the operation works on.</param>
/// <param name="progress">Told what happens.</param>
public sealed class VerifyOperation(EngineOptions options, IEngineProgress progress)
{
    /// <summary>Runs the checks.</summary>
    /// <param name="quick">Compare names and sizes only: read neither the volumes nor each index against its table.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>What was checked and every problem found; the operation fails only if it cannot check at all. Nothing else is checked if pages of the database are damaged.</returns>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>DatabaseIsDamaged</c>, <c>DatabaseFormatError</c>, …</exception>
    public async Task<VerifyReport> RunAsync(bool quick, CancellationToken token)
    {
        using var preset = ConnectionPreset.Use(options.Preset);
        DatabaseFile.RequireExists(options.DatabasePath);
        // First: what is read from damaged pages may look like an answer.
        var damage = await DatabaseIntegrity.CheckAsync(options.DatabasePath, quick, token).ConfigureAwait(false);
        return damage.Count > 0 ? Report(0, damage) : await CheckAsync(quick, token).ConfigureAwait(false);
    }

    private async Task<VerifyReport> CheckAsync(bool quick, CancellationToken token)
    {
        var missing = Interrupted();
        var database = await LocalDatabase.CreateLocalDatabaseAsync(options.DatabasePath, "Verify", true, null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        var settings = await SettingsStore.ResolveAsync(database, options, token).ConfigureAwait(false);
        var problems = new List<string>();
        if (missing > 0)
            problems.Add(Interrupted() == 0 ? $"interrupted: {missing} indexes were missing, which are completed now" : LeftOutText.Interrupted(options.DatabasePath, missing));
        await CheckDatabaseAsync(database, settings, problems, token).ConfigureAwait(false);

        using var folder = RemoteFolder.Open(options, progress);
        var inventory = new RemoteInventory(database, folder, settings.Prefix, progress) { OnlyLooks = true };
        await inventory.LookAsync(token).ConfigureAwait(false);
        problems.AddRange(inventory.Missing.Select(x => $"{x.Name} is missing or has another size"));
        problems.AddRange(inventory.Extra.Select(x => $"{x.Name} is not known to the database"));

        var lost = inventory.Missing.Select(x => x.Name).ToHashSet(StringComparer.Ordinal);
        var volumes = await database.GetRemoteVolumesAsync(token)
            .Where(x => x.State is RemoteVolumeState.Uploaded or RemoteVolumeState.Verified && !lost.Contains(x.Name))
            .ToListAsync(token).ConfigureAwait(false);
        if (!quick)
        {
            problems.AddRange(await CheckVersionsAsync(database, folder, settings, token).ConfigureAwait(false));
            problems.AddRange(await CheckVolumesAsync(database, folder, settings, volumes, token).ConfigureAwait(false));
        }

        return Report(volumes.Count, problems);
    }

    // Indexes that an operation that did not end has left out; what a running one leaves out is as it should be.
    private int Interrupted()
    {
        using var reader = new DatabaseDumpReader(options.DatabasePath);
        return reader.LeftOut is { IsBeingFilled: false } leftOut ? leftOut.Names.Count : 0;
    }

    private VerifyReport Report(int volumes, List<string> problems)
    {
        problems.Sort(StringComparer.Ordinal);
        foreach (var problem in problems)
            progress.Warning(problem);
        return new VerifyReport(volumes, problems);
    }

    private static async Task CheckDatabaseAsync(LocalDatabase database, BackupSettings settings, List<string> problems, CancellationToken token)
    {
        try
        {
            await database.VerifyConsistencyAsync(settings.BlockSize, settings.DigestSize, true, token).ConfigureAwait(false);
        }
        catch (DatabaseInconsistencyException ex)
        {
            problems.Add($"The database is inconsistent ({ex.HelpID}): {ex.Message}");
        }
    }

    private static async Task<IEnumerable<string>> CheckVersionsAsync(LocalDatabase database, IRemoteFolder folder, BackupSettings settings, CancellationToken token)
    {
        using var temporary = new TemporaryFolder();
        var empty = await new EmptyVersions(database, new VolumeDownloader(folder, settings.Passphrase, temporary.Path), settings.Format).FindAsync(token).ConfigureAwait(false);
        return empty.Select(x => x.Problem);
    }

    private async Task<List<string>> CheckVolumesAsync(LocalDatabase database, IRemoteFolder folder, BackupSettings settings, List<RemoteVolumeEntry> volumes, CancellationToken token)
    {
        // Fetching may take long; no snapshot is held meanwhile.
        await database.Transaction.RollBackAsync(token).ConfigureAwait(false);
        var faulty = new List<(RemoteVolumeEntry Volume, string Problem)>();
        using var temporary = new TemporaryFolder();
        var checker = new VolumeChecker(new VolumeDownloader(folder, settings.Passphrase, temporary.Path), settings.Format);
        folder.Prefetch(volumes.Select(x => (x.Name, x.Size)));
        var done = 0;
        await Parallel.ForEachAsync(
            volumes,
            new ParallelOptions { MaxDegreeOfParallelism = Math.Max(1, options.Parallelism), CancellationToken = token },
            async (volume, stop) =>
            {
                try
                {
                    await checker.CheckAsync(volume, stop).ConfigureAwait(false);
                }
                catch (Exception ex) when (ex is VolumeException and not (WrongPassphraseException or MissingPassphraseException) or RemoteException)
                {
                    lock (faulty)
                        faulty.Add((volume, ex.Message));
                }

                progress.Advance("volumes", Interlocked.Increment(ref done), volumes.Count);
            }).ConfigureAwait(false);

        var problems = new List<string>();
        foreach (var (volume, problem) in faulty)
        {
            if (await RemoteInventory.StillStandsAsync(database, volume, token).ConfigureAwait(false))
                problems.Add(problem);
        }

        return problems;
    }
}
