// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Security;
using System.Text;

namespace Duplicati.Benchmarks.Documents;

/// <summary>
/// The elements of a small figure, as text that can be selected. It is light or dark as the reader's system is, by itself and in a page.
/// </summary>
/// <param name="height">Height in pixels.</param>
/// <param name="title">What it shows, for readers that see it and those that hear it.</param>
internal sealed class SvgFigure(int height, string title)
{
    /// <summary>Width in pixels.</summary>
    public const int Width = 760;

    /// <summary>Height of a line of text, pixels.</summary>
    public const int LineHeight = 14;

    // A wide sans serif at 12 pixels; one that is narrower leaves some room.
    private const double LetterWidth = 7.5;

    // With enough contrast on light and on dark.
    private static readonly string[] s_colours = ["#2f81f7", "#c77d0a", "#3fa45b", "#d6568f", "#8957e5", "#e5534b", "#16949c", "#98765a"];

    private readonly StringBuilder m_body = new();

    /// <summary>Room that the longest of some texts takes, pixels.</summary>
    public static int WidthOf(IEnumerable<string> texts) => (int)Math.Ceiling(texts.Max(text => text.Length) * LetterWidth);

    /// <summary>Writes a text.</summary>
    /// <param name="x">Where it starts, ends or has its middle.</param>
    /// <param name="y">Its baseline.</param>
    /// <param name="text">The text.</param>
    /// <param name="anchor">start, middle or end.</param>
    public void Text(double x, double y, string text, string anchor = "start") =>
        Add($"""<text x="{x:0.#}" y="{y:0.#}" text-anchor="{anchor}">{SecurityElement.Escape(text)}</text>""");

    /// <summary>Draws a filled rectangle in the colour of a series.</summary>
    public void Bar(double x, double y, double barWidth, double barHeight, int series) =>
        Add($"""<rect x="{x:0.#}" y="{y:0.#}" width="{barWidth:0.#}" height="{barHeight:0.#}" rx="2" fill="{Colour(series)}"/>""");

    /// <summary>Draws an error bar.</summary>
    public void Spread(double x1, double x2, double y) =>
        Add($"""<path class="spread" d="M{x1:0.#} {y:0.#}L{x2:0.#} {y:0.#}m0 -3v6M{x1:0.#} {y - 3:0.#}v6"/>""");

    /// <summary>Draws a thin line of the grid.</summary>
    public void Grid(double x1, double y1, double x2, double y2) =>
        Add($"""<line x1="{x1:0.#}" y1="{y1:0.#}" x2="{x2:0.#}" y2="{y2:0.#}"/>""");

    /// <inheritdoc/>
    public override string ToString() =>
        string.Create(
            CultureInfo.InvariantCulture,
            $$"""
            <svg xmlns="http://www.w3.org/2000/svg" class="figure" viewBox="0 0 {{Width}} {{height}}" width="{{Width}}" role="img">
            <title>{{SecurityElement.Escape(title)}}</title>
            <style>
            .figure { font: 12px sans-serif } .figure text { paint-order: stroke; stroke-width: 3px; stroke-linejoin: round }
            .figure .back { fill: #ffffff } .figure text { fill: #32383f; stroke: #ffffff }
            .figure line { stroke: #d3d8de } .figure .spread { stroke: #32383f; fill: none }
            @media (prefers-color-scheme: dark) {
            .figure .back { fill: #161b22 } .figure text { fill: #c9d1d9; stroke: #161b22 }
            .figure line { stroke: #3b424b } .figure .spread { stroke: #c9d1d9 }
            }
            </style>
            <path class="back" d="M0 0H{{Width}}V{{height}}H0Z"/>
            <text x="8" y="18" font-size="14" font-weight="bold">{{SecurityElement.Escape(title)}}</text>
            {{m_body}}</svg>

            """
        );

    private static string Colour(int series) => s_colours[series % s_colours.Length];

    private void Add(FormattableString element) => m_body.Append(FormattableString.Invariant(element)).Append('\n');
}
