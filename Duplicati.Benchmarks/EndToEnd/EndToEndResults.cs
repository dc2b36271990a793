// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json.Serialization;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Replay;
using Duplicati.Benchmarks.Results;
using Duplicati.Engine.Common;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>The results of one end-to-end run, as they stand in <see cref="FileName"/>.</summary>
internal sealed record EndToEndResults
{
    /// <summary>Name of the file.</summary>
    public const string FileName = "e2e.json";

    /// <summary>The arguments that were typed, and that repeat the run.</summary>
    public required string Command { get; init; }

    /// <summary>Where and with what.</summary>
    public required RunEnvironment Environment { get; init; }

    /// <summary>What each contender is, by its name.</summary>
    public SortedDictionary<string, string> Programs { get; init; } = new(StringComparer.Ordinal);

    /// <summary>What the run was asked for.</summary>
    public required EndToEndOptions Options { get; init; }

    /// <summary>All runs, in the order in which they were made.</summary>
    public List<StoredRun> Runs { get; init; } = [];

    /// <summary>What failed.</summary>
    public List<StepFailure> Failures { get; init; } = [];

    /// <summary>The runs of each contender and operation; those of the first contender are what the others are held against.</summary>
    [JsonIgnore]
    public IReadOnlyList<EndToEndSeries> Results =>
        Series(
            false,
            Peer.Contenders(Options).Select(contender => contender.Name),
            TimedOperation.All.Select(operation => operation.Title)
        );

    /// <summary>
    /// The database's part of operations: the runs of each way, <see cref="DatabaseWay.Plain"/> and <see cref="DatabaseWay.Layer"/>.
    /// </summary>
    [JsonIgnore]
    public IReadOnlyList<EndToEndSeries> Database =>
        Series(true, DatabaseWay.All.Select(way => way.Name), TimedOperation.InDatabase.Select(operation => operation.Part!));

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

    /// <summary>The series of a contender and operation; null if there is none.</summary>
    public EndToEndSeries? Find(string contender, string operation) =>
        Results.FirstOrDefault(other => other.Contender == contender && other.Operation == operation);

    private List<EndToEndSeries> Series(bool isDatabase, IEnumerable<string> contenders, IEnumerable<string> operations) =>
        [
            .. from contender in contenders
            from operation in operations
            let runs = Runs.Where(run => (run.IsDatabase, run.Contender, run.Operation) == (isDatabase, contender, operation)).ToList()
            where runs.Count > 0
            select new EndToEndSeries(contender, operation, [.. runs.Select(run => run.Result).OrderBy(run => run.Round)]),
        ];
}

/// <summary>One run of an operation, or of the database's part of it.</summary>
/// <param name="IsDatabase">Which of them.</param>
/// <param name="Contender">Who, or in which way.</param>
/// <param name="Operation">The operation's title.</param>
/// <param name="Result">What it cost.</param>
internal sealed record StoredRun(bool IsDatabase, string Contender, string Operation, StepResult Result);

/// <summary>The runs of one operation by one contender.</summary>
/// <param name="Contender">Its name.</param>
/// <param name="Operation">The operation's title.</param>
/// <param name="Runs">What each run cost.</param>
internal sealed record EndToEndSeries(string Contender, string Operation, IReadOnlyList<StepResult> Runs);

/// <summary>An operation that failed.</summary>
/// <param name="Contender">Who failed.</param>
/// <param name="Operation">Title of the operation.</param>
/// <param name="Round">The round, from 1.</param>
/// <param name="ExitCode">Exit code of the program; null if it did not start, or if what it did is wrong.</param>
/// <param name="Lines">What is wrong, or the last lines that it wrote.</param>
internal sealed record StepFailure(string Contender, string Operation, int Round, int? ExitCode, IReadOnlyList<string> Lines)
{
    /// <inheritdoc/>
    public override string ToString()
    {
        var code = ExitCode is { } number ? FormattableString.Invariant($" with exit code {number}") : "";
        return FormattableString.Invariant($"{Contender}, {Operation}: failed in round {Round}{code}; it was left out from there on.")
            + $" {string.Join('\n', Lines)}";
    }
}

