using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Micro.Blocks;

namespace Duplicati.Benchmarks.Commands;

/// <summary>
/// <c>block-ratios</c>: puts the questions of the group Blocks in turn in all ways, several rounds, and prints medians of processor
/// time, of time on the clock, and their ratios to the provider: ratios of one run that a busy machine disturbs little.
/// </summary>
internal static class BlockRatiosCommand
{
    public static Command Create()
    {
        var rows = new Option<int[]>("--rows", "-n") { Description = "Blocks in the table", DefaultValueFactory = _ => [10_000], AllowMultipleArgumentsPerToken = true };
        var cases = new Option<string[]>("--case", "-c") { Description = "Only questions whose name contains one of these", AllowMultipleArgumentsPerToken = true };
        var ways = new Option<string[]>("--way", "-w") { Description = "Only these ways, besides the provider", AllowMultipleArgumentsPerToken = true };
        var rounds = new Option<int>("--repeat", "-r") { Description = "Rounds, after one that is not counted", DefaultValueFactory = _ => 5 };
        var command = new Command("block-ratios", "Compares the ways of asking about blocks by processor time within one run") { rows, cases, ways, rounds };
        command.SetAction(parsed => Run(parsed.GetValue(rows)!, parsed.GetValue(cases) ?? [], parsed.GetValue(ways) ?? [], parsed.GetValue(rounds)));
        return command;
    }

    private static int Run(int[] sizes, string[] names, string[] ways, int rounds)
    {
        try
        {
            Console.Out.WriteLine("| question | blocks | way | cpu ms | clock ms | speed-up (cpu) | speed-up (clock) | allocated B/row |");
            Console.Out.WriteLine("|---|---:|---|---:|---:|---:|---:|---:|");
            foreach (var size in sizes)
            {
                foreach (var question in BlockCases.All.Where(x => names.Length == 0 || names.Any(name => x.Name.Contains(name, StringComparison.OrdinalIgnoreCase))))
                    Compare(question, size, ways, rounds);
            }

            return 0;
        }
        finally
        {
            DatabaseTemplates.Remove();
        }
    }

    private static void Compare(BlockCase question, int size, string[] ways, int rounds)
    {
        var chosen = question.Ways.Where(way => ways.Length == 0 || way == BlockWays.Provider || ways.Contains(way, StringComparer.OrdinalIgnoreCase)).ToArray();
        var samples = chosen.ToDictionary(way => way, _ => new List<Sample>());
        var benchmarks = chosen.ToDictionary(way => way, way => question.Create(size, way));
        // In turn, so that what else the machine does meets all of them alike.
        for (var round = 0; round <= rounds; round++)
        {
            foreach (var way in chosen)
            {
                var sample = Measure(benchmarks[way]);
                if (round > 0)
                    samples[way].Add(sample);
            }
        }

        var baseline = Median(samples[chosen[0]]);
        foreach (var way in chosen)
        {
            var median = Median(samples[way]);
            Console.Out.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"| {question.Name} | {size} | {way} | {median.Processor:F1} | {median.Clock:F1} | {baseline.Processor / median.Processor:F2} | {baseline.Clock / median.Clock:F2} | {median.Allocated:F0} |"));
        }
    }

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
        Median(samples.Select(x => x.Processor)), Median(samples.Select(x => x.Clock)), Median(samples.Select(x => x.Allocated)));

    private static double Median(IEnumerable<double> values)
    {
        var sorted = values.Order().ToArray();
        return (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
    }

    private readonly record struct Sample(double Processor, double Clock, double Allocated);
}
