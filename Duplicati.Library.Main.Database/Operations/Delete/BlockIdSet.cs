// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Numerics;
using Duplicati.Library.SQLiteHelper.Memory;

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>Which ids of a range are in use: one bit each, outside the garbage collector's heap.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class BlockIdSet : IDisposable
{
    /// <summary>Ids from the first to the last at most: 64 MiB.</summary>
    internal const long WidestRange = 1L << 29;

    private const int Bits = 64;

    private readonly NativeArray<ulong> m_words;

    private BlockIdSet(long first, long length)
    {
        First = first;
        Length = length;
        m_words = new NativeArray<ulong>((length + Bits - 1) / Bits);
    }

    /// <summary>Number of ids in the set.</summary>
    internal long Count { get; private set; }

    /// <summary>The first id of the range.</summary>
    internal long First { get; }

    /// <summary>Number of ids in the range.</summary>
    internal long Length { get; }

    /// <summary>An empty set for a range of ids; null if it is too wide.</summary>
    internal static BlockIdSet? Create(long first, long last) =>
        (double)last - first >= WidestRange ? null : new BlockIdSet(first, last - first + 1);

    /// <summary>Adds an id; nothing happens if it is outside of the range, or in the set.</summary>
    internal void Add(long id)
    {
        var index = (ulong)id - (ulong)First;
        if (index >= (ulong)Length)
            return;

        ref var word = ref Word((long)index);
        var bit = 1UL << (int)index;
        Count += (word & bit) == 0 ? 1 : 0;
        word |= bit;
    }

    /// <summary>True if an id is in the set.</summary>
    internal bool Contains(long id)
    {
        var index = (ulong)id - (ulong)First;
        return index < (ulong)Length && (Word((long)index) & (1UL << (int)index)) != 0;
    }

    /// <summary>The ids that are in the set as runs without holes, in their order.</summary>
    internal IEnumerable<(long First, long Last)> Runs() => Runs(0UL);

    /// <summary>The ids of the range that are not in the set, in the same way.</summary>
    internal IEnumerable<(long First, long Last)> Gaps() => Runs(ulong.MaxValue);

    /// <summary>Gives the memory back.</summary>
    public void Dispose() => m_words.Dispose();

    private IEnumerable<(long First, long Last)> Runs(ulong inversion)
    {
        for (var start = Next(0, inversion); start < Length; )
        {
            var end = Next(start, ~inversion);
            yield return (First + start, First + end - 1);
            start = Next(end, inversion);
        }
    }

    // The first index from one on with a bit set, after the inversion; the length if there is none.
    private long Next(long index, ulong inversion)
    {
        while (index < Length)
        {
            var word = (Word(index) ^ inversion) >> (int)(index % Bits);
            if (word != 0)
                return Math.Min(index + BitOperations.TrailingZeroCount(word), Length);
            index += Bits - (index % Bits);
        }

        return Length;
    }

    private ref ulong Word(long index) => ref m_words.Slice(index / Bits, 1)[0];
}