/// <summary>An operation by two of whom the second is held against the first.</summary>
internal sealed record SeriesPair(EndToEndSeries First, EndToEndSeries Second)
{
    /// <summary>The operation's title.</summary>
    public string Operation => First.Operation;

    /// <summary>How much faster the second is, by the clock.</summary>
    public SpeedUp Wall => Of("wall", run => run.WallSeconds);

    /// <summary>The same by processor time.</summary>
    public SpeedUp Cpu => Of("cpu", run => run.CpuSeconds);

    private SpeedUp Of(string what, Func<StepResult, double> figure) =>
        SpeedUp.Of(
            $"{Operation}, {Second.Contender} over {First.Contender}, {what}",
            "",
            [.. First.Runs.Select(figure)],
            [.. Second.Runs.Select(figure)]
        );
}

/// <summary>The tables of an end-to-end run.</summary>
internal static class EndToEndTables
{
    /// <summary>That of the database's part of operations, and that of whole operations; without one that would be empty.</summary>
    public static IReadOnlyList<TableResults> Of(EndToEndResults results)
    {
        var tables = new List<TableResults>();
        if (results.DatabasePairs.Any())
            tables.Add(Database(results));
        if (results.Results.Count > 0)
            tables.Add(Whole(results));
        return tables;
    }

    private static TableResults Database(EndToEndResults results)
    {
        var pairs = results.DatabasePairs.ToList();
        var title = $"The database's part of operations{Data(results)}";
        const string Compared = "Speed-up of the database's part over the way of the replaced layer";
        var outcome = results.Failures.Count == 0 ? "Both left equal tables and gave equal answers." : "What failed stands below.";
        return new TableResults
        {
            Title = title,
            Command = results.Command,
            Environment = results.Environment,
            Note = $"""
                `plain` is the way of the replaced layer: a prepared command of the provider for each row, its settings, and the
                statements of its definitions (docs/contract), without its logging. `this` is this layer with preset
                {results.Options.DatabasePreset}, through the members that core calls. {outcome}
                {Medians(results.Database, results)} Speed-up is over `plain`; higher is better.
                """,
            Texts = ["operation"],
            Figures = ["plain, s", "this, s", "speed-up", "plain, cpu s", "this, cpu s", "speed-up (cpu)"],
            Rows =
            [
                .. pairs.Select(
                    IReadOnlyList<string> (pair) =>
                        [
                            pair.Operation,
                            Median(pair.First, run => run.WallSeconds),
                            Median(pair.Second, run => run.WallSeconds),
                            $"{pair.Wall}",
                            Median(pair.First, run => run.CpuSeconds),
                            Median(pair.Second, run => run.CpuSeconds),
                            $"{pair.Cpu}",
                        ]
                ),
            ],
            Ratios = [.. Ratios(results, "database's part of ", pairs)],
            Chart = BarChart.Of($"e2e-database{Data(results)}", Compared, pairs.Select(pair => (pair.Operation, 0, (SpeedUp?)pair.Wall))),
        };
    }

