using System.Globalization;
using System.Text;
using System.Text.Json;
using Duplicati.Benchmarks.Reports;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>What one way took; times are microseconds an entry.</summary>
/// <param name="Processor">Processor time of the whole process.</param>
/// <param name="Clock">Time on the clock.</param>
/// <param name="Allocated">Bytes of managed memory allocated, an entry.</param>
/// <param name="Held">Bytes of managed memory that are in use after the work, an entry.</param>
internal sealed record TechniqueCost(double Processor, double Clock, double Allocated, double Held);

/// <summary>A technique held against its absence; medians.</summary>
internal sealed record TechniqueResult(string Name, string Entry, int Entries, string Without, string IsOff, TechniqueCost Before, TechniqueCost After)
{
    /// <summary>How many times less processor time.</summary>
    public double ProcessorRatio => Before.Processor / After.Processor;

    /// <summary>How many times less time on the clock.</summary>
    public double ClockRatio => Before.Clock / After.Clock;

    /// <summary>Bytes that the technique keeps for an entry; 0 where that is less than half a byte.</summary>
    public double BytesAnEntry => Math.Max(0, Math.Round(After.Held - Before.Held));
}

/// <summary>All techniques of one run, as table and as file.</summary>
internal sealed record TechniqueResults(string Command, int Rounds, RunEnvironment Environment, IReadOnlyList<TechniqueResult> Results)
{
    /// <summary>Name of the file with all figures.</summary>
    public const string FileName = "techniques.json";

    /// <summary>Name of the file with the table.</summary>
    public const string TableName = "techniques.md";

    /// <summary>The two lines above the rows.</summary>
    public const string Header =
        "| technique | entries | before, µs | after, µs | ratio | ratio (clock) | bytes an entry | allocated B/entry | without it | off |\n" +
        "|---|---:|---:|---:|---:|---:|---:|---:|---|---|\n";

    /// <summary>One row of the table.</summary>
    public static string Row(TechniqueResult result) => string.Create(
        CultureInfo.InvariantCulture,
        $"| {result.Name} | {result.Entries} × {result.Entry} | {result.Before.Processor:F2} | {result.After.Processor:F2} | {result.ProcessorRatio:F2} | {result.ClockRatio:F2} | {result.BytesAnEntry:F0} | {result.Before.Allocated:F0} → {result.After.Allocated:F0} | {result.Without} | {result.IsOff} |\n");

    /// <summary>Writes both files into a folder, which is made if need be.</summary>
    public void Write(string folder)
    {
        Directory.CreateDirectory(folder);
        File.WriteAllText(Path.Combine(folder, FileName), JsonSerializer.Serialize(this, ResultFolder.Json));
        File.WriteAllText(Path.Combine(folder, TableName), Document());
    }

    private string Document()
    {
        var text = new StringBuilder("# What each technique gives\n\n");
        text.Append(CultureInfo.InvariantCulture, $"Made by `{Command}`: {Environment.Machine}; {Environment.Runtime}; SQLite {Environment.Sqlite}; commit {Environment.Commit}; {Environment.Date}");
        if (Environment.Load is { } load)
            text.Append(CultureInfo.InvariantCulture, $"; {load:F0} processes wanted a processor when the run began");
        text.Append(CultureInfo.InvariantCulture, $". Durability: {Environment.Durability}.\n\n");
        text.Append(CultureInfo.InvariantCulture, $"""
            The same work with and without, in turns in one process, medians of {Rounds}; both must give the same answer. "Before" and "after" are processor time an entry, and
            so is the ratio; where waiting is what a technique saves, the clock's ratio is the one to read. "Bytes an entry" is the managed memory that is in use more at the end of the work because of the technique.


            """);
        text.Append(Header);
        foreach (var result in Results)
            text.Append(Row(result));
        return text.ToString();
    }
}
