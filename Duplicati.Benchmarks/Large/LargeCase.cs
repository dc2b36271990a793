using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Benchmarks.Large;

/// <summary>One step to be measured in a process of its own.</summary>
/// <param name="Step">See <see cref="LargeSteps"/>.</param>
/// <param name="Preset">Name of the connection preset.</param>
/// <param name="Blocks">Blocks of the first backup, or of the recreate, 1 KB each.</param>
internal sealed record LargeCase(string Step, string Preset, long Blocks);

/// <summary>What the step itself tells of it. Times are microseconds spent in the layer; making the data is not counted.</summary>
/// <param name="Processor">Processor time of the whole process.</param>
/// <param name="Clock">Time on the clock.</param>
/// <param name="PeakBytes">The greatest resident size of the process.</param>
/// <param name="WrittenBytes">Bytes handed to the operating system for writing; 0 if unknown.</param>
/// <param name="Began">When it began, in seconds since 1970.</param>
/// <param name="Ended">When it ended, likewise.</param>
internal sealed record LargeCost(double Processor, double Clock, long PeakBytes, long WrittenBytes, double Began, double Ended);

/// <summary>What a step cost.</summary>
/// <param name="Cost">What it told itself.</param>
/// <param name="DiskBytes">The most that database, log and temporary files took at one moment.</param>
/// <param name="FileBytes">Size of the database afterwards.</param>
/// <param name="Flushes">Flushes to the disk; null if nobody counted.</param>
internal sealed record LargeSample(LargeCost Cost, long DiskBytes, long FileBytes, long? Flushes);

/// <summary>The steps. All but the last work on one database, in their order.</summary>
internal static class LargeSteps
{
    internal const string FirstBackup = "first-backup";
    internal const string FindOrInsert = "find-or-insert";
    internal const string Check = "check";
    internal const string Delete = "delete";
    internal const string Recreate = "recreate";

    /// <summary>All of them.</summary>
    internal static readonly string[] All = [FirstBackup, FindOrInsert, Check, Delete, Recreate];

    /// <summary>Those that one database goes through.</summary>
    internal static readonly string[] Chain = [FirstBackup, FindOrInsert, Check, Delete];
}

/// <summary>The goals of memory and disk; the presets are those that have a bound of memory.</summary>
internal static class LargeGoals
{
    /// <summary>The most that disk use may be, over the size of the database afterwards.</summary>
    internal const double DiskRatio = 2.5;

    /// <summary>Names of the presets.</summary>
    internal static readonly string[] Presets = [ConnectionPreset.Default.Name, ConnectionPreset.Small.Name];

    /// <summary>The bound of memory of a preset, in bytes.</summary>
    internal static long MemoryOf(string preset) => preset == ConnectionPreset.Small.Name ? 256L << 20 : 1L << 30;
}
