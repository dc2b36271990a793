// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.IO;
using Duplicati.Library.Main.Database.Blocks;

namespace Duplicati.Library.Main.Database;

/// <summary>
/// The answer of <see cref="BatchBlocksets.Read"/>: the blocks of one blockset after those of another, a row a block. Memory is kept
/// for the next answer: 24 bytes a block and those of its digest, with up to as much again in reserve.
/// </summary>
/// <remarks>For one flow at a time. Spans are valid until the next answer.</remarks>
internal sealed class BatchBlockRows
{
    private const int FirstRoom = 256;

    private readonly List<int> m_ends = [];
    private long[] m_ids = [];
    private long[] m_sizes = [];
    private long[] m_volumes = [];
    private byte[] m_digests = [];

    /// <summary>Number of blocks.</summary>
    public int Count { get; private set; }

    /// <summary>Number of blocksets.</summary>
    public int Blocksets => m_ends.Count;

    /// <summary>The ids of the blocks.</summary>
    public ReadOnlySpan<long> Ids => m_ids.AsSpan(0, Count);

    /// <summary>Their sizes in bytes.</summary>
    public ReadOnlySpan<long> Sizes => m_sizes.AsSpan(0, Count);

    /// <summary>The volumes that hold them; -1 where none does.</summary>
    public ReadOnlySpan<long> VolumeIds => m_volumes.AsSpan(0, Count);

    /// <summary>Their raw digests, one after the other.</summary>
    public ReadOnlySpan<byte> Digests => m_digests.AsSpan(0, Count * DigestBytes);

    /// <summary>Bytes of one digest; 0 without blocks.</summary>
    public int DigestBytes { get; private set; }

    /// <summary>The digest of a block.</summary>
    public ReadOnlySpan<byte> Digest(int row) => Digests.Slice(row * DigestBytes, DigestBytes);

    /// <summary>The rows of a blockset, by its place in the question.</summary>
    public Range Rows(int blockset) => (blockset == 0 ? 0 : m_ends[blockset - 1])..m_ends[blockset];

    /// <summary>Forgets all rows, not their memory.</summary>
    internal void Clear()
    {
        m_ends.Clear();
        Count = 0;
        DigestBytes = 0;
    }

    /// <summary>Adds a block to the blockset that has not ended.</summary>
    /// <exception cref="InvalidDataException">The hash has no binary form of the length that the others have.</exception>
    internal void Add(long id, ReadOnlySpan<byte> hash, long size, long volumeId)
    {
        if (Count == m_ids.Length)
            Grow();
        AddDigest(id, hash);
        m_ids[Count] = id;
        m_sizes[Count] = size;
        m_volumes[Count] = volumeId;
        Count++;
    }

    /// <summary>Ends a blockset.</summary>
    internal void EndBlockset() => m_ends.Add(Count);

    private void Grow()
    {
        var room = Math.Max(FirstRoom, m_ids.Length * 2);
        Array.Resize(ref m_ids, room);
        Array.Resize(ref m_sizes, room);
        Array.Resize(ref m_volumes, room);
    }

    private void AddDigest(long id, ReadOnlySpan<byte> hash)
    {
        var end = Count * DigestBytes;
        // The longest must fit, although it would be refused.
        if (m_digests.Length < end + PackedBlocks.MaxDigestBytes)
            Array.Resize(ref m_digests, Math.Max(FirstRoom, m_digests.Length * 2));
        var digest = m_digests.AsSpan(end, PackedBlocks.MaxDigestBytes);
        if (!HashText.TryDecode(hash, digest, out var length))
            throw new InvalidDataException($"The hash of the block with id {id} is not the Base64 text of a digest.");

        if (Count == 0)
            DigestBytes = length;
        if (length != DigestBytes)
            throw new InvalidDataException($"The digest of the block with id {id} has {length} bytes, those before have {DigestBytes}.");
    }
}
