// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;

namespace Duplicati.Library.Main.Database.Paths;

/// <summary>
/// The order that SQLite gives to texts without collation: by the bytes of their UTF-8 form, which is the order of code points.
/// </summary>
internal sealed class BinaryOrder : IComparer<string>
{
    internal static readonly BinaryOrder Instance = new();

    /// <summary>Compares two texts; linear in their common length, without allocation.</summary>
    public int Compare(string? x, string? y)
    {
        if (x is null || y is null)
            return x is null ? (y is null ? 0 : -1) : 1;

        var common = x.AsSpan().CommonPrefixLength(y);
        if (common == x.Length || common == y.Length)
            return x.Length.CompareTo(y.Length);

        // Halves of a pair stand for code points above all others, but their own values lie below those of U+E000 and up.
        var (a, b) = (x[common], y[common]);
        return char.IsSurrogate(a) != char.IsSurrogate(b) ? (char.IsSurrogate(a) ? 1 : -1) : a.CompareTo(b);
    }
}
