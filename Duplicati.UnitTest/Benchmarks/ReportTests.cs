using System.Xml.Linq;
using Duplicati.Benchmarks.Commands;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Reports;
using Duplicati.Benchmarks.Results;
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

        Assert.That(ratios[SampleResults.Door10], Is.EqualTo(new SpeedUp(SampleResults.Door10, "quick, 1000 rows, seed 7, SQLite 3.35.5", 3, 1, 9, 3)));
        var restore = ratios["e2e/restore, default over stock, wall"];
        Assert.That((restore.Ratio, restore.Low, restore.High), Is.EqualTo((3.0, 4.0 / 3, 8.0)));
        Assert.That(ratios, Has.Count.EqualTo(2 + (2 * TimedOperation.All.Count)), "the baselines themselves have none");
    }

    [TestCase(new[] { 5.0 }, 5.0)]
    [TestCase(new[] { 9.0, 1, 2 }, 2.0)]
    [TestCase(new[] { 9.0, 1, 2, 4 }, 3.0)]
    public void The_median_is_the_middle(double[] values, double expected) => Assert.That(Numbers.Median(values), Is.EqualTo(expected));

    [Test]
    public void A_report_has_each_command_environment_and_figure()
    {
        using var folder = new TestFolder();
        SampleResults.WriteMicro(folder.Path, providerMilliseconds: 3);
        SampleResults.WriteEndToEnd(folder.Path);

        Assert.That(ReportCommand.Run(folder.Path, folder.File("out.md"), "A noisy machine.", TextWriter.Null), Is.Zero);

        var text = File.ReadAllText(folder.File("out.md"));
        Assert.That(text, Does.Contain("A noisy machine."));
        Assert.That(text, Does.Contain(ThisProgram.FromRepository + " micro --quick --group blocks\n"));
        Assert.That(text, Does.Contain("Microsoft.Data.Sqlite 6.0.7; SQLite 3.35.5; commit abc; seed 7"));
        Assert.That(text, Does.Contain("- durability: WAL"));
        Assert.That(text, Does.Contain("| 10 | provider | 3.00 | 333,333 | baseline | 3.0 | – | 2 | 0000cafe |"));
        Assert.That(text, Does.Contain("| 10 | door | 1.00 | 1,000,000 | 3.00 (2.94–3.06) | 3.0 | – | 2 | 0000cafe |"));
        Assert.That(text, Does.Contain("| restore | default | 2.00 (1.00–3.00) | 1.00 (0.50–1.50) | 1.00 | 2.00 | 3.00 (1.33–8.00) | 3.00 (1.33–8.00) |"));
        Assert.That(text, Does.Contain("](out/blocks-selectblocks.svg)").And.Contain("](out/e2e-100-mib-in-300-files.svg)"));
    }

    [Test]
    public void Figures_are_well_formed_and_bring_a_background_of_the_readers_mode()
    {
        var lines = XDocument.Parse(LineChart.Draw("a < b & c", "rows", [("one", 0, [At(10, 1e5), At(1000, 2e6)]), ("two", 1, [At(10, 3e4), new RatePoint(1000, 3e4, 2e4, 5e4)])]));
        var bars = XDocument.Parse(BarChart.Draw("speed", [new Bar("x", 0, 0.5), new Bar("y", 1, 4, 3, 5)]));

        Assert.That(Elements(lines, "polyline"), Has.Count.EqualTo(2));
        Assert.That(Elements(lines, "title")[0].Value, Is.EqualTo("a < b & c"));
        Assert.That(Elements(lines, "circle").Select(Y), Is.All.InRange(40, 296));
        Assert.That(Elements(lines, "path").Select(path => (string?)path.Attribute("class")), Is.EqualTo(new[] { "back", "spread" }), "only one of the points has a spread");
        var widths = Elements(bars, "rect").Select(bar => (double)bar.Attribute("width")!).ToList();
        Assert.That(widths[1], Is.EqualTo(8 * widths[0]).Within(1));
        Assert.That(Elements(bars, "path").Select(path => (string?)path.Attribute("class")), Is.EqualTo(new[] { "back", "spread" }), "only one of the bars has a spread");
        foreach (var figure in (XDocument[])[lines, bars])
        {
            Assert.That(Elements(figure, "path")[0].Attribute("class")!.Value, Is.EqualTo("back"));
            Assert.That(Elements(figure, "style")[0].Value, Does.Contain("prefers-color-scheme: dark").And.Contain(".back").And.Contain("text").And.Contain("line"));
        }
    }

    [Test]
    public void Names_at_the_ends_of_lines_do_not_overlap_and_stay_inside()
    {
        var long_name = "a name that is rather long";
        var series = Enumerable.Range(0, 8).Select(i => (long_name, i, (IReadOnlyList<RatePoint>)[At(1, 1e6), At(20, 1e5 + i)])).ToList();
        var names = Elements(XDocument.Parse(LineChart.Draw("title", "Threads", series)), "text").Where(text => text.Value == long_name).ToList();

        var heights = names.Select(text => (double)text.Attribute("y")!).Order().ToList();
        Assert.That(heights, Has.Count.EqualTo(8).And.All.InRange(40, 340 - 40));
        Assert.That(heights.Zip(heights.Skip(1), (a, b) => b - a), Is.All.GreaterThanOrEqualTo(SvgFigure.LineHeight));
        Assert.That(names.Select(text => (double)text.Attribute("x")! + SvgFigure.WidthOf([long_name])), Is.All.LessThanOrEqualTo(760));
    }

    [Test]
    public void Only_what_stands_between_the_marks_is_replaced()
    {
        using var folder = new TestFolder();
        SampleResults.WriteMicro(folder.File("old"), providerMilliseconds: 3);
        SampleResults.WriteThreads(folder.File("new"));
        var document = folder.File("out.md");
        Assert.That(ReportCommand.Run(folder.File("old"), document, "Old.", TextWriter.Null), Is.Zero);
        File.WriteAllText(document, $"Before.\n{File.ReadAllText(document)}After.\n");
        File.WriteAllText(Path.Combine(folder.File("out"), "by-hand.svg"), "");

        Assert.That(ReportCommand.Run(folder.File("new"), document, "New.", TextWriter.Null), Is.Zero);

        var text = File.ReadAllText(document);
        Assert.That(text, Does.StartWith("Before.\n").And.EndsWith("After.\n").And.Contain("New.").And.Not.Contain("Old.").And.Not.Contain("SelectBlocks"));
        var figures = Directory.GetFiles(folder.File("out")).Select(Path.GetFileName).ToList();
        Assert.That(figures, Has.Member("by-hand.svg").And.Member("threads-threadreads-journal-wal.svg").And.No.Member("blocks-selectblocks.svg"));
    }

    [Test]
    public void Figures_of_one_name_are_numbered_whatever_else_there_is()
    {
        using var folder = new TestFolder();
        SampleResults.WriteThreads(folder.File("results/before"));
        SampleResults.WriteMicro(folder.File("results/first"), providerMilliseconds: 3);
        SampleResults.WriteMicro(folder.File("results/second"), providerMilliseconds: 3);

        Assert.That(ReportCommand.Run(folder.File("results"), folder.File("out.md"), null, TextWriter.Null), Is.Zero);

        var figures = Directory.GetFiles(folder.File("out")).Select(Path.GetFileName).Where(name => name!.StartsWith("blocks-selectblocks", StringComparison.Ordinal));
        Assert.That(figures, Is.EquivalentTo(new[] { "blocks-selectblocks.svg", "blocks-selectblocks-2.svg" }));
    }

    [Test]
    public void A_document_without_a_place_for_results_is_left_alone()
    {
        using var folder = new TestFolder();
        SampleResults.WriteMicro(folder.Path, providerMilliseconds: 3);
        File.WriteAllText(folder.File("out.md"), "Mine.");
        using var errors = new StringWriter();

        Assert.That(ReportCommand.Run(folder.Path, folder.File("out.md"), null, errors), Is.EqualTo(2));

        Assert.That(errors.ToString(), Does.Contain("has no place for results"));
        Assert.That(File.ReadAllText(folder.File("out.md")), Is.EqualTo("Mine."));
    }

    [Test]
    public void Text_wraps_and_tables_and_commands_do_not()
    {
        using var folder = new TestFolder();
        SampleResults.WriteMicro(folder.File("results"), providerMilliseconds: 3);
        var note = string.Join(' ', Enumerable.Range(1, 100));
        var items = $"- {note}";

        Assert.That(ReportCommand.Run(folder.File("results"), folder.File("out.md"), $"{note}\n\n{items}", TextWriter.Null), Is.Zero);

        var text = File.ReadAllText(folder.File("out.md"));
        Assert.That(text.Split('\n').Where(line => line.Length > 120 && !line.StartsWith('|') && !line.StartsWith('!') && !line.StartsWith("dotnet", StringComparison.Ordinal)), Is.Empty);
        Assert.That(text.ReplaceLineEndings(" "), Does.Contain(note));
        Assert.That(text.Replace("\n  ", " ", StringComparison.Ordinal), Does.Contain(items));
    }

    [Test]
    public void A_table_of_any_command_has_a_section()
    {
        using var folder = new TestFolder();
        SampleResults.WriteTable(folder.File("deep/down"));

        Assert.That(ReportCommand.Run(folder.Path, folder.File("out.md"), null, TextWriter.Null), Is.Zero);

        var text = File.ReadAllText(folder.File("out.md"));
        Assert.That(text, Does.Contain("## Some table").And.Contain(ThisProgram.FromRepository + " some --thing\n").And.Contain("What it means."));
        Assert.That(text, Does.Contain("| what | much |\n| --- | ---: |\n| a \\| b | 2.50 |\n"));
    }

    [Test]
    public void A_group_of_many_questions_has_a_table_of_speed_ups()
    {
        using var folder = new TestFolder();
        SampleResults.WriteOperations(folder.Path);

        Assert.That(ReportCommand.Run(folder.Path, folder.File("out.md"), null, TextWriter.Null), Is.Zero);

        var text = File.ReadAllText(folder.File("out.md"));
        Assert.That(text, Does.Contain("### Speed-ups door over plain, by Versions\n\n| question | 10 | 100 |\n| --- | ---: | ---: |\n| Question1 | 1.00 | 1.00 |\n"));
        Assert.That(text, Does.Contain("| Question4 | 4.00 | 4.00 |\n"));
    }

    [Test]
    public void A_contender_with_another_answer_is_found()
    {
        using var folder = new TestFolder();
        SampleResults.WriteMicro(folder.File("same"), providerMilliseconds: 3);
        SampleResults.WriteMicro(folder.File("other"), providerMilliseconds: 3, doorAnswer: 7);

        Assert.That(MicroRun.Differences(ResultFolder.Load(folder.File("same")).Micro[0]), Is.Empty);
        Assert.That(
            MicroRun.Differences(ResultFolder.Load(folder.File("other")).Micro[0]).First(),
            Is.EqualTo("blocks/SelectBlocks(TableRows=10, Way=door) answers 00000007, provider answers 0000cafe."));
    }

    [Test]
    public void Numbers_of_threads_are_the_axis_of_a_figure_with_a_line_a_way()
    {
        using var folder = new TestFolder();
        SampleResults.WriteThreads(folder.Path);

        Assert.That(ReportCommand.Run(folder.Path, folder.File("out.md"), null, TextWriter.Null), Is.Zero);

        var figure = XDocument.Parse(File.ReadAllText(Path.Combine(folder.Path, "out", "threads-threadreads-journal-wal.svg")));
        Assert.That(Elements(figure, "polyline"), Has.Count.EqualTo(2));
        Assert.That(Elements(figure, "path").Count(path => (string?)path.Attribute("class") == "spread"), Is.EqualTo(Elements(figure, "circle").Count), "each point has its quartiles");
        Assert.That(Elements(figure, "text").Select(text => text.Value), Is.SupersetOf(new[] { "threads", "1", "8", "own", "shared" }));
    }

    [Test]
    public void Pragmas_stand_by_name_and_size_with_the_baseline_first_and_presets_last()
    {
        string[] expected = ["stock", "cache_size=-2048", "cache_size=-131072", "mmap_size=2097152", "threads=2", "threads=16", "default"];
        var cases = expected.Order(StringComparer.Ordinal).Select(variant => SampleResults.Case(1, variant, 1e6, 0) with
        {
            Parameters = new Dictionary<string, string> { ["Variant"] = variant },
            BaselineParameter = "Variant",
            BaselineValue = "stock",
        }).ToList();

        Assert.That(PragmaText.Ordered(cases).Select(candidate => candidate.Value("Variant")), Is.EqualTo(expected));
        Assert.That(
            expected.Select(PragmaText.Readable),
            Is.EqualTo(new[] { "stock", "cache_size 2 MiB", "cache_size 128 MiB", "mmap_size 2 MiB", "threads 2", "threads 16", "default" }));
        Assert.That(PragmaText.Readable("page_size=65536"), Is.EqualTo("page_size 64 KiB"));
    }

    [Test]
    public void A_contender_has_its_place_and_its_colour_in_every_table_and_figure_of_a_group()
    {
        using var folder = new TestFolder();
        // As the runner sorts them; one class has a contender less.
        var cases = new[] { ("First", "batch"), ("First", "API"), ("First", "provider"), ("Second", "batch"), ("Second", "provider") }
            .SelectMany(x => new[] { 10, 1000 }.Select(size => SampleResults.Case(size, x.Item2, 1e6, 0.01) with { Class = x.Item1 }));
        SampleResults.Write(folder.Path, SampleResults.Micro("blocks", true, "abc") with { Cases = [.. cases] });

        Assert.That(ReportCommand.Run(folder.Path, folder.File("out.md"), null, TextWriter.Null), Is.Zero);

        var rows = File.ReadAllLines(folder.File("out.md")).Where(line => line.StartsWith("| 10", StringComparison.Ordinal)).Select(line => string.Join(' ', line.Split('|').Skip(1).Take(2).Select(cell => cell.Trim())));
        Assert.That(rows, Is.EqualTo(new[] { "10 provider", "10 API", "10 batch", "1000 provider", "1000 API", "1000 batch", "10 provider", "10 batch", "1000 provider", "1000 batch" }));
        Assert.That(Colour("first", "batch"), Is.EqualTo(Colour("second", "batch")).And.Not.EqualTo(Colour("second", "provider")));

        // The square before a name is the last rectangle before it.
        string Colour(string name, string contender) => (string)Elements(XDocument.Parse(File.ReadAllText(Path.Combine(folder.Path, "out", $"blocks-{name}.svg"))), "text")
            .Single(text => text.Value == contender).ElementsBeforeSelf().Last(element => element.Name.LocalName == "rect").Attribute("fill")!;
    }

    [TestCase("TableRows", "1000", "blocks in the table 1000")]
    [TestCase("BlocksPerFile", "100", "blocks per file 100")]
    [TestCase("Writer", "none", "writer none")]
    [TestCase("Way", "C loop", "C loop")]
    [TestCase("Variant", "cache_size=-2048", "cache_size 2 MiB")]
    public void Parameters_are_named_in_words(string parameter, string value, string words) =>
        Assert.That(ParameterText.Words(parameter, value), Is.EqualTo(words));

    [TestCase(90_000, 110_000)]
    [TestCase(210_000, 490_000)]
    [TestCase(1_000, 60_000)]
    [TestCase(10, 90_000_000)]
    public void A_scale_has_enough_lines_to_read_a_rate_from_and_none_too_many(double least, double greatest)
    {
        var figure = XDocument.Parse(LineChart.Draw("title", "rows", [("one", 0, [At(10, least), At(100, greatest)])]));
        // All but those of the two sizes are of rates.
        var lines = Elements(figure, "line").Count - 2;
        Assert.That(lines, Is.InRange(3, 9));
        Assert.That(Elements(figure, "circle").Select(Y), Is.All.InRange(40, 300));
    }

    [Test]
    public void A_single_point_is_drawn_too()
    {
        var figure = XDocument.Parse(LineChart.Draw("one", "rows", [("one", 0, [At(10, 1e5)])]));
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

    private static RatePoint At(double size, double rate) => new(size, rate, rate, rate);

    private static List<XElement> Elements(XDocument figure, string name) => [.. figure.Descendants().Where(element => element.Name.LocalName == name)];

    private static double Y(XElement circle) => (double)circle.Attribute("cy")!;
}
