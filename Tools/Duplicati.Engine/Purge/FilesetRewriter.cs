// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.Frozen;
using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Engine.VolumeTest;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Purge;

/// <summary>
/// Replaces versions by ones without some of their files, between the same neighbours. The new list is uploaded before the old one
/// goes, and one takes the place of the other in one step, so that an interruption leaves one of them.
/// </summary>
internal sealed class FilesetRewriter(
    BackupSettings settings,
    LocalPurgeDatabase database,
    IRemoteFolder folder,
    bool namesFiles,
    IEngineProgress progress
)
{
    private readonly List<VersionLoss> m_losses = [];
    private readonly Dictionary<long, PurgedVersion> m_versions = [];
    private readonly Dictionary<long, KeyValuePair<long, DateTime>> m_rewritten = [];

    /// <summary>Names in the remote folder that the database does not know; no list may overwrite them.</summary>
    internal IReadOnlySet<string> Taken { get; init; } = FrozenSet<string>.Empty;

    /// <summary>The versions rewritten so far, oldest first, also those that only made room for others.</summary>
    internal IReadOnlyList<PurgedVersion> Rewritten => [.. m_versions.Values.OrderBy(x => x.NewTime)];

    /// <summary>What the versions rewritten so far lost.</summary>
    internal IReadOnlyList<VersionLoss> Losses => m_losses;

    /// <summary>The row of a version now, and its time (local): it may have been rewritten to make room for another one.</summary>
    internal KeyValuePair<long, DateTime> Present(KeyValuePair<long, DateTime> version)
    {
        while (m_rewritten.TryGetValue(version.Key, out var present))
            version = present;
        return version;
    }

    /// <summary>Rewrites one version, and before it those that leave no second for it between them.</summary>
    /// <param name="filesetId">Its fileset.</param>
    /// <param name="time">Its time (local).</param>
    /// <param name="always">Rewrite it even if no entry is left out or updated: metadata it shares with another version may have been
    /// replaced there.</param>
    /// <param name="mark">Chooses the entries to leave out.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="UserInformationException">Help id <c>NoFreeFilelistName</c>: the version could not stay between its neighbours;
    /// nothing was done to it.</exception>
    internal async Task RunAsync(
        long filesetId,
        DateTime time,
        bool always,
        Func<LocalPurgeDatabase.ITemporaryFileset, Task> mark,
        CancellationToken token
    )
    {
        (filesetId, time) = Present(KeyValuePair.Create(filesetId, time));
        var fileset = await database.CreateTemporaryFilesetAsync(filesetId, token).ConfigureAwait(false);
        await using var filesetScope = fileset.ConfigureAwait(false);
        await mark(fileset).ConfigureAwait(false);
        if (!always && fileset.RemovedFileCount == 0 && fileset.UpdatedFileCount == 0)
            return;

        if (
            await FreeFilelistName.FindBetweenAsync(database, settings, filesetId, orSame: false, Taken, token).ConfigureAwait(false)
            is not { } name
        )
        {
            await database.Transaction.RollBackAsync("RollbackPurge", true, token).ConfigureAwait(false);
            await MoveOlderAsync(filesetId, time, token).ConfigureAwait(false);
            await RunAsync(filesetId, time, always, mark, token).ConfigureAwait(false);
            return;
        }

        var before = m_versions.GetValueOrDefault(filesetId) ?? new PurgedVersion(time, time, 0, 0, 0, []);
        var files = await CountAsync(fileset, before.Time, token).ConfigureAwait(false);
        var id = await PublishAsync(fileset, name, filesetId, token).ConfigureAwait(false);
        m_versions.Remove(filesetId);
        m_versions[id] = new PurgedVersion(
            before.Time,
            name.Time.ToLocalTime(),
            before.RemovedFiles + fileset.RemovedFileCount,
            before.RemovedBytes + fileset.RemovedFileSize,
            before.UpdatedFiles + fileset.UpdatedFileCount,
            [.. before.Files, .. files]
        );
        m_rewritten[filesetId] = KeyValuePair.Create(id, name.Time.ToLocalTime());
    }

    // With the same entries, further back. Of one without entries the list may be all there is.
    private async Task MoveOlderAsync(long filesetId, DateTime time, CancellationToken token)
    {
        var older = await database
            .FilesetTimesAsync(token)
            .SkipWhile(x => x.Key != filesetId)
            .Skip(1)
            .Select(x => (KeyValuePair<long, DateTime>?)x)
            .FirstOrDefaultAsync(token)
            .ConfigureAwait(false);
        if (
            older is not { } version
            || !EmptyVersions.HasEntries(
                database,
                (await database.GetRemoteVolumeFromFilesetIDAsync(version.Key, token).ConfigureAwait(false)).Name
            )
        )
            throw FreeFilelistName.NoneBetween(time);
        await RunAsync(version.Key, version.Value, always: true, _ => Task.CompletedTask, token).ConfigureAwait(false);
    }

    private async Task<List<string>> CountAsync(LocalPurgeDatabase.ITemporaryFileset fileset, DateTime time, CancellationToken token)
    {
        var names = new List<string>();
        var (files, bytes) = (0L, 0L);
        await foreach (var (path, length) in fileset.ListAllDeletedFilesAsync(token).ConfigureAwait(false))
        {
            (files, bytes) = (files + 1, bytes + length);
            if (namesFiles)
                names.Add(path);
        }

        if (fileset.RemovedFileCount > 0)
            m_losses.Add(new VersionLoss(time, false, fileset.RemovedFileCount, files, bytes));
        return names;
    }

    /// <summary>Deletes whole versions.</summary>
    internal Task DropAsync(IReadOnlyCollection<long> filesetIds, CancellationToken token) =>
        new VolumeRemover(database, folder, progress).RemoveAsync(database.DropFilesetsAsync(filesetIds, token), token);

    private async Task<long> PublishAsync(
        LocalPurgeDatabase.ITemporaryFileset fileset,
        VolumeName name,
        long replacedId,
        CancellationToken token
    )
    {
        var isFull = await database.IsFilesetFullBackupAsync(replacedId, token).ConfigureAwait(false);
        var (_, id) = await fileset.ConvertToPermanentFilesetAsync(name.FileName, name.Time, isFull, token).ConfigureAwait(false);
        using var temporary = new TemporaryFolder();
        var path = Path.Combine(temporary.Path, name.FileName);
        await FilelistFile
            .WriteAsync(database, new FileStream(path, FileMode.Create, FileAccess.ReadWrite), settings.Format, id, isFull, null, token)
            .ConfigureAwait(false);
        var content = await VolumeSealer.SealAsync(path, name, settings.Format, settings.Passphrase, token).ConfigureAwait(false);

        using var shared = new SharedDatabase<LocalPurgeDatabase>(database);
        await database.TerminatedWithActiveUploadsAsync(token, true).ConfigureAwait(false);
        // Not as one that is being uploaded: if it arrives and the old one is still there, both would be versions.
        await database.Transaction.CommitAsync("CommitBeforeUpload", true, token).ConfigureAwait(false);
        await new VolumeUploader<LocalPurgeDatabase>(shared, folder, progress).PutAsync(content, token).ConfigureAwait(false);
        await DropAsync([replacedId], token).ConfigureAwait(false);
        return id;
    }
}
