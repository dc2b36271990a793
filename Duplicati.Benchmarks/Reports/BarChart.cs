using System.Globalization;

namespace Duplicati.Benchmarks.Reports;

/// <summary>Speed-ups as horizontal bars; a line marks 1, where nothing is gained or lost.</summary>
internal static class BarChart
{
    private const int Width = 760;
    private const int Left = 260;
    private const int Right = 70;
    private const int Top = 36;
    private const int RowHeight = 22;

    /// <summary>Draws the chart. Bars with the same series have the same colour.</summary>
    /// <param name="title">What it shows.</param>
    /// <param name="bars">The bars from top to bottom.</param>
    public static string Draw(string title, IReadOnlyList<(string Label, int Series, double Value)> bars)
    {
        var height = Top + (bars.Count * RowHeight) + 12;
        var figure = new SvgFigure(Width, height, title);
        var scale = (Width - Left - Right) / Math.Max(1, bars.Max(bar => bar.Value));
        for (var row = 0; row < bars.Count; row++)
        {
            var (label, series, value) = bars[row];
            var top = Top + (row * RowHeight);
            figure.Text(Left - 8, top + 14, label, "end");
            figure.Bar(Left, top + 2, value * scale, RowHeight - 6, SvgFigure.Colour(series));
            figure.Text(Left + (value * scale) + 6, top + 14, value.ToString("0.00", CultureInfo.InvariantCulture));
        }

        figure.Grid(Left + scale, Top - 4, Left + scale, height - 8);
        return figure.ToString();
    }
}
