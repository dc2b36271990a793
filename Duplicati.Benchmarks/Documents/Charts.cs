// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Documents;

/// <summary>One bar.</summary>
/// <param name="Label">What stands beside it.</param>
/// <param name="Series">Bars of the same series have the same colour.</param>
/// <param name="Value">Its length.</param>
/// <param name="Low">Where its error bar begins; null for none.</param>
/// <param name="High">Where its error bar ends.</param>
internal sealed record SpeedUpBar(string Label, int Series, double Value, double? Low = null, double? High = null)
{
    /// <summary>How far the bar or its error bar reaches.</summary>
    public double End => HasSpread ? Math.Max(Value, High!.Value) : Value;

    /// <summary>Whether there is a spread to show.</summary>
    public bool HasSpread => Low is { } low && High is { } high && double.IsFinite(low) && double.IsFinite(high) && high > low;
}

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
    private const int Top = 52;
    private const int RowHeight = 22;
    private const int BarHeight = 16;
    private const int RoomForValue = 70;
    private const int LinesHeight = 340;
    private const int LinesLeft = 70;
    private const int LinesEnd = LinesHeight - 44;

    /// <summary>Speed-ups as horizontal bars, from top to bottom; a line marks 1, where nothing is gained or lost.</summary>
    public static string Bars(string title, IReadOnlyList<SpeedUpBar> bars)
    {
        var left = SvgFigure.WidthOf(bars.Select(bar => bar.Label)) + 20;
        var height = Top + (bars.Count * RowHeight) + 12;
        var figure = new SvgFigure(height, title);
        var scale = (SvgFigure.Width - left - RoomForValue) / bars.Max(bar => Math.Max(1, bar.End));
        figure.Text(left + scale, Top - 8, "1", "middle");
        figure.Grid(left + scale, Top - 4, left + scale, height - 8);
        foreach (var (row, bar) in bars.Index())
        {
            var top = Top + (row * RowHeight);
            figure.Text(left - 8, top + SvgFigure.LineHeight, bar.Label, "end");
            figure.Bar(left, top + 2, bar.Value * scale, BarHeight, bar.Series);
            if (bar.HasSpread)
                figure.Spread(left + (bar.Low!.Value * scale), top + 10, left + (bar.High!.Value * scale), top + 10);
            figure.Text(left + (bar.End * scale) + 6, top + SvgFigure.LineHeight, Numbers.Two(bar.Value));
        }

        return figure.ToString();
    }

    /// <summary>Rows a second against a size, both on logarithmic scales; each line is named at its end.</summary>
    /// <param name="title">What it shows.</param>
    /// <param name="axis">What the size is.</param>
    /// <param name="lines">The lines.</param>
    public static string Lines(string title, string axis, IReadOnlyList<RateLine> lines)
    {
        var points = lines.SelectMany(line => line.Points).ToList();
        var sizes = points.Select(point => point.Size).Distinct().Order().ToList();
        var rates = Ticks(points.Min(point => point.Low), points.Max(point => point.High));
        var right = SvgFigure.Width - SvgFigure.WidthOf(lines.Select(line => line.Name)) - 34;
        var (x, y) = (new Scale(sizes[0], sizes[^1], LinesLeft, right), new Scale(rates[0], rates[^1], LinesEnd, Top));
        var figure = new SvgFigure(LinesHeight, title);
        foreach (var rate in rates)
        {
            figure.Grid(x.From, y.At(rate), x.To, y.At(rate));
            figure.Text(x.From - 8, y.At(rate) + 4, Short(rate), "end");
        }

        foreach (var size in sizes)
        {
            figure.Grid(x.At(size), y.To, x.At(size), y.From);
            figure.Text(x.At(size), y.From + 16, Short(size), "middle");
        }

        figure.Text((x.From + x.To) / 2, LinesHeight - 8, axis, "middle");
        figure.Text(8, Top - SvgFigure.LineHeight, "rows/s");
        foreach (var point in points.Where(point => point.High > point.Low))
            figure.Spread(x.At(point.Size), y.At(point.Low), x.At(point.Size), y.At(point.High));
        foreach (var line in lines)
            figure.Curve([.. line.Points.Select(point => (x.At(point.Size), y.At(point.Rate)))], line.Series);
        DrawNames(figure, right, [.. lines.Select(line => (line.Name, line.Series, y.At(line.Points[^1].Rate)))]);
        return figure.ToString();
    }

    // 1, 2 and 5 of each power of ten, from below the least to above the greatest.
    private static List<double> Ticks(double least, double greatest)
    {
        double[] steps = greatest / least > 500 ? [1] : [1, 2, 5];
        var all = Enumerable.Range(-1, 14).SelectMany(power => steps.Select(step => step * Math.Pow(10, power))).ToList();
        var first = Math.Max(0, all.FindLastIndex(tick => tick <= least));
        return all.GetRange(first, Math.Max(1, all.FindIndex(tick => tick >= greatest) - first) + 1);
    }

    // From the top down, each at least a line's height below the one before, and none below the axis.
    private static void DrawNames(SvgFigure figure, int right, List<(string Name, int Series, double Y)> ends)
    {
        ends.Sort((a, b) => a.Y.CompareTo(b.Y));
        var places = new double[ends.Count];
        for (var i = 0; i < places.Length; i++)
            places[i] = Math.Max(ends[i].Y + 4, i > 0 ? places[i - 1] + SvgFigure.LineHeight : 0);
        for (var i = places.Length - 1; i >= 0; i--)
            places[i] = Math.Min(places[i], i == places.Length - 1 ? LinesEnd + 4 : places[i + 1] - SvgFigure.LineHeight);
        foreach (var ((name, series, _), place) in ends.Zip(places))
        {
            figure.Bar(right + 12, place - 9, 9, 9, series);
            figure.Text(right + 26, place, name);
        }
    }

    private static string Short(double value) =>
        value switch
        {
            >= 1e6 => (value / 1e6).ToString("0.##", CultureInfo.InvariantCulture) + "M",
            >= 1e3 => (value / 1e3).ToString("0.#", CultureInfo.InvariantCulture) + "k",
            _ => value.ToString("0.##", CultureInfo.InvariantCulture),
        };

    // Logarithmic.
    private readonly record struct Scale(double Least, double Most, double From, double To)
    {
        public double At(double value) =>
            Most > Least ? From + ((To - From) * Math.Log(value / Least) / Math.Log(Most / Least)) : (From + To) / 2;
    }
}
