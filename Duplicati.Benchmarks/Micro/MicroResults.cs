// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using BenchmarkDotNet.Reports;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Micro;

/// <summary>What was measured of one benchmark class.</summary>
/// <param name="name">Its group.</param>
/// <param name="command">The arguments that repeat the run.</param>
/// <param name="cases">Its cases in the order of the table.</param>
/// <param name="environment">Where and with what.</param>
internal sealed class MicroResults(string name, string command, IReadOnlyList<MicroCase> cases, RunEnvironment environment)
{
    private const string Writers = "Writers";
    private const string Quick =
        "`--quick` means small tables, which fit into the page cache, and few repetitions: it shows orders of magnitude, not percent.";

    private readonly string? m_parameter = cases[0].Variant?.Parameter;
    private readonly string? m_baseline = cases[0].Variant?.Value;
    private readonly string m_class = cases[0].Class;

    /// <summary>A sentence for each case that found out something else than the case it is compared with.</summary>
    public IEnumerable<string> Differences =>
        from item in cases
        let baseline = BaselineOf(item)
        where baseline is not null && baseline.Answer != item.Answer
        select $"{name}/{m_class}({item.Text}) answers {item.Answer}, {m_baseline} answers {baseline.Answer}.";

    /// <summary>All of it as a table.</summary>
    public TableResults Table
    {
        get
        {
            var parameters = cases[0].Parameters.Keys.OrderBy(parameter => parameter == m_parameter).ToList();
            var medians = $"Medians of {cases[0].Repetitions}";
            if (m_parameter is not null)
                medians += $"; speed-up is over {m_parameter} = {m_baseline}, in brackets its range from quartile to quartile";
            var scale = BenchmarkScale.IsQuick ? ", quick" : "";
            var one = BenchmarkGroups.Classes(name).Count() > 1 ? $": {m_class}" : "";
            return new TableResults
            {
                Title = $"{char.ToUpperInvariant(name[0])}{name[1..]}{scale}{one}",
                Command = command,
                Environment = environment,
                Note = BenchmarkScale.IsQuick ? $"{medians}. {Quick}" : $"{medians}.",
                Texts = parameters,
                Figures =
                [
                    "median ms",
                    "rows/s",
                    "speed-up",
                    "cpu ms",
                    "speed-up (cpu)",
                    "written MiB",
                    "file MiB",
                    "allocated B/row",
                    "answer",
                ],
                Rows = [.. cases.Select(item => Row(item, parameters))],
                Ratios = [.. cases.SelectMany(item => new[] { Clock(item), Processor(item) }).OfType<SpeedUp>()],
                Chart = BarChart.Of(
                    $"{name}{(BenchmarkScale.IsQuick ? "" : "-full")}-{m_class}",
                    $"{m_class}: speed-up over {m_baseline}",
                    Bars(parameters)
                ),
            };
        }
    }

    private string[] Row(MicroCase item, IEnumerable<string> parameters) =>
        [
            .. parameters.Select(parameter => item.Parameters[parameter]),
            Numbers.Two(item.Report.ResultStatistics!.Median / 1e6),
            Numbers.Whole(item.Record.Rows * 1e9 / item.Report.ResultStatistics.Median),
            Clock(item)?.ToString() ?? "baseline",
            Numbers.Two(Numbers.Median(item.Processor) / 1e6),
            Processor(item)?.ToString() ?? "baseline",
            Numbers.MiB(item.Record.WrittenBytes),
            Numbers.MiB(item.Record.FileBytes),
            item.Report.GcStats.GetBytesAllocatedPerOperation(item.Report.BenchmarkCase) is { } bytes
                ? Numbers.Whole((double)bytes / item.Record.Rows)
                : "–",
            item.Answer,
        ];

