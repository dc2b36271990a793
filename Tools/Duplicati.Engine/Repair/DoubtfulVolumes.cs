using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;

namespace Duplicati.Engine.Repair;

/// <summary>Reads volumes of which the size differs from what is recorded, or of which no hash is recorded.</summary>
internal static class DoubtfulVolumes
{
    /// <summary>Books the volumes that turn out whole, and commits; tells of the others, which stay as they are.</summary>
    /// <returns>The damaged ones, and what is wrong with each.</returns>
    internal static async Task<List<(RemoteVolumeEntry Volume, string Problem)>> CheckAsync(RepairContext context, IEnumerable<RemoteVolumeEntry> volumes, CancellationToken token)
    {
        var damaged = new List<(RemoteVolumeEntry, string)>();
        var checker = new VolumeChecker(context.Downloader, context.Settings.Format);
        foreach (var volume in volumes)
        {
            try
            {
                await checker.CheckAsync(volume, token).ConfigureAwait(false);
                using var download = await context.Downloader.FetchAsync(volume.Name, context.Settings.Format.FileHash, volume.Hash, volume.Size, token).ConfigureAwait(false);
                await context.Database.UpdateRemoteVolumeAsync(volume.Name, RemoteVolumeState.Verified, download.Length, download.Hash, token).ConfigureAwait(false);
            }
            catch (Exception ex) when (ex is VolumeException and not (WrongPassphraseException or MissingPassphraseException) or RemoteException)
            {
                context.Progress.Warning($"{volume.Name} is not as it was uploaded: {ex.Message}");
                damaged.Add((volume, ex.Message));
            }
        }

        await context.Database.Transaction.CommitAsync("CommitVerificationTransaction", true, token).ConfigureAwait(false);
        return damaged;
    }
}
