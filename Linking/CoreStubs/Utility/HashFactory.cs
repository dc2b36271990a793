// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;

namespace Duplicati.Library.Utility;

/// <summary>Knows the hash functions that backups are made with.</summary>
internal static class HashFactory
{
    /// <summary>The length of a digest.</summary>
    /// <param name="algorithm">The name as stored in manifests: MD5, SHA1, SHA256, SHA384 or SHA512, in any case.</param>
    /// <returns>Bytes.</returns>
    /// <exception cref="ArgumentException">The name is not known.</exception>
    internal static int HashSizeBytes(string algorithm) =>
        algorithm.ToUpperInvariant() switch
        {
            "MD5" => MD5.HashSizeInBytes,
            "SHA1" => SHA1.HashSizeInBytes,
            "SHA256" => SHA256.HashSizeInBytes,
            "SHA384" => SHA384.HashSizeInBytes,
            "SHA512" => SHA512.HashSizeInBytes,
            _ => throw new ArgumentException($"Unknown hash algorithm: {algorithm}", nameof(algorithm)),
        };
}
