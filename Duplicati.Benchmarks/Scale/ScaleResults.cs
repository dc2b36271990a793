// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Benchmarks.Results;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Benchmarks.Scale;

/// <summary>The ways that an operation is done.</summary>
internal static class ScaleWays
{
    /// <summary>The statements of the operation's definition, one for each step, through the provider, on the same pragmas.</summary>
    public const string Plain = "plain SQL";

    /// <summary>The members that core calls.</summary>
    public const string Api = "API";

    /// <summary>All of them, in the order of a report.</summary>
    public static readonly string[] All = [Plain, Api];
}

/// <summary>The goals of memory and disk; the presets are those that have a bound of memory.</summary>
internal static class ScaleGoals
{
    /// <summary>The most that disk use may be, over the size of the database afterwards.</summary>
    public const double DiskRatio = 2.5;

    /// <summary>Names of the presets.</summary>
    public static readonly string[] Presets = [ConnectionPreset.Default.Name, ConnectionPreset.Small.Name];

    /// <summary>The bound of memory of a preset, in bytes.</summary>
    public static long MemoryOf(string preset) => preset == ConnectionPreset.Small.Name ? 256L << 20 : 1L << 30;
}

/// <summary>One thing to be measured.</summary>
/// <param name="Operation">The operation.</param>
/// <param name="Way">One of <see cref="ScaleWays"/>.</param>
/// <param name="Preset">Name of the connection preset.</param>
/// <param name="Size">What is scaled: blocks or versions.</param>
/// <param name="BlocksPerFile">Length of the files.</param>
internal sealed record ScaleCase(string Operation, string Way, string Preset, long Size, long BlocksPerFile);

/// <summary>What one run took, in seconds; making the data is not counted.</summary>
/// <param name="Processor">Processor time of the whole process.</param>
/// <param name="Clock">Time on the clock.</param>
internal sealed record ScaleCost(double Processor, double Clock)
{
    /// <summary>The greatest resident size of the process, where it had one of its own; else 0.</summary>
    public long PeakBytes { get; init; }

    /// <summary>Bytes handed to the operating system for writing; 0 if unknown.</summary>
    public long WrittenBytes { get; init; }

    /// <summary>The most that database, log and temporary files took at one moment.</summary>
    public long DiskBytes { get; init; }

    /// <summary>Size of the database afterwards.</summary>
    public long FileBytes { get; init; }

    /// <summary>Processor time by part, in their order, where that is known.</summary>
    public IReadOnlyDictionary<string, double> Phases { get; init; } = new Dictionary<string, double>();
}

/// <summary>A case with all its runs.</summary>
/// <param name="item">The case.</param>
/// <param name="row">What a row is.</param>
/// <param name="rows">Rows that the operation must look at or write, or that come out, whichever are more.</param>
internal sealed class ScaleResult(ScaleCase item, string row, long rows)
{
    private readonly List<ScaleCost> m_costs = [];

    public ScaleCase Case => item;

    public string Row => row;

    public long Rows => rows;

    public IReadOnlyList<ScaleCost> Costs => m_costs;

    /// <summary>What was found out or left, in one number.</summary>
    public long Answer { get; private set; }

    /// <summary>Median processor time of a row in microseconds.</summary>
    public double RowCost => Median(cost => cost.Processor) * 1e6 / rows;

    public double Median(Func<ScaleCost, double> value) => Numbers.Median(m_costs.Select(value));

    /// <summary>Notes a round.</summary>
    /// <exception cref="InvalidOperationException">The answer is not that of the other ways, so that it is wrong, however fast.</exception>
    public void Add(ScaleCost cost, long answer, IEnumerable<ScaleResult> all)
    {
        var known = all.FirstOrDefault(other => other.Costs.Count > 0 && other.Case == item with { Way = other.Case.Way });
        if (known is not null && known.Answer != answer)
            throw new InvalidOperationException($"{item.Operation}, {item.Size}, {item.Way}: the answer is {answer}, not {known.Answer}.");
        m_costs.Add(cost);
        Answer = answer;
    }
}

/// <summary>Adds up what calls of the layer take: time on the clock, and processor time of the whole process by part.</summary>
internal sealed class ScaleClock
{
    private readonly Dictionary<string, double> m_phases = [];
    private double m_clock;

    /// <summary>Times a piece of work, of a part that has a name or of the rest.</summary>
    internal void Time(Action work, string phase = "")
    {
        var (clock, processor) = (Stopwatch.GetTimestamp(), Environment.CpuUsage.TotalTime);
        work();
        m_clock += Stopwatch.GetElapsedTime(clock).TotalSeconds;
        m_phases[phase] = m_phases.GetValueOrDefault(phase) + (Environment.CpuUsage.TotalTime - processor).TotalSeconds;
    }

    /// <summary>Times a piece of work that gives something.</summary>
    internal T Time<T>(Func<T> work)
    {
        var result = default(T)!;
        Time(() =>
        {
            result = work();
        });
        return result;
    }

    /// <summary>What it took in all.</summary>
    internal ScaleCost Cost =>
        new(m_phases.Values.Sum(), m_clock) { Phases = m_phases.Where(phase => phase.Key.Length > 0).ToDictionary() };
}
