// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers;
using System.Globalization;
using System.Text;

namespace Duplicati.Engine.Volumes;

/// <summary>Times as names and JSON of volumes spell them: UTC, whole seconds, <c>yyyyMMddTHHmmssZ</c>.</summary>
public static class VolumeTime
{
    /// <summary>The length of the text, characters.</summary>
    public const int LENGTH = 16;

    private const string FORMAT = "yyyyMMdd'T'HHmmss'Z'";

    /// <summary>Writes a time, cutting fractions of a second off.</summary>
    /// <param name="time">The time; a local time is converted.</param>
    public static string Format(DateTime time) => ToUtc(time).ToString(FORMAT, CultureInfo.InvariantCulture);

    /// <summary>Writes a time as ASCII without allocating.</summary>
    /// <param name="time">The time; a local time is converted.</param>
    /// <param name="target">Takes <see cref="LENGTH"/> bytes.</param>
    public static void Format(DateTime time, Span<byte> target) =>
        ToUtc(time).TryFormat(target, out _, FORMAT, CultureInfo.InvariantCulture);

    /// <summary>Reads a time.</summary>
    /// <param name="text">The text, ASCII.</param>
    /// <param name="time">The time, UTC.</param>
    /// <returns>False if the text has another form or the date does not exist.</returns>
    public static bool TryParse(ReadOnlySpan<byte> text, out DateTime time)
    {
        time = default;
        if (text.Length != LENGTH || text[8] != 'T' || text[15] != 'Z')
            return false;
        if (
            !Number(text[..4], out var year)
            || !Number(text[4..6], out var month)
            || !Number(text[6..8], out var day)
            || !Number(text[9..11], out var hour)
            || !Number(text[11..13], out var minute)
            || !Number(text[13..15], out var second)
        )
            return false;
        if (
            year < 1
            || month is < 1 or > 12
            || day < 1
            || day > DateTime.DaysInMonth(year, month)
            || hour > 23
            || minute > 59
            || second > 59
        )
            return false;
        time = new DateTime(year, month, day, hour, minute, second, DateTimeKind.Utc);
        return true;
    }

    /// <summary>Reads a time.</summary>
    /// <param name="text">The text.</param>
    /// <param name="time">The time, UTC.</param>
    /// <returns>False if the text has another form or the date does not exist.</returns>
    public static bool TryParse(ReadOnlySpan<char> text, out DateTime time)
    {
        time = default;
        Span<byte> ascii = stackalloc byte[LENGTH];
        return Ascii.FromUtf16(text, ascii, out var length) == OperationStatus.Done && TryParse(ascii[..length], out time);
    }

    private static DateTime ToUtc(DateTime time) => time.Kind == DateTimeKind.Local ? time.ToUniversalTime() : time;

    private static bool Number(ReadOnlySpan<byte> digits, out int value)
    {
        value = 0;
        foreach (var digit in digits)
        {
            if (!char.IsAsciiDigit((char)digit))
                return false;
            value = (value * 10) + (digit - '0');
        }

        return true;
    }
}
