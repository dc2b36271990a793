// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>Compares texts as SQLite does: by the bytes of their UTF-8 form, which is the order of code points.</summary>
internal sealed class PathOrder : IComparer<string>
{
    private const char FirstSurrogate = '\ud800';

    internal static readonly PathOrder Instance = new();

    public int Compare(string? x, string? y)
    {
        if (x is null || y is null)
            return string.CompareOrdinal(x, y);

        var same = x.AsSpan().CommonPrefixLength(y);
        if (same == x.Length || same == y.Length)
            return x.Length.CompareTo(y.Length);

        var (a, b) = (x[same], y[same]);
        // Half of a pair stands for a code point above all single characters.
        if (a >= FirstSurrogate && b >= FirstSurrogate && char.IsSurrogate(a) != char.IsSurrogate(b))
            return char.IsSurrogate(a) ? 1 : -1;
        return a.CompareTo(b);
    }
}
