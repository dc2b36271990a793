// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Reflection;
using BenchmarkDotNet.Analysers;
using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Filters;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;
using BenchmarkDotNet.Validators;
using Duplicati.Benchmarks.Results;
using Perfolizer.Horology;
using Perfolizer.Mathematics.OutlierDetection;

namespace Duplicati.Benchmarks.Micro;

/// <summary>How much data the benchmarks work on. All of it is set once, before the first benchmark is looked at.</summary>
internal static class BenchmarkScale
{
    /// <summary>Small data and few repetitions.</summary>
    public static bool IsQuick { get; set; }

    /// <summary>Repetitions of each case, of which the median is taken.</summary>
    public static int Iterations => Of(7, 3);

    /// <summary>One of two sizes.</summary>
    public static T Of<T>(T full, T quick) => IsQuick ? quick : full;
}

/// <summary>Puts a benchmark class in a group that <c>micro --group</c> runs. That is all that is needed for a class to be found.</summary>
[AttributeUsage(AttributeTargets.Class, Inherited = true)]
public sealed class BenchmarkGroupAttribute(string name) : Attribute
{
    /// <summary>Name of the group, lower case.</summary>
    public string Name { get; } = name;

    /// <summary>Journal and synchronous mode, where they are not those of the preset <c>default</c> or said by a parameter.</summary>
    public string? Durability { get; init; }
}

/// <summary>Names the value of a parameter that the other values are compared with.</summary>
[AttributeUsage(AttributeTargets.Class, Inherited = true)]
public sealed class BaselineVariantAttribute(string parameter, string value) : Attribute
{
    /// <summary>Name of the parameter.</summary>
    public string Parameter { get; } = parameter;

    /// <summary>The value to compare with, as text.</summary>
    public string Value { get; } = value;
}

/// <summary>The benchmark classes of this program by group.</summary>
internal static class BenchmarkGroups
{
    private static readonly ILookup<string, Type> s_all = typeof(BenchmarkGroups)
        .Assembly.GetTypes()
        .Where(type => type is { IsAbstract: false, IsPublic: true })
        .OrderBy(type => type.Name, StringComparer.Ordinal)
        .Select(type => (type, group: type.GetCustomAttribute<BenchmarkGroupAttribute>()))
        .Where(entry => entry.group is not null)
        .ToLookup(entry => entry.group!.Name, entry => entry.type, StringComparer.OrdinalIgnoreCase);

    /// <summary>The names of the groups, sorted.</summary>
    public static IReadOnlyList<string> Names { get; } = [.. s_all.Select(group => group.Key).Order(StringComparer.Ordinal)];

    /// <summary>The classes of a group, by name.</summary>
    public static IEnumerable<Type> Classes(string group) => s_all[group];

    /// <summary>Journal and synchronous mode of a group, if its classes say so.</summary>
    public static string? Durability(string group)
    {
        var said = Classes(group)
            .Select(type => type.GetCustomAttribute<BenchmarkGroupAttribute>()?.Durability)
            .OfType<string>()
            .Distinct();
        return string.Join("; ", said) is { Length: > 0 } text ? text : null;
    }
}

/// <summary>
/// What the running benchmark knows about itself, which the runner does not: rows, bytes written, processor time, an answer.
/// </summary>
/// <remarks>Benchmarks run one after the other in this process, so there is one record at a time.</remarks>
internal sealed class BenchmarkRecord
{
    private readonly List<double> m_processor = [];
    private readonly List<long> m_written = [];

    /// <summary>The record of the benchmark that is running.</summary>
    public static BenchmarkRecord Current { get; private set; } = new();

    /// <summary>Rows that one operation handles.</summary>
    public long Rows { get; set; } = 1;

    /// <summary>Size of the database at the end, bytes; 0 if it is not of interest.</summary>
    public long FileBytes { get; set; }

    /// <summary>What was found out, in one number that all contenders must agree on; null if a benchmark has none.</summary>
    public long? Answer { get; set; }

    /// <summary>Bytes that one operation wrote to files, average; null if unknown.</summary>
    public long? WrittenBytes => m_written.Count == 0 ? null : (long)m_written.Average();

    /// <summary>Takes the record of the benchmark that has ended and starts one for the next.</summary>
    public static BenchmarkRecord Take()
    {
        var record = Current;
        Current = new BenchmarkRecord();
        return record;
    }

    /// <summary>Adds what one operation wrote.</summary>
    public void AddWritten(long bytes) => m_written.Add(bytes);

    /// <summary>Adds the processor time that one operation took, of the whole process.</summary>
    public void AddProcessor(TimeSpan time) => m_processor.Add(time.TotalNanoseconds);

    /// <summary>
    /// Processor time of the repetitions that count, nanoseconds. Those before them warm up, one after them is for counting memory.
    /// </summary>
    public IReadOnlyList<double> Processor(int repetitions) => [.. m_processor.SkipLast(1).TakeLast(repetitions)];
}

/// <summary>Keeps the records of benchmarks that have ended, until results are made of them.</summary>
internal sealed class RecordKeeper : IDiagnoser
{
    private readonly Dictionary<BenchmarkCase, BenchmarkRecord> m_records = [];

    public IEnumerable<string> Ids => [nameof(RecordKeeper)];

    public IEnumerable<IExporter> Exporters => [];

    public IEnumerable<IAnalyser> Analysers => [];

