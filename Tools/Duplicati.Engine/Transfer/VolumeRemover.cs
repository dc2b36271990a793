// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Remote;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Transfer;

/// <summary>
/// Deletes volumes from the remote folder and then from the database. The decision is committed and on the disk
/// before the first file goes.
/// </summary>
internal sealed class VolumeRemover(LocalDatabase database, IRemoteFolder folder, IEngineProgress progress)
{
    // A file that reappears within this time, as some remote stores do, is known to be deleted (upstream's value).
    private static readonly TimeSpan s_grace = TimeSpan.FromHours(2);

    /// <summary>Number of volumes and bytes deleted so far.</summary>
    internal (int Volumes, long Bytes) Removed { get; private set; }

    /// <summary>Takes volumes out of the way that are not simply deleted; null, or false for others, to delete them.</summary>
    internal Func<string, CancellationToken, Task<bool>>? Retire { get; init; }

    /// <summary>Told when the decision to delete is on record, and whatever else was in the transaction.</summary>
    internal Action? Decided { get; init; }

    /// <summary>Deletes the lists of versions that were dropped, by name and size.</summary>
    internal async Task RemoveAsync(IAsyncEnumerable<KeyValuePair<string, long>> dropped, CancellationToken token)
    {
        var lists = dropped.Select(x => (IRemoteVolume)new RemoteVolume(x.Key, null!, x.Value));
        await RemoveAsync(await lists.ToListAsync(token).ConfigureAwait(false), token).ConfigureAwait(false);
    }

    /// <summary>Deletes volumes whose rows are in state Deleting already, or are put there.</summary>
    internal async Task RemoveAsync(IReadOnlyList<IRemoteVolume> volumes, CancellationToken token)
    {
        // Before the decision to delete them is on record: whoever finds that afterwards deletes what is there.
        var retired = new HashSet<string>(StringComparer.Ordinal);
        foreach (var volume in volumes)
        {
            if (Retire is { } retire && await retire(volume.Name, token).ConfigureAwait(false))
                retired.Add(volume.Name);
        }

        foreach (var volume in volumes)
            await database
                .UpdateRemoteVolumeAsync(volume.Name, RemoteVolumeState.Deleting, volume.Size, volume.Hash, token)
                .ConfigureAwait(false);
        await database.Transaction.CommitAsync("CommitBeforeDelete", true, token).ConfigureAwait(false);
        Decided?.Invoke();
        if (volumes.Count > retired.Count)
            CommittedRows.Flush(database);

        foreach (var group in volumes.Chunk(folder.Concurrency))
            await RemoveGroupAsync(group, retired, token).ConfigureAwait(false);
        await database.RemoveRemoteVolumesAsync(volumes.Select(x => x.Name), token).ConfigureAwait(false);
        CopiesInGoneVolumes.Forget(database);
        await database.Transaction.CommitAsync("CommitAfterDelete", true, token).ConfigureAwait(false);
    }

    /// <summary>Deletes a file; one that cannot be deleted is told and stays.</summary>
    /// <returns>False if it stays.</returns>
    internal static async Task<bool> TryAsync(string name, Func<Task> delete, IEngineProgress progress)
    {
        try
        {
            await delete().ConfigureAwait(false);
            return true;
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException or RemoteException and not RemoteFolderMissingException)
        {
            progress.Warning($"{name} cannot be deleted, and is left to the next operation: {ex.Message}");
            return false;
        }
    }

    private async Task RemoveGroupAsync(IRemoteVolume[] volumes, HashSet<string> retired, CancellationToken token)
    {
        var deletions = volumes.Select(x => retired.Contains(x.Name) ? Task.FromResult(true) : DeleteAsync(x, token)).ToList();
        // All are waited for, so that none goes on behind an error.
        await Task.WhenAll(deletions).ConfigureAwait(false);
        foreach (var (volume, deletion) in volumes.Zip(deletions))
        {
            var wasThere = await deletion.ConfigureAwait(false);
            await database.LogRemoteOperationAsync("delete", volume.Name, null, token).ConfigureAwait(false);
            // As upstream: what a lost volume had been stays known.
            var (size, hash) = wasThere ? (-1, null) : (volume.Size, volume.Hash);
            await database
                .UpdateRemoteVolumeAsync(volume.Name, RemoteVolumeState.Deleted, size, hash, true, s_grace, null, token)
                .ConfigureAwait(false);
            Removed = (Removed.Volumes + 1, Removed.Bytes + Math.Max(0, volume.Size));
        }
    }

    private async Task<bool> DeleteAsync(IRemoteVolume volume, CancellationToken token)
    {
        progress.Working($"Deleting {volume.Name} ({volume.Size} bytes)");
        try
        {
            await folder.DeleteAsync(volume.Name, token).ConfigureAwait(false);
            return true;
        }
        catch (RemoteFileMissingException)
        {
            // What was wanted is so.
            progress.Message($"{volume.Name} was gone already");
            return false;
        }
    }
}

/// <summary>
/// Further copies of blocks (DuplicateBlock) that lie in volumes which are gone. The removal of a volume leaves their rows, as upstream
/// does, and a new volume may get the id of one whose row has gone: it would pass for a holder of blocks that it does not have.
/// </summary>
internal static class CopiesInGoneVolumes
{
    // Reads all rows of DuplicateBlock, which has no index on the volume; remote volumes by id.
    private const string FORGET = """
        DELETE FROM "DuplicateBlock"
        WHERE NOT EXISTS (SELECT 1 FROM "Remotevolume" "v" WHERE "v"."ID" = "DuplicateBlock"."VolumeID" AND "v"."State" <> 'Deleted')
        """;

    /// <summary>Forgets them. Linear in the copies of all volumes. Does not commit.</summary>
    internal static void Forget(LocalDatabase database) => DumpQuery.Execute(database.Connection, FORGET);
}
