using System.Globalization;
using System.Reflection;
using System.Runtime.InteropServices;
using Duplicati.Library.SQLiteHelper;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Results;

/// <summary>Where, with what and on what a run was made: without this no two figures can be compared.</summary>
internal sealed record RunEnvironment
{
    /// <summary>What most measurements promise: the preset <c>default</c>.</summary>
    public const string WriteAheadLog = "WAL, synchronous NORMAL (a power loss may drop the last commits)";

    /// <summary>Processors, memory and system.</summary>
    public required string Machine { get; init; }

    /// <summary>The runtime and its version.</summary>
    public required string Runtime { get; init; }

    /// <summary>Version of the SQLite library.</summary>
    public required string Sqlite { get; init; }

    /// <summary>Version of Microsoft.Data.Sqlite; null in results from before it was noted.</summary>
    public string? Provider { get; init; }

    /// <summary>Processors that the process could use; null in results from before it was noted.</summary>
    public int? Processors { get; init; }

    /// <summary>The commit this program was built from.</summary>
    public required string Commit { get; init; }

    /// <summary>Seed of the data.</summary>
    public required long Seed { get; init; }

    /// <summary>Journal and synchronous mode.</summary>
    public required string Durability { get; init; }

    /// <summary>Day of the run, UTC.</summary>
    public required string Date { get; init; }

    /// <summary>Processes that wanted a processor when the run began; null where the system does not say.</summary>
    public double? Load { get; init; }

    /// <summary>The environment of this process.</summary>
    public static RunEnvironment Current(long seed, string durability) => new()
    {
        Machine = CurrentMachine,
        Runtime = RuntimeInformation.FrameworkDescription,
        Sqlite = CurrentSqlite,
        Provider = CurrentProvider,
        Processors = System.Environment.ProcessorCount,
        Commit = CurrentCommit,
        Seed = seed,
        Durability = durability,
        Date = DateTime.UtcNow.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture),
        Load = ReadLoad(),
    };

    /// <summary>Processors, memory and system of this machine.</summary>
    public static string CurrentMachine =>
        string.Create(CultureInfo.InvariantCulture, $"{Environment.ProcessorCount} processors, {GC.GetGCMemoryInfo().TotalAvailableMemoryBytes >> 30} GiB, {RuntimeInformation.OSDescription}");

    /// <summary>The commit this program was built from, shortened; "unknown" outside of a repository.</summary>
    public static string CurrentCommit
    {
        get
        {
            var version = typeof(RunEnvironment).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion ?? "";
            var plus = version.IndexOf('+', StringComparison.Ordinal);
            return plus < 0 ? "unknown" : version[(plus + 1)..Math.Min(version.Length, plus + 11)];
        }
    }

    /// <summary>Version of the SQLite library.</summary>
    public static string CurrentSqlite => SQLiteLoader.SQLiteVersion ?? "unknown";

    /// <summary>Version of Microsoft.Data.Sqlite.</summary>
    public static string CurrentProvider => typeof(SqliteConnection).Assembly.GetName().Version?.ToString(3) ?? "unknown";

    private static double? ReadLoad() =>
        File.Exists("/proc/loadavg") && double.TryParse(File.ReadAllText("/proc/loadavg").Split(' ')[0], CultureInfo.InvariantCulture, out var load) ? load : null;
}