    /// <summary>The record of a benchmark.</summary>
    public BenchmarkRecord this[BenchmarkCase benchmark] => m_records[benchmark];

    public BenchmarkDotNet.Diagnosers.RunMode GetRunMode(BenchmarkCase benchmarkCase) => BenchmarkDotNet.Diagnosers.RunMode.NoOverhead;

    public void Handle(HostSignal signal, DiagnoserActionParameters parameters)
    {
        if (signal == HostSignal.BeforeAnythingElse)
            BenchmarkRecord.Take();
    }

    public IEnumerable<Metric> ProcessResults(DiagnoserResults results)
    {
        m_records[results.BenchmarkCase] = BenchmarkRecord.Take();
        return [];
    }

    public void DisplayResults(ILogger logger) { }

    public IEnumerable<ValidationError> Validate(ValidationParameters validationParameters) => [];
}

/// <summary>Runs benchmarks and makes results of what they measured.</summary>
/// <param name="folder">Where the runner may leave files.</param>
internal sealed class MicroRun(string folder)
{
    private const string Durability =
        RunEnvironment.WriteAheadLog
        + "; stock and single pragmas: DELETE journal, synchronous FULL unless the pragma says otherwise; rebuild: none";

    private readonly RecordKeeper m_records = new();

    /// <summary>Runs classes.</summary>
    /// <param name="classes">The classes.</param>
    /// <param name="filters">Only benchmarks whose full name matches one of these patterns; all if there are none.</param>
    /// <param name="options">What is checked before.</param>
    public IReadOnlyList<Summary> Run(IEnumerable<Type> classes, string[] filters, ConfigOptions options = ConfigOptions.DisableLogFile)
    {
        var config = ManualConfig
            .CreateEmpty()
            .AddJob(Settings())
            .AddColumnProvider(DefaultColumnProviders.Instance)
            .AddDiagnoser(MemoryDiagnoser.Default, m_records)
            .AddLogger(new TextLogger(Console.Error))
            .WithArtifactsPath(folder)
            .WithOptions(options);
        if (filters.Length > 0)
            config.AddFilter(new GlobFilter(filters));
        return BenchmarkRunner.Run([.. classes], config);
    }

    /// <summary>What was measured of a group: the cases of each class that has any.</summary>
    public IReadOnlyList<MicroResults> Results(string name, string command, IEnumerable<Summary> summaries) =>
        [
            .. from summary in summaries
            let cases = Ordered(summary.BenchmarksCases)
                .Select(item => summary[item])
                .OfType<BenchmarkReport>()
                .Where(report => report is { Success: true, ResultStatistics: not null })
                .Select(report => new MicroCase(report, m_records[report.BenchmarkCase]))
                .ToList()
            where cases.Count > 0
            select new MicroResults(
                name,
                command,
                cases,
                RunEnvironment.Current(BlockKeys.Seed, BenchmarkGroups.Durability(name) ?? Durability)
            ),
        ];

    /// <summary>
    /// The cases of a class question by question, and those that are compared with each other in the order of their source, the baseline
    /// first; the runner itself sorts by letters.
    /// </summary>
    internal static IEnumerable<BenchmarkCase> Ordered(IEnumerable<BenchmarkCase> cases) => cases.OrderBy(Place, StringComparer.Ordinal);

    /// <summary>True if a benchmark could not be run, or gave a wrong answer.</summary>
    public static bool HasFailed(Summary summary) => summary.HasCriticalValidationErrors || summary.Reports.Any(report => !report.Success);

    // No repetition is left out of the median, as one that a flush made slow belongs to the result. In one process: the measured code is
    // native for the larger part, and a case starts at once instead of after a build.
    private static Job Settings()
    {
        var job = Job
            .Default.WithToolchain(InProcessEmitToolchain.Instance)
            .WithIterationCount(BenchmarkScale.Iterations)
            .WithOutlierMode(OutlierMode.DontRemove)
            // The run that compiles warms up, too.
            .WithWarmupCount(BenchmarkScale.Of(1, 0));
        return BenchmarkScale.IsQuick
            ? job.WithId("quick").WithEvaluateOverhead(false).WithIterationTime(TimeInterval.FromMilliseconds(100))
            : job.WithId("full");
    }

    // The places of its parameters' values in their sources.
    private static string Place(BenchmarkCase item)
    {
        var variant = Variant(item);
        return string.Concat(
            item.Parameters.Items.OrderBy(parameter => parameter.Name == variant?.Parameter)
                .Select(parameter =>
                    Array.IndexOf(parameter.Definition.Values, parameter.Value).ToString("d4", CultureInfo.InvariantCulture)
                )
        );
    }

    /// <summary>What the others of a class are held against.</summary>
    internal static BaselineVariantAttribute? Variant(BenchmarkCase item) =>
        item.Descriptor.Type.GetCustomAttribute<BaselineVariantAttribute>(inherit: true);
}

/// <summary>Where the runner writes its progress.</summary>
internal sealed class TextLogger(TextWriter writer) : ILogger
{
    public string Id => nameof(TextLogger);

    public int Priority => 0;

    public void Write(LogKind logKind, string text) => writer.Write(text);

    public void WriteLine() => writer.WriteLine();

    public void WriteLine(LogKind logKind, string text) => writer.WriteLine(text);

    public void Flush() => writer.Flush();
}
