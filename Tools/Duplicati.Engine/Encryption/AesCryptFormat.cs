// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using System.Text;

namespace Duplicati.Engine.Encryption;

/// <summary>
/// Constants and key derivation of the AES Crypt stream format, versions 2 and 3 (aescrypt.com, stream format): magic, version, zero,
/// extensions, in version 3 the iterations, IV, sealed session key with HMAC, content in AES-256-CBC, in version 2 the content length mod
/// 16, HMAC of the content.
/// </summary>
internal static class AesCryptFormat
{
    /// <summary>The version that Duplicati writes unless told otherwise.</summary>
    public const byte VERSION_2 = 2;

    /// <summary>
    /// The version with PBKDF2 and PKCS #7; the HMAC of its session key covers the version, too.
    /// </summary>
    public const byte VERSION_3 = 3;

    /// <summary>The block of the cipher, also the length of an initialisation vector, bytes.</summary>
    public const int BLOCK = 16;

    /// <summary>The length of a key, bytes.</summary>
    public const int KEY = 32;

    /// <summary>The length of an HMAC, bytes.</summary>
    public const int HMAC = 32;

    /// <summary>The sealed session key: IV and key of the content, bytes.</summary>
    public const int SESSION = BLOCK + KEY;

    /// <summary>The unit of reading and writing, bytes; a multiple of the block.</summary>
    public const int CHUNK = 128 * 1024;

    private const int ROUNDS = 8192;

    /// <summary>How a file starts.</summary>
    public static ReadOnlySpan<byte> Magic => "AES"u8;

    /// <summary>Whether a version is read and written.</summary>
    public static bool IsKnown(int version) => version is VERSION_2 or VERSION_3;

    /// <summary>What follows the content, bytes: in version 2 its length mod 16; its HMAC.</summary>
    public static int Trailer(int version) => version == VERSION_2 ? 1 + HMAC : HMAC;

    /// <summary>The key that a passphrase stands for.</summary>
    /// <param name="version">The version.</param>
    /// <param name="iterations">The iterations of version 3.</param>
    /// <param name="passphrase">The passphrase.</param>
    /// <param name="iv">The IV of the file.</param>
    /// <param name="key">Takes the key, <see cref="KEY"/> bytes.</param>
    public static void DeriveKey(int version, int iterations, string passphrase, ReadOnlySpan<byte> iv, Span<byte> key)
    {
        if (version == VERSION_2)
        {
            DeriveKey(passphrase, iv, key);
            return;
        }

        var text = Encoding.UTF8.GetBytes(passphrase);
        Rfc2898DeriveBytes.Pbkdf2(text, iv, key, iterations, HashAlgorithmName.SHA512);
        CryptographicOperations.ZeroMemory(text);
    }

    /// <summary>The HMAC of a sealed session key.</summary>
    /// <param name="version">The version.</param>
    /// <param name="key">The key of the passphrase.</param>
    /// <param name="wrapped">The sealed session key.</param>
    /// <param name="hmac">Takes it, <see cref="HMAC"/> bytes.</param>
    public static void Authenticate(int version, ReadOnlySpan<byte> key, ReadOnlySpan<byte> wrapped, Span<byte> hmac)
    {
        Span<byte> covered = stackalloc byte[SESSION + 1];
        wrapped.CopyTo(covered);
        covered[SESSION] = (byte)version;
        HMACSHA256.HashData(key, version == VERSION_2 ? covered[..SESSION] : covered, hmac);
    }

    // 8192 times SHA-256 over the key so far and the passphrase in UTF-16LE, starting with the IV.
    private static void DeriveKey(string passphrase, ReadOnlySpan<byte> iv, Span<byte> key)
    {
        var text = Encoding.Unicode.GetByteCount(passphrase);
        var input = new byte[KEY + text];
        iv.CopyTo(input);
        Encoding.Unicode.GetBytes(passphrase, input.AsSpan(KEY));
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        for (var round = 0; round < ROUNDS; round++)
        {
            hash.AppendData(input);
            hash.GetHashAndReset(input);
        }

        input.AsSpan(0, KEY).CopyTo(key);
        CryptographicOperations.ZeroMemory(input);
    }

    /// <summary>The cipher of the format: AES-256-CBC without padding of its own.</summary>
    /// <param name="key">The key.</param>
    public static Aes CreateCipher(ReadOnlySpan<byte> key)
    {
        var cipher = Aes.Create();
        cipher.Mode = CipherMode.CBC;
        cipher.Padding = PaddingMode.None;
        cipher.SetKey(key);
        return cipher;
    }
}

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
