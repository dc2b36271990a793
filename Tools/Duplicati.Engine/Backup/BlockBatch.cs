// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers;

namespace Duplicati.Engine.Backup;

/// <summary>
/// A run of consecutive blocks of one stream on their way from a reader to the volumes, in one pooled buffer. Each holder releases
/// it once; the last release gives the buffer back.
/// </summary>
internal sealed class BlockBatch
{
    internal const int MostBlocks = 64;

    private const int PreferredBytes = 64 * 1024;

    private readonly byte[] m_data;
    private readonly byte[] m_digests;
    private readonly int m_digestSize;
    private readonly Item[] m_items = ArrayPool<Item>.Shared.Rent(MostBlocks);
    private int m_used;
    private int m_holders = 1;

    internal BlockBatch(PendingStream stream, int blockSize, int digestSize)
    {
        Stream = stream;
        m_digestSize = digestSize;
        m_data = ArrayPool<byte>.Shared.Rent(CapacityFor(blockSize));
        m_digests = ArrayPool<byte>.Shared.Rent(MostBlocks * digestSize);
    }

    private readonly record struct Item(int Offset, int Length, bool IsBlocklist);

    /// <summary>The stream the blocks belong to.</summary>
    internal PendingStream Stream { get; }

    internal int Count { get; private set; }

    /// <summary>True if no block follows in this stream.</summary>
    internal bool IsLast { get; set; }

    /// <summary>Bytes of one batch's data buffer: at least one block and one blocklist.</summary>
    internal static int CapacityFor(int blockSize) => Math.Max(PreferredBytes, checked(blockSize * 2));

    internal bool HasRoomFor(int length) => Count < MostBlocks && m_used + length <= m_data.Length;

    /// <summary>The place for the next block's bytes; <see cref="Commit"/> makes it part of the batch.</summary>
    internal Memory<byte> Reserve(int length) => m_data.AsMemory(m_used, length);

    internal void Commit(int length, ReadOnlySpan<byte> digest, bool isBlocklist)
    {
        m_items[Count] = new Item(m_used, length, isBlocklist);
        digest.CopyTo(m_digests.AsSpan(Count * m_digestSize));
        m_used += length;
        Count++;
    }

    internal ReadOnlySpan<byte> Digest(int index) => m_digests.AsSpan(index * m_digestSize, m_digestSize);

    internal ReadOnlyMemory<byte> Data(int index) => m_data.AsMemory(m_items[index].Offset, m_items[index].Length);

    internal int Length(int index) => m_items[index].Length;

    internal bool IsBlocklist(int index) => m_items[index].IsBlocklist;

    internal void Retain() => Interlocked.Increment(ref m_holders);

    internal void Release()
    {
        if (Interlocked.Decrement(ref m_holders) != 0)
            return;

        ArrayPool<byte>.Shared.Return(m_data);
        ArrayPool<byte>.Shared.Return(m_digests);
        ArrayPool<Item>.Shared.Return(m_items);
    }
}
