using System.Collections.Immutable;
using System.Globalization;
using System.Reflection;
using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Exporters.Json;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Order;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;
using Perfolizer.Horology;
using Perfolizer.Mathematics.OutlierDetection;

namespace Duplicati.Benchmarks.Micro;

/// <summary>What all micro benchmarks have in common: one process, memory, rows per second, bytes written, ratios, files with the results.</summary>
internal static class BenchmarkConfig
{
    // The longest name of a contender whole, instead of its ends.
    private const int WidestParameter = 40;

    /// <param name="folder">Where tables and raw results are written.</param>
    public static ManualConfig Create(string folder)
    {
        var config = ManualConfig.CreateEmpty()
            .AddJob(BenchmarkScale.IsQuick ? Quick() : Full())
            .AddColumnProvider(DefaultColumnProviders.Instance)
            .AddColumn(new RowsPerSecondColumn(), new RatioToBaselineColumn())
            .AddDiagnoser(MemoryDiagnoser.Default, new DatabaseDiagnoser())
            .AddExporter(MarkdownExporter.GitHub, JsonExporter.FullCompressed)
            .AddLogger(new TextLogger(Console.Error))
            .WithOrderer(new ComparedOrderer())
            .WithSummaryStyle(SummaryStyle.Default.WithMaxParameterColumnWidth(WidestParameter))
            .WithArtifactsPath(folder)
            .WithOptions(ConfigOptions.DisableLogFile);
        config.HideColumns("Error", "Gen0", "Gen1", "Gen2");
        return config;
    }

    // No repetition is left out of the median, as one that a flush made slow belongs to the result. In one process: the measured code is native for the larger part, and a case starts at once instead of after a build.
    private static Job Quick() => Job.Default
        .WithId("quick")
        .WithToolchain(InProcessEmitToolchain.Instance)
        // The run that compiles warms up, too.
        .WithWarmupCount(0)
        .WithEvaluateOverhead(false)
        .WithIterationCount(BenchmarkScale.Repetitions ?? 3)
        .WithIterationTime(TimeInterval.FromMilliseconds(100))
        .WithOutlierMode(OutlierMode.DontRemove);

    private static Job Full() => Job.Default
        .WithId("full")
        .WithToolchain(InProcessEmitToolchain.Instance)
        .WithWarmupCount(BenchmarkScale.Repetitions is null ? 1 : 0)
        .WithIterationCount(BenchmarkScale.Repetitions ?? 7)
        .WithOutlierMode(OutlierMode.DontRemove);
}

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
