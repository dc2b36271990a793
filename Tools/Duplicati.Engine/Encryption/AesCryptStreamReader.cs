// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.Security.Cryptography;
using Duplicati.Engine.Errors;

namespace Duplicati.Engine.Encryption;

/// <summary>Decrypts AES Crypt streams of version 2 in constant memory. Safe for concurrent use.</summary>
/// <remarks>
/// The format protects the content by an HMAC, but not the byte that says how much of the last block is content: a change of that
/// byte alone shows only in the hash of the file and in the container inside.
/// </remarks>
public static class AesCryptStreamReader
{
    /// <summary>Decrypts a stream from its position to its end.</summary>
    /// <param name="source">The encrypted stream.</param>
    /// <param name="target">Takes the content. It must not be used unless the call succeeds: the HMAC is known to be right only at the
    /// end.</param>
    /// <param name="passphrase">The passphrase.</param>
    /// <param name="volume">The file name of the volume, for errors.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>The bytes of content.</returns>
    /// <exception cref="WrongPassphraseException">The passphrase is wrong; nothing was written to the target.</exception>
    /// <exception cref="CorruptVolumeException">The stream is truncated or was altered.</exception>
    /// <exception cref="UnsupportedVolumeException">It is of another version.</exception>
    public static async Task<long> DecryptAsync(Stream source, Stream target, string passphrase, string volume, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(source);
        ArgumentNullException.ThrowIfNull(target);
        ArgumentNullException.ThrowIfNull(passphrase);
        byte[]? session = null;
        try
        {
            await SkipPreambleAsync(source, volume, token).ConfigureAwait(false);
            session = OpenSession(await ReadHeadAsync(source, token).ConfigureAwait(false), passphrase, volume);
            return await ContentAsync(source, target, session, volume, token).ConfigureAwait(false);
        }
        catch (EndOfStreamException ex)
        {
            throw new CorruptVolumeException(volume, "The encrypted file is truncated.", ex);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(session);
        }
    }

    /// <summary>
    /// Decrypts what is left of a damaged stream: every whole block of the cipher up to its end, authenticated or not. Damage within costs
    /// two
    /// blocks of the cipher. What follows the content, if it is there, is decrypted as well, to bytes without meaning.
    /// </summary>
    /// <param name="source">The encrypted stream.</param>
    /// <param name="target">Takes what comes of it, of which nothing can be trusted.</param>
    /// <param name="passphrase">The passphrase; a wrong one gives bytes without meaning.</param>
    /// <param name="volume">The file name of the volume, for errors.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="CorruptVolumeException">The head is damaged, without which nothing can be decrypted.</exception>
    /// <exception cref="UnsupportedVolumeException">It is of another version.</exception>
    public static async Task SalvageAsync(Stream source, Stream target, string passphrase, string volume, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(source);
        ArgumentNullException.ThrowIfNull(target);
        ArgumentNullException.ThrowIfNull(passphrase);
        byte[]? session = null;
        try
        {
            await SkipPreambleAsync(source, volume, token).ConfigureAwait(false);
            session = OpenSession(await ReadHeadAsync(source, token).ConfigureAwait(false), passphrase, authenticatedAs: null);
            using var cipher = AesCryptFormat.CreateCipher(session.AsSpan(AesCryptFormat.BLOCK));
            using var transform = cipher.CreateDecryptor(cipher.Key, session[..AesCryptFormat.BLOCK]);
            var buffer = new byte[AesCryptFormat.CHUNK];
            for (var read = buffer.Length; read == buffer.Length; )
            {
                read = await source.ReadAtLeastAsync(buffer, buffer.Length, throwOnEndOfStream: false, token).ConfigureAwait(false);
                var whole = read - (read % AesCryptFormat.BLOCK);
                if (whole > 0)
                    transform.TransformBlock(buffer, 0, whole, buffer, 0);
                await target.WriteAsync(buffer.AsMemory(0, whole), token).ConfigureAwait(false);
            }
        }
        catch (EndOfStreamException ex)
        {
            throw new CorruptVolumeException(volume, "The encrypted file is truncated within its head.", ex);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(session);
        }
    }

    private static async Task SkipPreambleAsync(Stream source, string volume, CancellationToken token)
    {
        var head = new byte[5];
        await source.ReadExactlyAsync(head, token).ConfigureAwait(false);
        if (!head.AsSpan(0, 3).SequenceEqual(AesCryptFormat.Magic))
            throw new CorruptVolumeException(volume, "The file is not an AES Crypt file.");
        if (head[3] != AesCryptFormat.VERSION)
            throw new UnsupportedVolumeException(
                volume,
                $"The file is of AES Crypt version {head[3]}, only version {AesCryptFormat.VERSION} is known."
            );
        var skipped = new byte[ushort.MaxValue];
        while (true)
        {
            await source.ReadExactlyAsync(skipped.AsMemory(0, sizeof(ushort)), token).ConfigureAwait(false);
            var length = BinaryPrimitives.ReadUInt16BigEndian(skipped);
            if (length == 0)
                return;
            await source.ReadExactlyAsync(skipped.AsMemory(0, length), token).ConfigureAwait(false);
        }
    }

