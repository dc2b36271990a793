// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.Security.Cryptography;
using Duplicati.Engine.Errors;

namespace Duplicati.Engine.Encryption;

/// <summary>Decrypts AES Crypt streams of versions 2 and 3 in constant memory. Safe for concurrent use.</summary>
/// <remarks>
/// The format protects the content by an HMAC, but in version 2 not the byte that says how much of the last block is content: a change of
/// that byte alone shows only in the hash of the file and in the container inside.
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
    /// <exception cref="WrongPassphraseException">The passphrase is wrong; nothing was written to the target.</exception>
    /// <exception cref="CorruptVolumeException">The stream is truncated or was altered.</exception>
    /// <exception cref="UnsupportedVolumeException">It is of another version.</exception>
    public static Task DecryptAsync(Stream source, Stream target, string passphrase, string volume, CancellationToken token) =>
        DecryptAsync(source, target, passphrase, volume, isDamaged: false, token);

    /// <summary>
    /// Decrypts what is left of a damaged stream: every whole block of the cipher up to its end, authenticated or not. Damage within costs
    /// two blocks of the cipher. What follows the content, if it is there, is decrypted as well, to bytes without meaning.
    /// </summary>
    /// <param name="source">The encrypted stream.</param>
    /// <param name="target">Takes what comes of it, of which nothing can be trusted.</param>
    /// <param name="passphrase">The passphrase; a wrong one gives bytes without meaning.</param>
    /// <param name="volume">The file name of the volume, for errors.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="CorruptVolumeException">The head is damaged, without which nothing can be decrypted.</exception>
    /// <exception cref="UnsupportedVolumeException">It is of another version.</exception>
    public static Task SalvageAsync(Stream source, Stream target, string passphrase, string volume, CancellationToken token) =>
        DecryptAsync(source, target, passphrase, volume, isDamaged: true, token);

    private static async Task DecryptAsync(
        Stream source,
        Stream target,
        string passphrase,
        string volume,
        bool isDamaged,
        CancellationToken token
    )
    {
        ArgumentNullException.ThrowIfNull(source);
        ArgumentNullException.ThrowIfNull(target);
        ArgumentNullException.ThrowIfNull(passphrase);
        byte[]? session = null;
        try
        {
            var (version, iterations) = await ReadPreambleAsync(source, volume, token).ConfigureAwait(false);
            var head = new byte[AesCryptFormat.BLOCK + AesCryptFormat.SESSION + AesCryptFormat.HMAC];
            await source.ReadExactlyAsync(head, token).ConfigureAwait(false);
            session = OpenSession(version, iterations, head, passphrase, authenticatedAs: isDamaged ? null : volume);
            await (
                isDamaged ? RestAsync(source, target, session, token) : ContentAsync(version, source, target, session, volume, token)
            ).ConfigureAwait(false);
        }
        catch (EndOfStreamException ex)
        {
            throw new CorruptVolumeException(volume, $"The encrypted file is truncated{(isDamaged ? " within its head" : "")}.", ex);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(session);
        }
    }

    private static async Task<(byte Version, int Iterations)> ReadPreambleAsync(Stream source, string volume, CancellationToken token)
    {
        var head = new byte[5];
        await source.ReadExactlyAsync(head, token).ConfigureAwait(false);
        if (!head.AsSpan(0, 3).SequenceEqual(AesCryptFormat.Magic))
            throw new CorruptVolumeException(volume, "The file is not an AES Crypt file.");
        var version = head[3];
        if (!AesCryptFormat.IsKnown(version))
            throw new UnsupportedVolumeException(
                volume,
                $"The file is of AES Crypt version {version}, only versions {AesCryptFormat.VERSION_2} and {AesCryptFormat.VERSION_3} are known."
            );
        var buffer = new byte[ushort.MaxValue];
        while (true)
        {
            await source.ReadExactlyAsync(buffer.AsMemory(0, sizeof(ushort)), token).ConfigureAwait(false);
            var length = BinaryPrimitives.ReadUInt16BigEndian(buffer);
            if (length == 0)
                break;
            await source.ReadExactlyAsync(buffer.AsMemory(0, length), token).ConfigureAwait(false);
        }

        if (version == AesCryptFormat.VERSION_2)
            return (version, 0);
        await source.ReadExactlyAsync(buffer.AsMemory(0, sizeof(uint)), token).ConfigureAwait(false);
        // Nothing authenticates them, and they take time.
        var iterations = BinaryPrimitives.ReadUInt32BigEndian(buffer);
        return iterations is >= 1 and <= AesCryptOptions.MAX_ITERATIONS
            ? (version, (int)iterations)
            : throw new CorruptVolumeException(
                volume,
                $"The encrypted file asks for {iterations} iterations of the passphrase's hash, which must be 1 to {AesCryptOptions.MAX_ITERATIONS}."
            );
    }

    // With the name of the volume, for the error, only if the passphrase is the right one and the head as it was written.
    private static byte[] OpenSession(int version, int iterations, ReadOnlySpan<byte> head, string passphrase, string? authenticatedAs)
    {
        var iv = head[..AesCryptFormat.BLOCK];
        var wrapped = head.Slice(AesCryptFormat.BLOCK, AesCryptFormat.SESSION);
        Span<byte> key = stackalloc byte[AesCryptFormat.KEY];
        Span<byte> hmac = stackalloc byte[AesCryptFormat.HMAC];
        AesCryptFormat.DeriveKey(version, iterations, passphrase, iv, key);
        try
        {
            AesCryptFormat.Authenticate(version, key, wrapped, hmac);
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

    // Whole blocks of the cipher, authenticated or not.
    private static async Task RestAsync(Stream source, Stream target, byte[] session, CancellationToken token)
    {
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

    private static async Task ContentAsync(
        int version,
        Stream source,
        Stream target,
        byte[] session,
        string volume,
        CancellationToken token
    )
    {
        using var cipher = AesCryptFormat.CreateCipher(session.AsSpan(AesCryptFormat.BLOCK));
        using var transform = cipher.CreateDecryptor(cipher.Key, session[..AesCryptFormat.BLOCK]);
        using var hmac = IncrementalHash.CreateHMAC(HashAlgorithmName.SHA256, session.AsSpan(AesCryptFormat.BLOCK));
        // The last block and the trailer are kept back until the end is seen: not all of the block is content.
        var trailer = AesCryptFormat.Trailer(version);
        var kept = AesCryptFormat.BLOCK + trailer;
        var buffer = new byte[kept + AesCryptFormat.CHUNK];
        var output = new byte[AesCryptFormat.CHUNK + AesCryptFormat.BLOCK];
        var filled = 0;
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
            buffer.AsSpan(AesCryptFormat.CHUNK, kept).CopyTo(buffer);
            filled = kept;
        }

        var encrypted = filled - trailer;
        CheckEnd(buffer.AsSpan(0, filled), encrypted, hmac, volume);
        if (encrypted > 0)
            transform.TransformBlock(buffer, 0, encrypted, output, 0);
        // Whatever has come before, the last block is among these.
        var plain =
            version == AesCryptFormat.VERSION_2
                ? WithoutPadding(encrypted, buffer[encrypted], volume)
                : WithoutPadding(output.AsSpan(0, encrypted), volume);
        await target.WriteAsync(output.AsMemory(0, plain), token).ConfigureAwait(false);
        CryptographicOperations.ZeroMemory(output);
    }

    private static void CheckEnd(ReadOnlySpan<byte> end, int encrypted, IncrementalHash hmac, string volume)
    {
        if (encrypted < 0 || encrypted % AesCryptFormat.BLOCK != 0)
            throw new CorruptVolumeException(volume, "The encrypted file is truncated.");
        hmac.AppendData(end[..encrypted]);
        if (!CryptographicOperations.FixedTimeEquals(hmac.GetHashAndReset(), end[^AesCryptFormat.HMAC..]))
            throw new CorruptVolumeException(volume, "The encrypted file was truncated or altered: its authentication code is wrong.");
    }

    // Version 2: a byte after the content says how much of the last block counts, zero for all of it.
    private static int WithoutPadding(int length, byte lastBlock, string volume) =>
        lastBlock >= AesCryptFormat.BLOCK || (lastBlock > 0 && length == 0) ? throw WrongLength(volume)
        : lastBlock == 0 ? length
        : length - AesCryptFormat.BLOCK + lastBlock;

    // Version 3, PKCS #7: each byte that is added says how many there are, one at least.
    private static int WithoutPadding(ReadOnlySpan<byte> plain, string volume)
    {
        var padding = plain.IsEmpty ? (byte)0 : plain[^1];
        return padding is >= 1 and <= AesCryptFormat.BLOCK && !plain[^padding..].ContainsAnyExcept(padding)
            ? plain.Length - padding
            : throw WrongLength(volume);
    }

    private static CorruptVolumeException WrongLength(string volume) =>
        new(volume, "The encrypted file was altered: the length of its last block is wrong.");
}
