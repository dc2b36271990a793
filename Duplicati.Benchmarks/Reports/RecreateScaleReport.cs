using System.Globalization;
using System.Text;
using System.Text.Json;
using Duplicati.Benchmarks.Micro.Recreate;

namespace Duplicati.Benchmarks.Reports;

/// <summary>Turns the samples of a <c>recreate-scale</c> run into tables: medians by case, and the ratios that are asked for.</summary>
internal sealed class RecreateScaleReport
{
    private const string Durability = "WAL, synchronous NORMAL (a power loss may drop the last commits)";

    private readonly List<Row> m_rows;
    private readonly List<(ScaleCase Case, List<ScaleSample> Samples)> m_samples;

    /// <param name="samples">The cases in their order, each with at least one sample.</param>
    /// <exception cref="InvalidOperationException">Two rebuilds of the same data gave different answers.</exception>
    public RecreateScaleReport(List<(ScaleCase Case, List<ScaleSample> Samples)> samples)
    {
        m_samples = samples;
        m_rows = [.. samples.Select(x => new Row(x.Case, x.Samples))];
        foreach (var same in samples.GroupBy(x => (x.Case.Blocks, x.Case.BlocksPerFile)))
        {
            if (same.SelectMany(x => x.Samples).Select(x => x.Checksum).Distinct().Count() > 1)
                throw new InvalidOperationException($"Rebuilds of the same {same.Key.Blocks} blocks differ.");
        }
    }

    /// <summary>Writes <c>recreate-scale.md</c> and <c>recreate-scale.json</c> and returns the markdown.</summary>
    public string Write(string folder)
    {
        Directory.CreateDirectory(folder);
        var markdown = Markdown();
        File.WriteAllText(Path.Combine(folder, "recreate-scale.md"), markdown);
        var results = new
        {
            Environment = RunEnvironment.Current(0, Durability),
            Cases = m_samples.Select(x => new { x.Case, x.Samples }),
        };
        File.WriteAllText(Path.Combine(folder, "recreate-scale.json"), JsonSerializer.Serialize(results, ResultFolder.Json));
        return markdown;
    }

    private string Markdown()
    {
        var text = new StringBuilder();
        var phases = m_samples[0].Samples[0].Phases.Keys.ToList();
        text.Append(CultureInfo.InvariantCulture, $"| blocks | files | way | {string.Join(" | ", phases)} | cpu µs/block | clock µs/block | peak MB | written MB | speed-up (cpu) | speed-up (clock) | checksum | rounds |\n");
        text.Append(CultureInfo.InvariantCulture, $"|---:|---|---|{string.Concat(phases.Select(_ => "---:|"))}---:|---:|---:|---:|---:|---:|---|---:|\n");
        foreach (var row in m_rows)
            Append(text, row, phases);
        text.Append('\n');
        foreach (var way in m_rows.GroupBy(row => row.Case.Way))
            AppendGrowth(text, way.Key, [.. way]);
        return text.ToString();
    }

    private void Append(StringBuilder text, Row row, List<string> phases)
    {
        var baseline = m_rows.FirstOrDefault(x => x.Case == row.Case with { Way = ScaleWays.Provider });
        var cells = phases.Select(phase => (row.Phase(phase) / row.Case.Blocks).ToString("F2", CultureInfo.InvariantCulture));
        text.Append(CultureInfo.InvariantCulture, $"| {row.Case.Blocks} | {row.Case.Files} | {row.Case.Way} | {string.Join(" | ", cells)} | {row.Processor:F2} | {row.Clock:F2} | {row.PeakMegaBytes:F0} | {row.WrittenMegaBytes:F0} | ");
        text.Append(CultureInfo.InvariantCulture, $"{Ratio(baseline?.Processor, row.Processor)} | {Ratio(baseline?.Clock, row.Clock)} | {row.Checksum:x16} | {row.Rounds} |\n");
    }

    // What a block costs in each case over what it costs in the first one of the same way.
    private static void AppendGrowth(StringBuilder text, string way, List<Row> rows)
    {
        foreach (var row in rows.Skip(1))
        {
            text.Append(CultureInfo.InvariantCulture, $"* cost per block, {way}: {row.Case.Blocks} blocks in files {row.Case.Files} over {rows[0].Case.Blocks} in {rows[0].Case.Files}: ");
            text.Append(CultureInfo.InvariantCulture, $"{Ratio(row.Processor, rows[0].Processor)} by processor time, {Ratio(row.Clock, rows[0].Clock)} on the clock\n");
        }
    }

    private static string Ratio(double? upper, double lower) => upper is { } value ? (value / lower).ToString("F2", CultureInfo.InvariantCulture) : "";

    // Medians; times are microseconds a block.
    private sealed class Row(ScaleCase item, List<ScaleSample> samples)
    {
        internal ScaleCase Case => item;

        internal double Processor { get; } = Median(samples, x => x.Processor) / item.Blocks;

        internal double Clock { get; } = Median(samples, x => x.Clock) / item.Blocks;

        internal double PeakMegaBytes { get; } = Median(samples, x => x.PeakBytes) / 1048576;

        internal double WrittenMegaBytes { get; } = Median(samples, x => x.WrittenBytes) / 1048576;

        internal ulong Checksum => samples[0].Checksum;

        internal int Rounds => samples.Count;

        internal double Phase(string name) => Median(samples, x => x.Phases[name]);
    }

    private static double Median(List<ScaleSample> samples, Func<ScaleSample, double> value)
    {
        var sorted = samples.Select(value).Order().ToArray();
        return (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
    }
}
