using System.Text.Json.Serialization;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>The results of one end-to-end run, as they stand in <see cref="FileName"/>.</summary>
internal sealed record EndToEndResults : IResultFile
{
    /// <summary>Name of the file.</summary>
    public const string FileName = "e2e.json";

    /// <summary>The arguments that were typed, and that repeat the run.</summary>
    public required string Command { get; init; }

    /// <summary>Where, with what and on what, by name.</summary>
    public required IReadOnlyDictionary<string, string> Environment { get; init; }

    /// <summary>What the run was asked for.</summary>
    public required EndToEndOptions Options { get; init; }

    /// <summary>The runs of each contender and operation; those of the first contender are what the others are held against.</summary>
    public required IReadOnlyList<EndToEndSeries> Results { get; init; }

    /// <summary>What failed.</summary>
    public IReadOnlyList<StepFailure> Failures { get; init; } = [];

    /// <summary>Each contender against each that comes after it, by operation; for readers of the file.</summary>
    public IEnumerable<EndToEndComparison> Comparisons => EndToEndComparison.Of(this);

    /// <inheritdoc/>
    [JsonIgnore]
    public string? Fault =>
        Environment.Values.Any(value => value is null) ? "a part of the environment has no value"
        : Results.Any(series => series?.Runs is not { Count: > 0 } runs || runs.Any(run => run is null)) ? "a contender has an operation without runs"
        : Results.GroupBy(series => (series.Contender, series.Operation)).Any(group => group.Count() > 1) ? "a contender has the same operation twice"
        : Failures.Any(failure => failure is null || failure.Lines.Any(line => line is null)) ? "a failure is empty"
        : null;

    /// <summary>The first contender.</summary>
    [JsonIgnore]
    public string Baseline => Results.Count > 0 ? Results[0].Contender : "";

    /// <summary>The names of the contenders, the first one first.</summary>
    [JsonIgnore]
    public IReadOnlyList<string> Contenders => [.. Results.Select(series => series.Contender).Distinct()];

    /// <summary>The baseline's series of the same operation; null if there is none.</summary>
    public EndToEndSeries? BaselineOf(EndToEndSeries series) => Find(Baseline, series.Operation);

    /// <summary>The series of a contender and operation; null if there is none.</summary>
    public EndToEndSeries? Find(string contender, string operation) =>
        Results.FirstOrDefault(other => other.Contender == contender && other.Operation == operation);
}

/// <summary>The runs of one operation by one contender.</summary>
/// <param name="Contender">Its name.</param>
/// <param name="Operation">The operation's title.</param>
/// <param name="Runs">What each run cost.</param>
internal sealed record EndToEndSeries(string Contender, string Operation, IReadOnlyList<StepResult> Runs)
{
    /// <summary>The median of a figure; null where it is not known.</summary>
    public double? Median(Func<StepResult, double> figure) => Numbers.Median(Runs.Select(figure)) is >= 0 and var median ? median : null;
}

/// <summary>An operation that failed.</summary>
/// <param name="Contender">Who failed.</param>
/// <param name="Operation">Title of the operation.</param>
/// <param name="Round">The round, from 1.</param>
/// <param name="ExitCode">Exit code of the program; null if it did not start, or if what it did is wrong.</param>
/// <param name="Lines">What is wrong, or the last lines that it wrote.</param>
internal sealed record StepFailure(string Contender, string Operation, int Round, int? ExitCode, IReadOnlyList<string> Lines);
