using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

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
        // First: what is read from damaged pages may look like an answer.
        var damage = await DatabaseReading.RunAsync(options.DatabasePath, options.Preset, file => DatabaseIntegrity.CheckAsync(file, quick, token), token, ReadingMode.AnyVersion).ConfigureAwait(false);
        return damage.Count > 0
            ? Report(0, damage)
            : await DatabaseReading.RunAsync(options.DatabasePath, options.Preset, file => CheckAsync(file, quick, token), token).ConfigureAwait(false);
    }

    private async Task<VerifyReport> CheckAsync(string file, bool quick, CancellationToken token)
    {
        var interrupted = Interrupted(file);
        var database = await LocalDatabase.CreateLocalDatabaseAsync(file, "Verify", true, null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        var settings = await SettingsStore.ResolveAsync(database, options, token).ConfigureAwait(false);
        var problems = new List<string>();
        if (interrupted > 0)
            problems.Add(LeftOutText.Interrupted(options.DatabasePath, interrupted));
        await CheckDatabaseAsync(database, settings, problems, token).ConfigureAwait(false);

        using var folder = RemoteFolder.Open(options, progress);
        var inventory = new RemoteInventory(database, folder, settings.Prefix, progress) { OnlyReads = true };
        await inventory.AnalyseAsync(token).ConfigureAwait(false);
        problems.AddRange(inventory.Missing.Select(x => $"{x.Name} is missing or has another size"));
        problems.AddRange(inventory.Extra.Select(x => $"{x.Name} is not known to the database"));

        var lost = inventory.Missing.Select(x => x.Name).ToHashSet(StringComparer.Ordinal);
        var volumes = await database.GetRemoteVolumesAsync(token)
            .Where(x => (x.State is RemoteVolumeState.Uploaded or RemoteVolumeState.Verified || inventory.Accepted.Contains(x.Name)) && !lost.Contains(x.Name))
            .ToListAsync(token).ConfigureAwait(false);
        if (!quick)
            await CheckVolumesAsync(folder, settings, volumes, problems, token).ConfigureAwait(false);
        return Report(volumes.Count, problems);
    }

    // Indexes that an operation that did not end has left out; what a running one leaves out is as it should be.
    private static int Interrupted(string file)
    {
        using var reader = new DatabaseDumpReader(file);
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

    private async Task CheckVolumesAsync(IRemoteFolder folder, BackupSettings settings, List<RemoteVolumeEntry> volumes, List<string> problems, CancellationToken token)
    {
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
                    lock (problems)
                        problems.Add(ex.Message);
                }

                progress.Advance("volumes", Interlocked.Increment(ref done), volumes.Count);
            }).ConfigureAwait(false);
    }
}
