// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Xml.Linq;
using BenchmarkDotNet.Parameters;
using BenchmarkDotNet.Running;
using Duplicati.Benchmarks.Commands;
using Duplicati.Benchmarks.Documents;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Replay;
using Duplicati.Benchmarks.Results;

namespace Duplicati.UnitTest.Benchmarks;

[TestFixture]
public class ReportTests : FolderTestBase
{
    [Test]
    public void Ratios_are_medians_of_the_baseline_over_medians()
    {
        SampleResults.WriteMicro(Folder.Path, providerMilliseconds: 3, spread: 0.5);
        SampleResults.WriteEndToEnd(Folder.Path);

        var ratios = SpeedUps.Of(ResultFolder.Load(Folder.Path)).ToDictionary(ratio => ratio.Name);

        Assert.That(
            ratios[SampleResults.Api10],
            Is.EqualTo(new SpeedUp(SampleResults.Api10, "quick, 1000 rows, seed 7, SQLite 3.35.5", 3, 1, 9, 3))
        );
        var restore = ratios["e2e/restore, default over stock, wall"];
        Assert.That((restore.Ratio, restore.Low, restore.High), Is.EqualTo((3.0, 4.0 / 3, 8.0)));
        Assert.That(
            ratios,
            Has.Count.EqualTo((2 * 2) + (2 * TimedOperation.All.Count) + (2 * DatabaseOperation.All.Count)),
            "the baselines themselves have none"
        );
    }

    [TestCase(new[] { 5.0 }, 5.0)]
    [TestCase(new[] { 9.0, 1, 2 }, 2.0)]
    [TestCase(new[] { 9.0, 1, 2, 4 }, 3.0)]
    public void The_median_is_the_middle(double[] values, double expected) => Assert.That(Numbers.Median(values), Is.EqualTo(expected));

    [Test]
    public void A_report_has_each_command_environment_and_figure()
    {
        SampleResults.WriteMicro(Folder.Path, providerMilliseconds: 3);
        SampleResults.WriteEndToEnd(Folder.Path);

        Assert.That(ReportCommand.Run(Folder.Path, Folder.File("out.md"), "A noisy machine.", TextWriter.Null), Is.Zero);

        var text = File.ReadAllText(Folder.File("out.md"));
        Assert.That(text, Does.Contain("A noisy machine."));
        Assert.That(text, Does.Contain(ThisProgram.FromRepository + " micro --quick --group blocks\n"));
        Assert.That(text, Does.Contain("Microsoft.Data.Sqlite 6.0.7; SQLite 3.35.5; commit abc; seed 7"));
        Assert.That(text, Does.Contain("- durability: WAL"));
        Assert.That(text, Does.Contain("| 10 | provider | 3.00 | 333,333 | baseline | 1.50 | baseline | 3.0 | – | 2 | 0000cafe |"));
        Assert.That(
            text,
            Does.Contain("| 10 | API | 1.00 | 1,000,000 | 3.00 (2.94–3.06) | 0.50 | 3.00 (2.94–3.06) | 3.0 | – | 2 | 0000cafe |")
        );
        Assert.That(
            text,
            Does.Contain("| restore | default | 2.00 (1.00–3.00) | 1.00 (0.50–1.50) | 1.00 | 2.00 | 3.00 (1.33–8.00) | 3.00 (1.33–8.00) |")
        );
        Assert.That(text, Does.Contain("](out/blocks-selectblocks.svg)").And.Contain("](out/e2e-100-mib-in-300-files.svg)"));
        var figures = Directory.GetFiles(Folder.File("out"));
        Assert.That(figures.Select(x => $"](out/{Path.GetFileName(x)})"), Has.Exactly(3).Items.And.All.Matches<string>(text.Contains));
        Assert.That(figures.Select(x => XDocument.Load(x).Root!.Name.LocalName), Is.All.EqualTo("svg"));
    }

    [Test]
    public void Figures_show_their_title_names_values_and_spreads()
    {
        var bars = XDocument.Parse(Charts.Bars("a < b & c", [new SpeedUpBar("x", 0, 0.5), new SpeedUpBar("y", 1, 4, 3, 5)]));

        Assert.That(Texts(bars), Is.SupersetOf(new[] { "a < b & c", "1", "x", "0.50", "y", "4.00" }));
        Assert.That(Spreads(bars), Is.EqualTo(1), "only one of the bars has a spread");
    }

