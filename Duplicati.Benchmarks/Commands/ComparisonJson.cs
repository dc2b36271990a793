using System.Text.Json;
using Duplicati.Benchmarks.Reports;

namespace Duplicati.Benchmarks.Commands;

/// <summary>A comparison as JSON, for programs: what was compared, the lines, and how many there are of each verdict.</summary>
internal static class ComparisonJson
{
    private static readonly JsonSerializerOptions s_options = new() { WriteIndented = true, PropertyNamingPolicy = JsonNamingPolicy.CamelCase };

    /// <summary>The text.</summary>
    public static string Of(Manifest manifest, IEnumerable<string> machines, IReadOnlyList<ComparisonLine> lines) => JsonSerializer.Serialize(
        new
        {
            Pinned = new { manifest.Machine, manifest.Runtime, manifest.Provider, manifest.Sqlite, manifest.Commit, manifest.Seed },
            Machines = machines,
            Counts = Enum.GetValues<Verdict>().ToDictionary(verdict => verdict.ToString().ToUpperInvariant(), verdict => lines.Count(line => line.Verdict == verdict)),
            Lines = lines.Select(line => new { Verdict = line.Verdict.ToString().ToUpperInvariant(), line.Name, line.Reason }),
        },
        s_options);
}
