using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;
using Duplicati.Benchmarks.Reports;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>Turns the results of an end-to-end run into tables: medians, and each contender's speed-up over the first one.</summary>
internal sealed class EndToEndReport(EndToEndOptions options, IReadOnlyDictionary<(string Contender, string Operation), List<StepResult>> results)
{
    private static readonly JsonSerializerOptions s_json = new() { WriteIndented = true };

    private readonly List<string> m_contenders = [.. results.Keys.Select(x => x.Contender).Distinct()];

    private sealed record Row(string Operation, string Contender, double WallSeconds, double CpuSeconds, double PeakMiB, double WrittenMiB, double Speedup, double CpuSpeedup);

    /// <summary>Writes <c>e2e.md</c>, <c>e2e.csv</c> and <c>e2e.json</c> and returns the markdown.</summary>
    internal string Write()
    {
        var rows = Rows().ToList();
        Directory.CreateDirectory(options.Output);
        var markdown = Markdown(rows);
        File.WriteAllText(Path.Combine(options.Output, "e2e.md"), markdown);
        File.WriteAllText(Path.Combine(options.Output, "e2e.csv"), Csv(rows));
        File.WriteAllText(Path.Combine(options.Output, "e2e.json"), JsonSerializer.Serialize(new { environment = Environment(), options, rows, results = results.Select(x => new { x.Key.Contender, x.Key.Operation, Runs = x.Value }) }, s_json));
        return markdown;
    }

    private IEnumerable<Row> Rows()
    {
        foreach (var operation in EndToEndRun.Operations)
        {
            var baseline = results[(m_contenders[0], operation)];
            foreach (var contender in m_contenders)
            {
                var runs = results[(contender, operation)];
                yield return new Row(
                    operation, contender,
                    Median(runs, x => x.WallSeconds), Median(runs, x => x.CpuSeconds), Median(runs, x => x.PeakBytes) / 1048576, Median(runs, x => x.WrittenBytes) / 1048576,
                    Median(baseline, x => x.WallSeconds) / Median(runs, x => x.WallSeconds), Median(baseline, x => x.CpuSeconds) / Median(runs, x => x.CpuSeconds));
            }
        }
    }

    private string Markdown(List<Row> rows)
    {
        var text = new StringBuilder();
        foreach (var (name, value) in Environment())
            text.Append(CultureInfo.InvariantCulture, $"- {name}: {value}\n");
        text.Append(CultureInfo.InvariantCulture, $"\nMedians of {options.Repeat}. Speed-up is over `{m_contenders[0]}` in the same run.\n\n");
        text.Append("| operation | contender | wall s | cpu s | peak MiB | written MiB | speed-up (wall) | speed-up (cpu) |\n|---|---|---:|---:|---:|---:|---:|---:|\n");
        foreach (var row in rows)
            text.Append(CultureInfo.InvariantCulture, $"| {row.Operation} | {row.Contender} | {row.WallSeconds:F2} | {row.CpuSeconds:F2} | {row.PeakMiB:F0} | {row.WrittenMiB:F0} | {row.Speedup:F2} | {row.CpuSpeedup:F2} |\n");
        return text.ToString();
    }

    private static string Csv(List<Row> rows)
    {
        var text = new StringBuilder("operation,contender,wall_s,cpu_s,peak_mib,written_mib,speedup_wall,speedup_cpu\n");
        foreach (var row in rows)
            text.Append(CultureInfo.InvariantCulture, $"{row.Operation},{row.Contender},{row.WallSeconds:F3},{row.CpuSeconds:F3},{row.PeakMiB:F1},{row.WrittenMiB:F1},{row.Speedup:F3},{row.CpuSpeedup:F3}\n");
        return text.ToString();
    }

    private Dictionary<string, string> Environment() => new()
    {
        ["machine"] = RunEnvironment.CurrentMachine,
        ["commit"] = RunEnvironment.CurrentCommit,
        ["runtime"] = RuntimeInformation.FrameworkDescription,
        ["provider"] = RunEnvironment.CurrentProvider,
        ["SQLite"] = RunEnvironment.CurrentSqlite,
        ["durability"] = "default, throughput: WAL, synchronous NORMAL (a power loss may drop the last commits); stock: DELETE journal, synchronous FULL",
        ["data"] = options.Source is null
            ? string.Create(CultureInfo.InvariantCulture, $"{options.TotalBytes} bytes in {options.Files} files, 30 % zeros, seed {options.Seed}; blocks {options.BlockSize}, volumes {options.VolumeSize} bytes")
            : string.Create(CultureInfo.InvariantCulture, $"{Path.GetFileName(options.Source)}; blocks {options.BlockSize}, volumes {options.VolumeSize} bytes"),
    };

    private static double Median(List<StepResult> runs, Func<StepResult, double> figure)
    {
        var sorted = runs.Select(figure).Order().ToList();
        return (sorted[(sorted.Count - 1) / 2] + sorted[sorted.Count / 2]) / 2;
    }
}
