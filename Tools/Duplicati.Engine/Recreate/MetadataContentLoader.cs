// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.Engine.Common;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Recreate;

/// <summary>Fills the metadata texts of the database from the block volumes that hold them (contract B, 4.2 step 16).</summary>
internal sealed class MetadataContentLoader(
    LocalRecreateDatabase database,
    VolumeDownloader downloader,
    VolumeFormat format,
    IEngineProgress progress
)
{
    private const long MostBytes = 16 * 1024 * 1024;

    private readonly Dictionary<long, Pending> m_pending = [];

    private sealed record Pending(byte[] Content)
    {
        internal long Left { get; set; } = Content.Length;
    }

    internal async Task LoadAsync(CancellationToken token)
    {
        var blocks = await database.GetMissingMetadataBlocksAsync(token).ToListAsync(token).ConfigureAwait(false);
        foreach (var volume in blocks.GroupBy(x => x.VolumeName, StringComparer.Ordinal))
        {
            try
            {
                await LoadVolumeAsync([.. volume], token).ConfigureAwait(false);
            }
            catch (VolumeException ex)
            {
                progress.Warning($"Failed to read metadata from {volume.Key}: {ex.Message}");
            }

            await database.Transaction.CommitAsync("CommitMetadataContent", true, token).ConfigureAwait(false);
        }

        if (m_pending.Count > 0)
            progress.Warning($"The metadata of {SizeText.Count(m_pending.Count, "entry")} is incomplete and was not stored");
    }

    private async Task LoadVolumeAsync(IReadOnlyList<LocalRecreateDatabase.MetadataBlockInfo> blocks, CancellationToken token)
    {
        var first = blocks[0];
        using var download = await downloader.FetchAsync(first.VolumeName, first.VolumeHash, first.VolumeSize, token).ConfigureAwait(false);
        using var reader = BlockVolumeReader.Open(download.Content, first.VolumeName);
        foreach (var block in blocks.Where(x => x.MetaLength <= MostBytes))
        {
            if (!m_pending.TryGetValue(block.MetadataId, out var pending))
                m_pending.Add(block.MetadataId, pending = new Pending(new byte[block.MetaLength]));

            var offset = block.BlockIndex * format.Blocksize;
            if (offset + block.BlockSize > block.MetaLength)
                continue;

            var buffer = new byte[block.BlockSize];
            if (reader.ReadVerifiedBlock(block.BlockHash, format.BlockHash, buffer) != block.BlockSize)
                continue;
            buffer.CopyTo(pending.Content, offset);
            pending.Left -= block.BlockSize;
            if (pending.Left == 0)
                await StoreAsync(block.MetadataId, pending.Content, token).ConfigureAwait(false);
        }
    }

    private async Task StoreAsync(long metadataId, byte[] content, CancellationToken token)
    {
        m_pending.Remove(metadataId);
        var text = content.AsSpan().StartsWith(Encoding.UTF8.Preamble) ? content.AsSpan(Encoding.UTF8.Preamble.Length) : content;
        await database.SetMetadataContentAsync(metadataId, Encoding.UTF8.GetString(text), token).ConfigureAwait(false);
    }
}
