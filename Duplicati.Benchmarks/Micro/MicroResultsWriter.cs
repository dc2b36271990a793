using System.Globalization;
using System.Reflection;
using System.Text.Json;
using BenchmarkDotNet.Reports;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Micro;

/// <summary>Keeps what reports and comparisons need of a run of micro benchmarks.</summary>
internal static class MicroResultsWriter
{
    private const string Durability =
        RunEnvironment.WriteAheadLog + "; stock and single pragmas: DELETE journal, synchronous FULL unless the pragma says otherwise; rebuild: none";

    /// <summary>Writes <see cref="MicroResults.FileName"/> in a folder.</summary>
    /// <returns>What was written.</returns>
    public static MicroResults Write(string folder, string group, string command, IEnumerable<Summary> summaries)
    {
        var results = new MicroResults
        {
            Group = group,
            Command = command,
            IsQuick = BenchmarkScale.IsQuick,
            Environment = RunEnvironment.Current(BlockKeys.Seed, BenchmarkGroups.Durability(group) ?? Durability),
            Cases = [.. summaries.SelectMany(summary => summary.Reports).Where(report => report is { Success: true, ResultStatistics: not null }).Select(Case)],
        };
        Directory.CreateDirectory(folder);
        File.WriteAllText(Path.Combine(folder, MicroResults.FileName), JsonSerializer.Serialize(results, ResultFile.Json));
        return results;
    }

    private static MicroCase Case(BenchmarkReport report)
    {
        var type = report.BenchmarkCase.Descriptor.Type;
        var variant = type.GetCustomAttribute<BaselineVariantAttribute>(inherit: true);
        var statistics = report.ResultStatistics!;
        return new MicroCase
        {
            Class = type.Name,
            Parameters = report.BenchmarkCase.Parameters.Items.ToDictionary(item => item.Name, item => Convert.ToString(item.Value, CultureInfo.InvariantCulture) ?? ""),
            BaselineParameter = variant?.Parameter,
            BaselineValue = variant?.Value,
            MedianNanoseconds = statistics.Median,
            LowerNanoseconds = statistics.Q1,
            UpperNanoseconds = statistics.Q3,
            Repetitions = statistics.N,
            Rows = Metric(report, DatabaseDiagnoser.RowsMetric) ?? 1,
            WrittenBytes = Metric(report, DatabaseDiagnoser.WrittenMetric),
            FileBytes = Metric(report, DatabaseDiagnoser.FileMetric),
            Answer = (uint?)Metric(report, DatabaseDiagnoser.AnswerMetric),
            AllocatedBytes = report.GcStats.GetBytesAllocatedPerOperation(report.BenchmarkCase),
        };
    }

    private static long? Metric(BenchmarkReport report, string name) =>
        report.Metrics.TryGetValue(name, out var metric) ? (long)metric.Value : null;
}
