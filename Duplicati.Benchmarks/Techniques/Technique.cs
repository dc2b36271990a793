// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using System.Globalization;
using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Results;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>One of the things that make the layer fast, as the same work done with it and without it.</summary>
/// <param name="Name">Short name; the part before a colon is the technique, the part behind it the case.</param>
/// <param name="Without">How the work is done without the technique.</param>
/// <param name="Entry">What is counted.</param>
/// <param name="Begin">Makes everything ready up to the point where the clock starts; with the technique or without it.</param>
internal sealed record Technique(string Name, string Without, string Entry, Func<TrialSetup, bool, Trial> Begin)
{
    /// <summary>Fewer blocks make no volumes and files to speak of.</summary>
    public const int FewestBlocks = 1000;

    /// <summary>All techniques, in the order of the document.</summary>
    public static IReadOnlyList<Technique> All { get; } = [.. BlockTechniques.All, .. RecreateTechniques.All, .. StatementTechniques.All];

    /// <summary>Number of entries that one trial handles, of the blocks the user asked for.</summary>
    public Func<int, int> Entries { get; init; } = blocks => blocks;
}

/// <summary>What a trial starts from.</summary>
/// <param name="Folder">An empty folder that is removed afterwards.</param>
/// <param name="Blocks">Blocks the user asked for.</param>
internal sealed record TrialSetup(string Folder, int Blocks)
{
    /// <summary>Where the database belongs.</summary>
    public string DatabasePath => Path.Combine(Folder, "local.sqlite");

    /// <summary>A copy of a template at <see cref="DatabasePath"/>.</summary>
    public string Copy(string template)
    {
        File.Copy(template, DatabasePath);
        return DatabasePath;
    }
}

/// <summary>One run of the work of a technique, ready to start.</summary>
/// <param name="run">The work; its time is measured.</param>
/// <param name="answer">What came out, as a number that a wrong result changes; not measured. The same with and without the
/// technique.</param>
/// <param name="bytes">Bytes in use outside the garbage collector's heap when the work is done, of what the technique keeps.</param>
/// <param name="owned">Closed in this order.</param>
internal sealed class Trial(Action run, Func<long> answer, Func<long> bytes, params IDisposable[] owned) : IDisposable
{
    /// <summary>A trial of something that keeps nothing outside the heap.</summary>
    public Trial(Action run, Func<long> answer, params IDisposable[] owned)
        : this(run, answer, static () => 0, owned) { }

    public void Run() => run();

    public long Answer() => answer();

    public long Bytes() => bytes();

    public void Dispose()
    {
        foreach (var item in owned)
            item.Dispose();
    }
}

/// <summary>What one trial took; times are microseconds an entry.</summary>
/// <param name="Processor">Processor time of the whole process.</param>
/// <param name="Clock">Time on the clock.</param>
/// <param name="Allocated">Bytes of managed memory allocated, an entry.</param>
/// <param name="Held">Bytes in use after the work, an entry: those of the garbage collector, and what the trial knows of others.</param>
internal sealed record TechniqueCost(double Processor, double Clock, double Allocated, double Held);

