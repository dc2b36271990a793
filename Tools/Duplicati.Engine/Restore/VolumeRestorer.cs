using System.Buffers;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main.Database.Restore;
using Microsoft.Win32.SafeHandles;

namespace Duplicati.Engine.Restore;

/// <summary>Writes the blocks of one volume to all the places they go to. Safe for concurrent use on different volumes.</summary>
/// <param name="downloader">Fetches volumes.</param>
/// <param name="format">Sizes and hash functions.</param>
/// <param name="files">Full target paths of the regular files, by entry id.</param>
/// <param name="spool">Takes metadata.</param>
internal sealed class VolumeRestorer(VolumeDownloader downloader, VolumeFormat format, IReadOnlyDictionary<long, string> files, MetadataSpool spool)
{
    private const int MostOpenFiles = 32;

    /// <summary>Writes one volume's blocks. Each block is read and checked against its hash once.</summary>
    /// <exception cref="VolumeException">The volume or one of the blocks is damaged or missing; blocks before it are written.</exception>
    internal async Task RestoreAsync(VolumeNeed volume, CancellationToken token)
    {
        using var download = await downloader.FetchAsync(volume.Name, format.FileHash, volume.Hash, volume.Size, token).ConfigureAwait(false);
        using var reader = BlockVolumeReader.Open(download.Content, volume.Name);
        reader.Manifest.Require(volume.Name, format.Blocksize, format.BlockHash, format.FileHash);
        Write(reader, volume, token);
    }

    private void Write(BlockVolumeReader reader, VolumeNeed volume, CancellationToken token)
    {
        var open = new Dictionary<long, SafeFileHandle>();
        var buffer = ArrayPool<byte>.Shared.Rent((int)format.Blocksize);
        try
        {
            foreach (var block in volume.Blocks)
            {
                token.ThrowIfCancellationRequested();
                var length = reader.ReadVerifiedBlock(block.Hash, format.BlockHash, buffer);
                if (length != block.Size)
                    throw new CorruptVolumeException(volume.Name, length < 0 ? $"Block '{block.Hash}' is not in it." : $"Block '{block.Hash}' has {length} bytes instead of {block.Size}.");
                Place(block, buffer.AsSpan(0, length), open);
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
            foreach (var handle in open.Values)
                handle.Dispose();
        }
    }

    private void Place(BlockNeed block, ReadOnlySpan<byte> content, Dictionary<long, SafeFileHandle> open)
    {
        // The same metadata belongs to many entries: it is stored once.
        (long, int)? stored = null;
        foreach (var place in block.Uses.Span)
        {
            if (place.IsMetadata)
            {
                stored ??= spool.Store(content);
                spool.Note(place.FileId, place.Index, stored.Value);
            }
            else if (files.TryGetValue(place.FileId, out var path))
            {
                RandomAccess.Write(Open(place.FileId, path, open), content, place.Index * format.Blocksize);
            }
        }
    }

    private static SafeFileHandle Open(long fileId, string path, Dictionary<long, SafeFileHandle> open)
    {
        if (open.TryGetValue(fileId, out var handle))
            return handle;

        if (open.Count >= MostOpenFiles)
        {
            foreach (var other in open.Values)
                other.Dispose();
            open.Clear();
        }

        handle = File.OpenHandle(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
        open.Add(fileId, handle);
        return handle;
    }
}
