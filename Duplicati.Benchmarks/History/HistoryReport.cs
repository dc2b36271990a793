using System.Globalization;
using Duplicati.Benchmarks.Micro.Operations;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.History;

/// <summary>The table of the results: what an operation takes, what a row of it costs, and whether that grows with the versions.</summary>
/// <param name="results">An operation with each number of versions, fewest versions first.</param>
internal sealed class HistoryReport(IReadOnlyList<HistoryResult> results)
{
    private const string Note = """
        Processor time, s, medians with the least and the most; then the clock's. "Plain" is each operation as its definition reads, in sets, through the provider; a backup asks and writes file by file in both
        ways. Opening is not counted; what changes the database has a copy of its own, and its commit and closing with the checkpoint are counted. Both ways must give, and leave, the same. A row is what an
        operation must look at or write, or what comes out, whichever are more. "Growth" is what a row costs, over what it costs with the fewest versions: 1.00 is linear, less is better.
        """;

    private static readonly string[] s_ways = [OperationWays.Plain, OperationWays.Door];

    /// <summary>The table.</summary>
    /// <param name="title">Heading.</param>
    /// <param name="command">The arguments that repeat the run.</param>
    /// <param name="rounds">Rounds that were asked for.</param>
    public TableResults Table(string title, string command, int rounds) => new()
    {
        Title = title,
        Command = command,
        Environment = RunEnvironment.Current(0, RunEnvironment.WriteAheadLog),
        Note = Note,
        Texts = ["operation", "row"],
        Figures =
        [
            "versions", "rows", .. s_ways.Select(way => $"{way}, s"), "ratio", .. s_ways.Select(way => $"{way}, s (clock)"), "ratio (clock)",
            .. s_ways.Select(way => $"{way}, µs/row"), .. s_ways.Select(way => $"{way}, growth"), "rounds",
        ],
        Rows = [.. results.OrderBy(result => Names.IndexOf(result.Operation.Name)).ThenBy(result => result.Versions).Select(result => Row(result, rounds))],
        Ratios = [.. results.Select(RatioOf)],
    };

    private List<string> Names => [.. results.Select(result => result.Operation.Name).Distinct()];

    private string[] Row(HistoryResult result, int rounds)
    {
        var fewest = results.First(other => other.Operation.Name == result.Operation.Name);
        return
        [
            result.Operation.Name,
            result.Operation.Row,
            result.Versions.ToString(CultureInfo.InvariantCulture),
            result.Rows.ToString(CultureInfo.InvariantCulture),
            .. s_ways.Select(way => Spread(result.Costs(way).Select(cost => cost.Processor))),
            Ratio(result, cost => cost.Processor),
            .. s_ways.Select(way => Spread(result.Costs(way).Select(cost => cost.Clock))),
            Ratio(result, cost => cost.Clock),
            .. s_ways.Select(way => Numbers.Two(result.RowCost(way))),
            .. s_ways.Select(way => result == fewest ? "–" : Numbers.Two(result.RowCost(way) / fewest.RowCost(way))),
            result.Costs(OperationWays.Plain).Count < rounds ? FormattableString.Invariant($"{rounds}, plain {result.Costs(OperationWays.Plain).Count}") : rounds.ToString(CultureInfo.InvariantCulture),
        ];
    }

    private static string Ratio(HistoryResult result, Func<HistoryCost, double> value) =>
        Numbers.Two(Numbers.Median(result.Costs(OperationWays.Plain).Select(value)) / Numbers.Median(result.Costs(OperationWays.Door).Select(value)));

    private static string Spread(IEnumerable<double> values)
    {
        var sorted = values.Order().ToList();
        var middle = Text(Numbers.Median(sorted));
        return sorted.Count == 1 ? middle : $"{middle} ({Text(sorted[0])}–{Text(sorted[^1])})";
    }

    // Three digits that mean something, from milliseconds to minutes.
    private static string Text(double seconds) => seconds.ToString(seconds < 1 ? "F3" : seconds < 10 ? "F2" : "F1", CultureInfo.InvariantCulture);

    private static SpeedUp RatioOf(HistoryResult result) => SpeedUp.Of(
        $"history/{result.Operation.Name}, {result.Versions} versions, {OperationWays.Door} over {OperationWays.Plain}, cpu",
        FormattableString.Invariant($"{result.Rows} rows, SQLite {RunEnvironment.CurrentSqlite}"),
        [.. result.Costs(OperationWays.Plain).Select(cost => cost.Processor)],
        [.. result.Costs(OperationWays.Door).Select(cost => cost.Processor)]);
}
