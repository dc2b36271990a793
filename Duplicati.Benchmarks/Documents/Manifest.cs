// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using System.Text.Json.Serialization;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Documents;

/// <summary>
/// Ratios that later runs are held against, and where they come from. Never absolute times: those belong to a machine and an hour.
/// </summary>
internal sealed record Manifest : IJsonOnDeserialized
{
    /// <summary>Where the ratios were measured.</summary>
    public required string Machine { get; init; }

    /// <summary>Version of SQLite.</summary>
    public required string Sqlite { get; init; }

    /// <summary>Version of Microsoft.Data.Sqlite.</summary>
    public required string Provider { get; init; }

    /// <summary>The runtime and its version.</summary>
    public required string Runtime { get; init; }

    /// <summary>The commit that was measured.</summary>
    public required string Commit { get; init; }

    /// <summary>Seed of the data.</summary>
    public required long Seed { get; init; }

    /// <summary>Below this part of a pinned ratio a line is a warning.</summary>
    public double WarnBelow { get; init; } = 0.9;

    /// <summary>Below this part of a pinned ratio a line fails, unless the run's own spread explains it.</summary>
    public double FailBelow { get; init; } = 0.75;

    /// <summary>The ratios.</summary>
    public required IReadOnlyList<PinnedRatio> Ratios { get; init; }

    // The tolerances are edited by hand.
    void IJsonOnDeserialized.OnDeserialized()
    {
        if (!(FailBelow > 0 && FailBelow <= WarnBelow && WarnBelow <= 1))
            throw new JsonException($"{nameof(FailBelow)} must be above 0, {nameof(WarnBelow)} at least as much and at most 1.");
    }

    /// <summary>A manifest of all ratios of some tables.</summary>
    /// <exception cref="InvalidDataException">They have no ratios, or come from several machines, commits or versions.</exception>
    public static Manifest Of(IReadOnlyList<TableResults> tables)
    {
        var origins = tables
            .Select(table => table.Environment)
            .DistinctBy(origin => (origin.Machine, origin.Sqlite, origin.Provider, origin.Runtime, origin.Commit))
            .ToList();
        var ratios = tables.SelectMany(table => table.Ratios).Where(ratio => ratio.IsFigure).ToList();
        return origins.Count != 1
                ? throw new InvalidDataException(
                    "The results come from several machines, commits or versions of SQLite, its provider or the runtime; a manifest is one of each."
                )
            : ratios.Count == 0 ? throw new InvalidDataException("The results have no baseline to compare with.")
            : new Manifest
            {
                Machine = origins[0].Machine,
                Sqlite = origins[0].Sqlite,
                Provider = origins[0].Provider,
                Runtime = origins[0].Runtime,
                Commit = origins[0].Commit,
                Seed = origins[0].Seed,
                Ratios = [.. ratios.Select(ratio => new PinnedRatio(ratio.Name, ratio.Setting, Math.Round(ratio.Ratio, 3)))],
            };
    }

    /// <summary>Writes the manifest; folders that are missing are made.</summary>
    public void Write(string path)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(path))!);
        File.WriteAllText(path, JsonSerializer.Serialize(this, ResultFile.Json) + "\n");
    }
}

/// <summary>One ratio of a manifest; see <see cref="SpeedUp"/>.</summary>
internal sealed record PinnedRatio(string Name, string Setting, double Ratio);

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
    public override string ToString() => $"{Verdict.ToString().ToUpperInvariant(), -4}  {Name}: {Reason}";
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
        var same = measured.Where(ratio => ratio.Setting == pinned.Setting).ToList();
        var skipped =
            measured.Count == 0 ? "not in this run"
            : same.Count == 0 ? $"pinned with '{pinned.Setting}', run with '{measured[0].Setting}'"
            : same.Count > 1 ? "in the folder more than once"
            : !(pinned.Ratio > 0) || !double.IsFinite(pinned.Ratio) ? "the manifest has no ratio for it"
            : !same[0].IsFigure ? "the run has no time for it, or none for its baseline"
            : same[0].Repetitions < FewestRepetitions
                ? FormattableString.Invariant($"{same[0].Repetitions} of {FewestRepetitions} repetitions: too few for a median")
            : null;
        return skipped is null ? Compare(manifest, pinned, same[0]) : new ComparisonLine(Verdict.Skip, pinned.Name, skipped);
    }

    private static ComparisonLine Compare(Manifest manifest, PinnedRatio pinned, SpeedUp measured)
    {
        var part = measured.Ratio / pinned.Ratio;
        var figures = FormattableString.Invariant(
            $"{measured.Ratio:0.00} times the baseline's speed, pinned {pinned.Ratio:0.00} ({part:P0})"
        );
        if (part >= manifest.FailBelow)
            return new ComparisonLine(part >= manifest.WarnBelow ? Verdict.Pass : Verdict.Warn, pinned.Name, figures);

        // A noisy repetition must not fail a build: the lucky end of the spread would have to be too slow as well.
        return measured.High / pinned.Ratio >= manifest.FailBelow
            ? new ComparisonLine(
                Verdict.Warn,
                pinned.Name,
                FormattableString.Invariant($"{figures}, but the run is spread from {measured.Low:0.00} to {measured.High:0.00}")
            )
            : new ComparisonLine(Verdict.Fail, pinned.Name, figures);
    }
}
