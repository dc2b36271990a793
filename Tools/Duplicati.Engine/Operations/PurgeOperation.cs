// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Compact;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Purge;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.VolumeTest;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.Utility;

namespace Duplicati.Engine.Operations;

/// <summary>Removes files from versions, rewriting their file lists, and compacts the remote folder when that pays.</summary>
/// <param name="options">What the operation works on.</param>
/// <param name="progress">Told what happens.</param>
public sealed class PurgeOperation(EngineOptions options, IEngineProgress progress)
{
    /// <summary>Runs the purge. A dry run works on a copy of the database and changes nothing.</summary>
    /// <param name="patterns">Paths, patterns with <c>*</c> and <c>?</c>, or regular expressions in brackets, of the files to
    /// remove.</param>
    /// <param name="versions">Versions to rewrite, 0 = newest; none for all.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="UserInformationException">Help ids <c>EmptyFilterPurgeNotAllowed</c>, <c>PurgeNotAllowedOnPartialDatabase</c>,
    /// <c>PurgeNotAllowedOnIncompleteDatabase</c>,
    /// <c>InvalidVersion</c>, <c>VersionsHaveChanged</c>, <c>CannotPurgeWithOrphans</c>, <c>PurgeWouldRemoveEntireFileset</c>,
    /// <c>MissingRemoteFiles</c>, …</exception>
    public Task<PurgeReport> RunAsync(IReadOnlyCollection<string> patterns, IReadOnlyCollection<long> versions, CancellationToken token) =>
        RunAsync(new PurgeChoices { Patterns = patterns, Versions = versions }, token);

