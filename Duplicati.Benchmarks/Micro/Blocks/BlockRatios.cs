using System.Diagnostics;
using System.Globalization;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>The questions of the group Blocks put in turn in all ways, several rounds, and held against the provider by processor time and by the clock.</summary>
/// <param name="sizes">Blocks in the table.</param>
/// <param name="names">Only questions whose name contains one of these; all if empty.</param>
/// <param name="ways">Only these ways besides the provider; all if empty.</param>
/// <param name="rounds">Rounds, after one on a small table that is not counted.</param>
internal sealed class BlockRatios(int[] sizes, string[] names, string[] ways, int rounds)
{
    private const string Note = "Medians by processor time and by the clock, the ways in turn; speed-ups are over the provider's prepared command in the same run. Every way must give the same answer.";

    private const int WarmUpRows = 100_000;

    private static readonly string[] s_texts = ["question", "blocks", "way"];
    private static readonly string[] s_figures = ["cpu ms", "clock ms", "speed-up (cpu)", "speed-up (clock)", "allocated B/row"];

    private readonly List<string[]> m_rows = [];
    private readonly List<SpeedUp> m_ratios = [];

    /// <summary>Runs all; a line of a markdown table is printed as soon as it is known, and a result file written at the end if there is a folder for it.</summary>
    /// <returns>The exit code.</returns>
    public int Run(TextWriter output, string? folder)
    {
        try
        {
            output.WriteLine($"| {string.Join(" | ", s_texts.Concat(s_figures))} |");
            output.WriteLine("|---|---:|---|---:|---:|---:|---:|---:|");
            foreach (var size in sizes)
            {
                foreach (var question in BlockCases.All.Where(x => names.Length == 0 || names.Any(name => x.Name.Contains(name, StringComparison.OrdinalIgnoreCase))))
                    Compare(output, question, size);
            }

            if (folder is not null)
                Results().Write(folder, "block-ratios");
            return 0;
        }
        finally
        {
            DatabaseTemplates.Remove();
        }
    }

    private void Compare(TextWriter output, BlockCase question, int size)
    {
        var chosen = question.Ways.Where(way => ways.Length == 0 || way == BlockWays.Provider || ways.Contains(way, StringComparer.OrdinalIgnoreCase)).ToArray();
        var samples = chosen.ToDictionary(way => way, _ => new List<Sample>());
        var benchmarks = chosen.ToDictionary(way => way, way => question.Create(size, way));
        // Enough for the code to be compiled.
        foreach (var way in chosen)
            _ = Measure(question.Create(Math.Min(size, WarmUpRows), way));
        // In turn, so that what else the machine does meets all of them alike.
        for (var round = 0; round < rounds; round++)
        {
            foreach (var way in chosen)
                samples[way].Add(Measure(benchmarks[way]));
        }

        foreach (var way in chosen)
        {
            Add(question, size, way, samples[chosen[0]], samples[way]);
            output.WriteLine($"| {string.Join(" | ", m_rows[^1])} |");
        }
    }

    private void Add(BlockCase question, int size, string way, List<Sample> baseline, List<Sample> samples)
    {
        var (reference, median) = (Median(baseline), Median(samples));
        m_rows.Add(
            [
                question.Name, size.ToString(CultureInfo.InvariantCulture), way,
                Text(median.Processor, "F1"), Text(median.Clock, "F1"), Text(reference.Processor / median.Processor, "F2"), Text(reference.Clock / median.Clock, "F2"), Text(median.Allocated, "F0"),
            ]);
        if (way == BlockWays.Provider)
            return;

        m_ratios.Add(SpeedUp.Of(
            string.Create(CultureInfo.InvariantCulture, $"block-ratios/{question.Name}, {size} blocks, {way} over {BlockWays.Provider}, cpu"),
            string.Create(CultureInfo.InvariantCulture, $"seed {BlockKeys.Seed}, SQLite {RunEnvironment.CurrentSqlite}"),
            [.. baseline.Select(sample => sample.Processor)],
            [.. samples.Select(sample => sample.Processor)]));
    }

    private TableResults Results() => new()
    {
        Title = $"Blocks in the ways of asking, by processor time: {(names.Length == 0 ? "all questions" : string.Join(", ", names.Select(name => name.Trim(' ', ','))))}",
        Command = string.Create(
            CultureInfo.InvariantCulture,
            $"block-ratios -n {string.Join(' ', sizes)} -r {rounds}{Arguments("-c", names)}{Arguments("-w", ways)}"),
        Environment = RunEnvironment.Current(BlockKeys.Seed, RunEnvironment.WriteAheadLog),
        Note = Note,
        Texts = s_texts,
        Figures = s_figures,
        Rows = m_rows,
        Ratios = m_ratios,
    };

    private static string Arguments(string option, string[] values) =>
        values.Length == 0 ? "" : $" {option} {string.Join(' ', values.Select(value => value.Contains(' ', StringComparison.Ordinal) ? $"\"{value}\"" : value))}";

    private static Sample Measure(BlockBenchmark benchmark)
    {
        benchmark.MakeFolder();
        try
        {
            benchmark.OpenFresh();
            GC.Collect();
            var allocated = GC.GetTotalAllocatedBytes();
            var processor = Environment.CpuUsage.TotalTime;
            var clock = Stopwatch.GetTimestamp();
            benchmark.Measure();
            var elapsed = Stopwatch.GetElapsedTime(clock);
            processor = Environment.CpuUsage.TotalTime - processor;
            allocated = GC.GetTotalAllocatedBytes() - allocated;
            benchmark.CheckAndClose();
            return new Sample(processor.TotalMilliseconds, elapsed.TotalMilliseconds, allocated / (double)BenchmarkRecord.Current.Rows);
        }
        finally
        {
            benchmark.RemoveFolder();
        }
    }

    private static Sample Median(List<Sample> samples) => new(
        Numbers.Median(samples.Select(x => x.Processor)), Numbers.Median(samples.Select(x => x.Clock)), Numbers.Median(samples.Select(x => x.Allocated)));

    private static string Text(double value, string format) => value.ToString(format, CultureInfo.InvariantCulture);

    private readonly record struct Sample(double Processor, double Clock, double Allocated);
}
