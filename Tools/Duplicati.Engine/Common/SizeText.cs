// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;

namespace Duplicati.Engine.Common;

/// <summary>Sizes and numbers as text for people.</summary>
internal static class SizeText
{
    private static readonly string[] s_units = ["KB", "MB", "GB", "TB", "PB"];

    /// <summary>A number with its noun: <c>1 file</c>, <c>2 files</c>, <c>3 entries</c>, <c>2 indexes</c>.</summary>
    /// <param name="number">How many.</param>
    /// <param name="one">The noun for one.</param>
    /// <param name="several">The noun for several, if its end alone does not tell.</param>
    internal static string Count(long number, string one, string? several = null) =>
        string.Create(CultureInfo.InvariantCulture, $"{number} {(number == 1 ? one : several ?? Several(one))}");

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

    private static string Several(string one) =>
        one.EndsWith('y') ? $"{one[..^1]}ies"
        : one.EndsWith('x') ? $"{one}es"
        : $"{one}s";
}
