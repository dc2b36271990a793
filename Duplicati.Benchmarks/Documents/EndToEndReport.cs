// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Documents;

/// <summary>
/// The part of a report about one end-to-end run: a table of operations by contender, each contender against each other if there are peers,
/// what failed, and the speed-ups as bars.
/// </summary>
internal static class EndToEndSection
{
    private const double MiB = 1048576;

    /// <summary>Adds the section.</summary>
    public static void Append(ReportDocument document, EndToEndResults results)
    {
        document.Line($"\n## Whole operations{Title(results)}");
        document.Command(results.Command);
        foreach (var (name, value) in results.Environment)
            document.Line($"- {name}: {value}");
        if (results.DatabasePairs.Any())
            AppendDatabase(document, results);
        if (results.Results.Count == 0)
            return;
        if (results.DatabasePairs.Any())
            document.Line("\n### The whole");
        document.Line(
            $"\nMedians of {Rounds(results)}, in brackets the least and the most. Speed-up is over `{results.Baseline}` in the same run.\n"
        );

        document.Head(["operation", "contender"], ["wall s", "cpu s", "peak MiB", "written MiB", "speed-up (wall)", "speed-up (cpu)"]);
        foreach (var series in results.Results.OrderBy(series => TimedOperation.Place(series.Operation)))
        {
            document.Row(
                series.Operation,
                series.Contender,
                Spread(series, run => run.WallSeconds),
                Spread(series, run => run.CpuSeconds),
                Known(series.Median(run => run.PeakBytes)),
                Known(series.Median(run => run.WrittenBytes)),
                Ratio(results, series, pair => pair.Wall),
                Ratio(results, series, pair => pair.Cpu)
            );
        }

        AppendWarnings(document, results);
        if (results.Options.Peers.Count > 0)
            AppendPairs(document, results);
        AppendFigure(document, results);
    }

    private static void AppendWarnings(ReportDocument document, EndToEndResults results)
    {
        foreach (var series in results.Results.Where(series => series.Runs.Any(run => run.ExitCode == 2)))
            document.Line($"\n{series.Contender}, {series.Operation}: ended with warnings (exit code 2).");
        foreach (var failure in results.Failures)
        {
            var code = failure.ExitCode is { } number ? FormattableString.Invariant($" with exit code {number}") : "";
            document.Line(
                FormattableString.Invariant(
                    $"\n{failure.Contender}, {failure.Operation}: failed in round {failure.Round}{code}; it was left out from there on."
                )
            );
            document.Output(failure.Lines);
        }
    }

    private static void AppendPairs(ReportDocument document, EndToEndResults results)
    {
        foreach (var pair in results.Comparisons.GroupBy(comparison => (comparison.First.Contender, comparison.Second.Contender)))
        {
            var (first, second) = pair.Key;
            document.Line(
                $"\n### {first} against {second}\n\nSpeed-up: {first} over {second}, in brackets if luck is against {second} and with it.\n"
            );
            document.Head(["operation"], [$"cpu s, {first}", second, "speed-up", $"wall s, {first}", second, "speed-up"]);
            foreach (var comparison in pair)
            {
                document.Row(
                    comparison.Operation,
                    Median(comparison.First, run => run.CpuSeconds),
                    Median(comparison.Second, run => run.CpuSeconds),
                    $"{comparison.Cpu}",
                    Median(comparison.First, run => run.WallSeconds),
                    Median(comparison.Second, run => run.WallSeconds),
                    $"{comparison.Wall}"
                );
            }
        }
    }

    private static void AppendFigure(ReportDocument document, EndToEndResults results)
    {
        if (EndToEndFigures.Whole(results) is { } figure)
            document.Figure($"e2e{Title(results)}", EndToEndFigures.WholeTitle(results), figure);
    }

    private static void AppendDatabase(ReportDocument document, EndToEndResults results)
    {
        document.Line("\n### The database's part\n");
        document.Line(
            $"`plain` is the way of the replaced layer, `this` is this layer with preset {results.Options.DatabasePreset}; both on the same data, in turns."
                + " Medians, in brackets the least and the most. Speed-up is over `plain`.\n"
        );
        document.Head(["operation"], ["wall s, plain", "wall s, this", "speed-up (wall)", "cpu s, plain", "cpu s, this", "speed-up (cpu)"]);
        foreach (var pair in results.DatabasePairs)
            document.Row(
                pair.Operation,
                Spread(pair.First, run => run.WallSeconds),
                Spread(pair.Second, run => run.WallSeconds),
                $"{pair.Wall}",
                Spread(pair.First, run => run.CpuSeconds),
                Spread(pair.Second, run => run.CpuSeconds),
                $"{pair.Cpu}"
            );
        document.Line($"\n{EndToEndScreen.Certainty(results).Replace('\n', ' ')}");
        if (EndToEndFigures.Database(results) is { } figure)
            document.Figure($"e2e-database{Title(results)}", EndToEndFigures.DatabaseTitle, figure);
    }

    // What tells runs on different data apart.
    private static string Title(EndToEndResults results) =>
        results.Options.Source is null
            ? string.Create(CultureInfo.InvariantCulture, $", {results.Options.TotalBytes / MiB:0.#} MiB in {results.Options.Files} files")
            : $", {Path.GetFileName(results.Options.Source)}";

    private static string Rounds(EndToEndResults results)
    {
        var counts = results.Results.Select(series => series.Runs.Select(run => run.Round).Distinct().Count()).ToList();
        var asked = results.Options.Repeat;
        return counts.Count == 0 || counts.Min() >= asked
            ? FormattableString.Invariant($"{asked}")
            : FormattableString.Invariant($"{counts.Min()} to {counts.Max()} rounds of the {asked} asked for");
    }

    private static string Median(EndToEndSeries series, Func<StepResult, double> figure) =>
        Numbers.Two(Numbers.Median(series.Runs.Select(figure)));

    private static string Spread(EndToEndSeries series, Func<StepResult, double> figure) =>
        series.Runs.Count == 1
            ? Median(series, figure)
            : $"{Median(series, figure)} ({Numbers.Two(series.Runs.Min(figure))}–{Numbers.Two(series.Runs.Max(figure))})";

    private static string Known(double? bytes) => bytes is { } known ? Numbers.Two(known / MiB) : "–";

    private static string Ratio(EndToEndResults results, EndToEndSeries series, Func<SeriesPair, SpeedUp> ratio) =>
        series.Contender == results.Baseline ? "baseline"
        : results.OverBaseline(series) is { } pair ? $"{ratio(pair)}"
        : "–";
}

/// <summary>What a run leaves beside its result file: a document with figures, and the same as a page.</summary>
internal static class EndToEndFiles
{
    private const string Document = "e2e.md";
    private const string Page = "index.html";

    /// <summary>The files that people open, with what they are.</summary>
    public static IReadOnlyList<(string Name, string File)> All { get; } =
    [("Page", Page), ("Report", Document), ("Figures", Path.GetFileNameWithoutExtension(Document)), ("All", EndToEndResults.FileName)];

    /// <summary>Writes the files.</summary>
    /// <returns>The text of the document.</returns>
    public static string Write(EndToEndResults results, string folder)
    {
        File.WriteAllText(Path.Combine(folder, Page), EndToEndPage.Of(results));
        var path = Path.Combine(folder, Document);
        File.Delete(path);
        ReportDocument.Write(new ResultFolder([], [results], []), path, null);
        return File.ReadAllText(path);
    }
}
