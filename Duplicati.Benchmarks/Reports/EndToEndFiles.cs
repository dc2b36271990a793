using System.Globalization;
using System.Text;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Processes;

namespace Duplicati.Benchmarks.Reports;

/// <summary>What an end-to-end run leaves beside its result file: a document with a figure, and tables for programs.</summary>
internal static class EndToEndFiles
{
    private const string Document = "e2e.md";
    private const string Rounds = "e2e.csv";
    private const string Medians = "e2e-medians.csv";
    private const double MiB = 1048576;

    /// <summary>Writes the files.</summary>
    /// <returns>The text of the document.</returns>
    public static string Write(EndToEndResults results, string folder)
    {
        File.WriteAllText(Path.Combine(folder, Rounds), RoundsTable(results));
        File.WriteAllText(Path.Combine(folder, Medians), MediansTable(results));
        var path = Path.Combine(folder, Document);
        File.Delete(path);
        ReportDocument.Write(new ResultFolder([], [results], []), path, null);
        return File.ReadAllText(path);
    }

    private static string RoundsTable(EndToEndResults results)
    {
        var text = new StringBuilder("operation,contender,round,wall_s,cpu_s,peak_mib,written_mib,exit_code\n");
        foreach (var series in results.Results)
        {
            foreach (var run in series.Runs)
                text.Append(CultureInfo.InvariantCulture, $"{series.Operation},{series.Contender},{run.Round},{run.WallSeconds:F3},{run.CpuSeconds:F3},{Known(run.PeakBytes)},{Known(run.WrittenBytes)},{run.ExitCode}\n");
        }

        return text.ToString();
    }

    private static string MediansTable(EndToEndResults results)
    {
        var text = new StringBuilder("operation,first,second,first_cpu_s,second_cpu_s,cpu_ratio,cpu_low,cpu_high,first_wall_s,second_wall_s,wall_ratio,wall_low,wall_high\n");
        foreach (var comparison in results.Comparisons)
        {
            var (first, second) = (results.Find(comparison.First, comparison.Operation)!, results.Find(comparison.Second, comparison.Operation)!);
            text.Append(CultureInfo.InvariantCulture, $"{comparison.Operation},{comparison.First},{comparison.Second}");
            Append(text, first, second, comparison.Cpu, run => run.CpuSeconds);
            Append(text, first, second, comparison.Wall, run => run.WallSeconds);
            text.Append('\n');
        }

        return text.ToString();
    }

    private static void Append(StringBuilder text, EndToEndSeries first, EndToEndSeries second, SpreadRatio ratio, Func<StepResult, double> figure) =>
        text.Append(CultureInfo.InvariantCulture, $",{first.Median(figure):F3},{second.Median(figure):F3},{ratio.Ratio:F3},{ratio.Low:F3},{ratio.High:F3}");

    private static string Known(long bytes) => bytes < 0 ? "" : (bytes / MiB).ToString("F1", CultureInfo.InvariantCulture);
}
