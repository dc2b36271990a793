// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>A list that grows by pieces of 512 elements and so never copies them, nor leaves its old memory to be collected.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class ChunkedList<T>
{
    private const int ChunkShift = 9;
    private const int ChunkMask = (1 << ChunkShift) - 1;

    private readonly List<T[]> m_chunks = [];

    /// <summary>Number of elements.</summary>
    internal int Count { get; private set; }

    /// <summary>An element.</summary>
    internal T this[int index] =>
        index < Count ? m_chunks[index >> ChunkShift][index & ChunkMask] : throw new ArgumentOutOfRangeException(nameof(index));

    /// <summary>Adds an element at the end.</summary>
    internal void Add(T item)
    {
        if (Count >> ChunkShift == m_chunks.Count)
            m_chunks.Add(new T[1 << ChunkShift]);
        m_chunks[Count >> ChunkShift][Count & ChunkMask] = item;
        Count++;
    }

    /// <summary>Forgets the elements from an index on.</summary>
    internal void Truncate(int count)
    {
        if (count >= Count)
            return;

        var chunks = (count + ChunkMask) >> ChunkShift;
        m_chunks.RemoveRange(chunks, m_chunks.Count - chunks);
        if ((count & ChunkMask) != 0)
            Array.Clear(m_chunks[^1], count & ChunkMask, (1 << ChunkShift) - (count & ChunkMask));
        Count = count;
    }
}
