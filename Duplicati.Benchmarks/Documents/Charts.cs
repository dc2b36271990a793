// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

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

/// <summary>The figures of a report, as SVG.</summary>
internal static class Charts
{
    private const int Top = 52;
    private const int RowHeight = 22;
    private const int BarHeight = 16;
    private const int RoomForValue = 70;

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
                figure.Spread(left + (bar.Low!.Value * scale), left + (bar.High!.Value * scale), top + 10);
            figure.Text(left + (bar.End * scale) + 6, top + SvgFigure.LineHeight, Numbers.Two(bar.Value));
        }

        return figure.ToString();
    }
}
