// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Data;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Restore;
using Duplicati.Engine.Transfer;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.Utility;

namespace Duplicati.Engine.Operations;

/// <summary>Restores one version into a folder: volume by volume, each block read once and written wherever it belongs.</summary>
/// <param name="options">What the operation works on.</param>
/// <param name="progress">Told what happens.</param>
public sealed class RestoreOperation(EngineOptions options, IEngineProgress progress)
{
    /// <summary>
    /// Called when blocks were found nowhere, before anything is given up; an error of it ends the restore, and what is complete stays.
    /// True if the restore is to be made again: files that were made go, and it ends by <see cref="AgainException"/>.
    /// </summary>
    internal Func<IRemoteFolder, CancellationToken, Task<bool>>? OnLoss { get; init; }

    private LocalRestoreDatabase m_database = null!;
    private RestorePlan m_plan = null!;

    /// <summary>The folders that an earlier run of the same restore has made; null in the first.</summary>
    internal TargetFolders? Folders { get; set; }

    /// <summary>The restore is to be made again.</summary>
    internal sealed class AgainException() : Exception("Volumes were removed since they were read.");

    /// <summary>
    /// Restores one version. Files that are there already with the right content get their metadata only; others in the way are kept
    /// and the restored one gets a name of its own.
    /// </summary>
    /// <param name="target">The folder to restore into; made if missing.</param>
    /// <param name="version">0 = newest.</param>
    /// <param name="filter">Which source paths to restore; null for all.</param>
    /// <param name="token">Cancels; files that are not complete go.</param>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>NoBackupAtDate</c>, <c>InvalidVersion</c>,
    /// <c>EmptyRestoreOperation</c>.</exception>
    public Task<RestoreReport> RunAsync(string target, long version, IFilter? filter, CancellationToken token) =>
        RunAsync(target, new RestoreChoices { Versions = [version] }, filter, token);

    /// <summary>As above, with all that can be chosen.</summary>
    public async Task<RestoreReport> RunAsync(string target, RestoreChoices choices, CancellationToken token)
    {
        TargetFolders.RefuseRemote(target, options);
        var included = new IncludedPaths(choices.Include);
        var report = await RunAsync(target, choices, PathFilter.Trees(included, choices.Exclude), token).ConfigureAwait(false);
        foreach (var text in included.Unmatched)
            progress.Warning($"Nothing in this version fits {text}");
        return report with { NotFound = included.Unmatched };
    }

    private async Task<RestoreReport> RunAsync(string target, RestoreChoices choices, IFilter? filter, CancellationToken token)
    {
        using var preset = ConnectionPreset.Use(options.Preset);
        DatabaseFile.RequireExists(options.DatabasePath);
        DatabaseGuard.RequireReadable(options, listsVolumes: false);
        var database = await LocalRestoreDatabase.CreateAsync(options.DatabasePath, null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        m_database = database;
        var settings = await SettingsStore.ResolveAsync(database, options, token).ConfigureAwait(false);
        var versions = await CandidatesAsync(choices, token).ConfigureAwait(false);

        var root = new RestoreTarget(target);
        using var folder = RemoteFolder.Open(options, progress);
        if (OnLoss is null)
            await RefuseOtherFolderAsync(folder, token).ConfigureAwait(false);
        var version = await PrepareAsync(root, versions, filter, token).ConfigureAwait(false);
        var isFull = await database.IsFilesetFullBackupAsync(database.RestoreTime, token).ConfigureAwait(false);
        if (!isFull)
            progress.Warning($"The version of {database.RestoreTime:u} {VersionList.Partial}. Only what it holds is restored");
        var isThere = Folders is null ? Directory.Exists(root.Root) : !Folders.IsMade(root.Root);
        var plan = m_plan = await RestorePlan.ReadAsync(database, root, isThere, progress, token).ConfigureAwait(false);
        using var temporary = new TemporaryFolder();
        using var spool = new MetadataSpool(temporary.Path);
        Folders?.TryAgain();
        var folders = Folders ??= new TargetFolders(root.Root);
        var made = await MakeFoldersAsync(root, folders, token).ConfigureAwait(false);
        var writer = new FileWriter(plan, folders, settings.Format, progress, database.RestoreTime, choices.Existing);
        var metadata = new MetadataWriter(plan, root, folders, (spool, temporary.Path), progress, database.RestoreTime, choices.Privileges);
        var (volumes, hasLost) = await WriteFilesAsync(folder, settings, (writer, metadata), (spool, temporary.Path), token)
            .ConfigureAwait(false);
        var links = metadata.Apply();
        folders.Report(progress);
        await database.DropRestoreTableAsync(token).ConfigureAwait(false);
        var failed = plan.LeftOut.Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal).ToList();
        var report = new RestoreReport(version, plan.Files.Count, made, links, writer.Bytes, volumes, failed)
        {
            Skipped = plan.Skipped.Count + plan.SkippedSymlinks,
            IsFull = isFull,
            HasLostBlocks = hasLost || spool.HasTooLong,
        };
        return choices.Verify ? await VerifyAsync(report, writer, token).ConfigureAwait(false) : report;
    }

