// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
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

/// <summary>
/// Makes a backup whole again that has lost volumes: removes what cannot be restored, keeps the rest, and replaces lost metadata.
/// </summary>
/// <param name="options">What the operation works on.</param>
/// <param name="progress">Told what happens.</param>
public sealed class PurgeBrokenFilesOperation(EngineOptions options, IEngineProgress progress)
{
    private LocalListBrokenFilesDatabase m_database = null!;
    private BackupSettings m_settings = null!;
    private IRemoteFolder m_folder = null!;
    private BrokenVersions m_finder = null!;

    /// <summary>What a dry run has found and somebody was shown, so that nothing else goes; null if nobody was.</summary>
    public ShownLosses? Shown { get; init; }

    /// <summary>Runs the purge. A dry run works on a copy of the database and changes nothing.</summary>
    /// <exception cref="UserInformationException">Help ids <c>PurgeNotAllowedOnPartialDatabase</c>, <c>CannotListOnDatabaseInRepair</c>,
    /// <c>RemoteFolderEmptyWithPrefix</c>, <c>MissingRemoteFiles</c>, <c>AllFilesetsBroken</c>, <c>LossesHaveChanged</c>,
    /// <c>DifferentFolder</c>, <c>FileNotReadable</c>.</exception>
    public async Task<PurgeReport> RunAsync(CancellationToken token)
    {
        using var preset = ConnectionPreset.Use(options.Preset);
        DatabaseFile.RequireExists(options.DatabasePath);
        using var turn = await OperationTurn.TakeAsync(options.DatabasePath, progress, token).ConfigureAwait(false);
        DatabaseGuard.Require(options);
        using var space = new WorkSpace(options, progress);
        var database = await LocalListBrokenFilesDatabase.CreateAsync(space.DatabasePath, null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        m_database = database;
        await OperationBegin.BeginAsync(database, token).ConfigureAwait(false);
        var settings = m_settings = await SettingsStore.ResolveAsync(database, options, token).ConfigureAwait(false);
        if (await database.PartiallyRecreatedAsync(token).ConfigureAwait(false))
            throw new UserInformationException(
                $"The database was recreated for some versions only and cannot be purged. {Advice.RecreateDatabase()}",
                "PurgeNotAllowedOnPartialDatabase"
            );
        RowFaults.Refuse(database, RowFaults.EntriesWithoutFile, RowFaults.FilesWithoutMetadata);
        // After a recreate that did not find all blocks, these are what is to be purged.
        if (!await database.RepairInProgressAsync(token).ConfigureAwait(false))
            RowFaults.Refuse(database, RowFaults.BlocksWithoutVolume);

        var folder = m_folder = space.Folder;
        var finder = m_finder = new BrokenVersions(database, folder, settings, progress);
        var broken = await finder
            .SettleAndFindAsync(new SettingsProof(database, options.DatabasePath, settings, folder, progress), token)
            .ConfigureAwait(false);
        if (broken.Count == 0)
        {
            Shown?.Require([]);
            if (!finder.MissesBlocks)
                await EndAsync(token).ConfigureAwait(false);
            else if (await TryDropUnneededAsync(token).ConfigureAwait(false))
                await FinishAsync(token).ConfigureAwait(false);
            else
                throw new UserInformationException(
                    $"Block volumes are missing that no version needs whose entries are known, and of one they are not. {VolumeAdvice.Recreate(database)}",
                    "MissingRemoteFiles"
                );
            return new PurgeReport { DryRun = options.DryRun };
        }

        if (finder.UnknownBlockVolumes is [var unknown, ..])
            throw new UserInformationException(
                $"What is broken may be in block volumes that the database does not know, first {unknown}. {(finder.MissesBlocks ? finder.Remedy : VolumeAdvice.Recreate(database))}",
                "ExtraRemoteFiles"
            );
        if (finder.ListsWithoutVersion is [var list, ..])
            throw new UserInformationException(
                $"{list} is a file list of which the database knows no version, and beside it none can be rewritten. {(finder.MissesBlocks ? $"Block volumes are missing. {Advice.MissingBlockVolumes()}" : Advice.DifferentFolder())}",
                "DifferentFolder"
            );
        var unfinished = await UnfinishedAsync(broken, token).ConfigureAwait(false);
        var lost = await LostAsync(broken, unfinished, token).ConfigureAwait(false);
        // Before anything of it is committed. The numbers tell which files they are, as the volumes are the same.
        Shown?.Require([
            .. finder.ForgottenBlockVolumes,
            .. broken.Select(x => $"{x.Time:O} {x.BrokenFiles} {(lost.Contains(x) ? "whole" : "")}"),
        ]);
        var report = await PurgeAsync(lost, [.. broken.Except(lost)], token).ConfigureAwait(false);
        await FinishAsync(token).ConfigureAwait(false);
        return report;
    }

    // What was lost has come back, or was not needed.
    private async Task EndAsync(CancellationToken token)
    {
        await m_database.Transaction.RollBackAsync(token).ConfigureAwait(false);
        if (!LostBlocksMark.IsSet(m_database.Connection))
            return;
        LostBlocksMark.Set(m_database, false);
        await m_database.Transaction.CommitAsync("CommitPurgeBrokenFiles", true, token).ConfigureAwait(false);
    }

    // The missing volumes hold nothing that a version needs, so that they can be forgotten.
    private async Task<bool> TryDropUnneededAsync(CancellationToken token)
    {
        using var temporary = new TemporaryFolder();
        var versions = new EmptyVersions(m_database, new VolumeDownloader(m_folder, m_settings, temporary.Path), m_settings.Format);
        return await versions.TryDropUnneededAsync(token).ConfigureAwait(false);
    }

    // Without a list it is nothing that could be rewritten, and the next backup finds again what is left of it.
    private async Task<List<BrokenVersion>> UnfinishedAsync(List<BrokenVersion> broken, CancellationToken token)
    {
        var unfinished = new List<BrokenVersion>();
        foreach (var version in broken)
        {
            var list = await m_database.GetRemoteVolumeFromFilesetIDAsync(version.FilesetId, token).ConfigureAwait(false);
            // One that has lost the row of its list is none.
            if (list.Name is null || list.State is not (RemoteVolumeState.Uploading or RemoteVolumeState.Temporary))
                continue;
            progress.Warning($"The unfinished version of {version.Time:u} has lost data, and is given up");
            unfinished.Add(version);
        }

        return unfinished;
    }

    private async Task<List<BrokenVersion>> LostAsync(List<BrokenVersion> broken, List<BrokenVersion> unfinished, CancellationToken token)
    {
        var lost = new List<BrokenVersion>();
        foreach (var version in broken.Except(unfinished))
        {
            if (version.BrokenFiles == await m_database.GetFilesetFileCountAsync(version.FilesetId, token).ConfigureAwait(false))
                lost.Add(version);
        }

        // With other metadata, a file stays of which only those are lost. Folders alone are no version that anybody misses.
        if (!options.DisableReplaceMissingMetadata && lost.Count > 0)
        {
            var files = await m_finder.FilesAsync(lost, token).ConfigureAwait(false);
            lost.RemoveAll(x => files[x].All.Count(IsFile) > files[x].Lost.Count(IsFile));
        }

        // After a first backup that was never finished the next one begins anew.
        var versions = await m_database.FilesetTimesAsync(token).CountAsync(token).ConfigureAwait(false);
        if (lost.Count > 0 && lost.Count == versions - unfinished.Count)
            throw new UserInformationException(
                $"All files of all versions are broken; nothing would be left. {Advice.NothingLeft()}",
                "AllFilesetsBroken"
            );
        return [.. lost, .. unfinished];
    }

    private static bool IsFile(Tuple<string, long> entry) => entry.Item2 >= 0;

    private async Task<PurgeReport> PurgeAsync(List<BrokenVersion> lost, List<BrokenVersion> damaged, CancellationToken token)
    {
        // Whoever finds this comes here again: blocks are taken for lost that versions still need.
        LostBlocksMark.Set(m_database, true);
        await m_database.Transaction.CommitAsync("CommitMissingVolumes", true, token).ConfigureAwait(false);
        var purge = await LocalPurgeDatabase.CreateAsync(m_database, null, token).ConfigureAwait(false);
        await using var purgeScope = purge.ConfigureAwait(false);
        // An interrupted backup stays known: only the next backup, or a repair, deals with it.
        var wasInterrupted = await purge.TerminatedWithActiveUploadsAsync(token).ConfigureAwait(false);
        await purge.TerminatedWithActiveUploadsAsync(token, true).ConfigureAwait(false);
        var replaces = !options.DisableReplaceMissingMetadata && await m_finder.HasReplaceableAsync(damaged, token).ConfigureAwait(false);
        var replacement = replaces ? new EmptyMetadata(m_database, m_settings, options.IndexPolicy, m_folder, progress) : null;
        var missing = m_finder.MissingVolumeIds.ToList();
        var rewriter = new FilesetRewriter(m_settings, purge, m_folder, options.DryRun, progress)
        {
            Taken = m_finder.UnknownVolumes.ToHashSet(StringComparer.Ordinal),
        };
        var losses = VersionLosses.OfWhole(m_database, lost.Select(x => KeyValuePair.Create(x.FilesetId, x.Time)));
        await MarkHalfUploadedAsync(lost, token).ConfigureAwait(false);
        if (lost.Count > 0)
            await rewriter.DropAsync([.. lost.Select(x => x.FilesetId)], token).ConfigureAwait(false);

        foreach (var version in damaged)
            await rewriter
                .RunAsync(version.FilesetId, version.Time, always: true, fileset => MarkAsync(fileset, replacement, missing, token), token)
                .ConfigureAwait(false);
        await purge.TerminatedWithActiveUploadsAsync(token, wasInterrupted).ConfigureAwait(false);
        return new PurgeReport
        {
            Rewritten = rewriter.Rewritten,
            Deleted = [.. lost.Select(x => x.Time)],
            DryRun = options.DryRun,
            Losses = [.. losses, .. rewriter.Losses],
        };
    }

    // A part of the list of an unfinished version may be there, and goes with it.
    private async Task MarkHalfUploadedAsync(List<BrokenVersion> versions, CancellationToken token)
    {
        foreach (var version in versions)
        {
            var list = await m_database.GetRemoteVolumeFromFilesetIDAsync(version.FilesetId, token).ConfigureAwait(false);
            if (list.State == RemoteVolumeState.Uploading)
                await m_database
                    .UpdateRemoteVolumeAsync(list.Name, RemoteVolumeState.Deleting, list.Size, list.Hash, token)
                    .ConfigureAwait(false);
        }
    }

    private Task MarkAsync(
        LocalPurgeDatabase.ITemporaryFileset fileset,
        EmptyMetadata? replacement,
        IEnumerable<long> missing,
        CancellationToken token
    ) =>
        fileset.ApplyFilterAsync(
            async (_, id, table) =>
            {
                if (replacement is not null)
                    return await replacement.ReplaceAsync(id, table, missing, token).ConfigureAwait(false);
                await m_database.InsertBrokenFileIDsIntoTableAsync(id, table, "FileID", token).ConfigureAwait(false);
                return 0;
            },
            token
        );

    private async Task FinishAsync(CancellationToken token)
    {
        await RowFaults.VerifyAsync(m_database, m_settings, true, token).ConfigureAwait(false);
        if (await m_database.RepairInProgressAsync(token).ConfigureAwait(false))
            await m_database.RepairInProgressAsync(token, false).ConfigureAwait(false);
        LostBlocksMark.Set(m_database, false);
        // Whoever found them later would take them for what an interrupted operation has left.
        await m_database.RemoveRemoteVolumesAsync(m_finder.Forgotten.Select(x => x.Name), token).ConfigureAwait(false);
        CopiesInGoneVolumes.Forget(m_database);
        await m_database.Transaction.CommitAsync("CommitPurgeBrokenFiles", true, token).ConfigureAwait(false);
        var remover = new VolumeRemover(m_database, m_folder, progress);
        foreach (var index in m_finder.Orphaned)
            await VolumeRemover.TryAsync(index.Name, () => remover.RemoveAsync([index], token), progress).ConfigureAwait(false);
    }
}
