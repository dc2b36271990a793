using Duplicati.Engine.Common;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Repair;

/// <summary>
/// Compares the remote folder with the volumes the database knows, for a repair: volumes that are only of another size are not taken for
/// lost, and the newest interrupted version is kept.
/// </summary>
/// <param name="database">The database.</param>
/// <param name="folder">The remote folder.</param>
/// <param name="prefix">First part of the volume names.</param>
/// <param name="progress">Told what happens.</param>
internal sealed class RemoteComparison(LocalDatabase database, IRemoteFolder folder, string prefix, IEngineProgress progress)
{
    private string? m_unfinished;

    /// <summary>Volumes never uploaded, or deleted, that are not there.</summary>
    internal List<RemoteVolumeEntry> Forgotten { get; } = [];

    /// <summary>Files there that an interrupted operation left: half-uploaded volumes, and those it was about to delete.</summary>
    internal List<RemoteVolumeEntry> Leftover { get; } = [];

    /// <summary>A half-uploaded file list of the newest interrupted version: only the file is to go. Null if there is none.</summary>
    internal string? HalfFilelist { get; private set; }

    /// <summary>Volumes the database needs that are not there.</summary>
    internal List<RemoteVolumeEntry> Missing { get; } = [];

    /// <summary>Volumes that are there with another size than recorded, or without a recorded hash.</summary>
    internal List<RemoteVolumeEntry> Doubtful { get; } = [];

    /// <summary>Volumes of this backup in the folder that the database knows nothing of, by name.</summary>
    internal List<RemoteFile> Unknown { get; } = [];

    /// <summary>Compares. Volumes found whole are booked as such, which is not committed; the remote folder is only listed.</summary>
    internal async Task AnalyseAsync(CancellationToken token)
    {
        m_unfinished = (await database.GetLastIncompleteFilesetVolumeAsync(token).ConfigureAwait(false)).Name;
        progress.Message("Listing remote folder");
        var listed = (await folder.ListAsync(token).ConfigureAwait(false))
            .Where(x => VolumeName.Parse(x.Name) is { IsParityCompanion: false } name && name.Prefix == prefix)
            .ToDictionary(x => x.Name, StringComparer.Ordinal);
        await foreach (var volume in database.GetRemoteVolumesAsync(token).ConfigureAwait(false))
        {
            var isThere = listed.Remove(volume.Name, out var file);
            await JudgeAsync(volume, isThere ? file : null, token).ConfigureAwait(false);
        }

        Unknown.AddRange(listed.Values.OrderBy(x => x.Name, StringComparer.Ordinal));
    }

    private async Task JudgeAsync(RemoteVolumeEntry volume, RemoteFile? file, CancellationToken token)
    {
        switch (volume.State)
        {
            case RemoteVolumeState.Deleted:
                if (file is not null)
                    Leftover.Add(volume);
                break;
            case RemoteVolumeState.Temporary when volume.Name == m_unfinished:
                await KeepUnfinishedAsync(volume, file, token).ConfigureAwait(false);
                break;
            case RemoteVolumeState.Deleting or RemoteVolumeState.Temporary:
                (file is null ? Forgotten : Leftover).Add(volume);
                break;
            case RemoteVolumeState.Uploading:
                await JudgeUploadAsync(volume, file, token).ConfigureAwait(false);
                break;
            default:
                await JudgeCompleteAsync(volume, file, token).ConfigureAwait(false);
                break;
        }
    }

    // The size was recorded before the upload began, so a file of that size has arrived whole.
    private async Task JudgeUploadAsync(RemoteVolumeEntry volume, RemoteFile? file, CancellationToken token)
    {
        if (file is not null && file.Size == volume.Size && volume.Size > 0 && !string.IsNullOrEmpty(volume.Hash))
            await database.UpdateRemoteVolumeAsync(volume.Name, RemoteVolumeState.Uploaded, volume.Size, volume.Hash, token).ConfigureAwait(false);
        else if (volume.Name == m_unfinished)
            await KeepUnfinishedAsync(volume, file, token).ConfigureAwait(false);
        else
            (file is null ? Forgotten : Leftover).Add(volume);
    }

    // What an interrupted backup had recorded can still become a version, with the next backup.
    private async Task KeepUnfinishedAsync(RemoteVolumeEntry volume, RemoteFile? file, CancellationToken token)
    {
        HalfFilelist = file?.Name;
        if (volume.State != RemoteVolumeState.Temporary)
            await database.UpdateRemoteVolumeAsync(volume.Name, RemoteVolumeState.Temporary, -1, null, token).ConfigureAwait(false);
    }

    private async Task JudgeCompleteAsync(RemoteVolumeEntry volume, RemoteFile? file, CancellationToken token)
    {
        if (file is null)
            Missing.Add(volume);
        else if (volume.Size < 0 || file.Size != volume.Size || string.IsNullOrEmpty(volume.Hash))
            Doubtful.Add(volume);
        else if (volume.State == RemoteVolumeState.Uploaded)
            await database.UpdateRemoteVolumeAsync(volume.Name, RemoteVolumeState.Verified, volume.Size, volume.Hash, token).ConfigureAwait(false);
    }
}