/// <summary>A technique held against its absence.</summary>
/// <param name="Technique">The technique.</param>
/// <param name="Entries">Entries of one trial.</param>
/// <param name="Before">Trials without it.</param>
/// <param name="After">Trials with it.</param>
internal sealed record TechniqueResult(
    Technique Technique,
    int Entries,
    IReadOnlyList<TechniqueCost> Before,
    IReadOnlyList<TechniqueCost> After
)
{
    /// <summary>Heads of the columns with text.</summary>
    public static IReadOnlyList<string> Texts { get; } = ["technique", "without it", "entry"];

    /// <summary>Heads of the columns with figures.</summary>
    public static IReadOnlyList<string> Figures { get; } =
    ["entries", "before, µs", "after, µs", "ratio", "ratio (clock)", "bytes an entry", "allocated B/entry"];

    /// <summary>The cells of its row.</summary>
    public IReadOnlyList<string> Row =>
        [
            Technique.Name,
            Technique.Without,
            Technique.Entry,
            Entries.ToString(CultureInfo.InvariantCulture),
            Numbers.Two(Median(Before, cost => cost.Processor)),
            Numbers.Two(Median(After, cost => cost.Processor)),
            Numbers.Two(Median(Before, cost => cost.Processor) / Median(After, cost => cost.Processor)),
            Numbers.Two(Median(Before, cost => cost.Clock) / Median(After, cost => cost.Clock)),
            Whole(Math.Max(0, Median(After, cost => cost.Held) - Median(Before, cost => cost.Held))),
            $"{Whole(Median(Before, cost => cost.Allocated))} → {Whole(Median(After, cost => cost.Allocated))}",
        ];

    /// <summary>The ratio of processor times, for a comparison with a later run.</summary>
    public SpeedUp Ratio =>
        SpeedUp.Of(
            FormattableString.Invariant($"techniques/{Technique.Name}, {Entries} × {Technique.Entry}, cpu"),
            FormattableString.Invariant($"seed {BlockKeys.Seed}, SQLite {RunEnvironment.CurrentSqlite}"),
            [.. Before.Select(cost => cost.Processor)],
            [.. After.Select(cost => cost.Processor)]
        );

    private static double Median(IReadOnlyList<TechniqueCost> costs, Func<TechniqueCost, double> value) =>
        Numbers.Median(costs.Select(value));

    private static string Whole(double value) => value.ToString("F0", CultureInfo.InvariantCulture);
}

/// <summary>Puts the work of techniques in turns with and without, so that what else the machine does meets both alike.</summary>
/// <param name="blocks">Blocks of the data.</param>
/// <param name="rounds">Rounds that count, after one that does not.</param>
internal sealed class TechniqueRunner(int blocks, int rounds)
{
    /// <summary>Measures one technique.</summary>
    /// <exception cref="InvalidOperationException">The answers differ: a fast wrong answer must not pass as a fast one.</exception>
    public TechniqueResult Run(Technique technique)
    {
        var entries = technique.Entries(blocks);
        var (before, after) = (new List<TechniqueCost>(), new List<TechniqueCost>());
        long? expected = null;
        for (var round = 0; round <= rounds; round++)
        {
            foreach (var with in round % 2 == 0 ? new[] { false, true } : [true, false])
            {
                var (cost, answer) = Measure(technique, entries, with);
                expected ??= answer;
                if (answer != expected)
                    throw new InvalidOperationException(
                        $"{technique.Name}: the answer is {answer} {(with ? "with" : "without")} the technique; it should be {expected}."
                    );
                if (round > 0)
                    (with ? after : before).Add(cost);
            }
        }

        return new TechniqueResult(technique, entries, before, after);
    }

    private (TechniqueCost Cost, long Answer) Measure(Technique technique, int entries, bool with)
    {
        using var folder = new TempFolder();
        var held = GC.GetTotalMemory(forceFullCollection: true);
        using var trial = technique.Begin(new TrialSetup(folder, blocks), with);
        GC.Collect();
        var allocated = GC.GetTotalAllocatedBytes();
        var processor = Environment.CpuUsage.TotalTime;
        var clock = Stopwatch.GetTimestamp();
        trial.Run();
        var elapsed = Stopwatch.GetElapsedTime(clock);
        processor = Environment.CpuUsage.TotalTime - processor;
        allocated = GC.GetTotalAllocatedBytes() - allocated;
        held = GC.GetTotalMemory(forceFullCollection: true) - held + trial.Bytes();
        var cost = new TechniqueCost(
            processor.TotalMicroseconds / entries,
            elapsed.TotalMicroseconds / entries,
            (double)allocated / entries,
            (double)held / entries
        );
        return (cost, trial.Answer());
    }
}
