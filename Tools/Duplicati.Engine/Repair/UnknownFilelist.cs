using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Testing;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Repair;

/// <summary>A file list in the remote folder that the database does not know, and that may belong to a version whose list the database has lost.</summary>
internal sealed class UnknownFilelist(RepairContext context, RemoteFile file)
{
    private readonly LocalRepairDatabase m_database = context.Database;

    /// <summary>Gives the list back to the version of its second, if it says the same, and commits; else changes nothing.</summary>
    internal async Task<bool> TryAdoptAsync(CancellationToken token)
    {
        var time = VolumeName.Parse(file.Name)!.Time;
        var orphans = await m_database.MissingRemoteFilesetsAsync(token).ToListAsync(token).ConfigureAwait(false);
        var orphan = orphans.FindIndex(x => x.Timestamp == time);
        if (orphan < 0)
            return false;

        try
        {
            var id = await m_database.RegisterRemoteVolumeAsync(file.Name, RemoteVolumeType.Files, file.Size, RemoteVolumeState.Uploaded, token).ConfigureAwait(false);
            await m_database.LinkFilesetToVolumeAsync(orphans[orphan].FilesetID, id, token).ConfigureAwait(false);
            if (await SaysTheSameAsync(token).ConfigureAwait(false))
            {
                await m_database.Transaction.CommitAsync("CommitFilesetTransaction", true, token).ConfigureAwait(false);
                context.Progress.Message($"{file.Name} was not known to the database and is used again");
                return true;
            }
        }
        catch (Exception ex) when (ex is VolumeException or RemoteException)
        {
            context.Progress.Warning($"{file.Name} cannot be used: {ex.Message}");
        }

        await m_database.Transaction.RollBackAsync("RollbackUnknownFilelist", true, token).ConfigureAwait(false);
        return false;
    }

    private async Task<bool> SaysTheSameAsync(CancellationToken token)
    {
        using var download = await context.Downloader.FetchAsync(file.Name, context.Settings.Format.FileHash, null, -1, token).ConfigureAwait(false);
        await m_database.UpdateRemoteVolumeAsync(file.Name, RemoteVolumeState.Verified, download.Length, download.Hash, token).ConfigureAwait(false);
        var test = await LocalTestDatabase.CreateAsync(m_database, null, token).ConfigureAwait(false);
        await using var testScope = test.ConfigureAwait(false);
        var differences = await new VolumeComparer(test, context.Downloader, context.Settings).CompareAsync(new RemoteVolume(file.Name, download.Hash, download.Length), token).ConfigureAwait(false);
        return differences.Count == 0;
    }
}
