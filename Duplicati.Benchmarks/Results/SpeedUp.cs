using System.Text.Json.Serialization;

namespace Duplicati.Benchmarks.Results;

/// <summary>How many times faster than its baseline something was in one and the same run. The only kind of figure that is pinned.</summary>
/// <param name="Name">What is compared with what.</param>
/// <param name="Setting">On what data; only ratios of equal settings can be compared.</param>
/// <param name="Ratio">Median of the baseline's times : median of the times; above 1 is faster.</param>
/// <param name="Low">The ratio if luck was against it: lower times of the baseline, upper ones of the contender.</param>
/// <param name="High">The ratio if luck was with it.</param>
/// <param name="Repetitions">Of how many repetitions the medians are.</param>
internal sealed record SpeedUp(string Name, string Setting, double Ratio, double Low, double High, int Repetitions)
{
    /// <summary>The ratio of two lists of times, in any order: of their medians, with the worst and the best luck of single rounds.</summary>
    public static SpeedUp Of(string name, string setting, IReadOnlyCollection<double> baseline, IReadOnlyCollection<double> times) => new(
        name, setting, Numbers.Median(baseline) / Numbers.Median(times), baseline.Min() / times.Max(), baseline.Max() / times.Min(), Math.Min(baseline.Count, times.Count));

    /// <summary>False if a time of zero made it no figure at all.</summary>
    [JsonIgnore]
    public bool IsFigure => double.IsFinite(Ratio) && Ratio > 0;
}
