// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Net;
using System.Text;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Replay;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Documents;

/// <summary>
/// A run as one page: its tables and figures, where it was made, and all rounds. It loads nothing, runs nothing, and is light or dark as
/// the reader's system is.
/// </summary>
internal sealed class EndToEndPage
{
    private const string Style = """
        :root { color-scheme: light dark; --text: #1f2328; --back: #ffffff; --faint: #59636e; --line: #d1d9e0; --head: #f6f8fa }
        @media (prefers-color-scheme: dark) {
        :root { --text: #e6edf3; --back: #0d1117; --faint: #9198a1; --line: #3d444d; --head: #151b23 }
        }
        body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; color: var(--text);
        background: var(--back) }
        h1 { font-size: 1.6rem } h2 { font-size: 1.25rem; margin-top: 2.5rem }
        table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums }
        th, td { border: 1px solid var(--line); padding: .25rem .7rem; text-align: right } th { background: var(--head) }
        th.text, td.text { text-align: left }
        p.note, dt { color: var(--faint) } dl { display: grid; grid-template-columns: max-content auto; gap: .25rem 1rem } dd { margin: 0 }
        pre { background: var(--head); padding: .7rem; overflow-x: auto } svg { max-width: 100%; height: auto }
        """;

    private readonly StringBuilder m_text = new();

    private EndToEndPage() { }

    /// <summary>The page.</summary>
    public static string Of(EndToEndResults results)
    {
        var page = new EndToEndPage();
        page.AppendAll(results);
        return page.m_text.ToString();
    }

    private void AppendAll(EndToEndResults results)
    {
        m_text.Append(
            CultureInfo.InvariantCulture,
            $"""
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
            <title>{Encoded(results.Options.Data)}</title>
            <style>
            {Style}
            </style></head><body>
            <h1>Speed of the data layer</h1>
            <p>{Encoded(results.Options.Data)}</p>
            """
        );
        Command(results.Command);
        if (results.DatabasePairs.Any())
            AppendDatabase(results);
        AppendWhole(results);
        foreach (var failure in results.Failures)
        {
            Element("h2", $"Failed: {failure.Contender}, {failure.Operation}");
            Element("pre", string.Join('\n', failure.Lines));
        }

        Element("h2", "Machine and settings");
        m_text.Append("<dl>\n");
        foreach (var (name, value) in results.Environment)
        {
            Element("dt", name);
            Element("dd", value);
        }

        m_text.Append("</dl>\n");
        AppendRounds("Rounds of the database's part", results.Database);
        AppendRounds("Rounds of whole operations", results.Results);
        m_text.Append("</body></html>\n");
    }

    private void AppendDatabase(EndToEndResults results)
    {
        Element("h2", "The database's part of each operation");
        if (EndToEndFigures.Database(results) is { } figure)
            m_text.Append(figure);
        Table(EndToEndScreen.DatabaseTable(results), 1);
        Element("p", $"Seconds by the clock, medians; higher is better. {EndToEndScreen.Columns(results)}", "note");
        Element("pre", $"{EndToEndScreen.Ways(results)}\n{EndToEndScreen.Certainty(results)}");
    }

    private void AppendWhole(EndToEndResults results)
    {
        Element("h2", "Whole operations");
        if (EndToEndFigures.Whole(results) is { } figure)
            m_text.Append(figure);
        Table(EndToEndScreen.WholeTable(results), 2);
        Element("p", "Each is a process of its own. Medians.", "note");
    }

    private void AppendRounds(string title, IReadOnlyList<EndToEndSeries> series)
    {
        if (series.Count == 0)
            return;
        Element("h2", title);
        Table(
            (
                ["operation", "by", "round", "clock s", "cpu s", "peak MiB", "written MiB"],
                [
                    .. series.SelectMany(entry =>
                        entry.Runs.Select(
                            IReadOnlyList<string> (run) =>
                                [
                                    entry.Operation,
                                    entry.Contender,
                                    FormattableString.Invariant($"{run.Round}"),
                                    FormattableString.Invariant($"{run.WallSeconds:F3}"),
                                    FormattableString.Invariant($"{run.CpuSeconds:F3}"),
                                    Numbers.MiB(run.PeakBytes),
                                    Numbers.MiB(run.WrittenBytes),
                                ]
                        )
                    ),
                ]
            ),
            2
        );
    }

    private void Command(string arguments) => Element("pre", $"{ThisProgram.FromRepository} {arguments}");

    private void Table((IReadOnlyList<string> Heads, IReadOnlyList<IReadOnlyList<string>> Rows) table, int texts)
    {
        m_text.Append("<table>\n");
        foreach (var (row, cells) in table.Rows.Prepend(table.Heads).Index())
        {
            m_text.Append("<tr>");
            foreach (var (column, cell) in cells.Index())
                Element(row == 0 ? "th" : "td", cell, column < texts ? "text" : null);
            m_text.Append("</tr>\n");
        }

        m_text.Append("</table>\n");
    }

    private void Element(string name, string text, string? kind = null) =>
        m_text.Append(CultureInfo.InvariantCulture, $"<{name}{(kind is null ? "" : $" class=\"{kind}\"")}>{Encoded(text)}</{name}>\n");

    private static string Encoded(string text) => WebUtility.HtmlEncode(text);
}

/// <summary>The figures of an end-to-end run.</summary>
internal static class EndToEndFigures
{
    public const string DatabaseTitle = "Speed-up of the database's part over the way of the replaced layer";

    /// <summary>The database's part; null without one.</summary>
    public static string? Database(EndToEndResults results)
    {
        var bars = results
            .DatabasePairs.Where(pair => pair.Wall.IsFigure)
            .Select(pair => new SpeedUpBar(pair.Operation, 0, pair.Wall.Ratio, pair.Wall.Low, pair.Wall.High))
            .ToList();
        return bars.Count == 0 ? null : Charts.Bars(DatabaseTitle, bars);
    }

    public static string WholeTitle(EndToEndResults results) =>
        $"Speed-up of whole operations over {results.Baseline} ({(IsByProcessor(results) ? "processor time" : "wall")})";

    /// <summary>Whole operations, if there are others beside the first contender.</summary>
    public static string? Whole(EndToEndResults results)
    {
        var contenders = results.Contenders.Skip(1).ToList();
        var bars = results
            .Results.Select(results.OverBaseline)
            .OfType<SeriesPair>()
            .OrderBy(pair => TimedOperation.Place(pair.Operation))
            .Select(pair => (Series: pair.Second, Ratio: IsByProcessor(results) ? pair.Cpu : pair.Wall))
            .Where(entry => entry.Ratio.IsFigure)
            .Select(entry => new SpeedUpBar(
                $"{entry.Series.Operation}, {entry.Series.Contender}",
                contenders.IndexOf(entry.Series.Contender),
                entry.Ratio.Ratio,
                entry.Ratio.Low,
                entry.Ratio.High
            ))
            .ToList();
        return bars.Count == 0 ? null : Charts.Bars(WholeTitle(results), bars);
    }

    // Beside peers by processor time, which other work on the machine disturbs less.
    private static bool IsByProcessor(EndToEndResults results) => results.Options.Peers.Count > 0;
}
