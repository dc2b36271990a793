using System.Collections.Immutable;
using System.Globalization;
using System.Reflection;
using BenchmarkDotNet.Order;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

namespace Duplicati.Benchmarks.Micro;

/// <summary>Rows of a table so that those which are compared stand together, the baseline first. The order in which they are run stays.</summary>
internal sealed class ComparedOrderer() : DefaultOrderer(SummaryOrderPolicy.Declared)
{
    /// <inheritdoc/>
    protected override IEnumerable<BenchmarkCase> GetSummaryOrderForGroup(ImmutableArray<BenchmarkCase> benchmarksCase, Summary summary) =>
        benchmarksCase.GroupBy(Others).SelectMany(question => question.OrderBy(candidate => IsBaseline(candidate) ? 0 : 1));

    private static BaselineVariantAttribute? VariantOf(BenchmarkCase candidate) => candidate.Descriptor.Type.GetCustomAttribute<BaselineVariantAttribute>(inherit: true);

    private static string Others(BenchmarkCase candidate) =>
        string.Join('|', candidate.Parameters.Items.Where(item => item.Name != VariantOf(candidate)?.Parameter).Select(item => Convert.ToString(item.Value, CultureInfo.InvariantCulture)));

    private static bool IsBaseline(BenchmarkCase candidate) =>
        VariantOf(candidate) is { } variant && Convert.ToString(candidate.Parameters[variant.Parameter], CultureInfo.InvariantCulture) == variant.Value;
}