    // A mistyped address, or a disk that is not mounted, is no damage of any file.
    private async Task RefuseOtherFolderAsync(IRemoteFolder folder, CancellationToken token)
    {
        await OperationBegin.LetOthersInAsync(m_database, token).ConfigureAwait(false);
        OtherFolder.Refuse(m_database.Connection, await folder.ListAsync(token).ConfigureAwait(false), folder.Address);
    }

    private async Task<(int Volumes, bool HasLost)> WriteFilesAsync(
        IRemoteFolder folder,
        BackupSettings settings,
        (FileWriter Files, MetadataWriter Metadata) writer,
        (MetadataSpool Spool, string Folder) temporary,
        CancellationToken token
    )
    {
        try
        {
            await writer.Files.MakeFilesAsync(token).ConfigureAwait(false);
            await m_database.Transaction.CommitAsync("CommitBeforeRestore", true, token).ConfigureAwait(false);
            var downloader = new VolumeDownloader(folder, settings, temporary.Folder) { Searching = progress };
            var restorer = new VolumeRestorer(downloader, settings.Format, m_plan.Paths, temporary.Spool, BlockCache.DefaultBytes);
            var restore = new RestoreVolumes(m_database, m_plan, restorer, progress);
            var volumes = await restore
                .RunAsync(options.IsSmall ? 1 : Math.Max(options.VolumesAtOnce, folder.Concurrency), token)
                .ConfigureAwait(false);
            if (restore.HasLost && OnLoss is null)
                await RefuseOtherFolderAsync(folder, token).ConfigureAwait(false);
            else if (restore.HasLost && await OnLoss!(folder, token).ConfigureAwait(false))
                throw new AgainException();
            restore.Report(
                !restore.Missing.IsEmpty
                    && await VolumeAdvice.HasUnknownBlocksAsync(m_database, folder, settings.Prefix, token).ConfigureAwait(false)
            );
            await writer.Files.FinishAsync(restorer.Problems, writer.Metadata, options.Parallelism, token).ConfigureAwait(false);
            return (volumes, restore.HasLost);
        }
        catch (Exception ex)
        {
            // What is made again would find its own files in the way.
            var stop = ex is AgainException ? new CancellationToken(canceled: true) : token;
            await writer.Files.AbandonAsync(writer.Metadata, options.Parallelism, stop).ConfigureAwait(false);
            throw;
        }
    }

    private async Task<RestoreReport> VerifyAsync(RestoreReport report, FileWriter writer, CancellationToken token)
    {
        var different = (await writer.VerifyAsync(options.Parallelism, token).ConfigureAwait(false))
            .Except(report.Failed, StringComparer.Ordinal)
            .ToList();
        foreach (var path in different)
            progress.Warning($"{path} has other content than the version");
        return report with { Verified = m_plan.Files.Count + m_plan.Skipped.Count, Different = different };
    }

    private async Task<long[]> CandidatesAsync(RestoreChoices choices, CancellationToken token)
    {
        if (choices.Time is { } time)
            return [await VersionList.FindAsync(m_database, time, progress, token).ConfigureAwait(false)];
        if (choices.Versions.Count == 0)
            return [await VersionList.NewestFullAsync(m_database, progress, token).ConfigureAwait(false)];
        long[] versions = [.. choices.Versions.Distinct()];
        foreach (var version in versions)
            await VersionList.RequireAsync(m_database, version, token).ConfigureAwait(false);
        return versions;
    }

    // The list is of the newest of the versions that holds a wanted file.
    private async Task<long> PrepareAsync(RestoreTarget target, long[] versions, IFilter? filter, CancellationToken token)
    {
        await m_database
            .PrepareRestoreFilelistAsync(new DateTime(0, DateTimeKind.Utc), versions, filter, true, token)
            .ConfigureAwait(false);
        if (string.IsNullOrWhiteSpace(await m_database.GetFirstPathAsync(token).ConfigureAwait(false)))
            throw new UserInformationException("Nothing in this version matches; there is nothing to restore.", "EmptyRestoreOperation");

        var prefix = await m_database.GetLargestPrefixAsync(token).ConfigureAwait(false);
        await m_database
            .SetTargetPathsAsync(
                prefix,
                Path.EndsInDirectorySeparator(target.Root) ? target.Root : target.Root + Path.DirectorySeparatorChar,
                token
            )
            .ConfigureAwait(false);
        if (versions.Length == 1)
            return versions[0];
        var filesets = await m_database.FilesetTimesAsync(token).ToListAsync(token).ConfigureAwait(false);
        return filesets.FindIndex(x => x.Value.ToUniversalTime() == m_database.RestoreTime.ToUniversalTime());
    }

    private async Task<long> MakeFoldersAsync(RestoreTarget target, TargetFolders folders, CancellationToken token)
    {
        var count = 0L;
        await foreach (var folder in m_database.GetTargetFoldersAsync(token).ConfigureAwait(false))
        {
            if (m_plan.Checked(target, folder, progress) is not { } path)
                continue;
            if (folders.TryMake(path))
                count++;
            else
                m_plan.LeftOut.Add(folder);
        }

        return count;
    }
}
