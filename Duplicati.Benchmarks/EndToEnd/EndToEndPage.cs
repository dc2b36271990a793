// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Net;
using System.Text;
using Duplicati.Benchmarks.Documents;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>
/// A run as one page: its figures and tables, where it was made, and all rounds. It loads nothing, runs nothing, and is light or dark as
/// the reader's system is.
/// </summary>
internal static class EndToEndPage
{
    /// <summary>Name of the file.</summary>
    public const string FileName = "index.html";

    private const string Head = """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Speed of the data layer</title>
        <style>
        :root { color-scheme: light dark } body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif }
        pre { overflow-x: auto } p { white-space: pre-line } svg { max-width: 100%; height: auto }
        </style></head><body>
        <h1>Speed of the data layer</h1>

        """;

    /// <summary>The page.</summary>
    public static string Of(EndToEndResults results)
    {
        var page = new StringBuilder(Head);
        Add("pre", $"{ThisProgram.FromRepository} {results.Command}");
        Add("p", string.Join('\n', results.Environment.Lines));
        foreach (var table in EndToEndTables.Of(results))
        {
            Add("h2", table.Title);
            page.Append(table.Chart is { } chart ? Charts.Svg(chart) : "");
            Add("pre", table.Markdown());
            Add("p", table.Note!);
        }

        Add("h2", "All rounds");
        var rounds =
            from series in results.Database.Concat(results.Results)
            from run in series.Runs
            select (IReadOnlyList<string>)
                [
                    series.Operation,
                    series.Contender,
                    FormattableString.Invariant($"{run.Round}"),
                    FormattableString.Invariant($"{run.WallSeconds:F3}"),
                    FormattableString.Invariant($"{run.CpuSeconds:F3}"),
                    Numbers.MiB(run.PeakBytes),
                    Numbers.MiB(run.WrittenBytes),
                ];
        string[] figures = ["round", "clock s", "cpu s", "peak MiB", "written MiB"];
        Add("pre", TableResults.Markdown(["operation", "by"], figures, [.. rounds]));
        return page.Append("</body></html>\n").ToString();

        void Add(string name, string text) =>
            page.Append(CultureInfo.InvariantCulture, $"<{name}>{WebUtility.HtmlEncode(text)}</{name}>\n");
    }
}
