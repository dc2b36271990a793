// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Compact;

/// <summary>The new volumes of a compact, filled one after the other; each is uploaded with its index volume when it is full.</summary>
internal sealed class CompactVolumes(
    BackupSettings settings,
    IndexPolicy policy,
    SharedDatabase<LocalDatabase> shared,
    VolumeUploader<LocalDatabase> uploader,
    string temporaryFolder
)
{
    private readonly IndexPublisher<LocalDatabase> m_index = new(settings, policy, shared, uploader, temporaryFolder);
    private readonly List<KeyValuePair<string, long>> m_blocks = [];
    private BlockVolumeWriter? m_writer;
    private string m_path = "";
    private long m_volumeId;

    private LocalDatabase Database => shared.Database;

    /// <summary>Adds a block.</summary>
    /// <returns>Id of the volume it went to.</returns>
    internal async Task<long> AddAsync(string hash, ReadOnlyMemory<byte> data, CancellationToken token)
    {
        if (m_writer?.IsFull == true)
            await FinishAsync(token).ConfigureAwait(false);
        if (m_writer is null)
            await BeginAsync(token).ConfigureAwait(false);

        m_writer!.AddBlock(hash, data.Span, Compressibility.IsLikely(data.Span));
        m_blocks.Add(new KeyValuePair<string, long>(hash, data.Length));
        return m_volumeId;
    }

    /// <summary>Ends and uploads the open volume, if there is one.</summary>
    internal async Task FinishAsync(CancellationToken token)
    {
        if (m_writer is null)
            return;

        var name = m_writer.Name;
        m_writer.Dispose();
        m_writer = null;
        var blocklists = Database.GetBlocklistsAsync(m_volumeId, settings.BlockSize, settings.DigestSize, token);
        await m_index.PublishAsync(m_path, name, m_volumeId, m_blocks, blocklists, token).ConfigureAwait(false);
        m_blocks.Clear();
        await Database.Transaction.CommitAsync("CommitCompactVolume", true, token).ConfigureAwait(false);
    }

    private async Task BeginAsync(CancellationToken token)
    {
        var name = VolumeName.New(RemoteVolumeType.Blocks, settings.Prefix, settings.Encryption, settings.Module);
        m_volumeId = await Database
            .RegisterRemoteVolumeAsync(name.FileName, RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, token)
            .ConfigureAwait(false);
        m_path = Path.Combine(temporaryFolder, name.FileName);
        m_writer = new BlockVolumeWriter(name, new FileStream(m_path, FileMode.Create, FileAccess.ReadWrite), settings.Format);
    }
}
