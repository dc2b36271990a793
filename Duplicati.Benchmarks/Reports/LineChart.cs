using System.Globalization;

namespace Duplicati.Benchmarks.Reports;

/// <summary>One point of a line; values above 0.</summary>
/// <param name="Size">Where it stands on the horizontal axis.</param>
/// <param name="Rate">Rows a second.</param>
/// <param name="Low">Where its error bar begins; the rate if there is none.</param>
/// <param name="High">Where its error bar ends.</param>
internal readonly record struct RatePoint(double Size, double Rate, double Low, double High);

/// <summary>Rows a second against a size, both on logarithmic scales; each line is named at its end.</summary>
internal static class LineChart
{
    private const int Width = 760;
    private const int Height = 340;
    private const int Left = 70;
    private const int Top = 52;
    private const int Bottom = 44;

    /// <summary>Draws the chart.</summary>
    /// <param name="title">What it shows.</param>
    /// <param name="axis">What the size is.</param>
    /// <param name="series">The lines with the numbers of their colours and their points, sorted by size.</param>
    public static string Draw(string title, string axis, IReadOnlyList<(string Name, int Colour, IReadOnlyList<RatePoint> Points)> series)
    {
        var points = series.SelectMany(line => line.Points).ToList();
        var right = Width - SvgFigure.WidthOf(series.Select(line => line.Name)) - 34;
        var ticks = Ticks(points.Min(point => point.Low), points.Max(point => point.High));
        var x = new Scale(points.Min(point => point.Size), points.Max(point => point.Size), Left, right);
        var y = new Scale(ticks[0], ticks[^1], Height - Bottom, Top);
        var figure = new SvgFigure(Width, Height, title);
        DrawAxes(figure, x, y, ticks, points.Select(point => point.Size).Distinct().Order(), axis);

        foreach (var point in points.Where(point => point.High > point.Low))
            figure.Spread(x.At(point.Size), y.At(point.Low), y.At(point.High));
        foreach (var (_, colour, line) in series)
            figure.Curve([.. line.Select(point => (x.At(point.Size), y.At(point.Rate)))], SvgFigure.Colour(colour));
        DrawNames(figure, right, [.. series.Select(line => (line.Name, line.Colour, y.At(line.Points[^1].Rate)))]);
        return figure.ToString();
    }

    // Powers of ten, with 2 and 5 or more in between where there are few of them, from below the least to above the greatest.
    private static List<double> Ticks(double least, double greatest)
    {
        double[] steps = (greatest / least) switch
        {
            > 500 => [1],
            > 8 => [1, 2, 5],
            > 1.5 => [1, 1.5, 2, 3, 4, 5, 6, 8],
            _ => [1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 7, 8, 9],
        };
        var all = Enumerable.Range(-1, 14).SelectMany(power => steps.Select(step => step * Math.Pow(10, power))).ToList();
        var first = Math.Max(0, all.FindLastIndex(tick => tick <= least));
        var last = Math.Max(first + 1, all.FindIndex(tick => tick >= greatest));
        return all.GetRange(first, last - first + 1);
    }

    private static void DrawAxes(SvgFigure figure, Scale x, Scale y, List<double> ticks, IEnumerable<double> sizes, string axis)
    {
        foreach (var rate in ticks)
        {
            figure.Grid(x.From, y.At(rate), x.To, y.At(rate));
            figure.Text(x.From - 8, y.At(rate) + 4, Short(rate), "end");
        }

        foreach (var size in sizes)
        {
            figure.Grid(x.At(size), y.To, x.At(size), y.From);
            figure.Text(x.At(size), y.From + 16, Short(size), "middle");
        }

        figure.Text((x.From + x.To) / 2, Height - 8, axis, "middle");
        figure.Text(8, Top - 14, "rows/s");
    }

    // From the top down, each at least a line's height below the one before, and none below the axis.
    private static void DrawNames(SvgFigure figure, int right, List<(string Name, int Series, double Y)> ends)
    {
        ends.Sort((a, b) => a.Y.CompareTo(b.Y));
        var places = new double[ends.Count];
        for (var i = 0; i < places.Length; i++)
            places[i] = Math.Max(ends[i].Y + 4, i > 0 ? places[i - 1] + SvgFigure.LineHeight : 0);
        for (var i = places.Length - 1; i >= 0; i--)
            places[i] = Math.Min(places[i], i == places.Length - 1 ? Height - Bottom + 4 : places[i + 1] - SvgFigure.LineHeight);

        foreach (var ((name, series, _), place) in ends.Zip(places))
        {
            figure.Bar(right + 12, place - 9, 9, 9, SvgFigure.Colour(series));
            figure.Text(right + 26, place, name);
        }
    }

    private static string Short(double value) => value switch
    {
        >= 1e6 => (value / 1e6).ToString("0.##", CultureInfo.InvariantCulture) + "M",
        >= 1e3 when value % 100 == 0 => (value / 1e3).ToString("0.#", CultureInfo.InvariantCulture) + "k",
        >= 1e3 => value.ToString("N0", CultureInfo.InvariantCulture),
        _ => value.ToString("0.##", CultureInfo.InvariantCulture),
    };

    private readonly record struct Scale(double Least, double Most, double From, double To)
    {
        public double At(double value) =>
            Most > Least ? From + ((To - From) * (Math.Log(value) - Math.Log(Least)) / (Math.Log(Most) - Math.Log(Least))) : (From + To) / 2;
    }
}
