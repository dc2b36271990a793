// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.Frozen;
using Duplicati.Engine.Access;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Transfer;

/// <summary>The fileset of a backup and the file list volume that makes it visible.</summary>
internal sealed class FilelistPublisher(
    BackupSettings settings,
    SharedDatabase<LocalBackupDatabase> shared,
    VolumeUploader<LocalBackupDatabase> uploader,
    string temporaryFolder
)
{
    internal sealed record Begun(VolumeName Name, long VolumeId, long FilesetId);

    /// <summary>Registers the volume and the fileset, and commits, so that an interrupted backup is known about.</summary>
    /// <param name="time">Its time (UTC); a later one is taken if there is a list of that time.</param>
    /// <param name="token">Cancels.</param>
    internal Task<Begun> BeginAsync(DateTime time, CancellationToken token) =>
        shared.RunAsync(
            async database =>
            {
                var name = await FreeFilelistName.FindAsync(database, settings, time, token).ConfigureAwait(false);
                var volumeId = await database
                    .RegisterRemoteVolumeAsync(name.FileName, RemoteVolumeType.Files, RemoteVolumeState.Temporary, token)
                    .ConfigureAwait(false);
                var filesetId = await database.CreateFilesetAsync(volumeId, name.Time, token).ConfigureAwait(false);
                await database.Transaction.CommitAsync("CommitNewFileset", true, token).ConfigureAwait(false);
                return new Begun(name, volumeId, filesetId);
            },
            token
        );

    /// <summary>
    /// Writes and uploads the file list, or drops the fileset when nothing has changed since the previous one and that one is whole, or
    /// this one is not either.
    /// </summary>
    /// <returns>True if there is a new version.</returns>
    internal async Task<bool> PublishAsync(
        Begun fileset,
        KeyValuePair<long, DateTime>? previous,
        BackupResults changes,
        bool isFull,
        CancellationToken token
    )
    {
        var database = shared.Database;
        if (
            previous is { } last
            && IsEmpty(changes)
            && (!isFull || await database.IsFilesetFullBackupAsync(last.Value, token).ConfigureAwait(false))
        )
        {
            await database.PushTimestampChangesToPreviousVersionAsync(fileset.FilesetId, token).ConfigureAwait(false);
            await database.RemoveRemoteVolumeAsync(fileset.Name.FileName, token).ConfigureAwait(false);
            return false;
        }

        await database.UpdateFullBackupStateInFilesetAsync(fileset.FilesetId, isFull, token).ConfigureAwait(false);
        await UploadAsync(fileset, isFull, token).ConfigureAwait(false);
        return true;
    }

    /// <summary>Writes the file list of a fileset from the database and uploads it.</summary>
    internal async Task UploadAsync(Begun fileset, bool isFull, CancellationToken token)
    {
        var path = Path.Combine(temporaryFolder, fileset.Name.FileName);
        await FilelistFile
            .WriteAsync(
                shared.Database,
                new FileStream(path, FileMode.Create, FileAccess.ReadWrite),
                settings.Format,
                fileset.FilesetId,
                isFull,
                null,
                token
            )
            .ConfigureAwait(false);
        var content = await VolumeSealer.SealAsync(path, fileset.Name, settings.Format, settings.Passphrase, token).ConfigureAwait(false);
        await uploader.UploadAsync(content, token).ConfigureAwait(false);
        await shared.Database.Transaction.CommitAsync("CommitFilelist", true, token).ConfigureAwait(false);
    }

    private static bool IsEmpty(BackupResults changes) =>
        changes.AddedFiles
            + changes.AddedFolders
            + changes.AddedSymlinks
            + changes.DeletedFiles
            + changes.DeletedFolders
            + changes.DeletedSymlinks
            + changes.ModifiedFiles
            + changes.ModifiedFolders
            + changes.ModifiedSymlinks
        == 0;
}

/// <summary>Writes file lists from the database.</summary>
internal static class FilelistFile
{
    /// <summary>Writes the list of a version, which is not encrypted yet.</summary>
    /// <param name="database">The database.</param>
    /// <param name="target">Takes it; closed.</param>
    /// <param name="format">What it is made with.</param>
    /// <param name="filesetId">The version.</param>
    /// <param name="isFull">Whether it is complete.</param>
    /// <param name="time">Its time (UTC); null if that is in the name of the list.</param>
    /// <param name="token">Cancels.</param>
    internal static async Task WriteAsync(
        LocalDatabase database,
        Stream target,
        VolumeFormat format,
        long filesetId,
        bool isFull,
        DateTime? time,
        CancellationToken token
    )
    {
        using var owned = target;
        var labels = await database.GetFilesetLabelsAsync(token).ToListAsync(token).ConfigureAwait(false);
        using var writer = new FilelistWriter(target, format, isFull) { Labels = labels, FilesetTime = time };
        await database.WriteFilesetAsync(writer, filesetId, token).ConfigureAwait(false);
    }
}

