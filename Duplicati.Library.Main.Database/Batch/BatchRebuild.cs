// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Library.Main.Database;

/// <summary>
/// The members of a recreate that are called for each block and each blocklist, for whole index files at a time and without texts.
/// Volumes are registered, filelists are read, and everything is resolved, through the database object it is made from.
/// </summary>
/// <remarks>
/// A second way into the same transaction and the same staged data; both may be used in any order. The order of the files decides
/// which volume keeps a block that several hold, as it does there. Works on the caller's thread and allocates nothing for a block.
/// </remarks>
internal sealed class BatchRebuild
{
    private readonly LocalRecreateDatabase m_database;

    private BatchRebuild(LocalRecreateDatabase database) => m_database = database;

    /// <summary>The batch members of a recreate.</summary>
    internal static BatchRebuild Of(LocalRecreateDatabase database)
    {
        ArgumentNullException.ThrowIfNull(database);
        return new BatchRebuild(database);
    }

    /// <summary>
    /// Takes in an index file: the same as <see cref="LocalRecreateDatabase.UpdateBlockAsync"/> for each block and then
    /// <see cref="LocalRecreateDatabase.AddTempBlockListHashAsync"/> for each blocklist. Does not commit.
    /// </summary>
    /// <param name="file">The file.</param>
    /// <param name="digestBytes">Bytes of a block digest, which every blocklist is made of.</param>
    /// <param name="token">Seen every few thousand blocks and before each blocklist. What was taken in before stays, and may be offered
    /// again.</param>
    /// <returns>First: blocks that were new, had no volume before, or became duplicates. Second: blocklists that had not been
    /// staged.</returns>
    /// <exception cref="ArgumentException">Digests do not divide by the number of sizes, or the content of a blocklist by the bytes of a
    /// digest; nothing was taken in.</exception>
    public (long ChangedBlocks, int NewBlocklists) Add(BatchIndexFile file, int digestBytes, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(file);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(digestBytes);
        Check(file, digestBytes);
        token.ThrowIfCancellationRequested();
        var changed = 0L;
        foreach (var volume in file.Volumes)
            changed += AddVolume(volume.VolumeId, volume.Hashes.Span, volume.Sizes.Span, token);

        var staged = 0;
        foreach (var blocklist in file.Blocklists)
        {
            token.ThrowIfCancellationRequested();
            staged += AddBlocklist(blocklist.Hash.Span, blocklist.Content.Span, digestBytes) ? 1 : 0;
        }

        return (changed, staged);
    }

    /// <summary>Records that a volume holds blocks; the same as <see cref="LocalRecreateDatabase.UpdateBlockAsync"/> one by one.</summary>
    /// <param name="volumeId">The id of the volume, which must be registered.</param>
    /// <param name="hashes">The raw digests of the blocks, one after the other.</param>
    /// <param name="sizes">Their sizes in bytes.</param>
    /// <param name="token">Seen every few thousand blocks.</param>
    /// <returns>Number of blocks that were new, had no volume before, or became duplicates.</returns>
    /// <exception cref="ArgumentException">The digests do not divide by the number of sizes.</exception>
    public long AddVolume(long volumeId, ReadOnlySpan<byte> hashes, ReadOnlySpan<long> sizes, CancellationToken token) =>
        m_database.Work.AddVolume(volumeId, new PackedBlocks(hashes, sizes), token);

    /// <summary>Stages the content of a blocklist; the same as <see cref="LocalRecreateDatabase.AddTempBlockListHashAsync"/>.</summary>
    /// <param name="hash">Its raw digest.</param>
    /// <param name="content">The digests in it, one after the other.</param>
    /// <param name="digestBytes">Bytes of one of them.</param>
    /// <returns>False if it was staged already; true also for an empty one, of which nothing is kept.</returns>
    /// <exception cref="ArgumentException">The content is no multiple of <paramref name="digestBytes"/> long, or the digest of the
    /// blocklist is empty or too long.</exception>
    public bool AddBlocklist(ReadOnlySpan<byte> hash, ReadOnlySpan<byte> content, int digestBytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(digestBytes);
        Check(hash.Length, content.Length, digestBytes);
        return m_database.Work.Blocklists.Add(hash, content, digestBytes);
    }

    /// <summary>Whether a blockset is there, so that its blocklists need not be given again.</summary>
    /// <param name="fullHash">Hash of the whole content.</param>
    /// <param name="length">Bytes.</param>
    public bool KnowsBlockset(string fullHash, long length) => m_database.Work.Filelist.FindBlockset(fullHash, length) >= 0;

    private static void Check(BatchIndexFile file, int digestBytes)
    {
        foreach (var volume in file.Volumes)
            _ = new PackedBlocks(volume.Hashes.Span, volume.Sizes.Span);
        foreach (var blocklist in file.Blocklists)
            Check(blocklist.Hash.Length, blocklist.Content.Length, digestBytes);
    }

    private static void Check(int hashBytes, int length, int digestBytes)
    {
        if (hashBytes is 0 or > PackedBlocks.MaxDigestBytes)
            throw new ArgumentException($"A digest has 1 to {PackedBlocks.MaxDigestBytes} bytes, not {hashBytes}.");
        if (length % digestBytes != 0)
            throw new ArgumentException($"A blocklist of {length} bytes is not made of digests of {digestBytes} bytes.");
    }
}

/// <summary>
/// What a parsed index file says, in binary form. The memory must not change while the file is being taken in; it is not kept.
/// </summary>
/// <param name="Volumes">The block volumes it describes, in its order.</param>
/// <param name="Blocklists">The blocklists in it whose content was found to fit their hash.</param>
internal sealed record BatchIndexFile(IReadOnlyList<BatchVolume> Volumes, IReadOnlyList<BatchBlocklist> Blocklists);

/// <summary>A blocklist.</summary>
/// <param name="Hash">Its raw digest.</param>
/// <param name="Content">The digests in it, one after the other.</param>
internal readonly record struct BatchBlocklist(ReadOnlyMemory<byte> Hash, ReadOnlyMemory<byte> Content);

/// <summary>The blocks of a volume.</summary>
/// <param name="VolumeId">The id of the volume, which must be registered.</param>
/// <param name="Hashes">The raw digests of its blocks, one after the other.</param>
/// <param name="Sizes">The sizes of its blocks in bytes.</param>
internal readonly record struct BatchVolume(long VolumeId, ReadOnlyMemory<byte> Hashes, ReadOnlyMemory<long> Sizes);
