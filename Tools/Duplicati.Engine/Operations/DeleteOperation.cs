using Duplicati.Engine.Common;
using Duplicati.Engine.Compact;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Purge;
using Duplicati.Engine.Recreate;
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
    public async Task<DeleteReport> RunAsync(IReadOnlyCollection<long> versions, bool allowAll, CancellationToken token)
    {
        using var preset = ConnectionPreset.Use(options.Preset);
        DatabaseFile.RequireExists(options.DatabasePath);
        UnfinishedRecreate.Refuse(options);
        using var space = new WorkSpace(options, progress);
        var database = await LocalDeleteDatabase.CreateAsync(space.DatabasePath, "Delete", null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        var settings = await SettingsStore.ResolveAsync(database, options, token).ConfigureAwait(false);
        var times = await ChooseAsync(database, versions, allowAll, token).ConfigureAwait(false);

        var folder = space.Folder;
        var inventory = new RemoteInventory(database, folder, settings.Prefix, progress);
        await inventory.AnalyseAsync(token).ConfigureAwait(false);
        inventory.ThrowIfDifferent();
        var losses = VersionLosses.OfWhole(database, times);
        await inventory.SettleAsync(token).ConfigureAwait(false);
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

    private static async Task<IReadOnlyList<DateTime>> ChooseAsync(LocalDatabase database, IReadOnlyCollection<long> versions, bool allowAll, CancellationToken token)
    {
        var times = new List<DateTime>();
        foreach (var version in versions.Distinct().Order())
            times.Add((await VersionList.RequireAsync(database, version, token).ConfigureAwait(false)).Value);
        if (!allowAll && times.Count > 0 && times.Count == await database.FilesetTimesAsync(token).CountAsync(token).ConfigureAwait(false))
            throw new UserInformationException($"This would delete every version there is. {Advice.AllVersions()}", "CannotDeleteAllVersions");
        return times;
    }
}