    // Variants that belong together, as those of one pragma, have the same colour.
    private IEnumerable<(string Label, int Series, SpeedUp? Ratio)> Bars(List<string> parameters)
    {
        if (m_parameter is null)
            return [];
        var named = parameters
            .Where(parameter => parameter != m_parameter && cases.Select(item => item.Parameters[parameter]).Distinct().Count() > 1)
            .ToList();
        var kinds = cases.Where(item => BaselineOf(item) is not null).Select(Kind).Distinct().ToList();
        return cases.Select(item =>
            (
                string.Join(
                    ", ",
                    named
                        .Select(parameter => $"{parameter.ToLowerInvariant()} {item.Parameters[parameter]}")
                        .Append(item.Parameters[m_parameter])
                ),
                kinds.IndexOf(Kind(item)),
                Clock(item)
            )
        );

        string Kind(MicroCase item) => item.Parameters[m_parameter].Split(['=', '('])[0];
    }

    // Null for the baseline itself.
    private MicroCase? BaselineOf(MicroCase item) =>
        m_parameter is null || item.Parameters[m_parameter] == m_baseline
            ? null
            : cases.FirstOrDefault(other =>
                other.Parameters.All(x => x.Value == (x.Key == m_parameter ? m_baseline : item.Parameters[x.Key]))
            );

    private SpeedUp? Clock(MicroCase item)
    {
        if (BaselineOf(item)?.Report.ResultStatistics is not { } baseline)
            return null;
        var statistics = item.Report.ResultStatistics!;
        return new SpeedUp(
            $"{name}/{m_class}({item.Text}) over {m_baseline}",
            Setting(item),
            baseline.Median / statistics.Median,
            baseline.Q1 / statistics.Q3,
            baseline.Q3 / statistics.Q1,
            Math.Min(baseline.N, statistics.N)
        );
    }

    private SpeedUp? Processor(MicroCase item) =>
        Clock(item) is { } ratio ? SpeedUp.Of($"{ratio.Name}, cpu", ratio.Setting, BaselineOf(item)!.Processor, item.Processor) : null;

    // What must be equal for two ratios to be compared: data, SQLite, and where threads compete, the number of processors.
    private string Setting(MicroCase item) =>
        FormattableString.Invariant(
            $"{(BenchmarkScale.IsQuick ? "quick" : "full")}, {item.Record.Rows} rows, seed {environment.Seed}, SQLite {environment.Sqlite}"
        ) + (item.Parameters.ContainsKey(Writers) ? FormattableString.Invariant($", {environment.Processors} processors") : "");
}

/// <summary>One benchmark with one set of parameters.</summary>
/// <param name="Report">Times, nanoseconds for one operation, and memory.</param>
/// <param name="Record">What the benchmark knows of itself.</param>
internal sealed record MicroCase(BenchmarkReport Report, BenchmarkRecord Record)
{
    /// <summary>The benchmark class: the question.</summary>
    public string Class => Report.BenchmarkCase.Descriptor.Type.Name;

    /// <summary>What the cases of the class are held against; null if there is nothing to compare with.</summary>
    public BaselineVariantAttribute? Variant => MicroRun.Variant(Report.BenchmarkCase);

    /// <summary>The parameters by name, in their order.</summary>
    public IReadOnlyDictionary<string, string> Parameters { get; } =
        Report.BenchmarkCase.Parameters.Items.ToDictionary(
            item => item.Name,
            item => Convert.ToString(item.Value, CultureInfo.InvariantCulture) ?? ""
        );

    /// <summary>The parameters in words.</summary>
    public string Text => string.Join(", ", Parameters.Select(parameter => $"{parameter.Key}={parameter.Value}"));

    /// <summary>Number of repetitions.</summary>
    public int Repetitions => Report.ResultStatistics!.N;

    /// <summary>Processor time of each repetition, nanoseconds.</summary>
    public IReadOnlyList<double> Processor => Record.Processor(Repetitions);

    /// <summary>Checksum of the answer, the same for all that are compared with each other.</summary>
    public string Answer =>
        Record.Answer is { } answer ? ((uint)(answer ^ (answer >>> 32))).ToString("x8", CultureInfo.InvariantCulture) : "–";
}
