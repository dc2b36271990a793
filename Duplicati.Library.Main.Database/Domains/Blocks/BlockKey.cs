// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Buffers;
using System.Buffers.Text;
using System.Numerics;
using System.Runtime.InteropServices;
using System.Text;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>
/// Identity of a block, the pair (hash, size), as binary: 40 bytes, compared without touching text.
/// </summary>
/// <remarks>
/// Only hashes whose Base64 text is exactly what their bytes encode to have a key, with digests of up to 64 bytes and sizes of
/// 0 to 2^31-1; for these, equal keys mean equal text and size. All others are compared as text by the engine. Digests over
/// 32 bytes are folded to 32, which keeps 256 bits of them.
/// </remarks>
internal readonly struct BlockKey : IEquatable<BlockKey>
{
    /// <summary>Characters of the longest text that can have a key.</summary>
    internal const int MaxTextLength = 88;

    private const int MaxDigestLength = 64;
    private const int DecodeLength = 66;

    internal readonly ulong A;
    internal readonly ulong B;
    internal readonly ulong C;
    internal readonly ulong D;

    /// <summary>Size of the block in bytes.</summary>
    internal readonly int Size;

    /// <summary>Bytes of the digest.</summary>
    internal readonly int Length;

    internal BlockKey(ulong a, ulong b, ulong c, ulong d, int size, int length)
    {
        A = a;
        B = b;
        C = c;
        D = d;
        Size = size;
        Length = length;
    }

    /// <summary>A well-mixed 64-bit value of all parts, also for made-up digests that differ in a few bits only.</summary>
    internal ulong Hash
    {
        get
        {
            var h = A ^ BitOperations.RotateLeft(B, 17) ^ BitOperations.RotateLeft(C, 31) ^ BitOperations.RotateLeft(D, 47);
            return Mix(h + (((ulong)(uint)Size << 8) + (ulong)Length) * 0x9E3779B97F4A7C15);
        }
    }

    /// <summary>Makes the key of a hash given as text. False: this hash and size must be compared as text.</summary>
    internal static bool TryParse(string base64, long size, out BlockKey key)
    {
        Span<byte> text = stackalloc byte[MaxTextLength];
        return TryParse(base64, size, text, out _, out key);
    }

    /// <summary><see cref="TryParse(string, long, out BlockKey)"/>, which also gives the hash as UTF-8.</summary>
    /// <param name="base64">The hash.</param>
    /// <param name="size">Size of the block in bytes.</param>
    /// <param name="text">Receives the text; at least <see cref="MaxTextLength"/> bytes.</param>
    /// <param name="length">Bytes of <paramref name="text"/> used.</param>
    /// <param name="key">The key.</param>
    internal static bool TryParse(string base64, long size, Span<byte> text, out int length, out BlockKey key)
    {
        if (base64.Length <= MaxTextLength && Ascii.FromUtf16(base64, text, out length) == OperationStatus.Done)
            return TryParse(text[..length], size, out key);

        length = 0;
        key = default;
        return false;
    }

    /// <summary>Makes the key of a hash given as UTF-8 text. False: this hash and size must be compared as text.</summary>
    internal static bool TryParse(ReadOnlySpan<byte> utf8, long size, out BlockKey key)
    {
        key = default;
        if (utf8.Length > MaxTextLength || (ulong)size > int.MaxValue)
            return false;

        Span<byte> digest = stackalloc byte[DecodeLength];
        digest.Clear();
        if (Base64.DecodeFromUtf8(utf8, digest, out _, out var length) != OperationStatus.Done || !IsCanonical(utf8, digest[..length]))
            return false;

        key = FromPadded(digest, length, (int)size);
        return true;
    }

    /// <summary>The key of a raw digest.</summary>
    /// <param name="digest">At most 64 bytes.</param>
    /// <param name="size">0 to 2^31-1.</param>
    /// <exception cref="ArgumentOutOfRangeException">The digest is too long or the size has no key.</exception>
    internal static BlockKey FromDigest(ReadOnlySpan<byte> digest, long size)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(digest.Length, MaxDigestLength, nameof(digest));
        ArgumentOutOfRangeException.ThrowIfGreaterThan((ulong)size, (ulong)int.MaxValue, nameof(size));
        Span<byte> padded = stackalloc byte[DecodeLength];
        padded.Clear();
        digest.CopyTo(padded);
        return FromPadded(padded, digest.Length, (int)size);
    }

    private static BlockKey FromPadded(ReadOnlySpan<byte> padded, int length, int size)
    {
        var lanes = MemoryMarshal.Cast<byte, ulong>(padded[..MaxDigestLength]);
        if (length <= 32)
            return new BlockKey(lanes[0], lanes[1], lanes[2], lanes[3], size, length);

        return new BlockKey(
            lanes[0] ^ Mix(lanes[4]),
            lanes[1] ^ Mix(lanes[5]),
            lanes[2] ^ Mix(lanes[6]),
            lanes[3] ^ Mix(lanes[7]),
            size,
            length
        );
    }

    // The decoder skips white space, which the length shows, and ignores the unused bits of the last character.
    private static bool IsCanonical(ReadOnlySpan<byte> text, ReadOnlySpan<byte> digest)
    {
        if (digest.Length > MaxDigestLength || text.Length != (digest.Length + 2) / 3 * 4)
            return false;

        var alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"u8;
        return (digest.Length % 3) switch
        {
            1 => text[^3] == alphabet[(digest[^1] & 3) << 4],
            2 => text[^2] == alphabet[(digest[^1] & 15) << 2],
            _ => true,
        };
    }

    private static ulong Mix(ulong h)
    {
        h ^= h >> 32;
        h *= 0xD6E8FEB86659FD93;
        h ^= h >> 32;
        h *= 0xD6E8FEB86659FD93;
        return h ^ (h >> 32);
    }

    /// <inheritdoc/>
    public bool Equals(BlockKey other) =>
        A == other.A && B == other.B && C == other.C && D == other.D && Size == other.Size && Length == other.Length;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is BlockKey other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => (int)Hash;
}
