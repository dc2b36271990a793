// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Broken;

namespace Duplicati.Library.Main.Database.Local;

// Content for metadata that are lost, in releases whose purge puts it into a volume.
internal partial class LocalListBrokenFilesDatabase
{
    /// <summary>Id of content with this hash and length that is usable as metadata without the given volumes; -1 without.</summary>
    public Task<long> FindExactMetadataBlocksetIdAsync(
        IEnumerable<long> blockVolumeIds,
        string fullHash,
        long size,
        CancellationToken token
    ) => Session.LongAsync(blockVolumeIds, (session, ids) => ReplacementMetadata.FindExact(session, ids, fullHash, size), token);

    /// <summary>Id of the shortest content of metadata that is usable without the given volumes; -1 without.</summary>
    public Task<long> FindSmallestUsableMetadataBlocksetIdAsync(IEnumerable<long> blockVolumeIds, CancellationToken token) =>
        Session.LongAsync(blockVolumeIds, ReplacementMetadata.FindSmallest, token);

    /// <summary>Id of a block that is in a usable volume other than the given ones; -1 without.</summary>
    public Task<long> FindAvailableBlockIdAsync(string hash, long size, IEnumerable<long> blockVolumeIds, CancellationToken token) =>
        Session.LongAsync(blockVolumeIds, (session, ids) => ReplacementMetadata.FindBlock(session, ids, hash, size), token);

    /// <summary>Says that a volume holds a block, which is added if it is not known. Does not commit.</summary>
    public Task<BlockRegistration> RegisterBlockAsync(string hash, long size, long volumeId, CancellationToken token) =>
        Session.ShortAsync(session => ReplacementMetadata.Register(session, hash, size, volumeId), token);

    /// <summary>Takes a registration back, after a commit, too. Does not commit.</summary>
    /// <exception cref="InvalidOperationException">The block is not where the registration has put it.</exception>
    public Task RollbackBlockRegistrationAsync(BlockRegistration registration, CancellationToken token) =>
        Session.ShortAsync(session => ReplacementMetadata.RollBack(session, registration), token);

    /// <summary>Adds content of exactly one block, and returns its id. Does not commit.</summary>
    /// <exception cref="ArgumentException">There is not exactly one block, or it has another size.</exception>
    public Task<long> CreateMetadataBlocksetAsync(string fullHash, long size, IEnumerable<long> blockIds, CancellationToken token) =>
        Session.LongAsync(blockIds, (session, ids) => ReplacementMetadata.Create(session, fullHash, size, ids), token);

    /// <summary>Id of the metadata with this content, which are added if there are none. Does not commit.</summary>
    public Task<long> GetOrCreateMetadatasetIdAsync(long blocksetId, CancellationToken token) =>
        Session.ShortAsync(session => ReplacementMetadata.GetOrCreate(session, blocksetId), token);

    /// <summary>What <see cref="RegisterBlockAsync"/> has done.</summary>
    /// <param name="BlockId">The block.</param>
    /// <param name="Hash">Its hash.</param>
    /// <param name="Size">Its size in bytes.</param>
    /// <param name="VolumeId">The volume that holds it now.</param>
    /// <param name="PreviousVolumeId">The volume that held it before; null if it was not known.</param>
    /// <param name="Created">Whether it was added.</param>
    internal sealed record BlockRegistration(long BlockId, string Hash, long Size, long VolumeId, long? PreviousVolumeId, bool Created);
}
