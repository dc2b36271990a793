using Duplicati.Engine.Common;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Recreate;

/// <summary>Puts what an index volume says into the database (contract B, 4.2 step 8).</summary>
internal sealed class IndexLoader(LocalRecreateDatabase database, IEngineProgress progress)
{
    private readonly BatchRebuild m_batch = BatchRebuild.Of(database);

    internal async Task LoadAsync(ParsedIndex index, CancellationToken token)
    {
        await database.UpdateRemoteVolumeAsync(index.Name, RemoteVolumeState.Verified, index.Length, index.Hash, token).ConfigureAwait(false);
        foreach (var volume in index.Volumes)
            await LoadVolumeAsync(index, volume, token).ConfigureAwait(false);
        m_batch.Add(new BatchIndexFile([], index.Blocklists), index.DigestSize, token);
        if (index.RejectedBlocklists > 0)
            progress.Warning($"{index.Name} holds {index.RejectedBlocklists} blocklists whose content does not fit their name; they are read from the block volumes");
    }

    private async Task LoadVolumeAsync(ParsedIndex index, ParsedIndex.Volume volume, CancellationToken token)
    {
        var state = RemoteVolumeState.Verified;
        var id = await database.GetRemoteVolumeIDAsync(volume.Name, token).ConfigureAwait(false);
        if (id < 0)
        {
            progress.Warning($"Remote file referenced as {volume.Name} by {index.Name}, but not found in list, registering a missing remote file");
            id = await database.RegisterRemoteVolumeAsync(volume.Name, RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, token).ConfigureAwait(false);
        }

        var known = await database.GetRemoteVolumeAsync(volume.Name, token).ConfigureAwait(false);
        if (known.State == RemoteVolumeState.Temporary)
            state = RemoteVolumeState.Temporary;
        // Whoever made the index may not have known either: what was listed stays then.
        var (length, hash) = volume.Hash is null ? (known.Size, known.Hash) : (volume.Length, volume.Hash);
        m_batch.AddVolume(id, volume.Digests.Span, volume.Sizes.Span, token);
        await database.UpdateRemoteVolumeAsync(volume.Name, state, length, hash, token).ConfigureAwait(false);
        var indexId = await database.GetRemoteVolumeIDAsync(index.Name, token).ConfigureAwait(false);
        await database.AddIndexBlockLinkAsync(indexId, id, token).ConfigureAwait(false);
    }
}
