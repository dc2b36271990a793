using System.Text.Json.Serialization;
using Duplicati.Benchmarks.EndToEnd;

namespace Duplicati.Benchmarks.Reports;

/// <summary>The results of one end-to-end run, as they stand in <see cref="FileName"/>.</summary>
internal sealed record EndToEndResults : IResultFile
{
    /// <summary>Name of the file.</summary>
    public const string FileName = "e2e.json";

    /// <summary>Where, with what and on what, by name.</summary>
    public required IReadOnlyDictionary<string, string> Environment { get; init; }

    /// <summary>What the run was asked for.</summary>
    public required EndToEndOptions Options { get; init; }

    /// <summary>The runs of each contender and operation; those of the first contender are what the others are held against.</summary>
    public required IReadOnlyList<EndToEndSeries> Results { get; init; }

    /// <summary>The arguments that repeat the run, but for a folder of the user's own.</summary>
    public string Command => FormattableString.Invariant(
        $"e2e {(Options.Source is null ? $"--total {Options.TotalBytes}b --files {Options.Files} --seed {Options.Seed}" : "--source DIR")} --blocksize {Options.BlockSize}b --dblock-size {Options.VolumeSize}b --repeat {Options.Repeat} --presets {string.Join(' ', Options.Presets)}");

    /// <inheritdoc/>
    [JsonIgnore]
    public string? Fault =>
        Environment.Values.Any(value => value is null) ? "a part of the environment has no value"
        : Results.Any(series => series?.Runs is not { Count: > 0 } runs || runs.Any(run => run is null)) ? "a contender has an operation without runs"
        : Results.GroupBy(series => (series.Contender, series.Operation)).Any(group => group.Count() > 1) ? "a contender has the same operation twice"
        : null;

    /// <summary>The first contender.</summary>
    public string Baseline => Results.Count > 0 ? Results[0].Contender : "";

    /// <summary>The baseline's series of the same operation; null if there is none.</summary>
    public EndToEndSeries? BaselineOf(EndToEndSeries series) =>
        Results.FirstOrDefault(other => other.Contender == Baseline && other.Operation == series.Operation);
}

/// <summary>The runs of one operation by one contender.</summary>
/// <param name="Contender">A preset, or Duplicati.</param>
/// <param name="Operation">The operation.</param>
/// <param name="Runs">What each run cost.</param>
internal sealed record EndToEndSeries(string Contender, string Operation, IReadOnlyList<StepResult> Runs);
