// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;

namespace Duplicati.Library.Utility;

/// <summary>Reads times and durations as users write them.</summary>
public static class Timeparser
{
    private static readonly string[] s_formats = ["yyyyMMdd'T'HHmmssK", "yyyyMMdd'T'HHmmss", "yyyy-MM-dd", "yyyy-MM-dd'T'HH:mm:ssK", "O"];

    /// <summary>Reads a duration.</summary>
    /// <param name="datestring">Numbers with units, such as <c>1D12h</c>: s, m, h, D, W (7 days), M (30 days), Y (365 days).</param>
    /// <returns>The duration.</returns>
    /// <exception cref="FormatException">It is none.</exception>
    public static TimeSpan ParseTimeSpan(string datestring)
    {
        var offset = new DateTime(2001, 1, 1, 0, 0, 0, DateTimeKind.Utc);
        return Shift(datestring, offset, 1, 30, 365) - offset;
    }

    /// <summary>Reads a time, or a duration counted from a time.</summary>
    /// <param name="datestring"><c>now</c>, epoch seconds, an ISO time, or a duration whose months and years are those of the
    /// calendar.</param>
    /// <param name="offset">Where durations count from.</param>
    /// <param name="negate">Count back in time instead of forward.</param>
    /// <returns>The time, in the kind of <paramref name="offset"/> for durations and local otherwise.</returns>
    /// <exception cref="FormatException">It is none of these.</exception>
    public static DateTime ParseTimeInterval(string datestring, DateTime offset, bool negate = false)
    {
        if (string.IsNullOrWhiteSpace(datestring) || datestring.Equals("now", StringComparison.OrdinalIgnoreCase))
            return offset;
        if (long.TryParse(datestring, NumberStyles.None, CultureInfo.InvariantCulture, out var seconds))
            return Utility.EPOCH.AddSeconds(seconds).ToLocalTime();
        if (DateTime.TryParseExact(datestring, s_formats, CultureInfo.InvariantCulture, DateTimeStyles.AssumeLocal, out var time))
            return time;
        return Shift(datestring, offset, negate ? -1 : 1, null, null);
    }

    private static DateTime Shift(string text, DateTime time, int sign, int? daysInMonth, int? daysInYear)
    {
        ArgumentNullException.ThrowIfNull(text);
        var begin = 0;
        for (var i = 0; i < text.Length; i++)
        {
            if (char.IsAsciiDigit(text[i]) || (i == begin && text[i] == '-'))
                continue;
            if (!int.TryParse(text.AsSpan(begin, i - begin), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number))
                throw new FormatException($"Not a time: {text}");
            time =
                Add(time, sign * number, text[i], daysInMonth, daysInYear)
                ?? throw new FormatException($"Unknown unit {text[i]} in {text}");
            begin = i + 1;
        }
        return begin == text.Length ? time : throw new FormatException($"Number without a unit in {text}");
    }

    private static DateTime? Add(DateTime time, int number, char unit, int? daysInMonth, int? daysInYear) =>
        unit switch
        {
            's' => time.AddSeconds(number),
            'm' => time.AddMinutes(number),
            'h' => time.AddHours(number),
            'D' => time.AddDays(number),
            'W' => time.AddDays(7 * number),
            'M' => daysInMonth is { } days ? time.AddDays(days * number) : time.AddMonths(number),
            'Y' => daysInYear is { } days ? time.AddDays(days * number) : time.AddYears(number),
            _ => null,
        };
}
