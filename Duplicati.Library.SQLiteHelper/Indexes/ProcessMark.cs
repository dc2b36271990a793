// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.Threading;

namespace Duplicati.Library.SQLiteHelper.Indexes;

/// <summary>
/// Names who works on a file so that others on the same machine can tell whether it still does: process id, start time of the process
/// in epoch milliseconds and, within the process, a serial number. Thread-safe.
/// </summary>
internal static class ProcessMark
{
    // The start time is computed from the clock and the time since boot, which drift apart a little.
    private const long ToleranceMilliseconds = 2000;
    private const int PartsOfProcess = 2;
    private const int PartsWithSerial = 3;

    private static readonly Lock s_lock = new();
    private static readonly HashSet<string> s_here = new(StringComparer.Ordinal);
    private static long s_serial;

    /// <summary>A new mark of this process; it counts as alive until <see cref="Release"/>, at most until the process ends.</summary>
    public static string Take()
    {
        using var process = Process.GetCurrentProcess();
        lock (s_lock)
        {
            var mark = string.Create(CultureInfo.InvariantCulture, $"{process.Id} {StartOf(process)} {++s_serial}");
            s_here.Add(mark);
            return mark;
        }
    }

    /// <summary>Whoever took the mark has ended its work.</summary>
    public static void Release(string mark)
    {
        lock (s_lock)
            s_here.Remove(mark);
    }

    /// <summary>
    /// True if who took this mark may still be at work. A process that only has the same id does not count. A mark without a serial number
    /// is alive as long as its process.
    /// </summary>
    public static bool IsAlive(string? mark)
    {
        var parts = (mark ?? "").Split(' ');
        if (
            parts.Length is not (PartsOfProcess or PartsWithSerial)
            || !int.TryParse(parts[0], NumberStyles.None, CultureInfo.InvariantCulture, out var id)
            || !long.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out var start)
            || !IsRunning(id, start)
        )
        {
            return false;
        }

        if (parts.Length == PartsOfProcess || id != Environment.ProcessId)
            return true;

        lock (s_lock)
            return s_here.Contains(mark!);
    }

    private static bool IsRunning(int id, long start)
    {
        try
        {
            using var process = Process.GetProcessById(id);
            return Math.Abs(StartOf(process) - start) <= ToleranceMilliseconds;
        }
        catch (Exception ex) when (ex is ArgumentException or InvalidOperationException or Win32Exception)
        {
            // It has ended, or is somebody else's and hides its start time: then it is not the one that wrote the mark.
            return false;
        }
    }

    private static long StartOf(Process process) => new DateTimeOffset(process.StartTime).ToUnixTimeMilliseconds();
}