/// <summary>Finds names for new file lists. There is one version a second at most, so a taken time moves (contract B, 8.1).</summary>
internal static class FreeFilelistName
{
    private const int MostProbes = 60;

    /// <summary>The time between the name of a list and that of its version at most.</summary>
    internal static readonly TimeSpan FarthestMove = TimeSpan.FromSeconds(MostProbes);

    /// <summary>The first name that is not known, also not as that of a deleted list.</summary>
    /// <param name="database">Knows the names.</param>
    /// <param name="settings">Prefix and encryption.</param>
    /// <param name="from">The first time to try (UTC).</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="UserInformationException">Help id <c>NoFreeFilelistName</c>: a minute is full.</exception>
    internal static async Task<VolumeName> FindAsync(
        LocalDatabase database,
        BackupSettings settings,
        DateTime from,
        CancellationToken token
    ) =>
        await FirstAsync(database, settings, from, 0, DateTime.MaxValue, FrozenSet<string>.Empty, token).ConfigureAwait(false)
        ?? throw new UserInformationException(
            $"No free time stamp for a file list within {MostProbes} seconds of {from:u}.",
            "NoFreeFilelistName"
        );

    /// <summary>
    /// The name for another list of a version, that keeps the version between its neighbours: the first one that is not known after its
    /// time, or else the first one before it, at most a minute. There is then most room for the next younger version, which may have to
    /// move as well.
    /// </summary>
    /// <param name="database">Knows the names and the versions.</param>
    /// <param name="settings">Prefix and encryption.</param>
    /// <param name="filesetId">The version.</param>
    /// <param name="orSame">Whether its own time is the first to try.</param>
    /// <param name="taken">Further names not to take.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>Null if there is none.</returns>
    internal static async Task<VolumeName?> FindBetweenAsync(
        LocalDatabase database,
        BackupSettings settings,
        long filesetId,
        bool orSame,
        IReadOnlySet<string> taken,
        CancellationToken token
    )
    {
        var versions = await database
            .FilesetTimesAsync(token)
            .Select(x => (Id: x.Key, Time: x.Value.ToUniversalTime()))
            .ToListAsync(token)
            .ConfigureAwait(false);
        var place = versions.FindIndex(x => x.Id == filesetId);
        var time = versions[place].Time;
        var younger = place > 0 ? versions[place - 1].Time : DateTime.MaxValue;
        var earliest = time.AddSeconds(-MostProbes);
        if (place + 1 < versions.Count && versions[place + 1].Time >= earliest)
            earliest = versions[place + 1].Time.AddSeconds(1);
        return await FirstAsync(database, settings, time, orSame ? 0 : 1, younger, taken, token).ConfigureAwait(false)
            ?? await FirstAsync(database, settings, earliest, 0, time, taken, token).ConfigureAwait(false);
    }

    /// <summary>Tells that a version cannot have another list.</summary>
    internal static UserInformationException NoneBetween(DateTime time) =>
        new(
            $"No second is free for another file list of the version of {time.ToUniversalTime():u} between the versions before and after it.",
            "NoFreeFilelistName"
        );

    private static async Task<VolumeName?> FirstAsync(
        LocalDatabase database,
        BackupSettings settings,
        DateTime from,
        int first,
        DateTime before,
        IReadOnlySet<string> taken,
        CancellationToken token
    )
    {
        // The difference: no time is beyond the last second of the calendar.
        for (var i = first; i < first + MostProbes && before - from > TimeSpan.FromSeconds(i); i++)
        {
            if (!await IsTakenAsync(from.AddSeconds(i)).ConfigureAwait(false))
                return VolumeName.ForFilelist(from.AddSeconds(i), settings.Prefix, settings.Encryption, settings.Module);
        }

        return null;

        // A list that is packed otherwise has the time as well.
        async Task<bool> IsTakenAsync(DateTime time)
        {
            foreach (var module in VolumeName.Modules)
            {
                var name = VolumeName.ForFilelist(time, settings.Prefix, settings.Encryption, module).FileName;
                if (taken.Contains(name) || await database.GetRemoteVolumeIDAsync(name, token).ConfigureAwait(false) >= 0)
                    return true;
            }

            return false;
        }
    }
}
