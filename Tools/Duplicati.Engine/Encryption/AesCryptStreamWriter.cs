// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Duplicati.Engine.Encryption;

/// <summary>Encrypts whole files to AES Crypt streams of version 2, in constant memory. Safe for concurrent use.</summary>
public static class AesCryptStreamWriter
{
    private const string CREATED_BY = "Duplicati.Engine";

    // An unnamed extension that other programs may fill in later without moving the content.
    private const int PLACEHOLDER = 127;

    /// <summary>Encrypts a stream from its position to its end.</summary>
    /// <param name="plain">The content.</param>
    /// <param name="target">Takes the encrypted stream.</param>
    /// <param name="passphrase">The passphrase, not empty.</param>
    /// <param name="token">Cancels; the target is then incomplete.</param>
    /// <returns>The bytes of content.</returns>
    /// <exception cref="ArgumentException">The passphrase is empty.</exception>
    public static async Task<long> EncryptAsync(Stream plain, Stream target, string passphrase, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(plain);
        ArgumentNullException.ThrowIfNull(target);
        ArgumentException.ThrowIfNullOrEmpty(passphrase);
        var session = RandomNumberGenerator.GetBytes(AesCryptFormat.SESSION);
        try
        {
            await target.WriteAsync(Head(passphrase, session), token).ConfigureAwait(false);
            return await ContentAsync(plain, target, session, token).ConfigureAwait(false);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(session);
        }
    }

    private static byte[] Head(string passphrase, byte[] session)
    {
        using var head = new MemoryStream();
        head.Write(AesCryptFormat.Magic);
        head.Write([AesCryptFormat.VERSION, 0]);
        var now = DateTime.UtcNow;
        Extension(head, "CREATED_BY", CREATED_BY);
        Extension(head, "CREATED_DATE", now.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture));
        Extension(head, "CREATED_TIME", now.ToString("HH-mm-ss", CultureInfo.InvariantCulture));
        Extension(head, "", new string('\0', PLACEHOLDER));
        head.Write([0, 0]);

        Span<byte> iv = stackalloc byte[AesCryptFormat.BLOCK];
        Span<byte> key = stackalloc byte[AesCryptFormat.KEY];
        Span<byte> wrapped = stackalloc byte[AesCryptFormat.SESSION];
        RandomNumberGenerator.Fill(iv);
        AesCryptFormat.DeriveKey(passphrase, iv, key);
        using (var cipher = AesCryptFormat.CreateCipher(key))
            cipher.EncryptCbc(session, iv, wrapped, PaddingMode.None);
        head.Write(iv);
        head.Write(wrapped);
        head.Write(HMACSHA256.HashData(key, wrapped));
        CryptographicOperations.ZeroMemory(key);
        return head.ToArray();
    }

    private static void Extension(MemoryStream head, string name, string value)
    {
        Span<byte> length = stackalloc byte[sizeof(ushort)];
        BinaryPrimitives.WriteUInt16BigEndian(length, (ushort)(name.Length + 1 + value.Length));
        head.Write(length);
        head.Write(Encoding.ASCII.GetBytes(name));
        head.WriteByte(0);
        head.Write(Encoding.ASCII.GetBytes(value));
    }

    private static async Task<long> ContentAsync(Stream plain, Stream target, byte[] session, CancellationToken token)
    {
        using var cipher = AesCryptFormat.CreateCipher(session.AsSpan(AesCryptFormat.BLOCK));
        using var transform = cipher.CreateEncryptor(cipher.Key, session[..AesCryptFormat.BLOCK]);
        using var hmac = IncrementalHash.CreateHMAC(HashAlgorithmName.SHA256, session.AsSpan(AesCryptFormat.BLOCK));
        var buffer = new byte[AesCryptFormat.CHUNK];
        var output = new byte[AesCryptFormat.CHUNK];
        long length = 0;
        int read;
        do
        {
            read = await plain.ReadAtLeastAsync(buffer, buffer.Length, throwOnEndOfStream: false, token).ConfigureAwait(false);
            length += read;
            var padded = Pad(buffer, read);
            if (padded == 0)
                break;
            transform.TransformBlock(buffer, 0, padded, output, 0);
            hmac.AppendData(output, 0, padded);
            await target.WriteAsync(output.AsMemory(0, padded), token).ConfigureAwait(false);
        } while (read == buffer.Length);

        CryptographicOperations.ZeroMemory(buffer);
        var trailer = new byte[AesCryptFormat.TRAILER];
        trailer[0] = (byte)(length % AesCryptFormat.BLOCK);
        hmac.GetHashAndReset(trailer.AsSpan(1));
        await target.WriteAsync(trailer, token).ConfigureAwait(false);
        return length;
    }

    /// <summary>Fills the last block up with the number of bytes added; a full block gets none.</summary>
    private static int Pad(byte[] buffer, int length)
    {
        var padding = (AesCryptFormat.BLOCK - (length % AesCryptFormat.BLOCK)) % AesCryptFormat.BLOCK;
        buffer.AsSpan(length, padding).Fill((byte)padding);
        return length + padding;
    }
}
