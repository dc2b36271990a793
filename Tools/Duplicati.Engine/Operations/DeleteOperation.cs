using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Compact;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Purge;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Engine.Operations;

/// <summary>Deletes versions, and compacts the remote folder when that pays.</summary>
/// <param name="options">What the operation works on.</param>
/// <param name="progress">Told what happens.</param>
public sealed class DeleteOperation(EngineOptions options, IEngineProgress progress)
{
    /// <summary>Runs the deletion. A dry run works on a copy of the database and changes nothing.</summary>
    /// <param name="versions">Positions in the list of versions, 0 = newest.</param>
    /// <param name="allowAll">Permits to delete every version there is.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="UserInformationException">Help ids <c>InvalidVersion</c>, <c>CannotDeleteAllVersions</c>, <c>MissingRemoteFiles</c>, …</exception>
    public Task<DeleteReport> RunAsync(IReadOnlyCollection<long> versions, bool allowAll, CancellationToken token) =>
        RunAsync(new DeleteChoices { Versions = versions, AllowAll = allowAll }, token);

    /// <summary>As above, with all that can be chosen. Having nothing to delete is no failure.</summary>
    public async Task<DeleteReport> RunAsync(DeleteChoices choices, CancellationToken token)
    {
        using var preset = ConnectionPreset.Use(options.Preset);
        DatabaseFile.RequireExists(options.DatabasePath);
        using var turn = await OperationTurn.TakeAsync(options.DatabasePath, progress, token).ConfigureAwait(false);
        UnfinishedRecreate.Refuse(options);
        using var space = new WorkSpace(options, progress);
        var database = await LocalDeleteDatabase.CreateAsync(space.DatabasePath, "Delete", null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        var settings = await SettingsStore.ResolveAsync(database, options, token).ConfigureAwait(false);
        var chosen = await ChooseAsync(database, choices, token).ConfigureAwait(false);

        var folder = space.Folder;
        var inventory = new RemoteInventory(database, folder, settings.Prefix, progress);
        await inventory.AnalyseAsync(token).ConfigureAwait(false);
        inventory.ThrowIfDifferent();
        var losses = VersionLosses.OfWhole(database, chosen);
        await inventory.SettleAsync(token).ConfigureAwait(false);
        var times = await StillThereAsync(database, chosen, choices.AllowAll, token).ConfigureAwait(false);
        var remover = new VolumeRemover(database, folder, progress);
        await DropAsync(database, remover, times, token).ConfigureAwait(false);
        var compact = options.NoAutoCompact ? null : await new Compactor(options, settings, database, folder, progress).RunAsync(token).ConfigureAwait(false);
        await database.VerifyConsistencyAsync(settings.BlockSize, settings.DigestSize, true, token).ConfigureAwait(false);
        await database.Transaction.CommitAsync("CommitDelete", true, token).ConfigureAwait(false);
        return new DeleteReport(times, times.Count, remover.Removed.Volumes, remover.Removed.Bytes, compact, losses, options.DryRun);
    }

    /// <summary>Deletes what a query selected within an operation that is already going on.</summary>
    private static async Task DropAsync(LocalDeleteDatabase database, VolumeRemover remover, IReadOnlyList<DateTime> times, CancellationToken token)
    {
        var dropped = new List<IRemoteVolume>();
        await foreach (var (name, size) in database.DropFilesetsFromTableAsync([.. times], token).ConfigureAwait(false))
            dropped.Add(new RemoteVolume(name, null!, size));
        await remover.RemoveAsync(dropped, token).ConfigureAwait(false);
    }

    private static async Task<IReadOnlyList<DateTime>> ChooseAsync(LocalDeleteDatabase database, DeleteChoices choices, CancellationToken token)
    {
        var filesets = await database.FilesetsWithBackupVersionAsync(token).ToListAsync(token).ConfigureAwait(false);
        var candidates = filesets.ConvertAll(x => new Retention.Candidate(x.Time.ToUniversalTime(), x.IsFullBackup == 1));
        var times = new List<DateTime>();
        foreach (var version in Choose(candidates, choices).Distinct().Order())
            times.Add((await VersionList.RequireAsync(database, version, token).ConfigureAwait(false)).Value);
        RefuseAll(choices.AllowAll, times.Count, filesets.Count);
        return times;
    }

    // What an interrupted backup had begun is among the versions until it is settled, and may be gone then.
    private static async Task<IReadOnlyList<DateTime>> StillThereAsync(LocalDeleteDatabase database, IReadOnlyList<DateTime> chosen, bool allowAll, CancellationToken token)
    {
        var there = await database.FilesetTimesAsync(token).Select(x => x.Value).ToListAsync(token).ConfigureAwait(false);
        var times = chosen.Where(there.Contains).ToList();
        RefuseAll(allowAll, times.Count, there.Count);
        return times;
    }

    private static void RefuseAll(bool allowAll, int chosen, int all)
    {
        if (!allowAll && chosen > 0 && chosen == all)
            throw new UserInformationException($"This would delete every version there is. {Advice.AllVersions()}", "CannotDeleteAllVersions");
    }

    private static IReadOnlyCollection<long> Choose(List<Retention.Candidate> candidates, DeleteChoices choices) => choices switch
    {
        { Policy: { } policy } => Retention.Thinned(candidates, policy, choices.Now),
        { KeepSince: { } time } => Retention.OlderThan(candidates, time.ToUniversalTime()),
        { KeepVersions: { } count } => Retention.BeyondNewest(candidates, count),
        _ => choices.Versions,
    };
}