    [Test]
    public void Only_what_stands_between_the_marks_is_replaced()
    {
        SampleResults.WriteMicro(Folder.File("old"), providerMilliseconds: 3);
        SampleResults.WriteThreads(Folder.File("new"));
        var document = Folder.File("out.md");
        Assert.That(ReportCommand.Run(Folder.File("old"), document, "Old.", TextWriter.Null), Is.Zero);
        File.WriteAllText(document, $"Before.\n{File.ReadAllText(document)}After.\n");
        File.WriteAllText(Path.Combine(Folder.File("out"), "by-hand.svg"), "");

        Assert.That(ReportCommand.Run(Folder.File("new"), document, "New.", TextWriter.Null), Is.Zero);

        var text = File.ReadAllText(document);
        Assert.That(
            text,
            Does.StartWith("Before.\n").And.EndsWith("After.\n").And.Contain("New.").And.Not.Contain("Old.").And.Not.Contain("SelectBlocks")
        );
        var figures = Directory.GetFiles(Folder.File("out")).Select(Path.GetFileName).ToList();
        Assert.That(figures, Has.Member("by-hand.svg").And.Member("commits-commitrows.svg").And.No.Member("blocks-selectblocks.svg"));
    }

    [Test]
    public void Figures_of_one_name_are_numbered_whatever_else_there_is()
    {
        SampleResults.WriteThreads(Folder.File("results/before"));
        SampleResults.WriteMicro(Folder.File("results/first"), providerMilliseconds: 3);
        SampleResults.WriteMicro(Folder.File("results/second"), providerMilliseconds: 3);

        Assert.That(ReportCommand.Run(Folder.File("results"), Folder.File("out.md"), null, TextWriter.Null), Is.Zero);

        var figures = Directory
            .GetFiles(Folder.File("out"))
            .Select(Path.GetFileName)
            .Where(name => name!.StartsWith("blocks-selectblocks", StringComparison.Ordinal));
        Assert.That(figures, Is.EquivalentTo(new[] { "blocks-selectblocks.svg", "blocks-selectblocks-2.svg" }));
    }

    [Test]
    public void A_document_without_a_place_for_results_is_left_alone()
    {
        SampleResults.WriteMicro(Folder.Path, providerMilliseconds: 3);
        File.WriteAllText(Folder.File("out.md"), "Mine.");
        using var errors = new StringWriter();

        Assert.That(ReportCommand.Run(Folder.Path, Folder.File("out.md"), null, errors), Is.EqualTo(2));

        Assert.That(errors.ToString(), Does.Contain("has no place for results"));
        Assert.That(File.ReadAllText(Folder.File("out.md")), Is.EqualTo("Mine."));
    }

    [Test]
    public void Text_wraps_and_tables_and_commands_do_not()
    {
        SampleResults.WriteMicro(Folder.File("results"), providerMilliseconds: 3);
        var note = string.Join(' ', Enumerable.Range(1, 100));
        var items = $"- {note}";

        Assert.That(ReportCommand.Run(Folder.File("results"), Folder.File("out.md"), $"{note}\n\n{items}", TextWriter.Null), Is.Zero);

        var text = File.ReadAllText(Folder.File("out.md"));
        Assert.That(
            text.Split('\n')
                .Where(line =>
                    line.Length > 120
                    && !line.StartsWith('|')
                    && !line.StartsWith('!')
                    && !line.StartsWith("dotnet", StringComparison.Ordinal)
                ),
            Is.Empty
        );
        Assert.That(text.ReplaceLineEndings(" "), Does.Contain(note));
        Assert.That(text.Replace("\n  ", " ", StringComparison.Ordinal), Does.Contain(items));
    }

    [Test]
    public void A_table_of_any_command_has_a_section()
    {
        SampleResults.WriteTable(Folder.File("deep/down"));

        Assert.That(ReportCommand.Run(Folder.Path, Folder.File("out.md"), null, TextWriter.Null), Is.Zero);

        var text = File.ReadAllText(Folder.File("out.md"));
        Assert.That(
            text,
            Does.Contain("## Some table").And.Contain(ThisProgram.FromRepository + " some --thing\n").And.Contain("What it means.")
        );
        const string Table = "| what | much |\n| --- | ---: |\n| a \\| b | 2.50 |";
        Assert.That(text, Does.Contain(Table + "\n"));
        Assert.That(ResultFolder.Load(Folder.Path).Tables.Single().Markdown(), Is.EqualTo(Table), "as the command prints it");
    }

    [Test]
    public void A_contender_with_another_answer_is_found()
    {
        SampleResults.WriteMicro(Folder.File("same"), providerMilliseconds: 3);
        SampleResults.WriteMicro(Folder.File("other"), providerMilliseconds: 3, apiAnswer: 7);

        Assert.That(MicroRun.Differences(ResultFolder.Load(Folder.File("same")).Micro[0]), Is.Empty);
        Assert.That(
            MicroRun.Differences(ResultFolder.Load(Folder.File("other")).Micro[0]).First(),
            Is.EqualTo("blocks/SelectBlocks(TableRows=10, Way=API) answers 00000007, provider answers 0000cafe.")
        );
    }

    [Test]
    public void Ways_have_a_bar_for_each_number_of_writers()
    {
        SampleResults.WriteThreads(Folder.Path);

        Assert.That(ReportCommand.Run(Folder.Path, Folder.File("out.md"), null, TextWriter.Null), Is.Zero);

        var figure = XDocument.Parse(File.ReadAllText(Path.Combine(Folder.Path, "out", "commits-commitrows.svg")));
        Assert.That(Spreads(figure), Is.EqualTo(2), "each bar has its quartiles");
        Assert.That(Texts(figure), Is.SupersetOf(new[] { "queue, writers 1", "1.00", "queue, writers 8", "1.00" }));
    }

