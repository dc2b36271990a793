using System.Globalization;

namespace Duplicati.Benchmarks.Reports;

/// <summary>Speed-ups as horizontal bars; a line marks 1, where nothing is gained or lost.</summary>
internal static class BarChart
{
    private const int Width = 760;
    private const int Right = 70;
    private const int Top = 52;
    private const int RowHeight = 22;

    /// <summary>Draws the chart. Bars with the same series have the same colour.</summary>
    /// <param name="title">What it shows.</param>
    /// <param name="bars">The bars from top to bottom.</param>
    public static string Draw(string title, IReadOnlyList<(string Label, int Series, double Value)> bars)
    {
        var left = SvgFigure.WidthOf(bars.Select(bar => bar.Label)) + 20;
        var height = Top + (bars.Count * RowHeight) + 12;
        var figure = new SvgFigure(Width, height, title);
        var scale = (Width - left - Right) / Math.Max(1, bars.Max(bar => bar.Value));
        figure.Text(left + scale, Top - 8, "1", "middle");
        figure.Grid(left + scale, Top - 4, left + scale, height - 8);
        for (var row = 0; row < bars.Count; row++)
        {
            var (label, series, value) = bars[row];
            var top = Top + (row * RowHeight);
            figure.Text(left - 8, top + 14, label, "end");
            figure.Bar(left, top + 2, value * scale, RowHeight - 6, SvgFigure.Colour(series));
            figure.Text(left + (value * scale) + 6, top + 14, value.ToString("0.00", CultureInfo.InvariantCulture));
        }

        return figure.ToString();
    }
}
