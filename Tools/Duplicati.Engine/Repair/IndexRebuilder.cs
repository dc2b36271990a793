// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Configuration;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Repair;

/// <summary>
/// Makes index volumes anew from the database. The new one is uploaded before the old one goes; a kill leaves the old one, or both.
/// </summary>
internal sealed class IndexRebuilder(RepairContext context)
{
    private readonly LocalRepairDatabase m_database = context.Database;

    /// <summary>Makes an index volume of block volumes, uploads it, and commits.</summary>
    internal async Task CreateAsync(IReadOnlyList<IRemoteVolume> blockVolumes, CancellationToken token)
    {
        var settings = context.Settings;
        var name = VolumeName.New(RemoteVolumeType.Index, settings.Prefix, settings.Encryption, settings.Module);
        var id = await m_database
            .RegisterRemoteVolumeAsync(name.FileName, RemoteVolumeType.Index, RemoteVolumeState.Temporary, token)
            .ConfigureAwait(false);
        var blocklists = context.Policy == IndexPolicy.Full ? new HashSet<string>(StringComparer.Ordinal) : null;
        using (var writer = new IndexVolumeWriter(name, context.CreateFile(name), settings.Format))
        {
            foreach (var volume in blockVolumes)
                await AddAsync(writer, id, volume, blocklists, token).ConfigureAwait(false);
        }

        await context.UploadAsync(name, token).ConfigureAwait(false);
        await m_database.Transaction.CommitAsync("CommitRepairTransaction", true, token).ConfigureAwait(false);
    }

    /// <summary>Replaces an index volume that is missing, or is there and faulty. One that describes nothing is just dropped.</summary>
    /// <param name="name">The old one.</param>
    /// <param name="without">Block volumes that the new one shall not describe, by name.</param>
    /// <param name="token">Cancels.</param>
    internal async Task ReplaceAsync(string name, IReadOnlyCollection<string> without, CancellationToken token)
    {
        var old = await m_database.GetRemoteVolumeAsync(name, token).ConfigureAwait(false);
        if (old.State is not (RemoteVolumeState.Uploaded or RemoteVolumeState.Verified))
            return;

        var described = await m_database.GetBlockVolumesFromIndexNameAsync(name, token).ToListAsync(token).ConfigureAwait(false);
        described.RemoveAll(x => without.Contains(x.Name));
        if (described.Count > 0 && context.Policy != IndexPolicy.None)
            await CreateAsync(described, token).ConfigureAwait(false);
        await context.Remover.RemoveAsync([new RemoteVolume(name, old.Hash, old.Size)], token).ConfigureAwait(false);
    }

    private async Task AddAsync(
        IndexVolumeWriter writer,
        long indexId,
        IRemoteVolume volume,
        HashSet<string>? blocklists,
        CancellationToken token
    )
    {
        var id = await m_database.GetRemoteVolumeIDAsync(volume.Name, token).ConfigureAwait(false);
        await m_database.AddIndexBlockLinkAsync(indexId, id, token).ConfigureAwait(false);
        var recorded = new RecordedVolume(id, volume.Name, string.IsNullOrEmpty(volume.Hash) ? null : volume.Hash, volume.Size);
        await recorded
            .DescribeAsync(writer, m_database, context.Settings.BlockSize, context.Settings.DigestSize, blocklists, token)
            .ConfigureAwait(false);
    }
}
