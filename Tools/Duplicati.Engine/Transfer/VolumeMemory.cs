// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers;
using System.Numerics;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Engine.Transfer;

/// <summary>
/// Memory for volumes of up to 4 MiB that are read whole, with a bound for all of them together. Safe for concurrent use. Larger volumes
/// are as fast in a file: memory that is touched for the first time costs what the file costs.
/// </summary>
/// <param name="bytes">The bound, bytes.</param>
internal sealed class VolumeMemory(long bytes)
{
    private const long LargestVolume = 4L << 20;
    private const long Default = 16L << 20;
    private const long Small = 4L << 20;

    private long m_free = bytes;

    /// <summary>16 MiB, and 4 MiB with the preset <c>small</c>.</summary>
    internal static VolumeMemory OfPreset() => new(ConnectionOptions.Current.IsSmall ? Small : Default);

    /// <summary>Takes memory for a volume.</summary>
    /// <param name="length">Bytes of the volume.</param>
    /// <returns>As many bytes or more, to be given back; null if the volume is too large, or not as many are left.</returns>
    internal byte[]? TryRent(long length)
    {
        if (length > LargestVolume)
            return null;
        var size = SizeOf(length);
        if (Interlocked.Add(ref m_free, -size) >= 0)
            return ArrayPool<byte>.Shared.Rent((int)length);
        Interlocked.Add(ref m_free, size);
        return null;
    }

    /// <summary>Gives memory back.</summary>
    /// <param name="buffer">What <see cref="TryRent"/> gave.</param>
    /// <param name="length">The bytes it was asked for.</param>
    internal void Return(byte[] buffer, long length)
    {
        ArrayPool<byte>.Shared.Return(buffer);
        Interlocked.Add(ref m_free, SizeOf(length));
    }

    // The pool hands out powers of two.
    private static long SizeOf(long length) => (long)BitOperations.RoundUpToPowerOf2((ulong)length);
}
