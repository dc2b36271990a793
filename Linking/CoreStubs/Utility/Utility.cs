// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Duplicati.Library.Utility;

/// <summary>Small helpers shared by all of Duplicati.</summary>
public static class Utility
{
    private static readonly string[] s_sizeUnits = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];

    /// <summary>1970-01-01T00:00:00Z.</summary>
    public static readonly DateTime EPOCH = DateTime.UnixEpoch;

    /// <summary>Whether two paths that differ in case only are two files on this system.</summary>
    public static bool IsFSCaseSensitive => !OperatingSystem.IsWindows() && !OperatingSystem.IsMacOS();

    /// <summary>Whole seconds since <see cref="EPOCH"/>, rounded down.</summary>
    /// <param name="input">A local or UTC time; <see cref="DateTime.MinValue"/> is allowed.</param>
    /// <returns>Epoch seconds, negative before 1970.</returns>
    public static long NormalizeDateTimeToEpochSeconds(DateTime input) =>
        (input.ToUniversalTime().Ticks / TimeSpan.TicksPerSecond) - (EPOCH.Ticks / TimeSpan.TicksPerSecond);

    /// <summary>A fresh random id for temporary names.</summary>
    /// <returns>32 upper-case hexadecimal digits.</returns>
    public static string GetHexGuid() => Convert.ToHexString(Guid.NewGuid().ToByteArray());

    /// <summary>A value as text, independent of the user's language.</summary>
    /// <typeparam name="T">Its type.</typeparam>
    /// <param name="value">The value.</param>
    /// <returns>Its text; empty for null.</returns>
    public static string FormatInvariantValue<T>(T value) => Convert.ToString(value, CultureInfo.InvariantCulture) ?? "";

    /// <summary>An interpolated text, independent of the user's language.</summary>
    /// <param name="value">The text with its values.</param>
    /// <returns>The text.</returns>
    public static string FormatInvariantFormattable(FormattableString value) => FormattableString.Invariant(value);

    /// <summary>A number of bytes for a user.</summary>
    /// <param name="size">Bytes.</param>
    /// <returns>For example <c>1.50 MiB</c>.</returns>
    public static string FormatSizeString(double size)
    {
        var unit = 0;
        while (Math.Abs(size) >= 1024 && unit < s_sizeUnits.Length - 1)
        {
            size /= 1024;
            unit++;
        }
        return size.ToString(unit == 0 ? "0" : "0.00", CultureInfo.InvariantCulture) + " " + s_sizeUnits[unit];
    }

    /// <summary>UTF-8 bytes as text, without the byte order mark they may begin with.</summary>
    /// <param name="data">The bytes.</param>
    /// <returns>The text.</returns>
    public static string GetStringWithoutBOM(byte[] data)
    {
        var bytes = data.AsSpan();
        return Encoding.UTF8.GetString(bytes.StartsWith(Encoding.UTF8.Preamble) ? bytes[Encoding.UTF8.Preamble.Length..] : bytes);
    }

    /// <summary>Reads a yes or no.</summary>
    /// <param name="value">The text; null and blank mean the default.</param>
    /// <param name="default">What other texts mean.</param>
    /// <returns>The value.</returns>
    public static bool ParseBool(string? value, bool @default) =>
        value?.Trim().ToUpperInvariant() switch
        {
            "1" or "ON" or "TRUE" or "YES" => true,
            "0" or "OFF" or "FALSE" or "NO" => false,
            _ => @default,
        };

    /// <summary>Waits for a task on the calling thread and throws its own exception, not a wrapper.</summary>
    /// <param name="task">The task.</param>
    public static void Await(this Task task) => task.GetAwaiter().GetResult();

    /// <summary>Waits for a task on the calling thread and throws its own exception, not a wrapper.</summary>
    /// <typeparam name="T">Its result.</typeparam>
    /// <param name="task">The task.</param>
    /// <returns>The result.</returns>
    public static T Await<T>(this Task<T> task) => task.GetAwaiter().GetResult();

    /// <summary>Waits for a task on the calling thread and throws its own exception, not a wrapper.</summary>
    /// <typeparam name="T">Its result.</typeparam>
    /// <param name="task">The task; must not be awaited elsewhere.</param>
    /// <returns>The result.</returns>
    public static T Await<T>(this ValueTask<T> task) =>
        task.IsCompletedSuccessfully ? task.GetAwaiter().GetResult() : task.AsTask().GetAwaiter().GetResult();
}

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

/// <summary>Knows the hash functions that backups are made with.</summary>
internal static class HashFactory
{
    /// <summary>The length of a digest.</summary>
    /// <param name="algorithm">The name as stored in manifests: MD5, SHA1, SHA256, SHA384 or SHA512, in any case.</param>
    /// <returns>Bytes.</returns>
    /// <exception cref="ArgumentException">The name is not known.</exception>
    internal static int HashSizeBytes(string algorithm) =>
        algorithm.ToUpperInvariant() switch
        {
            "MD5" => MD5.HashSizeInBytes,
            "SHA1" => SHA1.HashSizeInBytes,
            "SHA256" => SHA256.HashSizeInBytes,
            "SHA384" => SHA384.HashSizeInBytes,
            "SHA512" => SHA512.HashSizeInBytes,
            _ => throw new ArgumentException($"Unknown hash algorithm: {algorithm}", nameof(algorithm)),
        };
}
