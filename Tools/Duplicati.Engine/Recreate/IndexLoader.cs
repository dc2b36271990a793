// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Remote;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Recreate;

/// <summary>Puts what an index volume says into the database (contract B, 4.2 step 8).</summary>
internal sealed class IndexLoader(LocalRecreateDatabase database, Func<string, RemoteFile?> find, IEngineProgress progress)
{
    private readonly BatchRebuild m_batch = BatchRebuild.Of(database);
    private readonly ContestedVolumes m_contested = new(database, find, progress);
    private int m_missing;

    internal async Task LoadAsync(ParsedIndex index, CancellationToken token)
    {
        await database
            .UpdateRemoteVolumeAsync(index.Name, RemoteVolumeState.Verified, index.Length, index.Hash, token)
            .ConfigureAwait(false);
        foreach (var volume in index.Volumes)
            await LoadVolumeAsync(index, volume, token).ConfigureAwait(false);
        foreach (var blocklist in index.Blocklists)
        {
            token.ThrowIfCancellationRequested();
            m_batch.AddBlocklist(blocklist.Hash.Span, blocklist.Content.Span, index.DigestSize);
        }

        if (index.RejectedBlocklists > 0)
            progress.Warning(
                $"Blocklists of {index.Name} whose content does not fit their name: {index.RejectedBlocklists}; they are read from the block volumes"
            );
    }

    /// <summary>Tells how many volumes of the same kind there are besides those that were told.</summary>
    internal void TellMissing()
    {
        if (m_missing > 1)
            progress.Warning($"Not in the remote folder, though index volumes describe them: {SizeText.Count(m_missing, "block volume")}");
    }

    private async Task LoadVolumeAsync(ParsedIndex index, ParsedIndex.Volume volume, CancellationToken token)
    {
        var name = await m_contested.RowOfAsync(index.Name, volume, token).ConfigureAwait(false);
        var id = await database.GetRemoteVolumeIDAsync(name, token).ConfigureAwait(false);
        if (id < 0)
        {
            TellMissing($"Remote file referenced as {name} by {index.Name}, but not found in list, registering a missing remote file");
            id = await database
                .RegisterRemoteVolumeAsync(name, RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, token)
                .ConfigureAwait(false);
        }

        var known = await database.GetRemoteVolumeAsync(name, token).ConfigureAwait(false);
        var state = known.State == RemoteVolumeState.Temporary ? RemoteVolumeState.Temporary : RemoteVolumeState.Verified;
        // Whoever made the index may not have known either: what was listed stays then.
        var (length, hash) = volume.Hash is null ? (known.Size, known.Hash) : (volume.Length, volume.Hash);
        m_batch.AddVolume(id, volume.Digests.Span, volume.Sizes.Span, token);
        await database.UpdateRemoteVolumeAsync(name, state, length, hash, token).ConfigureAwait(false);
        var indexId = await database.GetRemoteVolumeIDAsync(index.Name, token).ConfigureAwait(false);
        await database.AddIndexBlockLinkAsync(indexId, id, token).ConfigureAwait(false);
    }

    private void TellMissing(string text)
    {
        if (m_missing++ == 0)
            progress.Warning(text);
        else
            progress.Message(text);
    }
}
