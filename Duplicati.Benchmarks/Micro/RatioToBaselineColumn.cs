using System.Globalization;
using System.Reflection;
using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

namespace Duplicati.Benchmarks.Micro;

/// <summary>The time of a case as a multiple of the same case with the baseline's parameter value; see <see cref="BaselineVariantAttribute"/>.</summary>
internal sealed class RatioToBaselineColumn : IColumn
{
    public string Id => nameof(RatioToBaselineColumn);

    public string ColumnName => "Time ×";

    public bool AlwaysShow => false;

    public ColumnCategory Category => ColumnCategory.Baseline;

    public int PriorityInCategory => 0;

    public bool IsNumeric => true;

    public UnitType UnitType => UnitType.Dimensionless;

    public string Legend => "Median time as a multiple of the baseline's";

    public bool IsAvailable(Summary summary) => summary.BenchmarksCases.Any(candidate => VariantOf(candidate) is not null);

    public bool IsDefault(Summary summary, BenchmarkCase benchmarkCase) => false;

    public string GetValue(Summary summary, BenchmarkCase benchmarkCase)
    {
        if (VariantOf(benchmarkCase) is not { } variant)
            return "-";

        var baseline = summary.BenchmarksCases.FirstOrDefault(candidate => IsBaselineOf(candidate, benchmarkCase, variant));
        return baseline is not null && Median(summary, baseline) is > 0 and var reference && Median(summary, benchmarkCase) is { } median
            ? (median / reference).ToString("0.00", CultureInfo.InvariantCulture)
            : "-";
    }

    public string GetValue(Summary summary, BenchmarkCase benchmarkCase, SummaryStyle style) => GetValue(summary, benchmarkCase);

    private static BaselineVariantAttribute? VariantOf(BenchmarkCase benchmarkCase) =>
        benchmarkCase.Descriptor.Type.GetCustomAttribute<BaselineVariantAttribute>(inherit: true);

    private static bool IsBaselineOf(BenchmarkCase candidate, BenchmarkCase other, BaselineVariantAttribute variant) =>
        candidate.Descriptor == other.Descriptor
        && candidate.Parameters.Items.All(item => Convert.ToString(item.Value, CultureInfo.InvariantCulture) ==
            (item.Name == variant.Parameter ? variant.Value : Convert.ToString(other.Parameters[item.Name], CultureInfo.InvariantCulture)));

    private static double? Median(Summary summary, BenchmarkCase benchmarkCase) => summary[benchmarkCase]?.ResultStatistics?.Median;
}
