using System.Globalization;
using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

namespace Duplicati.Benchmarks.Micro;

/// <summary>Rows handled per second: those of one operation, divided by the median time.</summary>
internal sealed class RowsPerSecondColumn : IColumn
{
    public string Id => nameof(RowsPerSecondColumn);

    public string ColumnName => "Rows/s";

    public bool AlwaysShow => true;

    public ColumnCategory Category => ColumnCategory.Statistics;

    public int PriorityInCategory => int.MaxValue;

    public bool IsNumeric => true;

    public UnitType UnitType => UnitType.Dimensionless;

    public string Legend => "Rows handled per second, by the median time";

    public bool IsAvailable(Summary summary) => true;

    public bool IsDefault(Summary summary, BenchmarkCase benchmarkCase) => false;

    public string GetValue(Summary summary, BenchmarkCase benchmarkCase)
    {
        var report = summary[benchmarkCase];
        return report?.ResultStatistics is { Median: > 0 } statistics && report.Metrics.TryGetValue(DatabaseDiagnoser.RowsMetric, out var rows)
            ? (rows.Value * 1e9 / statistics.Median).ToString("N0", CultureInfo.InvariantCulture)
            : "-";
    }

    public string GetValue(Summary summary, BenchmarkCase benchmarkCase, SummaryStyle style) => GetValue(summary, benchmarkCase);
}
