// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using ScottPlot;
using ScottPlot.TickGenerators;

namespace Duplicati.Benchmarks.Documents;

/// <summary>One bar.</summary>
/// <param name="Label">What stands beside it.</param>
/// <param name="Series">Bars of the same series have the same colour.</param>
/// <param name="Value">Its length.</param>
/// <param name="Low">Where its error bar begins; null for none.</param>
/// <param name="High">Where its error bar ends.</param>
internal sealed record SpeedUpBar(string Label, int Series, double Value, double? Low = null, double? High = null);

/// <summary>A line of rates: its name, the number of its colour, and its points, sorted by size.</summary>
internal sealed record RateLine(string Name, int Series, IReadOnlyList<RatePoint> Points);

/// <summary>One point of a line; values above 0.</summary>
/// <param name="Size">Where it stands on the horizontal axis.</param>
/// <param name="Rate">Rows a second.</param>
/// <param name="Low">Where its error bar begins; the rate if there is none.</param>
/// <param name="High">Where its error bar ends.</param>
internal readonly record struct RatePoint(double Size, double Rate, double Low, double High);

/// <summary>The figures of a report, as SVG.</summary>
internal static class Charts
{
    private const int Width = 760;
    private const int LinesHeight = 340;
    private const int BarHeight = 22;
    private const int RoomAround = 80;

    private static readonly Color s_spread = Color.FromHex("#32383f");
    private static readonly string[] s_colours = ["#2f81f7", "#c77d0a", "#3fa45b", "#d6568f", "#8957e5", "#e5534b", "#16949c", "#98765a"];

    /// <summary>Speed-ups as horizontal bars, from top to bottom; a line marks 1, where nothing is gained or lost.</summary>
    public static string Bars(string title, IReadOnlyList<SpeedUpBar> bars)
    {
        var plot = new Plot();
        plot.Title(title);
        var labels = new NumericManual();
        for (var row = 0; row < bars.Count; row++)
        {
            var (bar, y) = (bars[row], bars.Count - row);
            var drawn = plot.Add.Bar(
                new Bar
                {
                    Position = y,
                    Value = bar.Value,
                    FillColor = Colour(bar.Series),
                    Size = 0.7,
                }
            );
            drawn.Horizontal = true;
            if (bar is { Low: { } low, High: { } high } && double.IsFinite(low) && double.IsFinite(high) && high > low)
                plot.Add.Line(low, y, high, y).Color = s_spread;
            labels.AddMajor(y, string.Create(CultureInfo.InvariantCulture, $"{bar.Label}: {bar.Value:0.00}"));
        }

        plot.Add.VerticalLine(1, 1, s_spread);
        plot.Axes.Left.TickGenerator = labels;
        var end = bars.SelectMany(bar => new[] { 1, bar.Value, bar.High ?? 1 }).Where(double.IsFinite).Max();
        plot.Axes.SetLimits(0, end * 1.05, 0.4, bars.Count + 0.6);
        return plot.GetSvgXml(Width, (bars.Count * BarHeight) + RoomAround);
    }

    /// <summary>Rows a second against a size, both on logarithmic scales.</summary>
    /// <param name="title">What it shows.</param>
    /// <param name="axis">What the size is.</param>
    /// <param name="lines">The lines.</param>
    public static string Lines(string title, string axis, IReadOnlyList<RateLine> lines)
    {
        var plot = new Plot();
        plot.Title(title);
        plot.XLabel(axis);
        plot.YLabel("rows/s");
        foreach (var line in lines)
        {
            var places = line.Points.Select(point => At(point.Size, point.Rate)).ToArray();
            var scatter = plot.Add.Scatter(places, Colour(line.Series));
            scatter.LegendText = line.Name;
            scatter.LineWidth = 2;
            foreach (var point in line.Points.Where(point => point.High > point.Low))
                plot.Add.Line(At(point.Size, point.Low), At(point.Size, point.High)).Color = s_spread;
        }

        var sizes = new NumericManual();
        foreach (var size in lines.SelectMany(line => line.Points).Select(point => point.Size).Distinct().Order())
            sizes.AddMajor(Math.Log10(size), Short(size));
        plot.Axes.Bottom.TickGenerator = sizes;
        var points = lines.SelectMany(line => line.Points).ToList();
        plot.Axes.Left.TickGenerator = Rates(points.Min(point => point.Low), points.Max(point => point.High));
        plot.ShowLegend(Edge.Right);
        return plot.GetSvgXml(Width, LinesHeight);
    }

    // 1, 2 and 5 of each power of ten that lies between.
    private static NumericManual Rates(double least, double most)
    {
        var ticks = new NumericManual();
        var all = Enumerable.Range(-1, 14).SelectMany(power => new[] { 1, 2, 5 }.Select(step => step * Math.Pow(10, power)));
        foreach (var rate in all.Where(rate => rate >= least / 2 && rate <= most * 2))
            ticks.AddMajor(Math.Log10(rate), Short(rate));
        return ticks;
    }

    private static Coordinates At(double size, double rate) => new(Math.Log10(size), Math.Log10(rate));

    private static Color Colour(int series) => Color.FromHex(s_colours[series % s_colours.Length]);

    private static string Short(double value) =>
        value switch
        {
            >= 1e6 => (value / 1e6).ToString("0.##", CultureInfo.InvariantCulture) + "M",
            >= 1e3 => (value / 1e3).ToString("0.#", CultureInfo.InvariantCulture) + "k",
            _ => value.ToString("0.##", CultureInfo.InvariantCulture),
        };
}
