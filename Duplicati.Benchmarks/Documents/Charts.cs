// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Security;
using System.Text;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Documents;

/// <summary>
/// The figures of documents, as SVG with text that can be selected. They are light or dark as the reader's system is, by themselves and in
/// a page.
/// </summary>
internal static class Charts
{
    private const int Width = 760;
    private const int Top = 52;
    private const int RowHeight = 22;
    private const int LineHeight = 14;
    private const int RoomForValue = 70;

    // A wide sans serif at 12 pixels; one that is narrower leaves some room.
    private const double LetterWidth = 7.5;

    // With enough contrast on light and on dark.
    private static readonly string[] s_colours = ["#2f81f7", "#c77d0a", "#3fa45b", "#d6568f", "#8957e5", "#e5534b", "#16949c", "#98765a"];

    /// <summary>Speed-ups as horizontal bars, from top to bottom; a line marks 1, where nothing is gained or lost.</summary>
    public static string Svg(BarChart chart)
    {
        var left = (int)Math.Ceiling(chart.Bars.Max(bar => bar.Label.Length) * LetterWidth) + 20;
        var height = Top + (chart.Bars.Count * RowHeight) + 12;
        var scale = (Width - left - RoomForValue) / chart.Bars.Max(bar => Math.Max(1, End(bar.Ratio)));
        var one = left + scale;
        var body = new StringBuilder();
        Text(one, Top - 8, "1", "middle");
        Add($"""<line x1="{one:0.#}" y1="{Top - 4}" x2="{one:0.#}" y2="{height - 8}"/>""");
        foreach (var (row, bar) in chart.Bars.Index())
        {
            var top = Top + (row * RowHeight);
            Text(left - 8, top + LineHeight, bar.Label, "end");
            var colour = s_colours[bar.Series % s_colours.Length];
            Add($"""<rect x="{left}" y="{top + 2}" width="{bar.Ratio.Ratio * scale:0.#}" height="16" rx="2" fill="{colour}"/>""");
            if (HasSpread(bar.Ratio))
            {
                var (low, high) = (left + (bar.Ratio.Low * scale), left + (bar.Ratio.High * scale));
                Add($"""<path class="spread" d="M{low:0.#} {top + 10}L{high:0.#} {top + 10}m0 -3v6M{low:0.#} {top + 7}v6"/>""");
            }

            Text(left + (End(bar.Ratio) * scale) + 6, top + LineHeight, Numbers.Two(bar.Ratio.Ratio), "start");
        }

        var title = SecurityElement.Escape(chart.Title);
        return $$"""
            <svg xmlns="http://www.w3.org/2000/svg" class="figure" viewBox="0 0 {{Width}} {{height}}" width="{{Width}}" role="img">
            <title>{{title}}</title>
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
            <text x="8" y="18" font-size="14" font-weight="bold">{{title}}</text>
            {{body}}</svg>

            """;

        void Text(double x, double y, string text, string anchor) =>
            Add($"""<text x="{x:0.#}" y="{y:0.#}" text-anchor="{anchor}">{SecurityElement.Escape(text)}</text>""");

        void Add(FormattableString element) => body.Append(element.ToString(CultureInfo.InvariantCulture)).Append('\n');
    }

    private static bool HasSpread(SpeedUp ratio) => double.IsFinite(ratio.Low) && double.IsFinite(ratio.High) && ratio.High > ratio.Low;

    private static double End(SpeedUp ratio) => HasSpread(ratio) ? Math.Max(ratio.Ratio, ratio.High) : ratio.Ratio;
}
