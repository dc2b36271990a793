using System.Globalization;
using Duplicati.Benchmarks.EndToEnd;

namespace Duplicati.Benchmarks.Reports;

/// <summary>The part of a report about one end-to-end run: a table of operations by contender, and their speed-ups as bars.</summary>
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
        document.Line($"\nMedians of {results.Options.Repeat}. Speed-up is over `{results.Baseline}` in the same run.\n");

        document.Head(["operation", "contender"], ["wall s", "cpu s", "peak MiB", "written MiB", "speed-up (wall)", "speed-up (cpu)"]);
        var ratios = SpeedUps.Of(results).ToDictionary(ratio => ratio.Name, ratio => ratio.Ratio);
        foreach (var series in results.Results.OrderBy(series => Array.IndexOf(EndToEndRun.Operations, series.Operation)))
        {
            document.Row(
                series.Operation, series.Contender,
                Median(series, run => run.WallSeconds), Median(series, run => run.CpuSeconds),
                Median(series, run => run.PeakBytes / MiB), Median(series, run => run.WrittenBytes / MiB),
                Ratio(ratios, results, series, "wall"), Ratio(ratios, results, series, "cpu"));
        }

        AppendFigure(document, results);
    }

    private static void AppendFigure(ReportDocument document, EndToEndResults results)
    {
        var contenders = results.Results.Select(series => series.Contender).Distinct().Skip(1).ToList();
        var bars = results.Results
            .Where(series => series.Contender != results.Baseline)
            .OrderBy(series => Array.IndexOf(EndToEndRun.Operations, series.Operation))
            .Select(series => (Label: $"{series.Operation}, {series.Contender}", Series: contenders.IndexOf(series.Contender), Value: Time(results.BaselineOf(series)) / Time(series)))
            .Where(bar => double.IsFinite(bar.Value) && bar.Value > 0)
            .ToList();
        if (bars.Count == 0)
            return;

        var title = $"Speed-up of whole operations over {results.Baseline} (wall)";
        document.Figure($"e2e{Title(results)}", title, BarChart.Draw(title, bars));
    }

    // What tells runs on different data apart.
    private static string Title(EndToEndResults results) => results.Options.Source is null
        ? string.Create(CultureInfo.InvariantCulture, $", {results.Options.TotalBytes / MiB:0.#} MiB in {results.Options.Files} files")
        : $", {Path.GetFileName(results.Options.Source)}";

    private static double Time(EndToEndSeries? series) => series is null ? 0 : SpeedUps.Median(series.Runs.Select(run => run.WallSeconds));

    private static string Median(EndToEndSeries series, Func<StepResult, double> figure) => ReportDocument.Two(SpeedUps.Median(series.Runs.Select(figure)));

    private static string Ratio(Dictionary<string, double> ratios, EndToEndResults results, EndToEndSeries series, string what) =>
        ratios.TryGetValue($"e2e/{series.Operation}, {series.Contender} over {results.Baseline}, {what}", out var ratio) ? ReportDocument.Two(ratio) : series.Contender == results.Baseline ? "baseline" : "–";
}
