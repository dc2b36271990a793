// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Buffers.Binary;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Files;

namespace Duplicati.Library.SQLiteHelper.Decryption;

/// <summary>A database file encrypted page by page, each page with the key stream from its start.</summary>
internal static class EncryptedDatabase
{
    private const int HEADER_SIZE = 32;
    private const int PAGE_SIZE_OFFSET = 16;
    private const int KEY_SIZE = 16;
    private const int MIN_PAGE_SIZE = 512;
    private const int MAX_PAGE_SIZE = 65536;

    private static ReadOnlySpan<byte> Magic => "SQLite format 3\0"u8;

    /// <summary>Whether a file exists and does not begin with the mark of an SQLite database.</summary>
    /// <param name="path">The file.</param>
    /// <returns>True also for a file that is too short to tell.</returns>
    public static bool IsEncrypted(string path)
    {
        if (!File.Exists(path))
            return false;
        using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        Span<byte> start = stackalloc byte[Magic.Length];
        return file.ReadAtLeast(start, start.Length, throwOnEndOfStream: false) < start.Length || !start.SequenceEqual(Magic);
    }

    /// <summary>Decrypts a file in place; the original stays beside it.</summary>
    /// <param name="path">The file.</param>
    /// <param name="password">Its password.</param>
    public static void Decrypt(string path, string password)
    {
        path = Path.GetFullPath(path);
        if (!IsEncrypted(path))
            return;

        ThrowIfUnfinished(path + "-journal");
        var key = KeyOf(password);
        // In the same folder, so that the last step is a rename and not a copy that can fail half way.
        var decrypted = path + ".decrypting-" + Guid.NewGuid().ToString("N");
        try
        {
            using (var from = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read))
            using (var to = new FileStream(decrypted, OptionsOf(path)))
            {
                DecryptPages(from, to, PageSizeOf(from, key), key);
                DurableFiles.Standard.FlushStream(to);
            }
            Replace(path, decrypted);
        }
        finally
        {
            File.Delete(decrypted);
        }
    }

    // The pages in the journal are encrypted, too, and the engine would put them back into the decrypted file.
    private static void ThrowIfUnfinished(string journal)
    {
        if (new FileInfo(journal) is { Exists: true, Length: > 0 })
            throw new Exception(
                $"The file cannot be decrypted: a change of it was not finished, and {journal} holds what takes it back. Open it with the release that encrypted it, which does so"
            );
    }

    private static byte[] KeyOf(string password)
    {
#pragma warning disable CA5350 // the old codec used SHA-1
        return SHA1.HashData(Encoding.UTF8.GetBytes(password))[..KEY_SIZE];
#pragma warning restore CA5350
    }

    private static FileStreamOptions OptionsOf(string original)
    {
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
        if (!OperatingSystem.IsWindows())
            options.UnixCreateMode = File.GetUnixFileMode(original);
        return options;
    }

    /// <summary>Decrypts the file header, which also tells whether the password is right.</summary>
    private static int PageSizeOf(FileStream file, byte[] key)
    {
        Span<byte> header = stackalloc byte[HEADER_SIZE];
        file.ReadExactly(header);
        file.Position = 0;
        new Rc4Cipher(key).Apply(header);
        if (!header.StartsWith(Magic))
            throw new Exception("The file cannot be decrypted: the password is wrong, or it is no encrypted database");
        int size = BinaryPrimitives.ReadUInt16BigEndian(header[PAGE_SIZE_OFFSET..]);
        if (size == 1)
            size = MAX_PAGE_SIZE; // does not fit in 16 bits
        if (size < MIN_PAGE_SIZE || size % 2 != 0)
            throw new Exception($"The decrypted database has an impossible page size of {size} bytes");
        return size;
    }

    private static void DecryptPages(FileStream from, FileStream to, int pageSize, byte[] key)
    {
        var page = new byte[pageSize];
        int read;
        while ((read = from.ReadAtLeast(page, pageSize, throwOnEndOfStream: false)) > 0)
        {
            new Rc4Cipher(key).Apply(page.AsSpan(0, read));
            to.Write(page, 0, read);
        }
    }

    // A server that finds no file of that name makes an empty one: the name is never without a file, whatever ends the process.
    private static void Replace(string path, string decrypted)
    {
        var time = DateTime.Now.ToString("yyyyMMdd-HHmmss", CultureInfo.InvariantCulture);
        var folder = Path.GetDirectoryName(path)!;
        var kept = Path.Combine(folder, Path.GetFileNameWithoutExtension(path) + time + ".bak");
        if (File.Exists(kept))
            throw new IOException($"The encrypted database cannot be kept, because the file {kept} exists");
        File.Replace(decrypted, path, kept);
        DurableFiles.Standard.FlushFolder(folder);
    }
}

/// <summary>The RC4 stream cipher (RFC 6229 has test vectors). Broken as protection; needed to read old files only.</summary>
/// <remarks>Encrypting and decrypting are the same. Not thread safe. 256 bytes of state.</remarks>
internal sealed class Rc4Cipher
{
    private const int STATES = 256;

    private readonly byte[] m_state = new byte[STATES];
    private byte m_i;
    private byte m_j;

    /// <summary>Starts a key stream.</summary>
    /// <param name="key">1 to 256 bytes.</param>
    public Rc4Cipher(ReadOnlySpan<byte> key)
    {
        for (var i = 0; i < STATES; i++)
            m_state[i] = (byte)i;
        byte j = 0;
        for (var i = 0; i < STATES; i++)
        {
            j += (byte)(m_state[i] + key[i % key.Length]);
            (m_state[i], m_state[j]) = (m_state[j], m_state[i]);
        }
    }

    /// <summary>Applies the next bytes of the key stream in place.</summary>
    /// <param name="data">What to encrypt or decrypt.</param>
    public void Apply(Span<byte> data)
    {
        for (var n = 0; n < data.Length; n++)
        {
            m_j += m_state[++m_i];
            (m_state[m_i], m_state[m_j]) = (m_state[m_j], m_state[m_i]);
            data[n] ^= m_state[(byte)(m_state[m_i] + m_state[m_j])];
        }
    }
}
