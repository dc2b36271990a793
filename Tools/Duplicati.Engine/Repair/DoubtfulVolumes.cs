using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;

namespace Duplicati.Engine.Repair;

/// <summary>Reads volumes of which the size differs from what is recorded, of which no hash is recorded, or that somebody doubts.</summary>
internal static class DoubtfulVolumes
{
    /// <summary>Books the volumes that turn out whole, and commits; tells of the others, which stay as they are.</summary>
    /// <returns>Those that are not whole, what is wrong with each, and whether they could be fetched.</returns>
    /// <exception cref="WrongPassphraseException">No other volume opens with the passphrase either.</exception>
    internal static async Task<List<(RemoteVolumeEntry Volume, string Problem, bool IsThere)>> CheckAsync(RepairContext context, IEnumerable<RemoteVolumeEntry> volumes, CancellationToken token)
    {
        var damaged = new List<(RemoteVolumeEntry, string, bool)>();
        var checker = new VolumeChecker(context.Downloader, context.Settings.Format);
        foreach (var volume in volumes)
        {
            try
            {
                await checker.CheckAsync(volume, token).ConfigureAwait(false);
                using var download = await context.Downloader.FetchAsync(volume.Name, context.Settings.Format.FileHash, volume.Hash, volume.Size, token).ConfigureAwait(false);
                await context.Database.UpdateRemoteVolumeAsync(volume.Name, RemoteVolumeState.Verified, download.Length, download.Hash, token).ConfigureAwait(false);
            }
            catch (Exception ex) when (ex is VolumeException and not (MissingPassphraseException or UnsupportedVolumeException) or RemoteException)
            {
                if (ex is VolumeException)
                    await context.ProvePassphraseAsync(token).ConfigureAwait(false);
                context.Progress.Warning($"{volume.Name} is not as it was uploaded: {ex.Message}");
                damaged.Add((volume, ex.Message, ex is VolumeException));
            }
        }

        await context.Database.Transaction.CommitAsync("CommitVerificationTransaction", true, token).ConfigureAwait(false);
        return damaged;
    }
}
