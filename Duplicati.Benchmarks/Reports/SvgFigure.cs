using System.Globalization;
using System.Security;
using System.Text;

namespace Duplicati.Benchmarks.Reports;

/// <summary>
/// The elements of a small figure, as text. It brings its own background, light or dark as the reader's system is, so that it is
/// legible on a page of either kind; the colours of series have enough contrast on both.
/// </summary>
/// <param name="width">Width in pixels.</param>
/// <param name="height">Height in pixels.</param>
/// <param name="title">What it shows, for readers that see it and those that hear it.</param>
internal sealed class SvgFigure(int width, int height, string title)
{
    /// <summary>Height of a line of text, pixels.</summary>
    public const int LineHeight = 14;

    // A wide sans serif at 12 pixels; one that is narrower leaves some room.
    private const double LetterWidth = 7.5;

    private static readonly string[] s_colours = ["#2f81f7", "#c77d0a", "#3fa45b", "#d6568f", "#8957e5", "#e5534b", "#16949c", "#98765a"];

    private readonly StringBuilder m_body = new();

    /// <summary>The colour of a series; they repeat after eight.</summary>
    public static string Colour(int series) => s_colours[series % s_colours.Length];

    /// <summary>Room that the longest of some texts takes, pixels.</summary>
    public static int WidthOf(IEnumerable<string> texts) => (int)Math.Ceiling(texts.Max(text => text.Length) * LetterWidth);

    /// <summary>Writes a text.</summary>
    /// <param name="x">Where it starts, ends or has its middle.</param>
    /// <param name="y">Its baseline.</param>
    /// <param name="text">The text.</param>
    /// <param name="anchor">start, middle or end.</param>
    public void Text(double x, double y, string text, string anchor = "start") =>
        m_body.Append(CultureInfo.InvariantCulture, $"""<text x="{x:0.#}" y="{y:0.#}" text-anchor="{anchor}">{SecurityElement.Escape(text)}</text>""").Append('\n');

    /// <summary>Draws a filled rectangle in a colour.</summary>
    public void Bar(double x, double y, double barWidth, double barHeight, string colour) =>
        m_body.Append(CultureInfo.InvariantCulture, $"""<rect x="{x:0.#}" y="{y:0.#}" width="{Math.Max(0, barWidth):0.#}" height="{barHeight:0.#}" rx="2" fill="{colour}"/>""").Append('\n');

    /// <summary>Draws an upright error bar.</summary>
    public void Spread(double x, double y1, double y2) =>
        m_body.Append(CultureInfo.InvariantCulture, $"""<path class="spread" d="M{x:0.#} {y1:0.#}V{y2:0.#}M{x - 3:0.#} {y1:0.#}h6M{x - 3:0.#} {y2:0.#}h6"/>""").Append('\n');

    /// <summary>Draws an error bar along a bar: a line between two values, with ends.</summary>
    public void SpreadAlong(double x1, double x2, double y) =>
        m_body.Append(CultureInfo.InvariantCulture, $"""<path class="spread" d="M{x1:0.#} {y:0.#}H{x2:0.#}M{x1:0.#} {y - 3:0.#}v6M{x2:0.#} {y - 3:0.#}v6"/>""").Append('\n');

    /// <summary>Draws a thin line of the grid.</summary>
    public void Grid(double x1, double y1, double x2, double y2) =>
        m_body.Append(CultureInfo.InvariantCulture, $"""<line x1="{x1:0.#}" y1="{y1:0.#}" x2="{x2:0.#}" y2="{y2:0.#}"/>""").Append('\n');

    /// <summary>Joins points by lines and marks them.</summary>
    public void Curve(IReadOnlyList<(double X, double Y)> points, string colour)
    {
        var joined = string.Join(' ', points.Select(point => string.Create(CultureInfo.InvariantCulture, $"{point.X:0.#},{point.Y:0.#}")));
        m_body.Append(CultureInfo.InvariantCulture, $"""<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2"/>""").Append('\n');
        foreach (var (x, y) in points)
            m_body.Append(CultureInfo.InvariantCulture, $"""<circle cx="{x:0.#}" cy="{y:0.#}" r="3" fill="{colour}"/>""").Append('\n');
    }

    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $$"""
        <svg xmlns="http://www.w3.org/2000/svg" width="{{width}}" height="{{height}}" viewBox="0 0 {{width}} {{height}}" role="img" font-family="sans-serif" font-size="12">
        <title>{{SecurityElement.Escape(title)}}</title>
        <style>
        text { paint-order: stroke; stroke-width: 3px; stroke-linejoin: round }
        .back { fill: #ffffff } text { fill: #32383f; stroke: #ffffff } line { stroke: #d3d8de } .spread { stroke: #32383f; fill: none }
        @media (prefers-color-scheme: dark) { .back { fill: #161b22 } text { fill: #c9d1d9; stroke: #161b22 } line { stroke: #3b424b } .spread { stroke: #c9d1d9 } }
        </style>
        <path class="back" d="M0 0H{{width}}V{{height}}H0Z"/>
        <text x="8" y="18" font-size="14" font-weight="bold">{{SecurityElement.Escape(title)}}</text>
        {{m_body}}</svg>

        """);
}
