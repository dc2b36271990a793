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
        Span<char> chars = stackalloc char[LENGTH];
        return Ascii.ToUtf16(text, chars, out var length) == OperationStatus.Done && TryParse(chars[..length], out time);
    }

    /// <summary>Reads a time.</summary>
    /// <param name="text">The text.</param>
    /// <param name="time">The time, UTC.</param>
    /// <returns>False if the text has another form or the date does not exist.</returns>
    public static bool TryParse(ReadOnlySpan<char> text, out DateTime time) =>
        DateTime.TryParseExact(
            text,
            FORMAT,
            CultureInfo.InvariantCulture,
            DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal,
            out time
        );

    private static DateTime ToUtc(DateTime time) => time.Kind == DateTimeKind.Local ? time.ToUniversalTime() : time;
}
