using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>One contender against another at one operation.</summary>
/// <param name="Operation">The operation's title.</param>
/// <param name="First">The one.</param>
/// <param name="Second">The other.</param>
/// <param name="Cpu">Processor time of the first over that of the second.</param>
/// <param name="Wall">Elapsed time of the first over that of the second.</param>
internal sealed record EndToEndComparison(string Operation, string First, string Second, SpreadRatio Cpu, SpreadRatio Wall)
{
    /// <summary>Each pair of contenders, by operation.</summary>
    public static IEnumerable<EndToEndComparison> Of(EndToEndResults results) =>
        from first in results.Contenders.Index()
        from second in results.Contenders.Skip(first.Index + 1)
        from one in results.Results.Where(series => series.Contender == first.Item).OrderBy(series => TimedOperation.Place(series.Operation))
        let other = results.Find(second, one.Operation)
        where other is not null
        select new EndToEndComparison(one.Operation, first.Item, second, SpreadRatio.Of(one, other, run => run.CpuSeconds), SpreadRatio.Of(one, other, run => run.WallSeconds));
}

/// <summary>A ratio of medians, and what it is if luck is against the second or with it.</summary>
internal sealed record SpreadRatio(double Ratio, double Low, double High)
{
    /// <summary>The ratio of a figure.</summary>
    public static SpreadRatio Of(EndToEndSeries first, EndToEndSeries second, Func<StepResult, double> figure)
    {
        var (ones, others) = (first.Runs.Select(figure).ToList(), second.Runs.Select(figure).ToList());
        return new SpreadRatio(Numbers.Median(ones) / Numbers.Median(others), ones.Min() / others.Max(), ones.Max() / others.Min());
    }

    /// <summary>Whether it can be shown.</summary>
    public bool IsFigure => double.IsFinite(Ratio) && Ratio > 0;

    /// <inheritdoc/>
    public override string ToString() => !IsFigure ? "–"
        : Low == High ? Numbers.Two(Ratio)
        : $"{Numbers.Two(Ratio)} ({Numbers.Two(Low)}–{Numbers.Two(High)})";
}
