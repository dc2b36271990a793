// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>
/// A pattern with <c>*</c>, <c>?</c> and sets of characters in brackets, compared as the engine's operator GLOB does, by the engine itself.
/// </summary>
/// <remarks>Thread-safe. Takes no connection and no memory but the pattern.</remarks>
internal sealed unsafe class GlobPattern
{
    /// <summary>Bytes of UTF-8 that the operator takes at most; with a longer pattern it fails.</summary>
    public const int MostBytes = 50_000;

    private readonly byte[] m_pattern;

    /// <summary>Takes a pattern in UTF-8; it ends at its first NUL, as it does for the operator.</summary>
    /// <exception cref="ArgumentException">It is longer than <see cref="MostBytes"/>.</exception>
    public GlobPattern(ReadOnlySpan<byte> pattern)
    {
        if (pattern.Length > MostBytes)
            throw new ArgumentException($"The pattern has {pattern.Length} bytes, more than {MostBytes}.", nameof(pattern));

        m_pattern = [.. pattern, 0];
    }

    /// <summary>Whether all of a text fits, case-sensitive. Allocates nothing.</summary>
    /// <param name="text">UTF-8 with a NUL at its end; it ends at its first one.</param>
    /// <exception cref="ArgumentException">There is no NUL at the end.</exception>
    public bool Fits(ReadOnlySpan<byte> text)
    {
        if (text.IsEmpty || text[^1] != 0)
            throw new ArgumentException("The text has no NUL at its end.", nameof(text));

        fixed (
            byte* pattern = m_pattern,
                value = text
        )
            return NativeSqlite.FitsGlob(pattern, value) == 0;
    }
}
