using Duplicati.Engine.Remote;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Repair;

/// <summary>Removes what an interrupted operation left, from the remote folder and the database. Versions that lose entries by it are marked partial.</summary>
internal sealed class LeftoverCleaner(RepairContext context, IRemoteFolder folder)
{
    private readonly LocalRepairDatabase m_database = context.Database;

    /// <summary>Cleans and commits.</summary>
    /// <returns>Names of uploaded file lists that hold more than their version does now.</returns>
    internal async Task<IReadOnlyList<string>> CleanAsync(RemoteComparison comparison, CancellationToken token)
    {
        var unfinished = comparison.Leftover.Where(x => x.State is RemoteVolumeState.Uploading or RemoteVolumeState.Temporary).ToList();
        var gone = comparison.Forgotten.Concat(unfinished).ToList();
        var before = gone.Exists(x => x.Type == RemoteVolumeType.Blocks) ? await CountEntriesAsync(token).ConfigureAwait(false) : [];
        await m_database.RemoveRemoteVolumesAsync(gone.Select(x => x.Name), token).ConfigureAwait(false);
        // The name stays known while its file may still appear.
        foreach (var volume in unfinished)
            await m_database.RegisterRemoteVolumeAsync(volume.Name, volume.Type, RemoteVolumeState.Deleting, token).ConfigureAwait(false);
        var shrunk = await MarkShrunkAsync(before, token).ConfigureAwait(false);
        await m_database.Transaction.CommitAsync("CommitRemoteListAnalysisTransaction", true, token).ConfigureAwait(false);

        var leaving = comparison.Leftover.Except(unfinished).Select(x => new RemoteVolume(x.Name, x.Hash, x.Size))
            .Concat(unfinished.Select(x => new RemoteVolume(x.Name, null!, -1)))
            .Select(x => (IRemoteVolume)x)
            .ToList();
        if (leaving.Count > 0)
            await context.Remover.RemoveAsync(leaving, token).ConfigureAwait(false);
        if (comparison.HalfFilelist is { } half)
            await folder.DeleteAsync(half, token).ConfigureAwait(false);
        return shrunk;
    }

    private async Task<Dictionary<long, long>> CountEntriesAsync(CancellationToken token)
    {
        var counter = await LocalListBrokenFilesDatabase.CreateAsync(m_database, null, token).ConfigureAwait(false);
        await using var counterScope = counter.ConfigureAwait(false);
        var counts = new Dictionary<long, long>();
        foreach (var (id, _) in await m_database.FilesetTimesAsync(token).ToListAsync(token).ConfigureAwait(false))
            counts[id] = await counter.GetFilesetFileCountAsync(id, token).ConfigureAwait(false);
        return counts;
    }

    private async Task<IReadOnlyList<string>> MarkShrunkAsync(Dictionary<long, long> before, CancellationToken token)
    {
        var names = new List<string>();
        if (before.Count == 0)
            return names;

        foreach (var (id, count) in await CountEntriesAsync(token).ConfigureAwait(false))
        {
            if (count == before[id])
                continue;

            await m_database.UpdateFullBackupStateInFilesetAsync(id, false, token).ConfigureAwait(false);
            var list = await m_database.GetRemoteVolumeFromFilesetIDAsync(id, token).ConfigureAwait(false);
            context.Progress.Warning($"{before[id] - count} entries of {list.Name} were never uploaded; the version is marked partial");
            if (list.State is RemoteVolumeState.Uploaded or RemoteVolumeState.Verified)
                names.Add(list.Name);
        }

        return names;
    }
}
