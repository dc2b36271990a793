// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Metadata;

namespace Duplicati.Library.Main.Database.Local;

internal partial class LocalDatabase
{
    /// <summary>A block by what identifies it.</summary>
    public interface IBlock
    {
        /// <summary>The Base64 block hash.</summary>
        string Hash { get; }

        /// <summary>The size in bytes.</summary>
        long Size { get; }
    }

    /// <summary>A block by what identifies it.</summary>
    /// <param name="hash">The Base64 block hash.</param>
    /// <param name="size">The size in bytes.</param>
    internal class Block(string hash, long size) : IBlock
    {
        /// <inheritdoc/>
        public string Hash { get; private set; } = hash;

        /// <inheritdoc/>
        public long Size { get; private set; } = size;
    }

    /// <summary>The distinct blocks that are physically in a volume: live, deleted and duplicate ones. A stable copy.</summary>
    public IAsyncEnumerable<IBlock> GetBlocksAsync(long volumeid, CancellationToken token) =>
        Session.SnapshotAsync(session => VolumeBlocksReads.Blocks(session, volumeid), token);

    /// <summary>
    /// The blocklists among the blocks of a volume, rebuilt from the database: hash, a fresh buffer of <paramref name="blocksize"/>
    /// bytes, and how many of them are used. Each hash once. A stable copy, of which only the used bytes are held.
    /// </summary>
    /// <exception cref="Exception">An entry has no block, or its hash is not a digest of <paramref name="hashsize"/> bytes.</exception>
    public async IAsyncEnumerable<(string Hash, byte[] Buffer, int Size)> GetBlocklistsAsync(
        long volumeid,
        long blocksize,
        int hashsize,
        [EnumeratorCancellation] CancellationToken token
    )
    {
        var blocklists = Session.SnapshotAsync(session => VolumeBlocksReads.Blocklists(session, volumeid, blocksize, hashsize), token);
        await foreach (var blocklist in blocklists.ConfigureAwait(false))
        {
            var buffer = new byte[blocksize];
            blocklist.Digests.CopyTo(buffer, 0);
            yield return (blocklist.Hash, buffer, blocklist.Digests.Length);
        }
    }

    /// <summary>Number of live blocks larger than a size in bytes.</summary>
    public Task<long> GetBlocksLargerThanAsync(long fhblocksize, CancellationToken token) =>
        Session.LongAsync(session => VolumeBlocksReads.CountLarger(session, fhblocksize), token);

    /// <summary>A blockset that can stand in for metadata lost with some volumes, -1 if there is none.</summary>
    /// <param name="blockVolumeIds">The ids of the missing volumes.</param>
    /// <param name="emptyHash">The full hash of empty metadata.</param>
    /// <param name="emptyHashSize">The length of empty metadata in bytes.</param>
    /// <param name="token">Cancels.</param>
    public Task<long> GetEmptyMetadataBlocksetIdAsync(
        IEnumerable<long> blockVolumeIds,
        string emptyHash,
        long emptyHashSize,
        CancellationToken token
    ) => Session.LongAsync(blockVolumeIds, (session, ids) => EmptyMetadataReads.Find(session, ids, emptyHash, emptyHashSize), token);
}
