// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using System.Text;

namespace Duplicati.Engine.Encryption;

/// <summary>
/// Constants and key derivation of AES Crypt stream format, version 2 (aescrypt.com, file format): magic, version, zero,
/// extensions, IV, sealed session key with HMAC, content in AES-256-CBC, content length mod 16, HMAC of the content.
/// </summary>
internal static class AesCryptFormat
{
    /// <summary>The version read and written.</summary>
    public const byte VERSION = 2;

    /// <summary>The block of the cipher, also the length of an initialisation vector, bytes.</summary>
    public const int BLOCK = 16;

    /// <summary>The length of a key, bytes.</summary>
    public const int KEY = 32;

    /// <summary>The length of an HMAC, bytes.</summary>
    public const int HMAC = 32;

    /// <summary>The sealed session key: IV and key of the content, bytes.</summary>
    public const int SESSION = BLOCK + KEY;

    /// <summary>What follows the content: its length mod 16 and its HMAC, bytes.</summary>
    public const int TRAILER = 1 + HMAC;

    /// <summary>The unit of reading and writing, bytes; a multiple of the block.</summary>
    public const int CHUNK = 128 * 1024;

    private const int ROUNDS = 8192;

    /// <summary>How a file starts.</summary>
    public static ReadOnlySpan<byte> Magic => "AES"u8;

    /// <summary>
    /// The key that a passphrase stands for: 8192 times SHA-256 over the key so far and the passphrase in UTF-16LE, starting with the IV.
    /// </summary>
    /// <param name="passphrase">The passphrase.</param>
    /// <param name="iv">The IV of the file.</param>
    /// <param name="key">Takes the key, <see cref="KEY"/> bytes.</param>
    public static void DeriveKey(string passphrase, ReadOnlySpan<byte> iv, Span<byte> key)
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
