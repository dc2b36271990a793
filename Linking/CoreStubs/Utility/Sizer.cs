// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;

namespace Duplicati.Library.Utility;

/// <summary>Reads sizes as users write them.</summary>
public static class Sizer
{
    /// <summary>Reads a size.</summary>
    /// <param name="size">A number with a unit: b, kb, mb, gb, tb (steps of 1024), in any case.</param>
    /// <param name="defaultSuffix">The unit of a number without one.</param>
    /// <returns>Bytes.</returns>
    /// <exception cref="FormatException">It is no size.</exception>
    public static long ParseSize(string size, string defaultSuffix = "b")
    {
        ArgumentNullException.ThrowIfNull(size);
        ArgumentNullException.ThrowIfNull(defaultSuffix);
        var text = size.Trim();
        var digits = text.TrimEnd([.. "bBkKmMgGtT "]);
        var unit = text[digits.Length..].Trim();
        if (!long.TryParse(digits, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number))
            throw new FormatException($"Not a size: {size}");
        return checked(
            number
            * (
                (unit.Length == 0 ? defaultSuffix : unit).ToUpperInvariant() switch
                {
                    "B" => 1L,
                    "K" or "KB" => 1L << 10,
                    "M" or "MB" => 1L << 20,
                    "G" or "GB" => 1L << 30,
                    "T" or "TB" => 1L << 40,
                    _ => throw new FormatException($"Unknown unit in {size}"),
                }
            )
        );
    }
}
