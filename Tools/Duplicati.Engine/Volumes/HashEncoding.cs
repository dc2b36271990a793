// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers;
using System.Buffers.Text;
using System.Text;

namespace Duplicati.Engine.Volumes;

/// <summary>
/// The three spellings of a digest: raw bytes (inside blocklists), Base64 (JSON and database) and the entry name in a
/// container (Base64 with <c>-</c> and <c>_</c> in place of <c>+</c> and <c>/</c>, padding kept).
/// </summary>
public static class HashEncoding
{
    private static readonly SearchValues<char> s_entryNameLetters = SearchValues.Create(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    );

    /// <summary>The entry name of a block.</summary>
    /// <param name="base64">Its hash in Base64.</param>
    public static string ToEntryName(string base64)
    {
        ArgumentNullException.ThrowIfNull(base64);
        return base64.Replace('+', '-').Replace('/', '_');
    }

    /// <summary>Writes the entry name of a block as ASCII.</summary>
    /// <param name="digest">Its raw digest.</param>
    /// <param name="name">Takes the name.</param>
    /// <returns>The length of the name, bytes.</returns>
    public static int WriteEntryName(ReadOnlySpan<byte> digest, Span<byte> name)
    {
        Base64.EncodeToUtf8(digest, name, out _, out var length);
        name = name[..length];
        name.Replace((byte)'+', (byte)'-');
        name.Replace((byte)'/', (byte)'_');
        return length;
    }

    /// <summary>The hash that an entry name stands for.</summary>
    /// <param name="entryName">The name of the entry, without a folder.</param>
    /// <returns>The hash in Base64; not checked to be one.</returns>
    public static string FromEntryName(string entryName)
    {
        ArgumentNullException.ThrowIfNull(entryName);
        return entryName.Replace('-', '+').Replace('_', '/');
    }

    /// <summary>
    /// Whether an entry of a block volume is a block: letters, digits, <c>-</c> and <c>_</c>, at most two <c>=</c> at the end,
    /// a length divisible by four, and not the manifest.
    /// </summary>
    /// <param name="entryName">The whole name of the entry.</param>
    public static bool IsBlockName(ReadOnlySpan<char> entryName)
    {
        if (entryName.IsEmpty || entryName.Length % 4 != 0 || entryName.SequenceEqual(VolumeManifest.ENTRY_NAME))
            return false;
        var letters = entryName.TrimEnd('=');
        return entryName.Length - letters.Length <= 2 && !letters.IsEmpty && !letters.ContainsAnyExcept(s_entryNameLetters);
    }

    /// <summary>The length in characters of a digest in Base64.</summary>
    /// <param name="digestSize">The length of the digest, bytes.</param>
    public static int Base64Length(int digestSize) => (digestSize + 2) / 3 * 4;

    /// <summary>Decodes a digest.</summary>
    /// <param name="base64">The digest in Base64, UTF-8.</param>
    /// <param name="digest">Takes the digest; its length is the length expected.</param>
    /// <returns>False if the text is not Base64 of exactly that many bytes.</returns>
    public static bool TryDecode(ReadOnlySpan<byte> base64, Span<byte> digest) =>
        base64.Length == Base64Length(digest.Length)
        && Base64.DecodeFromUtf8(base64, digest, out var consumed, out var written) == OperationStatus.Done
        && consumed == base64.Length
        && written == digest.Length;

    /// <summary>Decodes a digest.</summary>
    /// <param name="base64">The digest in Base64.</param>
    /// <param name="digest">Takes the digest; its length is the length expected.</param>
    /// <returns>False if the text is not Base64 of exactly that many bytes.</returns>
    public static bool TryDecode(ReadOnlySpan<char> base64, Span<byte> digest)
    {
        Span<byte> utf8 = stackalloc byte[Base64.GetMaxEncodedToUtf8Length(VolumeHash.MAX_DIGEST_SIZE)];
        return Ascii.FromUtf16(base64, utf8, out var length) == OperationStatus.Done && TryDecode(utf8[..length], digest);
    }
}
