// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.Concurrent;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main.Database.Restore;

namespace Duplicati.Engine.Restore;

/// <summary>Writes the blocks of one volume to all the places they go to. Safe for concurrent use on different volumes.</summary>
/// <param name="downloader">Fetches volumes.</param>
/// <param name="format">Sizes and hash functions.</param>
/// <param name="files">Full target paths of the regular files, by entry id.</param>
/// <param name="spool">Takes metadata.</param>
/// <param name="cacheBytes">Bytes of blocks kept back for each volume that is open; see <see cref="BlockCache"/>.</param>
internal sealed class VolumeRestorer(
    VolumeDownloader downloader,
    VolumeFormat format,
    IReadOnlyDictionary<long, string> files,
    MetadataSpool spool,
    int cacheBytes
)
{
    /// <summary>Why files could not be written, by entry id.</summary>
    internal ConcurrentDictionary<long, string> Problems { get; } = new();

    /// <summary>
    /// Writes one volume's blocks. Each block is read and checked against its hash once. Of a damaged volume, all that can be read is
    /// written.
    /// </summary>
    /// <returns>What the volume does not give; null if it gives everything, and there is nothing wrong with it.</returns>
    /// <exception cref="VolumeException">The passphrase is wrong or missing.</exception>
    internal async Task<Shortfall?> RestoreAsync(VolumeNeed volume, CancellationToken token)
    {
        try
        {
            try
            {
                await RestoreWholeAsync(volume, token).ConfigureAwait(false);
                return null;
            }
            catch (VolumeException ex)
                when (ex is not (WrongPassphraseException or MissingPassphraseException or UnsupportedVolumeException))
            {
                return new Shortfall(await SalvageAsync(volume, token).ConfigureAwait(false), ex, IsDamage: true);
            }
        }
        catch (Exception ex)
            when (ex is VolumeException and not (WrongPassphraseException or MissingPassphraseException) or RemoteFileException)
        {
            return new Shortfall(volume.Blocks, ex, IsDamage: false);
        }
    }

    private async Task<List<BlockNeed>> SalvageAsync(VolumeNeed volume, CancellationToken token)
    {
        using var download = await downloader.FetchDamagedAsync(volume.Name, token).ConfigureAwait(false);
        using var reader = SalvageReader.Open(download.Content, format.BlockHash, token);
        using var cache = new BlockCache(files, Problems, (int)format.Blocksize, cacheBytes);
        var lost = new List<BlockNeed>();
        foreach (var block in volume.Blocks)
        {
            token.ThrowIfCancellationRequested();
            var room = cache.Room();
            var length = reader.Read(block.Hash, block.Size, room);
            if (length < 0)
                lost.Add(block);
            else
                Place(block, room[..length], cache);
        }

        cache.Write();
        return lost;
    }

    private async Task RestoreWholeAsync(VolumeNeed volume, CancellationToken token)
    {
        using var download = await downloader.FetchAsync(volume.Name, volume.Hash, volume.Size, token).ConfigureAwait(false);
        using var reader = BlockVolumeReader.Open(download.Content, volume.Name);
        reader.Manifest.Require(volume.Name, format);
        using var cache = new BlockCache(files, Problems, (int)format.Blocksize, cacheBytes);
        try
        {
            foreach (var block in volume.Blocks)
            {
                token.ThrowIfCancellationRequested();
                Place(block, Read(reader, volume.Name, block, cache), cache);
            }
        }
        catch (VolumeException)
        {
            cache.Write();
            throw;
        }

        cache.Write();
    }

    private ReadOnlySpan<byte> Read(BlockVolumeReader reader, string volume, BlockNeed block, BlockCache cache)
    {
        var room = cache.Room();
        var length = reader.ReadVerifiedBlock(block.Hash, format.BlockHash, room);
        return length == block.Size
            ? room[..length]
            : throw new CorruptVolumeException(
                volume,
                length < 0 ? $"Block '{block.Hash}' is not in it." : $"Block '{block.Hash}' has {length} bytes instead of {block.Size}."
            );
    }

    private void Place(BlockNeed block, ReadOnlySpan<byte> content, BlockCache cache)
    {
        // The same metadata belongs to many entries: it is stored once.
        (long, int)? stored = null;
        var start = -1;
        foreach (var place in block.Uses.Span)
        {
            if (place.IsMetadata)
            {
                stored ??= spool.Store(content);
                spool.Note(place.FileId, place.Index, stored.Value);
            }
            else
            {
                start = start < 0 ? cache.Keep(content.Length) : start;
                cache.Add(place.FileId, place.Index * format.Blocksize, start);
            }
        }
    }
}

/// <summary>What a volume did not give.</summary>
/// <param name="Lost">The blocks.</param>
/// <param name="Cause">Why.</param>
/// <param name="IsDamage">Whether it is there, and damaged; all that could be read was used.</param>
internal sealed record Shortfall(IReadOnlyList<BlockNeed> Lost, Exception Cause, bool IsDamage);
