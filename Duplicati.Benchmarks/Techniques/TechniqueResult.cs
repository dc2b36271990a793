using System.Globalization;
using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>What one trial took; times are microseconds an entry.</summary>
/// <param name="Processor">Processor time of the whole process.</param>
/// <param name="Clock">Time on the clock.</param>
/// <param name="Allocated">Bytes of managed memory allocated, an entry.</param>
/// <param name="Held">Bytes in use after the work, an entry: those of the garbage collector, and what the trial knows of others.</param>
internal sealed record TechniqueCost(double Processor, double Clock, double Allocated, double Held)
{
    /// <summary>The median of each figure.</summary>
    public static TechniqueCost Median(IReadOnlyList<TechniqueCost> costs) => new(
        Numbers.Median(costs.Select(x => x.Processor)), Numbers.Median(costs.Select(x => x.Clock)), Numbers.Median(costs.Select(x => x.Allocated)), Numbers.Median(costs.Select(x => x.Held)));
}

/// <summary>A technique held against its absence.</summary>
/// <param name="Technique">The technique.</param>
/// <param name="Entries">Entries of one trial.</param>
/// <param name="Before">Trials without it.</param>
/// <param name="After">Trials with it.</param>
internal sealed record TechniqueResult(Technique Technique, int Entries, IReadOnlyList<TechniqueCost> Before, IReadOnlyList<TechniqueCost> After)
{
    /// <summary>Heads of the columns with text.</summary>
    public static IReadOnlyList<string> Texts { get; } = ["technique", "without it", "off", "entry"];

    /// <summary>Heads of the columns with figures.</summary>
    public static IReadOnlyList<string> Figures { get; } = ["entries", "before, µs", "after, µs", "ratio", "ratio (clock)", "bytes an entry", "allocated B/entry"];

    /// <summary>The cells of its row.</summary>
    public IReadOnlyList<string> Row
    {
        get
        {
            var (before, after) = (TechniqueCost.Median(Before), TechniqueCost.Median(After));
            return
            [
                Technique.Name, Technique.Without, Technique.IsOff, Technique.Entry, Text(Entries, "F0"),
                Text(before.Processor, "F2"), Text(after.Processor, "F2"), Text(before.Processor / after.Processor, "F2"), Text(before.Clock / after.Clock, "F2"),
                Text(Math.Max(0, after.Held - before.Held), "F0"), $"{Text(before.Allocated, "F0")} → {Text(after.Allocated, "F0")}",
            ];
        }
    }

    /// <summary>The ratio of processor times, for a comparison with a later run.</summary>
    public SpeedUp Ratio => new(
        string.Create(CultureInfo.InvariantCulture, $"techniques/{Technique.Name}, {Entries} × {Technique.Entry}, cpu"),
        string.Create(CultureInfo.InvariantCulture, $"seed {BlockKeys.Seed}, SQLite {RunEnvironment.CurrentSqlite}"),
        TechniqueCost.Median(Before).Processor / TechniqueCost.Median(After).Processor,
        Before.Min(x => x.Processor) / After.Max(x => x.Processor),
        Before.Max(x => x.Processor) / After.Min(x => x.Processor),
        After.Count);

    private static string Text(double value, string format) => value.ToString(format, CultureInfo.InvariantCulture);
}
