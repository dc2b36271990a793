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