    /// <summary>As above, with all that can be chosen.</summary>
    public async Task<PurgeReport> RunAsync(PurgeChoices choices, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(choices);
        var shown = choices.Shown ?? new ShownVersions();
        var filter = PathFilter.Trees(choices.Patterns, choices.Exclusions);
        if (choices.Patterns.All(string.IsNullOrWhiteSpace))
            throw new UserInformationException("Give at least one path or pattern of the files to remove.", "EmptyFilterPurgeNotAllowed");

        using var preset = ConnectionPreset.Use(options.Preset);
        DatabaseFile.RequireExists(options.DatabasePath);
        using var turn = await OperationTurn
            .TakeAsync(options.DatabasePath, progress, () => VersionList.NoteAsync(options, choices.Versions, shown, token), token)
            .ConfigureAwait(false);
        DatabaseGuard.Require(options);
        using var space = new WorkSpace(options, progress);
        var database = await LocalPurgeDatabase.CreateAsync(space.DatabasePath, null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        await OperationBegin.BeginAsync(database, token).ConfigureAwait(false);
        var settings = await SettingsStore.ResolveAsync(database, options, token).ConfigureAwait(false);
        await RefuseAsync(database, token).ConfigureAwait(false);
        var (chosen, unknown) = await ChooseAsync(database, choices, token).ConfigureAwait(false);
        shown.Require(chosen.Select(x => x.Value));
        TellReached(choices, "No version was rewritten.", chosen.Select(x => x.Value));
        await RowFaults.VerifyAsync(database, settings, true, token).ConfigureAwait(false);

        var folder = space.Folder;
        var inventory = new RemoteInventory(database, folder, settings.Prefix, progress);
        await inventory.AnalyseAsync(token).ConfigureAwait(false);
        inventory.ThrowIfDifferent();
        await new SettingsProof(database, options.DatabasePath, settings, folder, progress)
            .RequireAsync(inventory.Missing, token)
            .ConfigureAwait(false);
        await inventory.SettleAsync(token).ConfigureAwait(false);
        // What a killed backup had begun may have been given up, and its id is free for the first version that is rewritten.
        var left = await database.FilesetTimesAsync(token).Select(x => x.Key).ToListAsync(token).ConfigureAwait(false);
        chosen.RemoveAll(x => !left.Contains(x.Key));
        var rewriter = new FilesetRewriter(settings, database, folder, options.DryRun, progress);
        await RewriteAsync(database, rewriter, chosen, (choices, filter), token).ConfigureAwait(false);
        var rewritten = rewriter.Rewritten;
        await RowFaults.VerifyAsync(database, settings, true, token).ConfigureAwait(false);
        await database.Transaction.CommitAsync("CommitPurge", true, token).ConfigureAwait(false);
        var compact =
            options.NoAutoCompact || rewritten.Count == 0
                ? null
                : await new Compactor(options, settings, database, folder, progress).TryRunAsync(token).ConfigureAwait(false);
        foreach (var time in unknown)
            progress.Warning($"There is no version of {time:u}");
        return new PurgeReport
        {
            Rewritten = rewritten,
            DryRun = options.DryRun,
            Compact = compact,
            Losses = rewriter.Losses,
            NotFound = unknown,
        };
    }

    // To purge a version once more changes nothing; only its number may be that of another one.
    private void TellReached(PurgeChoices choices, string done, IEnumerable<DateTime> left) =>
        progress.Reached(new StepReached(done) { Versions = choices.Versions.Count + choices.Times.Count > 0 ? [.. left] : [] });

    private async Task RewriteAsync(
        LocalPurgeDatabase database,
        FilesetRewriter rewriter,
        List<KeyValuePair<long, DateTime>> chosen,
        (PurgeChoices Choices, IFilter Filter) wanted,
        CancellationToken token
    )
    {
        // An interrupted backup stays known: only the next backup, or a repair, deals with it.
        var wasInterrupted = await database.TerminatedWithActiveUploadsAsync(token).ConfigureAwait(false);
        foreach (var version in chosen)
        {
            var (id, time) = rewriter.Present(version);
            // It would be refused as if all of its entries went.
            if (
                !EmptyVersions.HasEntries(
                    database,
                    (await database.GetRemoteVolumeFromFilesetIDAsync(id, token).ConfigureAwait(false)).Name
                )
            )
                continue;
            await rewriter
                .RunAsync(id, time, always: false, fileset => fileset.ApplyFilterAsync(wanted.Filter, token), token)
                .ConfigureAwait(false);
            TellReached(
                wanted.Choices,
                $"Versions rewritten for good: {rewriter.Rewritten.Count}.",
                chosen.Select(x => rewriter.Present(x).Value)
            );
        }

        if (rewriter.Rewritten.Count > 0)
            progress.Reached(
                new StepReached(
                    $"All versions are rewritten, {rewriter.Rewritten.Count} of them without these files.",
                    options.NoAutoCompact ? "" : Advice.FreeSpace()
                )
            );
        await database.TerminatedWithActiveUploadsAsync(token, wasInterrupted).ConfigureAwait(false);
    }

    private static async Task RefuseAsync(LocalPurgeDatabase database, CancellationToken token)
    {
        if (await database.PartiallyRecreatedAsync(token).ConfigureAwait(false))
            throw new UserInformationException(
                $"The database was recreated for some versions only and cannot be purged. {Advice.RecreateDatabase()}",
                "PurgeNotAllowedOnPartialDatabase"
            );
        if (await database.RepairInProgressAsync(token).ConfigureAwait(false))
            throw new UserInformationException(LostBlocksMark.ProblemOfRecreate(database), "PurgeNotAllowedOnIncompleteDatabase");
        if (await database.CountOrphanFilesAsync(token).ConfigureAwait(false) is > 0 and var orphans)
            throw new UserInformationException(
                $"The database holds {SizeText.Count(orphans, "file that belongs to no version", "files that belong to no version")}. {Advice.InconsistentDatabase()}",
                "CannotPurgeWithOrphans"
            );
        RowFaults.Refuse(database, RowFaults.BlocksWithoutVolume, RowFaults.FilesWithoutMetadata);
    }

    // By id, oldest first as a rule, so that a version is rewritten after those it builds on.
    private static async Task<(List<KeyValuePair<long, DateTime>> Chosen, List<DateTime> Unknown)> ChooseAsync(
        LocalPurgeDatabase database,
        PurgeChoices choices,
        CancellationToken token
    )
    {
        var all = await database.FilesetTimesAsync(token).ToListAsync(token).ConfigureAwait(false);
        if (all.Count == 0)
            throw new UserInformationException("The database holds no versions.", "NoFilesetFoundForTimeOrVersion");
        var (named, unknown) = VersionList.Named(all.ConvertAll(x => x.Value), choices.Times);
        var chosen = all.FindAll(x => named.Contains(x.Value.ToUniversalTime()));
        foreach (var version in choices.Versions)
            chosen.Add(await VersionList.RequireAsync(database, version, token).ConfigureAwait(false));
        if (choices.Versions.Count + choices.Times.Count == 0)
            chosen = all;
        return ([.. chosen.Distinct().OrderBy(x => x.Key)], unknown);
    }
}
