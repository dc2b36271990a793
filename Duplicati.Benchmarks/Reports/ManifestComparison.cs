using System.Globalization;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Reports;

/// <summary>What became of a pinned ratio, from best to worst.</summary>
internal enum Verdict
{
    /// <summary>As fast as pinned, within the tolerance, or faster.</summary>
    Pass,

    /// <summary>Not comparable.</summary>
    Skip,

    /// <summary>Slower than the tolerance, or far slower but within the run's own spread.</summary>
    Warn,

    /// <summary>Far slower.</summary>
    Fail,
}

/// <summary>One line of a comparison.</summary>
/// <param name="Verdict">The outcome.</param>
/// <param name="Name">The ratio.</param>
/// <param name="Reason">Why.</param>
internal sealed record ComparisonLine(Verdict Verdict, string Name, string Reason)
{
    /// <inheritdoc/>
    public override string ToString() => $"{Verdict.ToString().ToUpperInvariant(),-4}  {Name}: {Reason}";
}

/// <summary>Holds the ratios of a run against pinned ones.</summary>
internal static class ManifestComparison
{
    private const int FewestRepetitions = 3;

    /// <summary>A line for each pinned ratio, then one for each measured ratio that is not pinned.</summary>
    public static IEnumerable<ComparisonLine> Compare(Manifest manifest, IEnumerable<SpeedUp> measured)
    {
        var byName = measured.ToLookup(ratio => ratio.Name, StringComparer.Ordinal);
        foreach (var pinned in manifest.Ratios)
            yield return Compare(manifest, pinned, [.. byName[pinned.Name]]);

        var known = manifest.Ratios.Select(pinned => pinned.Name).ToHashSet(StringComparer.Ordinal);
        foreach (var group in byName.Where(group => !known.Contains(group.Key)))
            yield return new ComparisonLine(Verdict.Skip, group.Key, "not pinned");
    }

    private static ComparisonLine Compare(Manifest manifest, PinnedRatio pinned, IReadOnlyList<SpeedUp> measured)
    {
        if (measured.Count == 0)
            return new ComparisonLine(Verdict.Skip, pinned.Name, "not in this run");

        var same = measured.Where(ratio => ratio.Setting == pinned.Setting).ToList();
        return same.Count switch
        {
            0 => new ComparisonLine(Verdict.Skip, pinned.Name, $"pinned with '{pinned.Setting}', run with '{measured[0].Setting}'"),
            1 => Compare(manifest, pinned, same[0]),
            _ => new ComparisonLine(Verdict.Skip, pinned.Name, "in the folder more than once"),
        };
    }

    private static ComparisonLine Compare(Manifest manifest, PinnedRatio pinned, SpeedUp measured)
    {
        if (!(pinned.Ratio > 0) || !double.IsFinite(pinned.Ratio))
            return new ComparisonLine(Verdict.Skip, pinned.Name, "the manifest has no ratio for it");
        if (!measured.IsFigure)
            return new ComparisonLine(Verdict.Skip, pinned.Name, "the run has no time for it, or none for its baseline");
        if (measured.Repetitions < FewestRepetitions)
            return new ComparisonLine(Verdict.Skip, pinned.Name, string.Create(CultureInfo.InvariantCulture, $"{measured.Repetitions} of {FewestRepetitions} repetitions: too few for a median"));

        var part = measured.Ratio / pinned.Ratio;
        var figures = string.Create(CultureInfo.InvariantCulture, $"{measured.Ratio:0.00} times the baseline's speed, pinned {pinned.Ratio:0.00} ({part:P0})");
        if (part >= manifest.WarnBelow)
            return new ComparisonLine(Verdict.Pass, pinned.Name, figures);
        if (part >= manifest.FailBelow)
            return new ComparisonLine(Verdict.Warn, pinned.Name, figures);

        // A noisy repetition must not fail a build: the lucky end of the spread would have to be too slow as well.
        return measured.High / pinned.Ratio >= manifest.FailBelow
            ? new ComparisonLine(Verdict.Warn, pinned.Name, string.Create(CultureInfo.InvariantCulture, $"{figures}, but the run is spread from {measured.Low:0.00} to {measured.High:0.00}"))
            : new ComparisonLine(Verdict.Fail, pinned.Name, figures);
    }
}
