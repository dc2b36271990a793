#nullable enable

using System;
using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;

namespace Duplicati.Library.Main.Database.Session;

/// <summary>Names a process so that another one on the same machine can tell whether it still runs: id and start time in epoch milliseconds.</summary>
internal static class ProcessMark
{
    // The start time is computed from the clock and the time since boot, which drift apart a little.
    private const long ToleranceMilliseconds = 2000;

    /// <summary>The mark of this process.</summary>
    internal static string Current()
    {
        using var process = Process.GetCurrentProcess();
        return string.Create(CultureInfo.InvariantCulture, $"{process.Id} {StartOf(process)}");
    }

    /// <summary>True if the process with this mark runs. A process that only has the same id does not count.</summary>
    internal static bool IsAlive(string? mark)
    {
        var parts = (mark ?? "").Split(' ');
        if (parts.Length != 2
            || !int.TryParse(parts[0], NumberStyles.None, CultureInfo.InvariantCulture, out var id)
            || !long.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out var start))
        {
            return false;
        }

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
