// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;

namespace Duplicati.UnitTest.Engine.Encryption;

/// <summary>
/// AES Crypt streams of version 3 once more, written and read from the description of the format and from nothing of the engine.
/// </summary>
internal static class AesCrypt3
{
    private const int BLOCK = 16;
    private const int HASH = 32;
    private const int SESSION = 48;

    /// <summary>Writes one.</summary>
    internal static byte[] Write(byte[] content, string password, uint iterations, params byte[][] extensions)
    {
        var padding = BLOCK - (content.Length % BLOCK);
        return WritePadded([.. content, .. Enumerable.Repeat((byte)padding, padding)], password, iterations, extensions);
    }

    /// <summary>Writes one of content that is padded already.</summary>
    internal static byte[] WritePadded(byte[] content, string password, uint iterations, params byte[][] extensions)
    {
        var (iv, session) = (RandomNumberGenerator.GetBytes(BLOCK), RandomNumberGenerator.GetBytes(SESSION));
        var key = Key(password, iv, iterations);
        var wrapped = Cipher(key).EncryptCbc(session, iv, PaddingMode.None);
        var encrypted = Cipher(session[BLOCK..]).EncryptCbc(content, session[..BLOCK], PaddingMode.None);
        return
        [
            .. "AES"u8,
            3,
            0,
            .. extensions.SelectMany(x => (byte[])[(byte)(x.Length >> 8), (byte)x.Length, .. x]),
            0,
            0,
            .. BigEndian(iterations),
            .. iv,
            .. wrapped,
            .. Hmac(key, [.. wrapped, 3]),
            .. encrypted,
            .. Hmac(session[BLOCK..], encrypted),
        ];
    }

    /// <summary>Reads one; what does not fit is an exception.</summary>
    internal static byte[] Read(byte[] stream, string password)
    {
        var at = 5;
        Require(stream.AsSpan(0, at).SequenceEqual("AES\x03\0"u8));
        while (Take(2) is var length && (length[0] | length[1]) != 0)
            Take((length[0] << 8) | length[1]);
        var iterations = BinaryPrimitives.ReadUInt32BigEndian(Take(4));
        var iv = Take(BLOCK);
        var key = Key(password, iv, iterations);
        var wrapped = Take(SESSION);
        Require(Hmac(key, [.. wrapped, 3]).SequenceEqual(Take(HASH)));
        var session = Cipher(key).DecryptCbc(wrapped, iv, PaddingMode.None);
        var encrypted = Take(stream.Length - at - HASH);
        Require(Hmac(session[BLOCK..], encrypted).SequenceEqual(Take(HASH)));
        return Cipher(session[BLOCK..]).DecryptCbc(encrypted, session[..BLOCK], PaddingMode.PKCS7);

        byte[] Take(int count) => stream[at..(at += count)];
    }

    // PBKDF2 with HMAC-SHA512; the key is shorter than a hash, so that there is one block of it.
    private static byte[] Key(string password, byte[] salt, uint iterations)
    {
        var secret = Encoding.UTF8.GetBytes(password);
        var hash = HMACSHA512.HashData(secret, (byte[])[.. salt, 0, 0, 0, 1]);
        var sum = hash;
        for (var i = 1; i < iterations; i++)
        {
            hash = HMACSHA512.HashData(secret, hash);
            sum = [.. sum.Zip(hash, (x, y) => (byte)(x ^ y))];
        }

        return sum[..HASH];
    }

    private static Aes Cipher(byte[] key)
    {
        var cipher = Aes.Create();
        cipher.Key = key;
        return cipher;
    }

    private static byte[] Hmac(byte[] key, byte[] covered) => HMACSHA256.HashData(key, covered);

    private static byte[] BigEndian(uint number)
    {
        var bytes = new byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(bytes, number);
        return bytes;
    }

    private static void Require(bool fits)
    {
        if (!fits)
            throw new InvalidDataException("This is no stream of version 3 with that password.");
    }
}