    private static async Task<byte[]> ReadHeadAsync(Stream source, CancellationToken token)
    {
        var head = new byte[AesCryptFormat.BLOCK + AesCryptFormat.SESSION + AesCryptFormat.HMAC];
        await source.ReadExactlyAsync(head, token).ConfigureAwait(false);
        return head;
    }

    // With the name of the volume, for the error, only if the passphrase is the right one and the head as it was written.
    private static byte[] OpenSession(ReadOnlySpan<byte> head, string passphrase, string? authenticatedAs)
    {
        var iv = head[..AesCryptFormat.BLOCK];
        var wrapped = head.Slice(AesCryptFormat.BLOCK, AesCryptFormat.SESSION);
        Span<byte> key = stackalloc byte[AesCryptFormat.KEY];
        Span<byte> hmac = stackalloc byte[AesCryptFormat.HMAC];
        AesCryptFormat.DeriveKey(passphrase, iv, key);
        try
        {
            HMACSHA256.HashData(key, wrapped, hmac);
            if (authenticatedAs is not null && !CryptographicOperations.FixedTimeEquals(hmac, head[^AesCryptFormat.HMAC..]))
                throw new WrongPassphraseException(authenticatedAs);
            using var cipher = AesCryptFormat.CreateCipher(key);
            return cipher.DecryptCbc(wrapped, iv, PaddingMode.None);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(key);
        }
    }

    private static async Task<long> ContentAsync(Stream source, Stream target, byte[] session, string volume, CancellationToken token)
    {
        using var cipher = AesCryptFormat.CreateCipher(session.AsSpan(AesCryptFormat.BLOCK));
        using var transform = cipher.CreateDecryptor(cipher.Key, session[..AesCryptFormat.BLOCK]);
        using var hmac = IncrementalHash.CreateHMAC(HashAlgorithmName.SHA256, session.AsSpan(AesCryptFormat.BLOCK));
        // The last block and the trailer are kept back until the end is seen, because the trailer says what the block holds.
        const int KEPT = AesCryptFormat.BLOCK + AesCryptFormat.TRAILER;
        var buffer = new byte[KEPT + AesCryptFormat.CHUNK];
        var output = new byte[AesCryptFormat.CHUNK + AesCryptFormat.BLOCK];
        var filled = 0;
        long length = 0;
        while (true)
        {
            var read = await source
                .ReadAtLeastAsync(buffer.AsMemory(filled), buffer.Length - filled, throwOnEndOfStream: false, token)
                .ConfigureAwait(false);
            filled += read;
            if (filled < buffer.Length)
                break;
            transform.TransformBlock(buffer, 0, AesCryptFormat.CHUNK, output, 0);
            hmac.AppendData(buffer, 0, AesCryptFormat.CHUNK);
            await target.WriteAsync(output.AsMemory(0, AesCryptFormat.CHUNK), token).ConfigureAwait(false);
            length += AesCryptFormat.CHUNK;
            buffer.AsSpan(AesCryptFormat.CHUNK, KEPT).CopyTo(buffer);
            filled = KEPT;
        }

        var rest = CheckEnd(buffer.AsSpan(0, filled), length, hmac, volume);
        if (rest.Encrypted > 0)
            transform.TransformBlock(buffer, 0, rest.Encrypted, output, 0);
        await target.WriteAsync(output.AsMemory(0, rest.Plain), token).ConfigureAwait(false);
        CryptographicOperations.ZeroMemory(output);
        return length + rest.Plain;
    }

    /// <summary>Checks lengths and HMAC; says how many bytes are left to decrypt and how many of them are content.</summary>
    private static (int Encrypted, int Plain) CheckEnd(ReadOnlySpan<byte> end, long before, IncrementalHash hmac, string volume)
    {
        var encrypted = end.Length - AesCryptFormat.TRAILER;
        if (encrypted < 0 || encrypted % AesCryptFormat.BLOCK != 0)
            throw new CorruptVolumeException(volume, "The encrypted file is truncated.");
        hmac.AppendData(end[..encrypted]);
        if (!CryptographicOperations.FixedTimeEquals(hmac.GetHashAndReset(), end[^AesCryptFormat.HMAC..]))
            throw new CorruptVolumeException(volume, "The encrypted file was truncated or altered: its authentication code is wrong.");
        var lastBlock = end[encrypted];
        if (lastBlock >= AesCryptFormat.BLOCK || (lastBlock > 0 && before + encrypted == 0))
            throw new CorruptVolumeException(volume, "The encrypted file was altered: the length of its last block is wrong.");
        return (encrypted, lastBlock == 0 ? encrypted : encrypted - AesCryptFormat.BLOCK + lastBlock);
    }
}
