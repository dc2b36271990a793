using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Exporters.Json;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Reports;
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
