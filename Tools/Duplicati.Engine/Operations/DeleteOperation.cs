// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Compact;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Purge;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.VolumeTest;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Engine.Operations;

/// <summary>Deletes versions, and compacts the remote folder when that pays.</summary>
/// <param name="options">What the operation works on.</param>
/// <param name="progress">Told what happens.</param>
public sealed class DeleteOperation(EngineOptions options, IEngineProgress progress)
{
    private LocalDeleteDatabase m_database = null!;

    /// <summary>Runs the deletion. A dry run works on a copy of the database and changes nothing.</summary>
    /// <param name="versions">Positions in the list of versions, 0 = newest.</param>
    /// <param name="allowAll">Permits to delete every version there is.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="UserInformationException">Help ids <c>InvalidVersion</c>, <c>CannotDeleteAllVersions</c>,
    /// <c>VersionsHaveChanged</c>, <c>MissingRemoteFiles</c>, …</exception>
    public Task<DeleteReport> RunAsync(IReadOnlyCollection<long> versions, bool allowAll, CancellationToken token) =>
        RunAsync(new DeleteChoices { Versions = versions, AllowAll = allowAll }, token);

    /// <summary>As above, with all that can be chosen. Having nothing to delete is no failure.</summary>
    public async Task<DeleteReport> RunAsync(DeleteChoices choices, CancellationToken token)
    {
        using var preset = ConnectionPreset.Use(options.Preset);
        DatabaseFile.RequireExists(options.DatabasePath);
        var shown = choices.Shown ?? new ShownVersions();
        using var turn = await OperationTurn
            .TakeAsync(options.DatabasePath, progress, () => VersionList.NoteAsync(options, choices.Versions, shown, token), token)
            .ConfigureAwait(false);
        DatabaseGuard.Require(options);
        using var space = new WorkSpace(options, progress);
        var database = await LocalDeleteDatabase.CreateAsync(space.DatabasePath, "Delete", null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        m_database = database;
        await OperationBegin.BeginAsync(database, token).ConfigureAwait(false);
        var settings = await SettingsStore.ResolveAsync(database, options, token).ConfigureAwait(false);
        await RowFaults.RefuseLostBlocksAsync(database, token).ConfigureAwait(false);
        RowFaults.Refuse(database, RowFaults.EntriesWithoutFile);

        var folder = space.Folder;
        var inventory = new RemoteInventory(database, folder, settings.Prefix, progress);
        await inventory.AnalyseAsync(token).ConfigureAwait(false);
        var (chosen, unknown) = await ChooseAsync(choices, token).ConfigureAwait(false);
        var chosenTimes = chosen.ConvertAll(x => x.Value);
        shown.Require(chosenTimes);
        progress.Reached(new StepReached("No version was deleted.") { Versions = choices.Versions.Count > 0 ? chosenTimes : [] });
        var absent = inventory.Missing.ToList();
        await AcceptLostListsAsync(inventory, settings, folder, chosen, token).ConfigureAwait(false);
        inventory.ThrowIfDifferent();
        await new SettingsProof(database, options.DatabasePath, settings, folder, progress)
            .RequireAsync(absent, token)
            .ConfigureAwait(false);
        var losses = VersionLosses.OfWhole(database, chosen);
        await inventory.SettleAsync(token).ConfigureAwait(false);
        await RowFaults.VerifyAsync(database, settings, true, token).ConfigureAwait(false);
        var versions = await StillThereAsync(chosen, choices.AllowAll, token).ConfigureAwait(false);
        var times = versions.ConvertAll(x => x.Value);
        var remover = new VolumeRemover(database, folder, progress) { Decided = () => TellDeleted(times) };
        await remover.RemoveAsync(database.DropFilesetsAsync(versions.ConvertAll(x => x.Key), token), token).ConfigureAwait(false);
        var compact = options.NoAutoCompact
            ? null
            : await new Compactor(options, settings, database, folder, progress).TryRunAsync(token).ConfigureAwait(false);
        await RowFaults.VerifyAsync(database, settings, true, token).ConfigureAwait(false);
        await database.Transaction.CommitAsync("CommitDelete", true, token).ConfigureAwait(false);
        foreach (var time in unknown)
            progress.Warning($"There is no version of {time:u}");
        return new DeleteReport(times, times.Count, remover.Removed.Volumes, remover.Removed.Bytes, compact, losses, options.DryRun)
        {
            NotFound = unknown,
        };
    }

    // What a version held that has no entries, and whose list is gone, is known to nobody: nothing else can be done about it.
    private async Task AcceptLostListsAsync(
        RemoteInventory inventory,
        BackupSettings settings,
        IRemoteFolder folder,
        List<KeyValuePair<long, DateTime>> chosen,
        CancellationToken token
    )
    {
        if (!inventory.Missing.Exists(x => x.Type == RemoteVolumeType.Files && !EmptyVersions.HasEntries(m_database, x.Name)))
            return;
        using var temporary = new TemporaryFolder();
        var downloader = new VolumeDownloader(folder, settings, temporary.Path);
        var readable = (await new EmptyVersions(m_database, downloader, settings.Format).FindAsync(token).ConfigureAwait(false))
            .Where(x => !x.IsLost)
            .Select(x => x.Volume)
            .ToHashSet(StringComparer.Ordinal);
        var lost = new HashSet<string>(StringComparer.Ordinal);
        foreach (var (id, _) in chosen)
        {
            var name = (await m_database.GetRemoteVolumeFromFilesetIDAsync(id, token).ConfigureAwait(false)).Name;
            if (name is not null && !readable.Contains(name) && !EmptyVersions.HasEntries(m_database, name))
                lost.Add(name);
        }

        inventory.Missing.RemoveAll(x => lost.Contains(x.Name));
        inventory.Resized.RemoveAll(x => lost.Contains(x.Name));
    }

    // From here on the same command would find other versions under the same numbers.
    private void TellDeleted(List<DateTime> times)
    {
        if (times.Count > 0)
            progress.Reached(
                new StepReached($"Deleted for good: {VersionList.Times(times)}.", options.NoAutoCompact ? "" : Advice.FreeSpace())
            );
    }

    private async Task<(List<KeyValuePair<long, DateTime>> Versions, List<DateTime> Unknown)> ChooseAsync(
        DeleteChoices choices,
        CancellationToken token
    )
    {
        var all = await m_database.FilesetTimesAsync(token).ToListAsync(token).ConfigureAwait(false);
        // A rule counts on what is in the remote folder: the list of an interrupted backup may never get there.
        var uploaded = await UploadedAsync(all, token).ConfigureAwait(false);
        var candidates = new List<Retention.Candidate>();
        foreach (var (id, time) in uploaded)
            candidates.Add(new(time.ToUniversalTime(), await m_database.IsFilesetFullBackupAsync(id, token).ConfigureAwait(false)));
        var byRule = Choose(candidates, choices);
        var chosen = byRule?.Select(x => uploaded[(int)x]).ToList() ?? [];
        var unknown = new List<DateTime>();
        if (byRule is null)
        {
            foreach (var version in choices.Versions.Distinct().Order())
                chosen.Add(await VersionList.RequireAsync(m_database, version, token).ConfigureAwait(false));
            (var named, unknown) = VersionList.Named(all.ConvertAll(x => x.Value), choices.Times);
            chosen.AddRange(all.Where(x => named.Contains(x.Value.ToUniversalTime())).Except(chosen).ToList());
        }

        RefuseAll(choices.AllowAll, chosen, all);
        return (chosen, unknown);
    }

    private async Task<List<KeyValuePair<long, DateTime>>> UploadedAsync(
        List<KeyValuePair<long, DateTime>> versions,
        CancellationToken token
    )
    {
        var uploaded = new List<KeyValuePair<long, DateTime>>();
        foreach (var version in versions)
        {
            if (
                (await m_database.GetRemoteVolumeFromFilesetIDAsync(version.Key, token).ConfigureAwait(false)).State
                is RemoteVolumeState.Uploaded
                    or RemoteVolumeState.Verified
            )
                uploaded.Add(version);
        }

        return uploaded;
    }

    // What an interrupted backup had begun is among the versions until it is settled, and may be gone then.
    private async Task<List<KeyValuePair<long, DateTime>>> StillThereAsync(
        List<KeyValuePair<long, DateTime>> chosen,
        bool allowAll,
        CancellationToken token
    )
    {
        var there = await m_database.FilesetTimesAsync(token).ToListAsync(token).ConfigureAwait(false);
        var versions = chosen.FindAll(there.Contains);
        var uploaded = await UploadedAsync(there, token).ConfigureAwait(false);
        RefuseAll(allowAll, versions, uploaded.Count > 0 ? uploaded : there);
        return versions;
    }

    private static void RefuseAll(bool allowAll, List<KeyValuePair<long, DateTime>> chosen, List<KeyValuePair<long, DateTime>> versions)
    {
        if (!allowAll && chosen.Count > 0 && versions.TrueForAll(chosen.Contains))
            throw new UserInformationException(
                $"This would delete every version there is. {Advice.AllVersions()}",
                "CannotDeleteAllVersions"
            );
    }

    private static IReadOnlyList<long>? Choose(List<Retention.Candidate> candidates, DeleteChoices choices) =>
        choices switch
        {
            { Policy: { } policy } => Retention.Thinned(candidates, policy, choices.Now),
            { KeepSince: { } time } => Retention.OlderThan(candidates, time.ToUniversalTime()),
            { KeepVersions: { } count } => Retention.BeyondNewest(candidates, count),
            _ => null,
        };
}
