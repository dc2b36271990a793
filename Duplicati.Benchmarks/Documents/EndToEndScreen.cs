// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Text;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Replay;
using Duplicati.Benchmarks.Results;
using Duplicati.Engine.Common;

namespace Duplicati.Benchmarks.Documents;

/// <summary>What an end-to-end run without peers shows in the end: tables that fit a terminal, and where all of it lies.</summary>
internal static class EndToEndScreen
{
    private const double MiB = 1048576;
    private const double FasterThan = 1.005;
    private const double SlowerThan = 0.995;
    private const double MostDeviation = 0.25;

    private const string CpuColumn = "By cpu: by processor time, which other programs disturb less.";

    // Of several rounds.
    private const string RangeColumns = """
        Range: with bad and with good luck.
        Slower, or noise: the median is below 1, not every round. Within noise: not every round gained.
        """;

    /// <summary>The text; the files are in the folder already.</summary>
    public static string Text(EndToEndResults results, string folder)
    {
        var text = new StringBuilder();
        if (results.DatabasePairs.Any())
            AppendDatabase(text, results);
        AppendWhole(text, results);
        foreach (var failure in results.Failures)
            text.Append(CultureInfo.InvariantCulture, $"\nFailed: {failure.Contender}, {failure.Operation}. ")
                .Append(string.Join('\n', failure.Lines))
                .Append('\n');
        text.Append('\n');
        foreach (var (name, file) in EndToEndFiles.All)
            text.Append(CultureInfo.InvariantCulture, $"{name, -8} {Path.GetFullPath(Path.Combine(folder, file))}\n");
        return text.ToString();
    }

    /// <summary>What columns of <see cref="DatabaseTable"/> mean that do not say it.</summary>
    public static string Columns(EndToEndResults results) => IsOneRound(results) ? CpuColumn : $"{CpuColumn} {RangeColumns}";

    /// <summary>The database's part in its two ways: heads and rows.</summary>
    public static (IReadOnlyList<string> Heads, IReadOnlyList<IReadOnlyList<string>> Rows) DatabaseTable(EndToEndResults results) =>
        Filled(
            ["operation", "plain s", "this s", "speed-up", "range", "by cpu", ""],
            [
                .. results.DatabasePairs.Select(
                    IReadOnlyList<string> (pair) =>
                        [
                            pair.Operation,
                            Seconds(pair.First),
                            Seconds(pair.Second),
                            Numbers.Two(pair.Wall.Ratio),
                            pair.Wall.Range,
                            Numbers.Two(pair.Cpu.Ratio),
                            Verdict(pair.Wall),
                        ]
                ),
            ]
        );

    /// <summary>The whole operations: heads and rows.</summary>
    public static (IReadOnlyList<string> Heads, IReadOnlyList<IReadOnlyList<string>> Rows) WholeTable(EndToEndResults results) =>
        Filled(
            ["operation", "preset", "clock s", "cpu s", "peak MiB", .. results.Contenders.Count > 1 ? new[] { "speed-up", "range" } : []],
            [.. results.Results.OrderBy(series => TimedOperation.Place(series.Operation)).Select(series => WholeRow(results, series))]
        );

    /// <summary>How sure the speed-ups of the database's part are.</summary>
    public static string Certainty(EndToEndResults results)
    {
        var (operation, deviation) = results.DatabasePairs.Select(pair => (pair.Operation, pair.Deviation)).MaxBy(entry => entry.Deviation);
        var load = $"Load: {results.Environment.GetValueOrDefault("load")}.";
        if (IsOneRound(results))
            return $"One round shows no range; --repeat 3 says how sure a speed-up is.\n{load}";
        var advice = deviation > MostDeviation ? " Repeat it where nothing else runs." : "";
        return string.Create(
            CultureInfo.InvariantCulture,
            $"A single round was up to {deviation * 100:0} % off the median ({operation}).\n{load}{advice}"
        );
    }

