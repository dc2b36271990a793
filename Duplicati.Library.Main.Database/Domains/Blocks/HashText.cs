// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Buffers;
using System.Buffers.Text;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>
/// Hashes between their two forms: the Base64 text of the tables and the raw digest. The binary form stands for a text only if
/// encoding it again gives the same text; every other text stays a text.
/// </summary>
internal static class HashText
{
    /// <summary>The longest digest, in bytes, that is handled in binary form.</summary>
    internal const int MaxDigestBytes = 96;

    /// <summary>The length of the text of the longest digest.</summary>
    internal const int MaxTextLength = MaxDigestBytes / 3 * 4;

    // The characters before the padding whose two (four) low bits are zero.
    private const string LastOfTwoBytes = "AEIMQUYcgkosw048";
    private const string LastOfOneByte = "AQgw";

    /// <summary>Decodes a text that is canonical Base64 of 1 to <see cref="MaxDigestBytes"/> bytes; false for any other text.</summary>
    /// <param name="text">The text.</param>
    /// <param name="digest">Room for <see cref="MaxDigestBytes"/> bytes.</param>
    /// <param name="length">Number of bytes decoded; 0 if the result is false.</param>
    internal static bool TryDecode(ReadOnlySpan<char> text, Span<byte> digest, out int length)
    {
        length = 0;
        if (text.Length is 0 or > MaxTextLength || text.Length % 4 != 0)
            return false;

        var padding =
            text[^1] != '=' ? 0
            : text[^2] != '=' ? 1
            : 2;
        // White space is skipped by the decoder, so a text with it gives fewer bytes than its length promises.
        if (!Convert.TryFromBase64Chars(text, digest, out var written) || written != (text.Length / 4 * 3) - padding)
            return false;
        // The low bits of the last character that no byte has room for are ignored by the decoder; in canonical text they are zero.
        if (padding != 0 && !(padding == 1 ? LastOfTwoBytes : LastOfOneByte).Contains(text[^(padding + 1)], StringComparison.Ordinal))
            return false;

        length = written;
        return true;
    }

    /// <summary>Writes the Base64 text of a digest as ASCII and returns its length.</summary>
    /// <param name="digest">At most <see cref="MaxDigestBytes"/> bytes.</param>
    /// <param name="text">Room for <see cref="MaxTextLength"/> bytes.</param>
    /// <remarks>
    /// Never inlined: where the same memory is encoded twice in one method, the compiler of .NET 10.0.12 keeps the end of the pinned
    /// memory from the first time, and after a collection in between leaves off the last characters.
    /// </remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static int Encode(ReadOnlySpan<byte> digest, Span<byte> text)
    {
        Base64.EncodeToUtf8(digest, text, out _, out var written);
        return written;
    }
}
