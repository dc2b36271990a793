// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Duplicati.Engine.Encryption;

/// <summary>Encrypts whole files to AES Crypt streams, in constant memory. Safe for concurrent use.</summary>
public static class AesCryptStreamWriter
{
    private const string CREATED_BY = "Duplicati.Engine";

    // An unnamed extension that other programs may fill in later without moving the content.
    private const int PLACEHOLDER = 127;

    /// <summary>Encrypts a stream from its position to its end.</summary>
    /// <param name="plain">The content.</param>
    /// <param name="target">Takes the encrypted stream.</param>
    /// <param name="passphrase">The passphrase, not empty.</param>
    /// <param name="options">Which version is written, and how.</param>
    /// <param name="token">Cancels; the target is then incomplete.</param>
    /// <exception cref="ArgumentException">The passphrase is empty, or an option is out of its bounds.</exception>
    public static async Task EncryptAsync(Stream plain, Stream target, string passphrase, AesCryptOptions options, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(plain);
        ArgumentNullException.ThrowIfNull(target);
        ArgumentException.ThrowIfNullOrEmpty(passphrase);
        ArgumentNullException.ThrowIfNull(options);
        options.Check();
        var session = RandomNumberGenerator.GetBytes(AesCryptFormat.SESSION);
        try
        {
            await target.WriteAsync(Head(passphrase, session, options), token).ConfigureAwait(false);
            await ContentAsync(plain, target, session, options.Version, token).ConfigureAwait(false);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(session);
        }
    }

    private static byte[] Head(string passphrase, byte[] session, AesCryptOptions options)
    {
        using var head = new MemoryStream();
        head.Write(AesCryptFormat.Magic);
        head.Write([(byte)options.Version, 0]);
        if (!options.IsHeaderMinimal)
            Extensions(head);
        head.Write([0, 0]);
        if (options.Version == AesCryptFormat.VERSION_3)
        {
            Span<byte> iterations = stackalloc byte[sizeof(uint)];
            BinaryPrimitives.WriteUInt32BigEndian(iterations, (uint)options.Iterations);
            head.Write(iterations);
        }

        Span<byte> iv = stackalloc byte[AesCryptFormat.BLOCK];
        Span<byte> key = stackalloc byte[AesCryptFormat.KEY];
        Span<byte> wrapped = stackalloc byte[AesCryptFormat.SESSION];
        Span<byte> hmac = stackalloc byte[AesCryptFormat.HMAC];
        RandomNumberGenerator.Fill(iv);
        AesCryptFormat.DeriveKey(options.Version, options.Iterations, passphrase, iv, key);
        using (var cipher = AesCryptFormat.CreateCipher(key))
            cipher.EncryptCbc(session, iv, wrapped, PaddingMode.None);
        AesCryptFormat.Authenticate(options.Version, key, wrapped, hmac);
        head.Write(iv);
        head.Write(wrapped);
        head.Write(hmac);
        CryptographicOperations.ZeroMemory(key);
        return head.ToArray();
    }

    private static void Extensions(MemoryStream head)
    {
        var now = DateTime.UtcNow;
        Extension(head, "CREATED_BY", CREATED_BY);
        Extension(head, "CREATED_DATE", now.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture));
        Extension(head, "CREATED_TIME", now.ToString("HH-mm-ss", CultureInfo.InvariantCulture));
        Extension(head, "", new string('\0', PLACEHOLDER));
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

    private static async Task ContentAsync(Stream plain, Stream target, byte[] session, int version, CancellationToken token)
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
            var padded = Pad(buffer, read, version);
            if (padded == 0)
                break;
            transform.TransformBlock(buffer, 0, padded, output, 0);
            hmac.AppendData(output, 0, padded);
            await target.WriteAsync(output.AsMemory(0, padded), token).ConfigureAwait(false);
        } while (read == buffer.Length);

        CryptographicOperations.ZeroMemory(buffer);
        var trailer = new byte[AesCryptFormat.Trailer(version)];
        hmac.GetHashAndReset(trailer.AsSpan(^AesCryptFormat.HMAC..));
        if (version == AesCryptFormat.VERSION_2)
            trailer[0] = (byte)(length % AesCryptFormat.BLOCK);
        await target.WriteAsync(trailer, token).ConfigureAwait(false);
    }

    // Fills the last block up with the number of bytes added. A full block gets none in version 2, and a whole block after it in version 3;
    // a full buffer is not the end.
    private static int Pad(byte[] buffer, int length, int version)
    {
        var padding = AesCryptFormat.BLOCK - (length % AesCryptFormat.BLOCK);
        if (length == buffer.Length || (padding == AesCryptFormat.BLOCK && version == AesCryptFormat.VERSION_2))
            return length;
        buffer.AsSpan(length, padding).Fill((byte)padding);
        return length + padding;
    }
}
