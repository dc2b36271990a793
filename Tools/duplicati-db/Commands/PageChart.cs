// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Net;
using System.Text;
using Duplicati.Engine.Common;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary>
/// Figures of a page as elements of SVG, whose colours come from the style of the page. Names are harmless in it, whatever they are.
/// </summary>
internal static class PageChart
{
    private const int Width = 760;
    private const int Row = 24;
    private const int NameWidth = 300;
    private const int ValueWidth = 110;
    private const int LongestName = 38;

    private const int Left = 90;
    private const int Top = 14;
    private const int Height = 220;

    /// <summary>The classes of the series, and what the style of a page says of them.</summary>
    internal const string Style = """
        svg { max-width: 100%; height: auto; font: 12px system-ui, sans-serif } svg text { fill: var(--text) }
        svg .s0 { fill: var(--first) } svg .s1 { fill: var(--second) } svg .line { fill: none; stroke: var(--second); stroke-width: 2 }
        svg .area { fill: var(--first); fill-opacity: .35 } svg .grid { stroke: var(--line) }
        .key::before { content: ""; display: inline-block; width: .8em; height: .8em; margin: 0 .4em 0 1em }
        .k0::before { background: var(--first) } .k1::before { background: var(--second) }
        """;

    /// <summary>A name as text of a page: on one line, with nothing in it that is an element or turns letters around.</summary>
    internal static string Name(string name) => WebUtility.HtmlEncode(SafeText.Of(name));

    /// <summary>Level bars below each other, of one part or of two.</summary>
    /// <param name="title">What they show.</param>
    /// <param name="bars">Their names, values, and how these are written.</param>
    internal static string Bars(string title, IReadOnlyList<(string Name, long First, long Second, string Text)> bars)
    {
        var most = Math.Max(1, bars.Max(x => x.First + x.Second));
        var text = Begin(title, bars.Count * Row);
        for (var i = 0; i < bars.Count; i++)
        {
            var (name, first, second, value) = bars[i];
            var (start, middle) = (NameWidth + Scaled(first, most), (i * Row) + 16);
            Add(
                text,
                $"""<text x="{NameWidth - 8}" y="{middle}" text-anchor="end"><title>{Name(name)}</title>{Name(Short(name))}</text>"""
            );
            Add(text, $"""<rect class="s0" x="{NameWidth}" y="{middle - 12}" width="{start - NameWidth:0.#}" height="16"/>""");
            if (second > 0)
                Add(text, $"""<rect class="s1" x="{start:0.#}" y="{middle - 12}" width="{Scaled(second, most):0.#}" height="16"/>""");
            Add(text, $"""<text x="{start + Scaled(second, most) + 6:0.#}" y="{middle}">{WebUtility.HtmlEncode(value)}</text>""");
        }

        return text.Append("</svg>\n").ToString();
    }

    /// <summary>An area and a line over time.</summary>
    /// <param name="title">What they show.</param>
    /// <param name="points">Times in order, with sizes: that of the area and that of the line.</param>
    internal static string Growth(string title, IReadOnlyList<(DateTime Time, long Area, long Line)> points)
    {
        var most = Math.Max(1, points.Max(x => Math.Max(x.Area, x.Line)));
        var (begin, end) = (points[0].Time, points[^1].Time);
        var text = Begin(title, Top + Height + 24);
        for (var part = 0; part <= 4; part++)
        {
            var y = Y(most * (part / 4.0));
            Add(text, $"""<line class="grid" x1="{Left}" y1="{y:0.#}" x2="{Width - 10}" y2="{y:0.#}"/>""");
            Add(text, $"""<text x="{Left - 8}" y="{y + 4:0.#}" text-anchor="end">{SizeText.Of((long)(most * (part / 4.0)))}</text>""");
        }

        var area = string.Join(' ', points.Select(x => Point(x.Time, x.Area)));
        Add(text, $"""<polygon class="area" points="{X(begin):0.#},{Y(0):0.#} {area} {X(end):0.#},{Y(0):0.#}"/>""");
        Add(text, $"""<polyline class="line" points="{string.Join(' ', points.Select(x => Point(x.Time, x.Line)))}"/>""");
        foreach (var (time, first, second) in points)
        {
            Add(text, $"""<circle class="s0" cx="{X(time):0.#}" cy="{Y(first):0.#}" r="3"/>""");
            Add(text, $"""<circle class="s1" cx="{X(time):0.#}" cy="{Y(second):0.#}" r="3"/>""");
        }

        Add(text, $"""<text x="{Left}" y="{Top + Height + 18}">{begin:yyyy-MM-dd HH:mm}</text>""");
        if (end > begin)
            Add(text, $"""<text x="{Width - 10}" y="{Top + Height + 18}" text-anchor="end">{end:yyyy-MM-dd HH:mm}</text>""");
        return text.Append("</svg>\n").ToString();

        double X(DateTime time) => Left + ((Width - 10 - Left) * (end > begin ? (time - begin) / (end - begin) : 0.5));

        double Y(double bytes) => Top + (Height * (1 - (bytes / most)));

        string Point(DateTime time, long bytes) => string.Create(CultureInfo.InvariantCulture, $"{X(time):0.#},{Y(bytes):0.#}");
    }

    private static StringBuilder Begin(string title, int height)
    {
        var text = new StringBuilder();
        Add(text, $"""<svg viewBox="0 0 {Width} {height}" width="{Width}" role="img" aria-label="{WebUtility.HtmlEncode(title)}">""");
        return text;
    }

    private static double Scaled(long value, long most) => (double)value / most * (Width - NameWidth - ValueWidth);

    // The end of a path tells more than its beginning.
    private static string Short(string name) =>
        name.Length <= LongestName ? name : string.Concat("…", name.AsSpan(name.Length - LongestName));

    private static void Add(StringBuilder text, FormattableString element) =>
        text.Append(FormattableString.Invariant(element)).Append('\n');
}
