using System.Collections.Frozen;
using Duplicati.Engine.Access;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Transfer;

/// <summary>The fileset of a backup and the file list volume that makes it visible.</summary>
internal sealed class FilelistPublisher(BackupSettings settings, DatabaseGate<LocalBackupDatabase> gate)
{
    internal sealed record Begun(VolumeName Name, long VolumeId, long FilesetId);

    /// <summary>Registers the volume and the fileset, and commits, so that an interrupted backup is known about.</summary>
    /// <param name="time">Its time (UTC); a later one is taken if there is a list of that time.</param>
    /// <param name="token">Cancels.</param>
    internal Task<Begun> BeginAsync(DateTime time, CancellationToken token) => gate.RunAsync(
        async database =>
        {
            var name = await FreeFilelistName.FindAsync(database, settings, time, FrozenSet<string>.Empty, token).ConfigureAwait(false);
            var volumeId = await database.RegisterRemoteVolumeAsync(name.FileName, RemoteVolumeType.Files, RemoteVolumeState.Temporary, token).ConfigureAwait(false);
            var filesetId = await database.CreateFilesetAsync(volumeId, name.Time, token).ConfigureAwait(false);
            await database.Transaction.CommitAsync("CommitNewFileset", true, token).ConfigureAwait(false);
            return new Begun(name, volumeId, filesetId);
        },
        token);

    /// <summary>Writes and uploads the file list, or drops the fileset when nothing has changed since the previous one and that one is whole.</summary>
    /// <returns>True if there is a new version.</returns>
    internal async Task<bool> PublishAsync(Begun fileset, KeyValuePair<long, DateTime>? previous, BackupResults changes, VolumeUploader<LocalBackupDatabase> uploader, string temporaryFolder, CancellationToken token)
    {
        var database = gate.Database;
        if (previous is { } last && IsEmpty(changes) && await database.IsFilesetFullBackupAsync(last.Value, token).ConfigureAwait(false))
        {
            await database.PushTimestampChangesToPreviousVersionAsync(fileset.FilesetId, token).ConfigureAwait(false);
            await database.RemoveRemoteVolumeAsync(fileset.Name.FileName, token).ConfigureAwait(false);
            return false;
        }

        await database.UpdateFullBackupStateInFilesetAsync(fileset.FilesetId, true, token).ConfigureAwait(false);
        await UploadAsync(fileset, isFull: true, uploader, temporaryFolder, token).ConfigureAwait(false);
        return true;
    }

    /// <summary>Writes the file list of a fileset from the database and uploads it.</summary>
    internal async Task UploadAsync(Begun fileset, bool isFull, VolumeUploader<LocalBackupDatabase> uploader, string temporaryFolder, CancellationToken token)
    {
        var path = Path.Combine(temporaryFolder, fileset.Name.FileName);
        using (var writer = new FilelistWriter(new FileStream(path, FileMode.Create, FileAccess.ReadWrite), settings.Format, isFull))
            await gate.Database.WriteFilesetAsync(writer, fileset.FilesetId, token).ConfigureAwait(false);
        var content = await VolumeSealer.SealAsync(path, fileset.Name, settings.Format.FileHash, settings.Passphrase, token).ConfigureAwait(false);
        await uploader.UploadAsync(content, token).ConfigureAwait(false);
        await gate.Database.Transaction.CommitAsync("CommitFilelist", true, token).ConfigureAwait(false);
    }

    private static bool IsEmpty(BackupResults changes) =>
        changes.AddedFiles + changes.AddedFolders + changes.AddedSymlinks
        + changes.DeletedFiles + changes.DeletedFolders + changes.DeletedSymlinks
        + changes.ModifiedFiles + changes.ModifiedFolders + changes.ModifiedSymlinks == 0;
}

/// <summary>Finds names for new file lists. There is one version a second at most, so a taken time moves forward (contract B, 8.1).</summary>
internal static class FreeFilelistName
{
    private const int MostProbes = 60;

    /// <summary>The first name that is not known, also not as that of a deleted list.</summary>
    /// <param name="database">Knows the names.</param>
    /// <param name="settings">Prefix and encryption.</param>
    /// <param name="from">The first time to try (UTC).</param>
    /// <param name="taken">Further names not to take.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="UserInformationException">Help id <c>NoFreeFilelistName</c>: a minute is full.</exception>
    internal static async Task<VolumeName> FindAsync(LocalDatabase database, BackupSettings settings, DateTime from, IReadOnlySet<string> taken, CancellationToken token)
    {
        for (var i = 0; i < MostProbes; i++)
        {
            var name = VolumeName.ForFilelist(from.AddSeconds(i), settings.Prefix, settings.Encryption);
            if (!taken.Contains(name.FileName) && await database.GetRemoteVolumeIDAsync(name.FileName, token).ConfigureAwait(false) < 0)
                return name;
        }

        throw new UserInformationException($"No free time stamp for a file list within {MostProbes} seconds of {from:u}.", "NoFreeFilelistName");
    }
}
