// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Volumes;

/// <summary>
/// A cheap guess whether deflate will shrink a block: starting a compressor costs more than storing a small block, and random or
/// already compressed data gains nothing.
/// </summary>
internal static class Compressibility
{
    private const int SampledBytes = 512;

    /// <summary>True unless the sampled bytes are spread over the values as evenly as random ones. O(1).</summary>
    internal static bool IsLikely(ReadOnlySpan<byte> data)
    {
        if (data.Length < 64)
            return false;

        Span<ushort> counts = stackalloc ushort[256];
        counts.Clear();
        var sample = data.Length <= SampledBytes ? data : data.Slice((data.Length - SampledBytes) / 2, SampledBytes);
        foreach (var value in sample)
            counts[value]++;

        // The expected sum of squares of n random bytes is n + n(n-1)/256; text and structured data are several times above.
        long squares = 0;
        foreach (var count in counts)
            squares += (long)count * count;
        var random = sample.Length + ((long)sample.Length * (sample.Length - 1) / 256);
        return squares > random * 5 / 4;
    }
}
