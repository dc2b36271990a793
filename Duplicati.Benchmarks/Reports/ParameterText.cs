using System.Text.RegularExpressions;

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
