// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Net;
using System.Text;
using Duplicati.Engine.Common;
using Duplicati.Engine.Reports;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary>A report as one page that loads nothing and runs nothing, light or dark as the reader's system is.</summary>
internal sealed class ReportPage
{
    private const string Style = """
        :root { color-scheme: light dark; --text: #1f2328; --back: #ffffff; --faint: #59636e; --line: #d1d9e0; --first: #2f81f7; --second: #c77d0a }
        @media (prefers-color-scheme: dark) {
        :root { --text: #e6edf3; --back: #0d1117; --faint: #9198a1; --line: #3d444d }
        }
        body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; color: var(--text);
        background: var(--back) }
        h1 { font-size: 1.6rem } h2 { font-size: 1.25rem; margin-top: 2.5rem } p.note { color: var(--faint) }
        table { border-collapse: collapse; font-variant-numeric: tabular-nums }
        th, td { border: 1px solid var(--line); padding: .25rem .7rem; text-align: right } th:first-child, td:first-child { text-align: left }
        """;

    private const int MostRows = 50;

    private readonly StringBuilder m_text = new();

    private ReportPage() { }

    /// <summary>The page.</summary>
    /// <param name="database">Name of the database.</param>
    /// <param name="report">What it shows.</param>
    internal static string Of(string database, OverviewReport report)
    {
        var page = new ReportPage();
        page.AppendHead(database);
        page.AppendGrowth(report.Versions);
        page.AppendShares("What fills the newest version, by folder", report.Folders, "file", x => x);
        page.AppendShares("What fills the newest version, by type", report.Types, "file", x => x.Length == 0 ? "no ending" : x);
        page.AppendRates(report.Versions);
        page.AppendWaste(report.Volumes, report.Compact);
        page.AppendShares("Size of the database, by table and index", report.Tables, "", x => x);
        page.Note(report.TablesSource);
        page.AppendOperations(report.Operations);
        return page.m_text.Append("</body></html>\n").ToString();
    }

    private void AppendHead(string database) =>
        Append(
            $"""
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
            <title>{PageChart.Name(database)}</title>
            <style>
            {Style}
            {PageChart.Style}
            </style></head><body>
            <h1>Backup of {PageChart.Name(database)}</h1>

            """
        );

    private void AppendGrowth(IReadOnlyList<OverviewVersion> versions)
    {
        if (!Begin("Growth by version", versions.Count))
            return;

        Append(
            $"""<p><span class="key k0">files of the version</span><span class="key k1">blocks stored so far, before compression</span></p>"""
        );
        var stored = 0L;
        m_text.Append(PageChart.Growth("Growth by version", [.. versions.Select(x => (x.Time, x.Bytes ?? 0, stored += x.StoredBytes))]));
    }

    private void AppendShares(string title, SpaceShares shares, string noun, Func<string, string> name)
    {
        var all = shares.Other is { } other ? [.. shares.Largest, other] : shares.Largest;
        if (!Begin(title, all.Count))
            return;

        m_text.Append(
            PageChart.Bars(
                title,
                [
                    .. all.Select(x =>
                        (name(x.Name), x.Bytes, 0L, SizeText.Of(x.Bytes) + (noun.Length > 0 ? $", {SizeText.Count(x.Count, noun)}" : ""))
                    ),
                ]
            )
        );
    }

    private void AppendRates(IReadOnlyList<OverviewVersion> versions)
    {
        if (!Begin("Change rate and deduplication", versions.Count))
            return;

        Note(
            "Changed: contents that no earlier version has, each once. Stored: blocks of them that no earlier version needs, before compression. "
                + (versions.Count > MostRows ? $"The newest {MostRows} of {SizeText.Count(versions.Count, "version")}." : "")
        );
        Table(
            ["version", "time (UTC)", "entries", "files", "changed", "of the files", "stored", "of the changed"],
            versions
                .Reverse()
                .Take(MostRows)
                .Select(x =>
                    new[]
                    {
                        Text(x.Version),
                        ListText.Time(x.Time),
                        x.Entries is { } entries ? Text(entries) : "",
                        x.Bytes is { } bytes ? SizeText.Of(bytes) : "",
                        SizeText.Of(x.NewBytes),
                        Percent(x.NewBytes, x.Bytes ?? 0),
                        SizeText.Of(x.StoredBytes),
                        Percent(x.StoredBytes, x.NewBytes),
                    }
                )
        );
    }

    private void AppendWaste(WasteShares waste, CompactPreview compact)
    {
        if (!Begin("Waste by volume", waste.Count))
            return;

        Append(
            $"<p>{SizeText.Count(waste.Count, "block volume")}: {SizeText.Of(waste.LiveBytes)} of blocks are in use, and {SizeText.Of(waste.WastedBytes)} are waste, before compression. {Advice(compact)}</p>\n"
        );
        if (waste.Largest.Count == 0)
            return;
        Append($"""<p><span class="key k0">in use</span><span class="key k1">waste</span></p>""");
        m_text.Append(
            PageChart.Bars(
                "Waste by volume",
                [.. waste.Largest.Select(x => (x.Name, x.LiveBytes, x.WastedBytes, $"{SizeText.Of(x.WastedBytes)} waste"))]
            )
        );
    }

    private static string Advice(CompactPreview compact) =>
        compact.IsWorthwhile
            ? $"A compact would delete {SizeText.Count(compact.Deleted, "volume")}, rewrite {SizeText.Count(compact.Rewritten, "volume")}, and free about {SizeText.Of(compact.FreedBytes)}."
            : "A compact would do nothing.";

    private void AppendOperations(IReadOnlyList<LoggedOperation> operations)
    {
        if (!Begin("Slowest operations", operations.Count))
            return;

        Note("From the start of each operation to its last log entry, as far back as the log goes.");
        m_text.Append(
            PageChart.Bars(
                "Slowest operations",
                [
                    .. operations.Select(x =>
                        ($"{x.Operation}, {ListText.Time(x.Time)}", x.Seconds, 0L, TimeSpan.FromSeconds(x.Seconds).ToString("c", null))
                    ),
                ]
            )
        );
    }

    private void Table(IReadOnlyList<string> heads, IEnumerable<string[]> rows)
    {
        m_text.Append("<table>\n<tr>").AppendJoin("", heads.Select(x => $"<th>{Encoded(x)}</th>")).Append("</tr>\n");
        foreach (var row in rows)
            m_text.Append("<tr>").AppendJoin("", row.Select(x => $"<td>{Encoded(x)}</td>")).Append("</tr>\n");
        m_text.Append("</table>\n");
    }

    // False if there is nothing to show below the title.
    private bool Begin(string title, long count)
    {
        Append($"<h2>{Encoded(title)}</h2>\n");
        if (count == 0)
            Note("The database has no data for this.");
        return count > 0;
    }

    private void Note(string text) => Append($"<p class=\"note\">{Encoded(text)}</p>\n");

    private static string Percent(long part, long whole) =>
        whole > 0 ? string.Create(CultureInfo.InvariantCulture, $"{100.0 * part / whole:0.0} %") : "";

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);

    private static string Encoded(string text) => WebUtility.HtmlEncode(text);

    private void Append(FormattableString text) => m_text.Append(FormattableString.Invariant(text));
}