    [Test]
    public void Writers_stand_by_number_and_their_ways_below_the_baseline()
    {
        var cases = Ordered(typeof(CommitRows)).Select(item => ($"{item["Writers"]}", $"{item["Way"]}")).ToList();

        var numbers = cases.Select(item => item.Item1).Distinct().ToList();
        Assert.That(numbers.Select(int.Parse), Is.Ordered.And.Member(1).And.Member(8));
        Assert.That(cases, Is.EqualTo(from number in numbers from way in CommitRows.Ways select (number, way)));
        Assert.That(CommitRows.Ways, Is.EqualTo(new[] { "own connection", "one connection in turns", "queue", "queue, ahead" }));
    }

    [Test]
    public void Pragmas_stand_by_name_and_size_with_the_baseline_first_and_presets_last()
    {
        string[] expected =
        [
            "stock",
            "cache_size=-2048",
            "cache_size=-131072",
            "journal_mode=MEMORY",
            "mmap_size=2097152",
            "page_size=4096",
            "synchronous=EXTRA",
            "temp_store=FILE",
            "threads=2",
            "threads=16",
            "default",
            "durable",
            "throughput",
        ];
        var variants = Ordered(typeof(Duplicati.Benchmarks.Micro.Pragmas.FindBlocks)).Select(item => $"{item["Variant"]}");
        Assert.That(variants.Where(expected.Contains), Is.EqualTo(expected));
    }

    [Test]
    public void A_contender_has_its_colour_in_every_figure_of_a_group()
    {
        // The second class has a contender less.
        var cases = new[]
        {
            ("First", "own connection"),
            ("First", "one connection in turns"),
            ("First", "queue"),
            ("Second", "own connection"),
            ("Second", "queue"),
        }.SelectMany(x => new[] { 10, 1000 }.Select(writers => SampleResults.Commits(writers, x.Item2) with { Class = x.Item1 }));
        SampleResults.Write(Folder.Path, SampleResults.Micro("commits", true, "abc") with { Cases = [.. cases] });

        Assert.That(ReportCommand.Run(Folder.Path, Folder.File("out.md"), null, TextWriter.Null), Is.Zero);

        Assert.That(Colours.Select(colour => Drawn(Figure("first"), colour)), Is.EqualTo(new[] { 0, 2, 2 }));
        Assert.That(Colours.Select(colour => Drawn(Figure("second"), colour)), Is.EqualTo(new[] { 0, 0, 2 }));

        XDocument Figure(string name) => XDocument.Parse(File.ReadAllText(Path.Combine(Folder.Path, "out", $"commits-{name}.svg")));
    }

    [TestCase("Writers", "8", "writers 8")]
    [TestCase("Way", "queue", "queue")]
    [TestCase("Variant", "stock", "stock")]
    [TestCase("Variant", "cache_size=-2048", "cache_size 2 MiB")]
    [TestCase("Variant", "cache_size=-131072", "cache_size 128 MiB")]
    [TestCase("Variant", "mmap_size=2097152", "mmap_size 2 MiB")]
    [TestCase("Variant", "page_size=65536", "page_size 64 KiB")]
    [TestCase("Variant", "threads=16", "threads 16")]
    public void Parameters_are_named_in_words(string parameter, string value, string words) =>
        Assert.That(ParameterText.Words(parameter, value), Is.EqualTo(words));

    [Test]
    public void Without_results_a_report_says_so()
    {
        using var errors = new StringWriter();

        Assert.That(ReportCommand.Run(Folder.Path, Folder.File("out.md"), null, errors), Is.EqualTo(2));
        Assert.That(ReportCommand.Run(Folder.File("none"), Folder.File("out.md"), null, errors), Is.EqualTo(2));

        Assert.That(errors.ToString(), Does.Contain("has no micro.json").And.Contain("none"));
        Assert.That(File.Exists(Folder.File("out.md")), Is.False);
    }

    private static IEnumerable<ParameterInstances> Ordered(Type type) =>
        MicroRun.Ordered(BenchmarkConverter.TypeToBenchmarks(type).BenchmarksCases).Select(item => item.Parameters);

    private static string[] Colours => ["#2f81f7", "#c77d0a", "#3fa45b"];

    private static int Spreads(XDocument figure) => figure.Descendants().Count(x => (string?)x.Attribute("class") == "spread");

    private static List<string> Texts(XDocument figure) =>
        [.. figure.Descendants().Where(x => x.Name.LocalName == "text").Select(x => x.Value.Trim())];

    private static int Drawn(XDocument figure, string colour) => figure.Descendants().Count(x => (string?)x.Attribute("fill") == colour);
}
