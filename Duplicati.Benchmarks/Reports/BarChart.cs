using System.Globalization;

namespace Duplicati.Benchmarks.Reports;

/// <summary>One bar.</summary>
/// <param name="Label">What stands beside it.</param>
/// <param name="Series">Bars of the same series have the same colour.</param>
/// <param name="Value">Its length.</param>
/// <param name="Low">Where its error bar begins; null for none.</param>
/// <param name="High">Where its error bar ends.</param>
internal sealed record Bar(string Label, int Series, double Value, double? Low = null, double? High = null)
{
    /// <summary>How far the bar or its error bar reaches.</summary>
    public double End => High is { } high && double.IsFinite(high) ? Math.Max(Value, high) : Value;

    /// <summary>Whether there is a spread to show.</summary>
    public bool HasSpread => Low is { } low && High is { } high && double.IsFinite(low) && double.IsFinite(high) && high > low;
}

/// <summary>Speed-ups as horizontal bars; a line marks 1, where nothing is gained or lost.</summary>
internal static class BarChart
{
    private const int Width = 760;
    private const int Right = 70;
    private const int Top = 52;
    private const int RowHeight = 22;

    /// <summary>Draws the chart.</summary>
    /// <param name="title">What it shows.</param>
    /// <param name="bars">The bars from top to bottom.</param>
    public static string Draw(string title, IReadOnlyList<Bar> bars)
    {
        var left = SvgFigure.WidthOf(bars.Select(bar => bar.Label)) + 20;
        var height = Top + (bars.Count * RowHeight) + 12;
        var figure = new SvgFigure(Width, height, title);
        var scale = (Width - left - Right) / Math.Max(1, bars.Max(bar => bar.End));
        figure.Text(left + scale, Top - 8, "1", "middle");
        figure.Grid(left + scale, Top - 4, left + scale, height - 8);
        for (var row = 0; row < bars.Count; row++)
        {
            var bar = bars[row];
            var top = Top + (row * RowHeight);
            figure.Text(left - 8, top + 14, bar.Label, "end");
            figure.Bar(left, top + 2, bar.Value * scale, RowHeight - 6, SvgFigure.Colour(bar.Series));
            if (bar.HasSpread)
                figure.SpreadAlong(left + (bar.Low!.Value * scale), left + (bar.High!.Value * scale), top + 2 + ((RowHeight - 6) / 2.0));
            figure.Text(left + (bar.End * scale) + 6, top + 14, bar.Value.ToString("0.00", CultureInfo.InvariantCulture));
        }

        return figure.ToString();
    }
}
