using System.Globalization;
using System.Text.RegularExpressions;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Reports;

/// <summary>Parameters of benchmarks as a reader of figures wants them named.</summary>
internal static partial class ParameterText
{
    // Their values say what they are.
    private static readonly string[] s_unnamed = ["Way", "Variant", "Shape"];

    /// <summary>A parameter in words.</summary>
    public static string Words(string parameter) => parameter switch
    {
        "TableRows" => "blocks in the table",
        "BatchRows" => "rows per batch",
        _ => Capital().Replace(parameter, " ").ToLowerInvariant(),
    };

    /// <summary>A parameter and its value; the value alone where it says enough.</summary>
    public static string Words(string parameter, string value) =>
        s_unnamed.Contains(parameter) ? PragmaText.Readable(value) : $"{Words(parameter)} {PragmaText.Readable(value)}";

    [GeneratedRegex("(?<=[a-z])(?=[A-Z])")]
    private static partial Regex Capital();
}

/// <summary>Variants of which some are a pragma and its value: put in an order, coloured and written for readers.</summary>
internal static class PragmaText
{
    /// <summary>The cases as they are, or, where they are pragmas, by name and number, and presets last.</summary>
    public static List<MicroCase> Ordered(List<MicroCase> cases)
    {
        if (cases[0].BaselineParameter is not { } variant || !cases.Exists(candidate => IsPragma(candidate.Value(variant))))
            return cases;

        return [.. cases
            .OrderBy(candidate => candidate.IsBaseline ? 0 : IsPragma(candidate.Value(variant)) ? 1 : 2)
            .ThenBy(candidate => NameOf(candidate.Value(variant)), StringComparer.Ordinal)
            .ThenBy(candidate => Number(candidate.Value(variant)))];
    }

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
        long.TryParse(variant.AsSpan(variant.IndexOf('=', StringComparison.Ordinal) + 1), CultureInfo.InvariantCulture, out var number) ? Math.Abs(number) : 0;
}
