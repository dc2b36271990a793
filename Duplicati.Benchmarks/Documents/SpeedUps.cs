// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Documents;

/// <summary>Takes the ratios out of results.</summary>
internal static class SpeedUps
{
    /// <summary>All ratios of a folder.</summary>
    public static IEnumerable<SpeedUp> Of(ResultFolder results) =>
        results.Micro.SelectMany(Of).Concat(results.EndToEnd.SelectMany(Of)).Concat(results.Tables.SelectMany(table => table.Ratios));

    /// <summary>The ratios of a group: each case against its baseline; cases without one are left out.</summary>
    public static IEnumerable<SpeedUp> Of(MicroResults results) =>
        results.Cases.SelectMany(candidate => new[] { Of(results, candidate), OfProcessor(results, candidate) }).OfType<SpeedUp>();

    /// <summary>The ratio of one case by processor time; null if it is the baseline or has none.</summary>
    public static SpeedUp? OfProcessor(MicroResults results, MicroCase candidate) =>
        Of(results, candidate) is { } ratio
            ? SpeedUp.Of(
                $"{ratio.Name}, cpu",
                ratio.Setting,
                results.Cases.First(other => other.IsBaselineOf(candidate)).ProcessorNanoseconds,
                candidate.ProcessorNanoseconds
            )
            : null;

    /// <summary>The ratio of one case by the clock; null if it is the baseline or has none.</summary>
    public static SpeedUp? Of(MicroResults results, MicroCase candidate)
    {
        if (candidate.IsBaseline || results.Cases.FirstOrDefault(other => other.IsBaselineOf(candidate)) is not { } baseline)
            return null;

        var parameters = string.Join(", ", candidate.Parameters.Select(parameter => $"{parameter.Key}={parameter.Value}"));
        return new SpeedUp(
            $"{results.Group}/{candidate.Class}({parameters}) over {candidate.BaselineValue}",
            Setting(results, candidate),
            baseline.MedianNanoseconds / candidate.MedianNanoseconds,
            baseline.LowerNanoseconds / candidate.UpperNanoseconds,
            baseline.UpperNanoseconds / candidate.LowerNanoseconds,
            Math.Min(baseline.Repetitions, candidate.Repetitions)
        );
    }

    /// <summary>
    /// What must be equal for two ratios to be compared: data, SQLite, and where threads compete, the number of processors.
    /// </summary>
    private static string Setting(MicroResults results, MicroCase candidate)
    {
        var environment = results.Environment;
        var processors = MicroSection.HasThreads(candidate) ? FormattableString.Invariant($", {environment.Processors} processors") : "";
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{(results.IsQuick ? "quick" : "full")}, {candidate.Rows} rows, seed {environment.Seed}, SQLite {environment.Sqlite}{processors}"
        );
    }

    /// <summary>The ratios of an end-to-end run, by the clock and by processor time.</summary>
    public static IEnumerable<SpeedUp> Of(EndToEndResults results)
    {
        var setting =
            $"{results.Environment.GetValueOrDefault("data", "unknown data")}; SQLite {results.Environment.GetValueOrDefault("SQLite", "unknown")}";
        return Of("e2e/", results.Results.Select(results.OverBaseline).OfType<SeriesPair>())
            .Concat(Of("e2e/database's part of ", results.DatabasePairs))
            .Select(ratio => ratio with { Setting = setting });
    }

    private static IEnumerable<SpeedUp> Of(string part, IEnumerable<SeriesPair> pairs) =>
        from pair in pairs
        from ratio in new[] { pair.Wall, pair.Cpu }
        select ratio with
        {
            Name = part + ratio.Name,
        };
}
