using System.Globalization;

namespace Duplicati.Benchmarks.Reports;

/// <summary>Rows a second against a size, both on logarithmic scales; each line is named at its end.</summary>
internal static class LineChart
{
    private const int Width = 760;
    private const int Height = 340;
    private const int Left = 70;
    private const int Right = 150;
    private const int Top = 40;
    private const int Bottom = 44;
    private const int LabelHeight = 14;

    /// <summary>Draws the chart.</summary>
    /// <param name="title">What it shows.</param>
    /// <param name="axis">What the size is.</param>
    /// <param name="series">The lines with their points, sizes and rates above 0, sorted by size.</param>
    public static string Draw(string title, string axis, IReadOnlyList<(string Name, IReadOnlyList<(double Size, double Rate)> Points)> series)
    {
        var points = series.SelectMany(line => line.Points).ToList();
        var x = new Scale(points.Min(point => point.Size), points.Max(point => point.Size), Left, Width - Right);
        var y = new Scale(
            Math.Pow(10, Math.Floor(Math.Log10(points.Min(point => point.Rate)))), Math.Pow(10, Math.Ceiling(Math.Log10(points.Max(point => point.Rate)))), Height - Bottom, Top);
        var figure = new SvgFigure(Width, Height, title);
        DrawAxes(figure, x, y, points.Select(point => point.Size).Distinct().Order(), axis);

        for (var line = 0; line < series.Count; line++)
            figure.Curve([.. series[line].Points.Select(point => (x.At(point.Size), y.At(point.Rate)))], SvgFigure.Colour(line));
        DrawNames(figure, y, series);
        return figure.ToString();
    }

    private static void DrawAxes(SvgFigure figure, Scale x, Scale y, IEnumerable<double> sizes, string axis)
    {
        for (var rate = y.Least; rate <= y.Most * 1.01; rate *= 10)
        {
            figure.Grid(Left, y.At(rate), Width - Right, y.At(rate));
            figure.Text(Left - 8, y.At(rate) + 4, Short(rate), "end");
        }

        foreach (var size in sizes)
        {
            figure.Grid(x.At(size), Top, x.At(size), Height - Bottom);
            figure.Text(x.At(size), Height - Bottom + 16, Short(size), "middle");
        }

        figure.Text((Left + Width - Right) / 2.0, Height - 8, axis, "middle");
        figure.Text(8, Top - 6, "rows/s");
    }

    // From the top down, each at least a line's height below the one before.
    private static void DrawNames(SvgFigure figure, Scale y, IReadOnlyList<(string Name, IReadOnlyList<(double Size, double Rate)> Points)> series)
    {
        var last = double.MinValue;
        foreach (var (index, line) in series.Index().OrderBy(entry => y.At(entry.Item.Points[^1].Rate)))
        {
            last = Math.Max(last + LabelHeight, y.At(line.Points[^1].Rate) + 4);
            figure.Bar(Width - Right + 12, last - 9, 9, 9, SvgFigure.Colour(index));
            figure.Text(Width - Right + 26, last, line.Name);
        }
    }

    private static string Short(double value) => value switch
    {
        >= 1e6 => (value / 1e6).ToString("0.##", CultureInfo.InvariantCulture) + "M",
        >= 1e3 => (value / 1e3).ToString("0.##", CultureInfo.InvariantCulture) + "k",
        _ => value.ToString("0.##", CultureInfo.InvariantCulture),
    };

    private readonly record struct Scale(double Least, double Most, double From, double To)
    {
        public double At(double value) =>
            Most > Least ? From + ((To - From) * (Math.Log(value) - Math.Log(Least)) / (Math.Log(Most) - Math.Log(Least))) : (From + To) / 2;
    }
}
