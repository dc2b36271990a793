// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Volumes;

/// <summary>What an index volume says of a block volume, from what the database has recorded.</summary>
/// <param name="Id">The block volume's id.</param>
/// <param name="Name">Its name.</param>
/// <param name="Hash">The hash of the file; null if it is not known.</param>
/// <param name="Size">Its bytes.</param>
internal readonly record struct RecordedVolume(long Id, string Name, string? Hash, long Size)
{
    /// <summary>
    /// Whether any block is recorded for a volume. Of one without an index volume that nothing needs, a recreate does not find out what it
    /// holds; an index volume made then would say that nothing is in it.
    /// </summary>
    internal static ValueTask<bool> IsOfAsync(LocalDatabase database, long volumeId, CancellationToken token) =>
        database.GetBlocksAsync(volumeId, token).AnyAsync(token);

    /// <summary>Adds the volume's blocks and, for a full index, the blocklists that it holds.</summary>
    /// <param name="writer">The open index volume.</param>
    /// <param name="database">Where the blocks are recorded.</param>
    /// <param name="blockSize">Bytes of a full block.</param>
    /// <param name="digestSize">Bytes of a block's hash.</param>
    /// <param name="blocklists">Hashes of the blocklists that the index volume already has; null for an index without blocklists.</param>
    /// <param name="token">Cancels.</param>
    internal async Task DescribeAsync(
        IndexVolumeWriter writer,
        LocalDatabase database,
        long blockSize,
        int digestSize,
        HashSet<string>? blocklists,
        CancellationToken token
    )
    {
        var blocks = database.GetBlocksAsync(Id, token).Select(x => KeyValuePair.Create(x.Hash, x.Size));
        await writer.AddVolumeAsync(VolumeName.Parse(Name)!, blocks, Hash, Size, token).ConfigureAwait(false);
        if (blocklists is null)
            return;

        await foreach (var (hash, buffer, size) in database.GetBlocklistsAsync(Id, blockSize, digestSize, token).ConfigureAwait(false))
        {
            if (blocklists.Add(hash))
                writer.AddBlocklist(hash, buffer.AsSpan(0, size));
        }
    }
}
