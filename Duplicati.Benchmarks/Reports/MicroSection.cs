using System.Globalization;

namespace Duplicati.Benchmarks.Reports;

/// <summary>The part of a report about one group of micro benchmarks: a table a class, and a figure where there is something to see.</summary>
internal static class MicroSection
{
    // What is put on the horizontal axis, if a class has it.
    private static readonly string[] s_sizes = ["Threads", "Writers", "Readers", "BatchRows", "TableRows", "RowsPerCommit"];

    /// <summary>Adds the section.</summary>
    public static void Append(ReportDocument document, MicroResults results)
    {
        var environment = results.Environment;
        document.Line($"\n## {char.ToUpperInvariant(results.Group[0])}{results.Group[1..]}");
        document.Command(results.Command);
        document.Line($"- machine: {environment.Machine}{Load(environment)}");
        document.Line(string.Create(CultureInfo.InvariantCulture, $"- runtime: {environment.Runtime}; SQLite {environment.Sqlite}; commit {environment.Commit}; seed {environment.Seed}; {environment.Date}"));
        document.Line($"- durability: {environment.Durability}");
        foreach (var cases in results.Cases.GroupBy(candidate => candidate.Class))
        {
            AppendTable(document, results, cases.Key, [.. cases]);
            AppendFigure(document, results, cases.Key, [.. cases]);
        }
    }

    private static string Load(RunEnvironment environment) =>
        environment.Load is { } load ? string.Create(CultureInfo.InvariantCulture, $"; {load:0.0} processes wanted a processor when it began") : "";

    private static void AppendTable(ReportDocument document, MicroResults results, string name, List<MicroCase> cases)
    {
        var parameters = cases[0].Parameters.Keys.ToList();
        document.Line($"\n### {name}\n");
        var speedUp = cases.Exists(candidate => candidate.IsBaseline)
            ? $"; speed-up is over {cases[0].BaselineParameter} = {cases[0].BaselineValue}, in brackets its range from quartile to quartile"
            : "";
        document.Line($"Medians of {cases[0].Repetitions}{speedUp}.\n");

        document.Head(parameters, ["median ms", "rows/s", "speed-up", "written MiB", "file MiB", "allocated B/row"]);
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
                ]);
        }
    }

    private static string Ratio(MicroResults results, MicroCase candidate) =>
        SpeedUps.Of(results, candidate) is { } ratio ? string.Create(CultureInfo.InvariantCulture, $"{ratio.Ratio:0.00} ({ratio.Low:0.00}–{ratio.High:0.00})") : candidate.IsBaseline ? "baseline" : "–";

    private static void AppendFigure(ReportDocument document, MicroResults results, string name, List<MicroCase> cases)
    {
        var size = s_sizes.FirstOrDefault(parameter => cases.Select(candidate => candidate.Value(parameter)).Distinct().Count(value => value.Length > 0) > 1);
        if (size is null)
            AppendBars(document, results, name, cases);
        else
            AppendLines(document, results, name, size, cases);
    }

    private static void AppendBars(ReportDocument document, MicroResults results, string name, List<MicroCase> cases)
    {
        var variant = cases[0].BaselineParameter;
        var others = cases[0].Parameters.Keys.Where(parameter => parameter != variant).ToList();
        var colours = cases.Select(candidate => Describe(candidate, others)).Distinct().ToList();
        var bars = cases
            .Select(candidate => (Case: candidate, Ratio: SpeedUps.Of(results, candidate)))
            .Where(entry => entry.Ratio is not null)
            .Select(entry => (Label: Describe(entry.Case, entry.Case.Parameters.Keys), Series: colours.IndexOf(Describe(entry.Case, others)), Value: entry.Ratio!.Ratio))
            .ToList();
        if (bars.Count == 0)
            return;

        var title = $"{name}: speed-up over {cases[0].BaselineValue}";
        document.Figure($"{results.Group}-{name}", title, BarChart.Draw(title, bars));
    }

    private static void AppendLines(ReportDocument document, MicroResults results, string name, string size, List<MicroCase> cases)
    {
        var variant = cases[0].BaselineParameter;
        var others = cases[0].Parameters.Keys.Where(parameter => parameter != variant && parameter != size).ToList();
        foreach (var part in cases.GroupBy(candidate => string.Join(", ", others.Select(parameter => $"{parameter} = {candidate.Value(parameter)}"))))
        {
            var lines = part
                .GroupBy(candidate => variant is null || variant == size ? name : candidate.Value(variant))
                .Select(line => (Name: line.Key, Points: (IReadOnlyList<(double Size, double Rate)>)[.. line.Select(candidate => Point(candidate, size)).OrderBy(point => point.Size)]))
                .ToList();
            var title = part.Key.Length > 0 ? $"{name}, {part.Key}: rows/s" : $"{name}: rows/s";
            document.Figure($"{results.Group}-{name}{(part.Key.Length > 0 ? "-" : "")}{part.Key.Replace(" = ", "-", StringComparison.Ordinal)}", title, LineChart.Draw(title, size, lines));
        }
    }

    private static (double Size, double Rate) Point(MicroCase candidate, string size) =>
        (double.Parse(candidate.Value(size), CultureInfo.InvariantCulture), candidate.RowsPerSecond);

    private static string Describe(MicroCase candidate, IEnumerable<string> parameters) => string.Join(", ", parameters.Select(candidate.Value));
}
