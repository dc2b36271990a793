using System.Xml.Linq;
using Duplicati.Benchmarks.Commands;
using Duplicati.Benchmarks.Reports;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Benchmarks;

[TestFixture]
public class ReportTests
{
    [Test]
    public void Ratios_are_medians_of_the_baseline_over_medians()
    {
        using var folder = new TestFolder();
        SampleResults.WriteMicro(folder.Path, providerMilliseconds: 3, spread: 0.5);
        SampleResults.WriteEndToEnd(folder.Path);

        var ratios = SpeedUps.Of(ResultFolder.Load(folder.Path)).ToDictionary(ratio => ratio.Name);

        Assert.That(ratios[SampleResults.Door10], Is.EqualTo(new SpeedUp(SampleResults.Door10, "quick, seed 7", 3, 1, 9)));
        var restore = ratios["e2e/restore, default over stock, wall"];
        Assert.That((restore.Ratio, restore.Low, restore.High), Is.EqualTo((3.0, 4.0 / 3, 8.0)));
        Assert.That(ratios, Has.Count.EqualTo(2 + (2 * 6)), "the baselines themselves have none");
    }

    [TestCase(new[] { 5.0 }, 5.0)]
    [TestCase(new[] { 9.0, 1, 2 }, 2.0)]
    [TestCase(new[] { 9.0, 1, 2, 4 }, 3.0)]
    public void The_median_is_the_middle(double[] values, double expected) => Assert.That(SpeedUps.Median(values), Is.EqualTo(expected));

    [Test]
    public void A_report_has_each_command_environment_and_figure()
    {
        using var folder = new TestFolder();
        SampleResults.WriteMicro(folder.Path, providerMilliseconds: 3);
        SampleResults.WriteEndToEnd(folder.Path);

        Assert.That(ReportCommand.Run(folder.Path, folder.File("out.md"), "A noisy machine.", TextWriter.Null), Is.Zero);

        var text = File.ReadAllText(folder.File("out.md"));
        Assert.That(text, Does.Contain("A noisy machine."));
        Assert.That(text, Does.Contain(ReportDocument.Program + " micro --quick --group blocks\n"));
        Assert.That(text, Does.Contain("SQLite 3.35.5; commit abc; seed 7"));
        Assert.That(text, Does.Contain("- durability: WAL"));
        Assert.That(text, Does.Contain("| 10 | provider | 3.00 | 333,333 | baseline | 3.0 | – | 2 |"));
        Assert.That(text, Does.Contain("| 10 | door | 1.00 | 1,000,000 | 3.00 (2.94–3.06) | 3.0 | – | 2 |"));
        Assert.That(text, Does.Contain("| restore | default | 2.00 | 1.00 | 1.00 | 2.00 | 3.00 | 3.00 |"));
        Assert.That(text, Does.Contain("](out/blocks-selectblocks.svg)").And.Contain("](out/e2e.svg)"));
    }

    [Test]
    public void Figures_are_well_formed_and_take_the_readers_colour()
    {
        var lines = XDocument.Parse(LineChart.Draw("a < b & c", "rows", [("one", [(10, 1e5), (1000, 2e6)]), ("two", [(10, 3e4), (1000, 3e4)])]));
        var bars = XDocument.Parse(BarChart.Draw("speed", [("x", 0, 0.5), ("y", 1, 4)]));

        Assert.That(Elements(lines, "polyline"), Has.Count.EqualTo(2));
        Assert.That(Elements(lines, "title")[0].Value, Is.EqualTo("a < b & c"));
        Assert.That(Elements(lines, "circle").Select(Y), Is.All.InRange(40, 296));
        var widths = Elements(bars, "rect").Select(bar => (double)bar.Attribute("width")!).ToList();
        Assert.That(widths[1], Is.EqualTo(8 * widths[0]).Within(1));
        foreach (var figure in (XDocument[])[lines, bars])
        {
            Assert.That(Elements(figure, "line").Select(line => (string?)line.Attribute("stroke")), Is.All.EqualTo("currentColor"));
            Assert.That(Elements(figure, "style")[0].Value, Does.Contain("prefers-color-scheme: dark"));
        }
    }

    [Test]
    public void Numbers_of_threads_are_the_axis_of_a_figure_with_a_line_a_way()
    {
        using var folder = new TestFolder();
        SampleResults.WriteThreads(folder.Path);

        Assert.That(ReportCommand.Run(folder.Path, folder.File("out.md"), null, TextWriter.Null), Is.Zero);

        var figure = XDocument.Parse(File.ReadAllText(Path.Combine(folder.Path, "out", "threads-threadreads-journal-wal.svg")));
        Assert.That(Elements(figure, "polyline"), Has.Count.EqualTo(2));
        Assert.That(Elements(figure, "text").Select(text => text.Value), Is.SupersetOf(new[] { "Threads", "1", "8", "own", "shared" }));
    }

    [Test]
    public void A_single_point_is_drawn_too()
    {
        var figure = XDocument.Parse(LineChart.Draw("one", "rows", [("one", [(10, 1e5)])]));
        Assert.That(Elements(figure, "circle").Select(Y), Is.All.InRange(40, 296));
    }

    [Test]
    public void Without_results_a_report_says_so()
    {
        using var folder = new TestFolder();
        using var errors = new StringWriter();

        Assert.That(ReportCommand.Run(folder.Path, folder.File("out.md"), null, errors), Is.EqualTo(2));
        Assert.That(ReportCommand.Run(folder.File("none"), folder.File("out.md"), null, errors), Is.EqualTo(2));
        File.WriteAllText(folder.File(MicroResults.FileName), "{ not json");
        Assert.That(ReportCommand.Run(folder.Path, folder.File("out.md"), null, errors), Is.EqualTo(2));

        Assert.That(errors.ToString(), Does.Contain("has no micro.json").And.Contain("none").And.Contain("micro.json cannot be read"));
        Assert.That(File.Exists(folder.File("out.md")), Is.False);
    }

    private static List<XElement> Elements(XDocument figure, string name) => [.. figure.Descendants().Where(element => element.Name.LocalName == name)];

    private static double Y(XElement circle) => (double)circle.Attribute("cy")!;
}
