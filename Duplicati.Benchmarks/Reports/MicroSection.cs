using System.Globalization;

namespace Duplicati.Benchmarks.Reports;

/// <summary>The part of a report about one group of micro benchmarks: a table a class, and a figure where there is something to see.</summary>
internal static class MicroSection
{
    private static readonly string[] s_threads = ["Threads", "Writers", "Readers"];

    // What is put on the horizontal axis, if a class has it.
    private static readonly string[] s_sizes = [.. s_threads, "BatchRows", "TableRows", "RowsPerCommit", "Versions"];

    /// <summary>Adds the section.</summary>
    public static void Append(ReportDocument document, MicroResults results)
    {
        document.Line($"\n## {char.ToUpperInvariant(results.Group[0])}{results.Group[1..]}{(results.IsQuick ? ", quick" : "")}");
        document.Command(results.Command);
        document.Environment(results.Environment);
        SpeedUpTable.Append(document, results);
        foreach (var cases in results.Cases.GroupBy(candidate => candidate.Class))
        {
            var ordered = PragmaText.Ordered([.. cases]);
            AppendTable(document, results, cases.Key, ordered);
            AppendFigure(document, results, cases.Key, ordered);
        }
    }

    /// <summary>The parameter that is a size of which some cases have several; null if there is none.</summary>
    public static string? SizeOf(IReadOnlyCollection<MicroCase> cases) =>
        s_sizes.FirstOrDefault(parameter => cases.Select(candidate => candidate.Value(parameter)).Distinct().Count(value => value.Length > 0) > 1);

    /// <summary>True if a number of threads is among the parameters.</summary>
    public static bool HasThreads(MicroCase candidate) => s_threads.Any(candidate.Parameters.ContainsKey);

    /// <summary>The value of a size; 0 if the case has none.</summary>
    public static double Size(MicroCase candidate, string size) => double.TryParse(candidate.Value(size), CultureInfo.InvariantCulture, out var value) ? value : 0;

    private static void AppendTable(ReportDocument document, MicroResults results, string name, List<MicroCase> cases)
    {
        var parameters = cases[0].Parameters.Keys.ToList();
        document.Line($"\n### {name}\n");
        var speedUp = cases.Exists(candidate => candidate.IsBaseline)
            ? $"; speed-up is over {cases[0].BaselineParameter} = {cases[0].BaselineValue}, in brackets its range from quartile to quartile"
            : "";
        document.Line($"Medians of {cases[0].Repetitions}{speedUp}.\n");

        document.Head(parameters, ["median ms", "rows/s", "speed-up", "written MiB", "file MiB", "allocated B/row", "answer"]);
        foreach (var candidate in cases)
        {
            document.Row(
                [
                    .. parameters.Select(candidate.Value),
                    ReportDocument.Two(candidate.MedianNanoseconds / 1e6),
                    ReportDocument.Whole(candidate.RowsPerSecond),
                    Ratio(results, candidate),
                    ReportDocument.MiB(candidate.WrittenBytes),
                    ReportDocument.MiB(candidate.FileBytes),
                    candidate.AllocatedBytes is { } bytes ? ReportDocument.Whole((double)bytes / candidate.Rows) : "–",
                    candidate.Answer is { } answer ? answer.ToString("x8", CultureInfo.InvariantCulture) : "–",
                ]);
        }
    }

    private static string Ratio(MicroResults results, MicroCase candidate) =>
        SpeedUps.Of(results, candidate) is { } ratio ? string.Create(CultureInfo.InvariantCulture, $"{ratio.Ratio:0.00} ({ratio.Low:0.00}–{ratio.High:0.00})") : candidate.IsBaseline ? "baseline" : "–";

    private static void AppendFigure(ReportDocument document, MicroResults results, string name, List<MicroCase> cases)
    {
        if (SizeOf(cases) is not { } size)
            AppendBars(document, results, name, cases);
        else
            AppendLines(document, results, name, size, cases);
    }

    private static string Prefix(MicroResults results) => results.IsQuick ? results.Group : $"{results.Group}-full";

    private static void AppendBars(ReportDocument document, MicroResults results, string name, List<MicroCase> cases)
    {
        var variant = cases[0].BaselineParameter;
        var others = cases[0].Parameters.Keys.Where(parameter => parameter != variant).ToList();
        string ColourOf(MicroCase candidate) => others.Count > 0 || variant is null ? Describe(candidate, others) : PragmaText.Kind(candidate.Value(variant));
        var colours = cases.Where(candidate => !candidate.IsBaseline || others.Count > 0).Select(ColourOf).Distinct().ToList();
        var bars = cases
            .Select(candidate => (Case: candidate, Ratio: SpeedUps.Of(results, candidate)))
            .Where(entry => entry.Ratio is { IsFigure: true })
            .Select(entry => (Label: Describe(entry.Case, entry.Case.Parameters.Keys), Series: colours.IndexOf(ColourOf(entry.Case)), Value: entry.Ratio!.Ratio))
            .ToList();
        if (bars.Count == 0)
            return;

        var title = $"{name}: speed-up over {cases[0].BaselineValue}";
        document.Figure($"{Prefix(results)}-{name}", title, BarChart.Draw(title, bars));
    }

    private static void AppendLines(ReportDocument document, MicroResults results, string name, string size, List<MicroCase> cases)
    {
        var variant = cases[0].BaselineParameter;
        var others = cases[0].Parameters.Keys.Where(parameter => parameter != variant && parameter != size).ToList();
        foreach (var part in cases.Where(candidate => candidate.MedianNanoseconds > 0).GroupBy(candidate => string.Join(", ", others.Select(parameter => $"{parameter} = {candidate.Value(parameter)}"))))
        {
            var lines = part
                .GroupBy(candidate => variant is null || variant == size ? name : candidate.Value(variant))
                .Select(line => (Name: line.Key, Points: (IReadOnlyList<(double Size, double Rate)>)[.. line.Select(candidate => Point(candidate, size)).OrderBy(point => point.Size)]))
                .ToList();
            var title = part.Key.Length > 0 ? $"{name}, {part.Key}: rows/s" : $"{name}: rows/s";
            document.Figure($"{Prefix(results)}-{name}{(part.Key.Length > 0 ? "-" : "")}{part.Key.Replace(" = ", "-", StringComparison.Ordinal)}", title, LineChart.Draw(title, size, lines));
        }
    }

    private static (double Size, double Rate) Point(MicroCase candidate, string size) =>
        (Size(candidate, size), candidate.RowsPerSecond);

    private static string Describe(MicroCase candidate, IEnumerable<string> parameters) => string.Join(", ", parameters.Select(parameter => PragmaText.Readable(candidate.Value(parameter))));
}
