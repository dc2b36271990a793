using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Reports;

/// <summary>The part of a report about one <see cref="TableResults"/>.</summary>
internal static class TableSection
{
    /// <summary>Adds the section.</summary>
    public static void Append(ReportDocument document, TableResults results)
    {
        document.Line($"\n## {results.Title}");
        document.Command(results.Command);
        document.Environment(results.Environment);
        if (results.Note is { Length: > 0 } note)
            document.Line($"\n{note}");
        document.Line("");
        document.Head(results.Texts, results.Figures);
        foreach (var row in results.Rows)
            document.Row(row);
    }
}
