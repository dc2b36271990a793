// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.IO;

namespace Duplicati.Library.Main.Database.Paths;

/// <summary>Splits full paths the way they are stored: folder text with its separator, and the rest.</summary>
internal static class PathSplitter
{
    /// <summary>
    /// The text up to and including the last separator that is not trailing, and the rest with its trailing separators; an empty
    /// prefix if there is no such separator.
    /// </summary>
    /// <exception cref="ArgumentException">The path is null or empty.</exception>
    internal static KeyValuePair<string, string> Split(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        var end = path.Length;
        while (end > 0 && IsSeparator(path[end - 1]))
            end--;

        var cut = end;
        while (cut > 0 && !IsSeparator(path[cut - 1]))
            cut--;
        return new KeyValuePair<string, string>(path[..cut], path[cut..]);
    }

    private static bool IsSeparator(char c) => c == Path.DirectorySeparatorChar || c == Path.AltDirectorySeparatorChar;
}

/// <summary>The end of a folder's path.</summary>
internal static class PathEnd
{
    /// <summary>Adds a separator to a path that does not end with it.</summary>
    internal static string WithSeparator(string path, string separator) =>
        path.EndsWith(separator, StringComparison.Ordinal) ? path : path + separator;
}

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