    /// <summary>What the two ways are.</summary>
    public static string Ways(EndToEndResults results) =>
        $"""
            plain  the way of the replaced layer: a prepared command of the provider for each row, its settings,
                   and the statements of its definitions (docs/contract); without its logging
            this   this layer with preset {results.Options.DatabasePreset}, through the members that core calls
            {(results.Failures.Count == 0 ? "Both left equal tables and gave equal answers." : "See what failed below.")}
            """;

    private static void AppendDatabase(StringBuilder text, EndToEndResults results)
    {
        text.Append("The database's part of each operation\n\n");
        Append(text, DatabaseTable(results), 1);
        text.Append(
            CultureInfo.InvariantCulture,
            $"\nSeconds by the clock, medians of {Rounds(results.Database)}; higher is better.\n{Columns(results)}\n"
        );
        text.Append(Ways(results)).Append('\n').Append(Certainty(results)).Append("\n\n");
    }

    private static void AppendWhole(StringBuilder text, EndToEndResults results)
    {
        text.Append("Whole operations: the engine of this repository, each a process of its own\n\n");
        Append(text, WholeTable(results), 2);
        text.Append(CultureInfo.InvariantCulture, $"\nMedians of {Rounds(results.Results)}.");
        if (results.Contenders.Count > 1)
            text.Append(CultureInfo.InvariantCulture, $" Speed-up by the clock over {results.Baseline}; higher is better.");
        text.Append('\n');
    }

    private static IReadOnlyList<string> WholeRow(EndToEndResults results, EndToEndSeries series)
    {
        List<string> row =
        [
            series.Operation,
            series.Contender,
            Seconds(series),
            Numbers.Two(Numbers.Median(series.Runs.Select(run => run.CpuSeconds))),
            series.Median(run => run.PeakBytes) is { } peak ? (peak / MiB).ToString("0", CultureInfo.InvariantCulture) : "–",
        ];
        if (results.Contenders.Count == 1)
            return row;
        return results.OverBaseline(series)?.Wall is { } ratio ? [.. row, Numbers.Two(ratio.Ratio), ratio.Range] : [.. row, "–", ""];
    }

    private static string Seconds(EndToEndSeries series) => Numbers.Seconds(Numbers.Median(series.Runs.Select(run => run.WallSeconds)));

    private static string Verdict(SpeedUp ratio) =>
        ratio.Ratio < SlowerThan ? (ratio.High < 1 ? "slower" : "slower, or noise")
        : ratio.Ratio > FasterThan && ratio.Low <= 1 ? "within noise"
        : "";

    private static bool IsOneRound(EndToEndResults results) => results.Database.All(series => series.Runs.Count == 1);

    // Without columns that have nothing to say, as the range of one round.
    private static (IReadOnlyList<string>, IReadOnlyList<IReadOnlyList<string>>) Filled(
        IReadOnlyList<string> heads,
        IReadOnlyList<IReadOnlyList<string>> rows
    )
    {
        bool IsFilled(string cell, int column) => rows.Any(row => row[column].Length > 0);
        return ([.. heads.Where(IsFilled)], [.. rows.Select(row => row.Where(IsFilled).ToList())]);
    }

    private static string Rounds(IReadOnlyList<EndToEndSeries> series) =>
        SizeText.Count(series.SelectMany(entry => entry.Runs).Select(run => run.Round).Distinct().Count(), "round");

    // Columns of text on the left, of figures on the right; no line longer than it must be.
    private static void Append(
        StringBuilder text,
        (IReadOnlyList<string> Heads, IReadOnlyList<IReadOnlyList<string>> Rows) table,
        int texts
    )
    {
        var rows = table.Rows.Prepend(table.Heads).ToList();
        var widths = table.Heads.Select((_, column) => rows.Max(row => row[column].Length)).ToList();
        foreach (var row in rows)
        {
            var cells = row.Select(
                (cell, column) =>
                    column < texts || table.Heads[column].Length == 0 ? cell.PadRight(widths[column]) : cell.PadLeft(widths[column])
            );
            text.Append("  ").Append(string.Join("  ", cells).TrimEnd()).Append('\n');
        }
    }
}
