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
