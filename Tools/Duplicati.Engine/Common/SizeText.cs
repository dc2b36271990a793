// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;

namespace Duplicati.Engine.Common;

/// <summary>Sizes as text for people.</summary>
internal static class SizeText
{
    private static readonly string[] s_units = ["KB", "MB", "GB", "TB", "PB"];

    /// <summary>
    /// A size in the unit that fits, of 1024 each, with at most one decimal: <c>512 bytes</c>, <c>1.5 KB</c>, <c>50 MB</c>.
    /// </summary>
    internal static string Of(long bytes)
    {
        if (bytes < 1024)
            return $"{bytes} bytes";
        var (size, unit) = (bytes / 1024.0, 0);
        for (; size >= 1000 && unit < s_units.Length - 1; unit++)
            size /= 1024;
        return string.Create(CultureInfo.InvariantCulture, $"{size:0.#} {s_units[unit]}");
    }
}
