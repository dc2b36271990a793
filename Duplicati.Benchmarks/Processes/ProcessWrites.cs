using System.Globalization;

namespace Duplicati.Benchmarks.Processes;

/// <summary>Counts the bytes this process hands to the operating system for writing.</summary>
internal static class ProcessWrites
{
    private const string Source = "/proc/self/io";
    private const string Field = "wchar: ";

    /// <summary>Bytes since the process started; null where the system does not count them (other than Linux).</summary>
    public static long? Bytes() => File.Exists(Source)
        ? File.ReadLines(Source).Where(line => line.StartsWith(Field, StringComparison.Ordinal)).Select(line => (long?)long.Parse(line.AsSpan(Field.Length), CultureInfo.InvariantCulture)).FirstOrDefault()
        : null;
}
