// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Encryption;

/// <summary>How AES Crypt streams are written. The defaults are Duplicati's; reading needs none of it.</summary>
public sealed record AesCryptOptions
{
    /// <summary>The iterations of version 3 unless others are chosen, which are those of AES Crypt itself.</summary>
    public const int DEFAULT_ITERATIONS = 300_000;

    /// <summary>The most iterations that are written, and that a stream can ask of its reader.</summary>
    public const int MAX_ITERATIONS = 10_000_000;

    /// <summary>The version of the format: 2, or 3, which Duplicati reads since 2.3.0.101.</summary>
    public int Version { get; init; } = AesCryptFormat.VERSION_2;

    /// <summary>How often version 3 hashes the passphrase.</summary>
    public int Iterations { get; init; } = DEFAULT_ITERATIONS;

    /// <summary>Leaves out the extensions: nothing tells who made a stream, and when.</summary>
    public bool IsHeaderMinimal { get; init; }

    /// <summary>Checks the values.</summary>
    /// <returns>These options.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The version is not known, or the iterations are out of their bounds.</exception>
    public AesCryptOptions Check()
    {
        if (!AesCryptFormat.IsKnown(Version))
            throw new ArgumentOutOfRangeException(nameof(Version), Version, "The version of AES Crypt is not known.");
        ArgumentOutOfRangeException.ThrowIfLessThan(Iterations, 1, nameof(Iterations));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Iterations, MAX_ITERATIONS, nameof(Iterations));
        return this;
    }
}
