using System.Security.Cryptography;

namespace Duplicati.Library.Utility;

/// <summary>Makes the hash functions that backups are made with.</summary>
public static class HashFactory
{
    /// <summary>Makes a hash function.</summary>
    /// <param name="algorithm">Its name as stored in manifests: MD5, SHA1, SHA256, SHA384 or SHA512, in any case.</param>
    /// <returns>The function, to be disposed.</returns>
    /// <exception cref="ArgumentException">The name is not known.</exception>
#pragma warning disable CA5350, CA5351 // backups made with these exist and must stay readable
    public static HashAlgorithm CreateHasher(string algorithm) => algorithm?.ToUpperInvariant() switch
    {
        "MD5" => MD5.Create(),
        "SHA1" => SHA1.Create(),
        "SHA256" => SHA256.Create(),
        "SHA384" => SHA384.Create(),
        "SHA512" => SHA512.Create(),
        _ => throw new ArgumentException($"Unknown hash algorithm: {algorithm}", nameof(algorithm)),
    };
#pragma warning restore CA5350, CA5351

    /// <summary>The length of a digest.</summary>
    /// <param name="algorithm">The name, as for <see cref="CreateHasher"/>.</param>
    /// <returns>Bytes.</returns>
    public static int HashSizeBytes(string algorithm)
    {
        using var hasher = CreateHasher(algorithm);
        return hasher.HashSize / 8;
    }
}
