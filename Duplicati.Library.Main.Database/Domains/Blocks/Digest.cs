// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Security.Cryptography;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>The hash functions that backups are made with, by the names that options and manifests have.</summary>
internal static class Digest
{
    /// <summary>Makes a hash function.</summary>
    /// <param name="algorithm">MD5, SHA1, SHA256, SHA384 or SHA512, in any case.</param>
    /// <returns>The function, to be disposed.</returns>
    /// <exception cref="ArgumentException">The name is not known.</exception>
#pragma warning disable CA5350, CA5351 // backups made with these exist and must stay readable
    internal static HashAlgorithm Create(string algorithm) =>
        algorithm.ToUpperInvariant() switch
        {
            "MD5" => MD5.Create(),
            "SHA1" => SHA1.Create(),
            "SHA256" => SHA256.Create(),
            "SHA384" => SHA384.Create(),
            "SHA512" => SHA512.Create(),
            _ => throw new ArgumentException($"Unknown hash algorithm: {algorithm}", nameof(algorithm)),
        };
#pragma warning restore CA5350, CA5351
}

/// <summary>Blocks given by raw digests of one length, one after the other, and as many sizes.</summary>
internal readonly ref struct PackedBlocks
{
    /// <summary>The longest digest, in bytes.</summary>
    internal const int MaxDigestBytes = HashText.MaxDigestBytes;

    private readonly ReadOnlySpan<byte> m_digests;
    private readonly ReadOnlySpan<long> m_sizes;
    private readonly int m_digestBytes;

    /// <exception cref="ArgumentException">The digests do not divide into as many of equal length, 1 to <see cref="MaxDigestBytes"/> bytes,
    /// as there are sizes.</exception>
    internal PackedBlocks(ReadOnlySpan<byte> digests, ReadOnlySpan<long> sizes)
    {
        m_digests = digests;
        m_sizes = sizes;
        m_digestBytes = sizes.IsEmpty ? 0 : digests.Length / sizes.Length;
        if (sizes.IsEmpty != digests.IsEmpty || m_digestBytes > MaxDigestBytes || m_digestBytes * (long)sizes.Length != digests.Length)
            throw new ArgumentException($"{digests.Length} bytes are not the digests of {sizes.Length} blocks.", nameof(digests));
    }

    /// <summary>Number of blocks.</summary>
    internal int Count => m_sizes.Length;

    /// <summary>The digest of a block.</summary>
    internal ReadOnlySpan<byte> Digest(int index) => m_digests.Slice(index * m_digestBytes, m_digestBytes);

    /// <summary>The size of a block in bytes.</summary>
    internal long Size(int index) => m_sizes[index];

    /// <summary>Some of the blocks.</summary>
    internal PackedBlocks Slice(int start, int count) =>
        new(m_digests.Slice(start * m_digestBytes, count * m_digestBytes), m_sizes.Slice(start, count));
}
