// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
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
