// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.InteropServices;
using System.Text.Json.Serialization;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Replay;
using Duplicati.Benchmarks.Results;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>The results of one end-to-end run, as they stand in <see cref="FileName"/>.</summary>
internal sealed record EndToEndResults
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

    /// <summary>
    /// The database's part of operations: the runs of each way, <see cref="DatabaseWay.Plain"/> and <see cref="DatabaseWay.Layer"/>.
    /// </summary>
    public required IReadOnlyList<EndToEndSeries> Database { get; init; }

    /// <summary>What failed.</summary>
    public required IReadOnlyList<StepFailure> Failures { get; init; }

    /// <summary>Each contender against each that comes after it, by operation.</summary>
    [JsonIgnore]
    public IEnumerable<SeriesPair> Comparisons =>
        from first in Contenders.Index()
        from second in Contenders.Skip(first.Index + 1)
        from one in Results.Where(series => series.Contender == first.Item).OrderBy(series => TimedOperation.Place(series.Operation))
        let other = Find(second, one.Operation)
        where other is not null
        select new SeriesPair(one, other);

    /// <summary>The first contender.</summary>
    [JsonIgnore]
    public string Baseline => Results.Count > 0 ? Results[0].Contender : "";

    /// <summary>The names of the contenders, the first one first.</summary>
    [JsonIgnore]
    public IReadOnlyList<string> Contenders => [.. Results.Select(series => series.Contender).Distinct()];

    /// <summary>The operations whose database part was measured both ways, in their order.</summary>
    [JsonIgnore]
    public IEnumerable<SeriesPair> DatabasePairs =>
        from plain in Database.Where(series => series.Contender == DatabaseWay.Plain.Name)
        let layer = Database.FirstOrDefault(series => series.Contender == DatabaseWay.Layer.Name && series.Operation == plain.Operation)
        where layer is not null
        select new SeriesPair(plain, layer);

    /// <summary>A series and the baseline's of the same operation; null if there is none, or if it is that.</summary>
    public SeriesPair? OverBaseline(EndToEndSeries series) =>
        series.Contender != Baseline && Find(Baseline, series.Operation) is { } baseline ? new SeriesPair(baseline, series) : null;

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

/// <summary>An operation by two of whom the second is held against the first.</summary>
internal sealed record SeriesPair(EndToEndSeries First, EndToEndSeries Second)
{
    /// <summary>The operation's title.</summary>
    public string Operation => First.Operation;

    /// <summary>How much faster the second is, by the clock.</summary>
    public SpeedUp Wall => Of("wall", run => run.WallSeconds);

    /// <summary>The same by processor time.</summary>
    public SpeedUp Cpu => Of("cpu", run => run.CpuSeconds);

    /// <summary>How far one round was from the median of all at most, as a share.</summary>
    public double Deviation
    {
        get
        {
            var ratios = First
                .Runs.Join(Second.Runs, run => run.Round, run => run.Round, (one, other) => one.WallSeconds / other.WallSeconds)
                .ToList();
            return ratios.Count == 0 ? 0 : ratios.Max(ratio => Math.Abs((ratio / Wall.Ratio) - 1));
        }
    }

    private SpeedUp Of(string what, Func<StepResult, double> figure) =>
        SpeedUp.Of(
            $"{Operation}, {Second.Contender} over {First.Contender}, {what}",
            "",
            [.. First.Runs.Select(figure)],
            [.. Second.Runs.Select(figure)]
        );
}

/// <summary>Where, with what and on what an end-to-end run is made.</summary>
internal static class EndToEndEnvironment
{
    /// <summary>All of it, by name.</summary>
    /// <param name="options">What is done.</param>
    /// <param name="programs">What each contender is.</param>
    public static Dictionary<string, string> Of(EndToEndOptions options, IEnumerable<KeyValuePair<string, string>> programs)
    {
        var environment = new Dictionary<string, string>
        {
            ["machine"] = RunEnvironment.CurrentMachine,
            ["commit"] = RunEnvironment.CurrentCommit,
            ["runtime"] = RuntimeInformation.FrameworkDescription,
            ["provider"] = RunEnvironment.CurrentProvider,
            ["SQLite"] = RunEnvironment.CurrentSqlite,
            ["durability"] = string.Join("; ", Durability(options)),
            ["data"] = options.Data,
        };
        foreach (var (contender, program) in programs)
            environment[$"program {contender}"] = program;
        return environment;
    }

    private static IEnumerable<string> Durability(EndToEndOptions options)
    {
        foreach (var preset in options.Presets.Select(name => ConnectionPreset.All.First(preset => preset.Name == name)))
            yield return preset.Name switch
            {
                "durable" => "durable: WAL, synchronous FULL",
                "stock" => "stock: DELETE journal, synchronous FULL",
                "rebuild" => "rebuild: none",
                _ => $"{preset.Name}: {RunEnvironment.WriteAheadLog}",
            };
        if (options.TimedInDatabase.Any())
            yield return "plain: as default";
    }
}
