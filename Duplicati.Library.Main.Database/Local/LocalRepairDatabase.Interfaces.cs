// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Duplicati.Library.Main.Database.Local;

internal partial class LocalRepairDatabase
{
    /// <summary>A place in a source file where a lost block may still be found.</summary>
    /// <param name="Hash">The block's hash.</param>
    /// <param name="Size">Its size in bytes.</param>
    /// <param name="File">The full path.</param>
    /// <param name="Offset">Where in the file, in bytes.</param>
    public sealed record BlockWithSourceData(string Hash, long Size, string File, long Offset);

    /// <summary>A source entry whose metadata may still give a lost block.</summary>
    /// <param name="Hash">The block's hash.</param>
    /// <param name="Size">Its size in bytes.</param>
    /// <param name="Path">The full path.</param>
    public sealed record BlockWithMetadataSourceData(string Hash, long Size, string Path);

    /// <summary>One block of a blockset that has lost a blocklist.</summary>
    /// <param name="BlocksetId">The blockset.</param>
    /// <param name="BlocklistHash">The hash of the blocklist that the block is in.</param>
    /// <param name="BlocklistHashLength">The length of the blockset in bytes.</param>
    /// <param name="BlocklistHashIndex">The position of that blocklist, from 0.</param>
    /// <param name="Index">The position of the block in the blockset, from 0.</param>
    /// <param name="Hash">The hash of the block.</param>
    public sealed record BlocklistHashesEntry(
        long BlocksetId,
        string BlocklistHash,
        long BlocklistHashLength,
        long BlocklistHashIndex,
        int Index,
        string Hash
    );

    /// <summary>
    /// The blocks of a lost volume, and which of them have been found elsewhere. Blocks may be marked while any of the sequences is read.
    /// </summary>
    public interface IMissingBlockList : IDisposable, IAsyncDisposable
    {
        /// <summary>Marks a block as found and registers it in its new volume; the lost volume is kept as a place of a duplicate.</summary>
        /// <returns>False, and nothing is changed, if the block is not in the list or has been marked already.</returns>
        /// <exception cref="Exception">The block is no longer known.</exception>
        Task<bool> SetBlockRestoredAsync(string hash, long size, long volumeId, CancellationToken token);

        /// <summary>
        /// Where in source files the blocks not yet found may be: each version of each file, ordered by hash, size, path and offset.
        /// </summary>
        /// <param name="blocksize">Bytes of a full block.</param>
        /// <param name="token">Cancels the call.</param>
        IAsyncEnumerable<BlockWithSourceData> GetSourceFilesWithBlocksAsync(long blocksize, CancellationToken token);

        /// <summary>Whose metadata the blocks not yet found are part of, ordered by hash, size and path.</summary>
        IAsyncEnumerable<BlockWithMetadataSourceData> GetSourceItemsWithMetadataBlocksAsync(CancellationToken token);

        /// <summary>All blocks of the blocksets that have a blocklist not yet found, ordered by blockset and index.</summary>
        /// <param name="hashesPerBlock">Hashes in a full blocklist.</param>
        /// <param name="token">Cancels the call.</param>
        /// <exception cref="Exception">A blockset lacks the row of a blocklist.</exception>
        IAsyncEnumerable<BlocklistHashesEntry> GetBlocklistHashesAsync(long hashesPerBlock, CancellationToken token);

        /// <summary>The number of blocks not yet found.</summary>
        Task<long> GetMissingBlockCountAsync(CancellationToken token);

        /// <summary>
        /// The list volumes of the filesets with a file whose data needs any block of the list, found or not. Metadata does not count.
        /// </summary>
        IAsyncEnumerable<IRemoteVolume> GetFilesetsUsingMissingBlocksAsync(CancellationToken token);

        /// <summary>Other volumes in which a block not yet found is registered.</summary>
        IAsyncEnumerable<IRemoteVolume> GetMissingBlockSourcesAsync(CancellationToken token);
    }
}
