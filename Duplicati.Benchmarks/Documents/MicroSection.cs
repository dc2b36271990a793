// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Documents;

/// <summary>
/// The part of a report about one group of micro benchmarks: a table a class, and a figure where there is something to see.
/// </summary>
internal static class MicroSection
{
    private const string Writers = "Writers";

    /// <summary>Adds the section.</summary>
    public static void Append(ReportDocument document, MicroResults results)
    {
        document.Line($"\n## {char.ToUpperInvariant(results.Group[0])}{results.Group[1..]}{(results.IsQuick ? ", quick" : "")}");
        document.Command(results.Command);
        document.Environment(results.Environment);
        // Each has the same colour in all figures of the group.
        var contenders = results.Cases.Select(Contender).Distinct().ToList();
        foreach (var cases in results.Cases.GroupBy(candidate => candidate.Class))
        {
            AppendTable(document, results, cases.Key, [.. cases]);
            AppendFigure(document, results, cases.Key, [.. cases], contenders);
        }
    }

    /// <summary>True if a number of threads is among the parameters.</summary>
    public static bool HasThreads(MicroCase candidate) => candidate.Parameters.ContainsKey(Writers);

    // The contender of a case; its class where nothing is compared.
    private static string Contender(MicroCase candidate) =>
        candidate.BaselineParameter is { } variant ? candidate.Value(variant) : candidate.Class;

    private static void AppendTable(ReportDocument document, MicroResults results, string name, List<MicroCase> cases)
    {
        var parameters = cases[0].Parameters.Keys.OrderBy(parameter => parameter == cases[0].BaselineParameter).ToList();
        document.Line($"\n### {name}\n");
        var speedUp = cases.Exists(candidate => candidate.IsBaseline)
            ? $"; speed-up is over {cases[0].BaselineParameter} = {cases[0].BaselineValue}, in brackets its range from quartile to quartile"
            : "";
        document.Line($"Medians of {cases[0].Repetitions}{speedUp}.\n");

        document.Head(
            parameters,
            ["median ms", "rows/s", "speed-up", "cpu ms", "speed-up (cpu)", "written MiB", "file MiB", "allocated B/row", "answer"]
        );
        foreach (var candidate in cases)
        {
            document.Row([
                .. parameters.Select(candidate.Value),
                Numbers.Two(candidate.MedianNanoseconds / 1e6),
                Numbers.Whole(candidate.RowsPerSecond),
                Ratio(candidate, SpeedUps.Of(results, candidate)),
                Numbers.Two(Numbers.Median(candidate.ProcessorNanoseconds) / 1e6),
                Ratio(candidate, SpeedUps.OfProcessor(results, candidate)),
                Numbers.MiB(candidate.WrittenBytes),
                Numbers.MiB(candidate.FileBytes),
                candidate.AllocatedBytes is { } bytes ? Numbers.Whole((double)bytes / candidate.Rows) : "–",
                candidate.Answer is { } answer ? answer.ToString("x8", CultureInfo.InvariantCulture) : "–",
            ]);
        }
    }

    private static string Ratio(MicroCase candidate, SpeedUp? ratio) =>
        ratio is null
            ? candidate.IsBaseline
                ? "baseline"
                : "–"
            : string.Create(CultureInfo.InvariantCulture, $"{ratio.Ratio:0.00} ({ratio.Low:0.00}–{ratio.High:0.00})");

    private static void AppendFigure(
        ReportDocument document,
        MicroResults results,
        string name,
        List<MicroCase> cases,
        List<string> contenders
    )
    {
        // Parameters that are the same everywhere tell nothing apart.
        var named = cases[0]
            .Parameters.Keys.Where(parameter =>
                parameter == cases[0].BaselineParameter || cases.Select(candidate => candidate.Value(parameter)).Distinct().Count() > 1
            )
            .OrderBy(parameter => parameter == cases[0].BaselineParameter ? 0 : 1)
            .ToList();
        var kinds = cases
            .Where(candidate => !candidate.IsBaseline)
            .Select(candidate => PragmaText.Kind(Contender(candidate)))
            .Distinct()
            .ToList();
        var bars = cases
            .Select(candidate => (Case: candidate, Ratio: SpeedUps.Of(results, candidate)))
            .Where(entry => entry.Ratio is { IsFigure: true })
            .Select(entry => new SpeedUpBar(
                string.Join(", ", named.Select(parameter => ParameterText.Words(parameter, entry.Case.Value(parameter)))),
                kinds.Count > 1 ? kinds.IndexOf(PragmaText.Kind(Contender(entry.Case))) : contenders.IndexOf(Contender(entry.Case)),
                entry.Ratio!.Ratio,
                entry.Ratio.Low,
                entry.Ratio.High
            ))
            .ToList();
        if (bars.Count == 0)
            return;

        var title = $"{name}: speed-up over {cases[0].BaselineValue}";
        document.Figure($"{results.Group}{(results.IsQuick ? "" : "-full")}-{name}", title, Charts.Bars(title, bars));
    }
}

/// <summary>Parameters of benchmarks as a reader of figures wants them named.</summary>
internal static class ParameterText
{
    // Their values say what they are.
    private static readonly string[] s_unnamed = ["Way", "Variant", "Shape"];

    /// <summary>A parameter and its value; the value alone where it says enough.</summary>
    public static string Words(string parameter, string value) =>
        s_unnamed.Contains(parameter) ? PragmaText.Readable(value) : $"{parameter.ToLowerInvariant()} {PragmaText.Readable(value)}";
}

/// <summary>Variants of which some are a pragma and its value: coloured and written for readers.</summary>
internal static class PragmaText
{
    /// <summary>What variants have in common that belong together: the pragma, what stands before a bracket, or an empty text.</summary>
    public static string Kind(string variant)
    {
        if (IsPragma(variant))
            return NameOf(variant);

        var bracket = variant.IndexOf(" (", StringComparison.Ordinal);
        return bracket < 0 ? "" : variant[..bracket];
    }

    /// <summary>The variant with sizes in KiB or MiB; any other text as it is.</summary>
    public static string Readable(string variant)
    {
        var number = Number(variant);
        return NameOf(variant) switch
        {
            "cache_size" => string.Create(CultureInfo.InvariantCulture, $"cache_size {number / 1024} MiB"),
            "mmap_size" => string.Create(CultureInfo.InvariantCulture, $"mmap_size {number >> 20} MiB"),
            "page_size" => string.Create(CultureInfo.InvariantCulture, $"page_size {number >> 10} KiB"),
            _ => variant.Replace('=', ' '),
        };
    }

    private static bool IsPragma(string variant) => variant.Contains('=', StringComparison.Ordinal);

    private static string NameOf(string variant) => IsPragma(variant) ? variant[..variant.IndexOf('=', StringComparison.Ordinal)] : variant;

    // A negative size of the cache is one in KiB.
    private static long Number(string variant) =>
        long.TryParse(variant.AsSpan(variant.IndexOf('=', StringComparison.Ordinal) + 1), CultureInfo.InvariantCulture, out var number)
            ? Math.Abs(number)
            : 0;
}
