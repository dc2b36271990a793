// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>
/// A blocked Bloom filter over keys: "no" is certain, "perhaps" must be asked of the table. One cache line a question.
/// </summary>
/// <remarks>
/// 1.3 bytes an entry at the size it is made for, where about 1 in 80 absent keys is answered "perhaps"; more entries make it less
/// sharp, never wrong. Source: F. Putze, P. Sanders, J. Singler, Cache-, Hash- and Space-Efficient Bloom Filters, 2007.
/// </remarks>
internal sealed class BlockFilter
{
    private const int Lanes = 8;
    private const double BitsPerEntry = 10.4;

    private readonly ulong[] m_words;
    private readonly ulong m_blocks;

    /// <summary>A filter for a number of entries within a number of bytes (at least one cache line).</summary>
    internal BlockFilter(long entries, long maxBytes)
    {
        var wanted = (long)(entries * BitsPerEntry / 8 / 64) + 1;
        m_blocks = (ulong)Math.Clamp(wanted, 1, Math.Max(1, Math.Min(maxBytes / 64, Array.MaxLength / Lanes)));
        m_words = new ulong[m_blocks * Lanes];
    }

    /// <summary>Bytes of the filter.</summary>
    internal long Bytes => m_words.Length * (long)sizeof(ulong);

    /// <summary>Adds a key by its mixed hash.</summary>
    internal void Add(ulong hash)
    {
        var bits = (hash & 0xFFFFFFFF) * 0x9E3779B97F4A7C15;
        var block = Block(hash);
        for (var lane = 0; lane < Lanes; lane++)
            block[lane] |= Bit(bits, lane);
    }

    /// <summary>False: a key with this mixed hash has not been added.</summary>
    internal bool MayContain(ulong hash)
    {
        var bits = (hash & 0xFFFFFFFF) * 0x9E3779B97F4A7C15;
        var block = Block(hash);
        for (var lane = 0; lane < Lanes; lane++)
        {
            if ((block[lane] & Bit(bits, lane)) == 0)
                return false;
        }

        return true;
    }

    private Span<ulong> Block(ulong hash) => m_words.AsSpan((int)(((hash >> 32) * m_blocks) >> 32) * Lanes, Lanes);

    // Each lane of 64 bits gets one bit, chosen by its own six bits of the product.
    private static ulong Bit(ulong bits, int lane) => 1UL << (int)((bits >> (10 + (6 * lane))) & 63);
}