    private static TableResults Whole(EndToEndResults results)
    {
        var all = results.Results.OrderBy(series => TimedOperation.Place(series.Operation)).ToList();
        var others = results.Contenders.Skip(1).ToList();
        // Beside peers by processor time, which other work on the machine disturbs less.
        var isByProcessor = results.Options.Peers.Count > 0;
        var pairs = all.Select(series => OverBaseline(results, series)).OfType<SeriesPair>().ToList();
        var warnings = all.Where(series => series.Runs.Any(run => run.ExitCode == 2))
            .Select(series => $"{series.Contender}, {series.Operation}: ended with warnings (exit code 2).");
        return new TableResults
        {
            Title = $"Whole operations{Data(results)}",
            Command = results.Command,
            Environment = results.Environment,
            Note = string.Join(
                "\n\n",
                [
                    $"{results.Options.Data}. Each operation is a process of its own: {ProcessTree.Means}.",
                    $"{Medians(results.Results, results)} Speed-up is over `{results.Contenders[0]}`.",
                    string.Join('\n', results.Programs.Select(program => $"- {program.Key}: {program.Value}")),
                    .. warnings,
                    .. results.Failures.Select(failure => $"{failure}"),
                ]
            ),
            Texts = ["operation", "contender"],
            Figures = ["clock s", "cpu s", "peak MiB", "written MiB", "speed-up", "speed-up (cpu)"],
            Rows =
            [
                .. all.Select(
                    IReadOnlyList<string> (series) =>
                        [
                            series.Operation,
                            series.Contender,
                            Numbers.Spread(series.Runs.Select(run => run.WallSeconds)),
                            Numbers.Spread(series.Runs.Select(run => run.CpuSeconds)),
                            Numbers.MiB((long)Numbers.Median(series.Runs.Select(run => (double)run.PeakBytes))),
                            Numbers.MiB((long)Numbers.Median(series.Runs.Select(run => (double)run.WrittenBytes))),
                            $"{OverBaseline(results, series)?.Wall.ToString() ?? "–"}",
                            $"{OverBaseline(results, series)?.Cpu.ToString() ?? "–"}",
                        ]
                ),
            ],
            Ratios = [.. Ratios(results, "", pairs)],
            Chart = BarChart.Of(
                $"e2e{Data(results)}",
                $"Speed-up of whole operations over {results.Contenders[0]} ({(isByProcessor ? "processor time" : "wall")})",
                pairs.Select(pair =>
                    (
                        $"{pair.Operation}, {pair.Second.Contender}",
                        others.IndexOf(pair.Second.Contender),
                        (SpeedUp?)(isByProcessor ? pair.Cpu : pair.Wall)
                    )
                )
            ),
        };
    }

    // Null if there is none, or if it is that.
    private static SeriesPair? OverBaseline(EndToEndResults results, EndToEndSeries series) =>
        series.Contender != results.Contenders[0] && results.Find(results.Contenders[0], series.Operation) is { } baseline
            ? new SeriesPair(baseline, series)
            : null;

    private static IEnumerable<SpeedUp> Ratios(EndToEndResults results, string part, IEnumerable<SeriesPair> pairs) =>
        from pair in pairs
        from ratio in new[] { pair.Wall, pair.Cpu }
        select ratio with
        {
            Name = $"e2e/{part}{ratio.Name}",
            Setting = $"{results.Options.Data}; SQLite {results.Environment.Sqlite}",
        };

    // What tells runs on different data apart.
    private static string Data(EndToEndResults results) =>
        FormattableString.Invariant($", {results.Options.TotalBytes / 1048576.0:0.#} MiB in {results.Options.Files} files");

    // Of an interrupted run some have more rounds than others.
    private static string Medians(IReadOnlyList<EndToEndSeries> all, EndToEndResults results)
    {
        var counts = all.Select(series => series.Runs.Select(run => run.Round).Distinct().Count()).ToList();
        var (least, most, asked) = (counts.Min(), counts.Max(), results.Options.Repeat);
        return most == 1 && asked == 1 ? "One round shows no range; --repeat 3 says how sure a speed-up is."
            : least < asked ? FormattableString.Invariant($"Medians of {least} to {most} rounds of the {asked} asked for.")
            : $"Medians of {SizeText.Count(asked, "round")}, in brackets the least and the most.";
    }

    private static string Median(EndToEndSeries series, Func<StepResult, double> figure) =>
        Numbers.Seconds(Numbers.Median(series.Runs.Select(figure)));
}
