// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json.Nodes;
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
        var tables = EndToEndTables.Of(SampleResults.EndToEnd());
        var ratios = tables.SelectMany(table => table.Ratios).ToDictionary(ratio => ratio.Name);

        var restore = ratios["e2e/restore, default over stock, wall"];
        Assert.That((restore.Ratio, restore.Low, restore.High, restore.Repetitions), Is.EqualTo((3.0, 4.0 / 3, 8.0, 3)));
        Assert.That(
            ratios,
            Has.Count.EqualTo((2 * TimedOperation.All.Count) + (2 * TimedOperation.InDatabase.Count)),
            "the baselines themselves have none"
        );
        Assert.That(
            string.Join('|', tables[1].Rows.Single(row => row is ["restore", "default", ..])),
            Is.EqualTo("restore|default|2.00 (1.00–3.00)|1.00 (0.500–1.50)|1.0|2.0|3.00 (1.33–8.00)|3.00 (1.33–8.00)")
        );
    }

    [TestCase(new[] { 5.0 }, 5.0)]
    [TestCase(new[] { 9.0, 1, 2 }, 2.0)]
    [TestCase(new[] { 9.0, 1, 2, 4 }, 3.0)]
    public void The_median_is_the_middle(double[] values, double expected) => Assert.That(Numbers.Median(values), Is.EqualTo(expected));

    [Test]
    public void A_report_has_each_command_environment_note_table_and_figure()
    {
        var text = Report("A noisy machine.", SampleResults.Table(2.5), SampleResults.Table(3));

        Assert.That(
            text,
            Does.Contain("A noisy machine.").And.Contain("## Some table").And.Contain(ThisProgram.FromRepository + " some --thing\n")
        );
        Assert.That(text, Does.Contain("- machine: 2 processors; 0.5 processes wanted a processor when it began\n"));
        Assert.That(text, Does.Contain("Microsoft.Data.Sqlite 6.0.7; SQLite 3.35.5; commit abc; seed 7").And.Contain("- durability: WAL"));
        Assert.That(text, Does.Contain("What it means.\n\n| what   | much |\n| ------ | ---: |\n| a \\| b | 2.50 |\n"));
        Assert.That(text, Does.Contain("](out/some-chart.svg)").And.Contain("](out/some-chart-2.svg)"));
        Assert.That(
            Directory.GetFiles(Folder.File("out")).Select(x => XDocument.Load(x).Root!.Name.LocalName),
            Is.EqualTo(new[] { "svg", "svg" })
        );
    }

    [Test]
    public void Figures_show_their_title_names_values_and_spreads()
    {
        static SpeedUpBar Bar(string label, int series, double ratio, double spread) =>
            new(label, series, new SpeedUp("", "", ratio, ratio - spread, ratio + spread, 3));

        var figure = XDocument.Parse(Charts.Svg(new BarChart("", "a < b & c", [Bar("x", 0, 0.5, 0), Bar("y", 1, 4, 1)])));

        var texts = figure.Descendants().Where(x => x.Name.LocalName == "text").Select(x => x.Value.Trim());
        Assert.That(texts, Is.SupersetOf(new[] { "a < b & c", "1", "x", "0.50", "y", "4.00" }));
        var spreads = figure.Descendants().Count(x => (string?)x.Attribute("class") == "spread");
        Assert.That(spreads, Is.EqualTo(1), "only one of the bars has a spread");
    }

    [Test]
    public void Only_what_stands_between_the_marks_is_replaced()
    {
        File.WriteAllText(Folder.File("out.md"), $"Before.\n{Report("Old.", SampleResults.Table(2.5))}After.\n");
        File.WriteAllText(Path.Combine(Folder.File("out"), "by-hand.svg"), "");

        var text = Report("New.", SampleResults.Table(2.5) with { Chart = null });

        Assert.That(text, Does.StartWith("Before.\n").And.EndsWith("After.\n").And.Contain("New.").And.Not.Contain("Old."));
        Assert.That(Directory.GetFiles(Folder.File("out")).Select(Path.GetFileName), Is.EqualTo(new[] { "by-hand.svg" }));
    }

    [Test]
    public void A_document_without_a_place_for_results_is_left_alone()
    {
        File.WriteAllText(Folder.File("out.md"), "Mine.");
        TableResults.Write(Folder.File("run"), "some", [SampleResults.Table(2.5)]);

        Assert.That(Errors(Folder.File("run")), Does.Contain("has no place for results"));
        Assert.That(File.ReadAllText(Folder.File("out.md")), Is.EqualTo("Mine."));
    }

    [Test]
    public void Text_wraps_and_tables_and_commands_do_not()
    {
        var note = string.Join(' ', Enumerable.Range(1, 100));
        var items = $"- {note}";
        string[] wide = [note, "1"];

        var text = Report($"{note}\n\n{items}", SampleResults.Table(2.5) with { Rows = [wide], Command = note });

        Assert.That(text.Split('\n').Where(line => line.Length > 120), Is.All.StartsWith("|").Or.StartsWith("dotnet"));
        Assert.That(text.ReplaceLineEndings(" "), Does.Contain(note));
        Assert.That(text.Replace("\n  ", " ", StringComparison.Ordinal), Does.Contain(items));
    }

    [Test]
    public void Without_results_a_report_says_so()
    {
        Assert.That(Errors(Folder.Path), Does.Contain("has no *.table.json"));
        Assert.That(Errors(Folder.File("none")), Does.Contain("none"));
        Assert.That(File.Exists(Folder.File("out.md")), Is.False);
    }

    [Test]
    public void Tables_of_an_earlier_run_go_and_others_stay()
    {
        TableResults.Write(Folder.File("run"), "some", [SampleResults.Table(1), SampleResults.Table(2)]);
        TableResults.Write(Folder.File("run"), "other", [SampleResults.Table(3) with { Command = "e2e" }]);
        TableResults.Write(Folder.File("run"), "some", [SampleResults.Table(4)]);

        Assert.That(TableResults.Load(Folder.Path).Select(table => table.Ratios[0].Ratio), Is.EquivalentTo(new[] { 3.0, 4.0 }));
    }

    [TestCase("run/some-1.table.json", "Rows", "Environment/Provider", "Ratios/0/Setting")]
    [TestCase("manifest.json", "Machine", "Ratios", "Ratios/0/Ratio")]
    public void A_damaged_file_is_named_with_what_to_do(string name, params string[] parts)
    {
        TableResults.Write(Folder.File("run"), "some", [SampleResults.Table(2.5)]);
        Assert.That(Compared(pin: true), Is.Empty);
        var whole = File.ReadAllText(Folder.File(name));
        string[] damaged =
        [
            .. new[] { "", "null", "0", "[]", "{}" },
            .. Enumerable.Range(1, 9).Select(tenths => whole[..(whole.Length * tenths / 10)]),
            .. parts.SelectMany(part => new[] { Changed(whole, part, isGone: true), Changed(whole, part, isGone: false) }),
        ];
        foreach (var text in damaged)
        {
            File.WriteAllText(Folder.File(name), text);
            Assert.That(
                Compared(pin: false),
                Does.Contain(name + " cannot be read: ").And.Contain("Make it again, or take it away."),
                text
            );
        }
    }

    [Test]
    public void Writers_stand_by_number_and_their_ways_below_the_baseline()
    {
        var cases = Ordered(typeof(CommitRows)).Select(item => ($"{item["Writers"]}", $"{item["Way"]}")).ToList();

        var numbers = cases.Select(item => item.Item1).Distinct().ToList();
        Assert.That(numbers.Select(int.Parse), Is.Ordered.And.Member(1).And.Member(8));
        Assert.That(cases, Is.EqualTo(from number in numbers from way in CommitRows.Ways select (number, way)));
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
            "threads=2",
            "threads=16",
            "default",
        ];
        var variants = Ordered(typeof(Duplicati.Benchmarks.Micro.Pragmas.FindBlocks)).Select(item => $"{item["Variant"]}");
        Assert.That(variants.Where(expected.Contains), Is.EqualTo(expected));
    }

    private string Report(string note, params TableResults[] tables)
    {
        TableResults.Write(Folder.File("run"), "some", tables);
        Assert.That(ReportCommands.Report(Folder.File("run"), Folder.File("out.md"), note, TextWriter.Null), Is.Zero);
        return File.ReadAllText(Folder.File("out.md"));
    }

    private string Errors(string folder)
    {
        using var errors = new StringWriter();
        Assert.That(ReportCommands.Report(folder, Folder.File("out.md"), null, errors), Is.EqualTo(ExitCodes.WrongCommandLine));
        return errors.ToString();
    }

    private string Compared(bool pin)
    {
        using var errors = new StringWriter();
        ReportCommands.Compare(Folder.File("run"), Folder.File("manifest.json"), pin, TextWriter.Null, errors);
        return errors.ToString();
    }

    // A part is named by what leads to it.
    private static string Changed(string whole, string part, bool isGone)
    {
        var root = JsonNode.Parse(whole)!;
        var steps = part.Split('/');
        var parent = steps[..^1]
            .Aggregate(root, (node, step) => (int.TryParse(step, out var index) ? node[index] : node[step])!)
            .AsObject();
        if (isGone)
            parent.Remove(steps[^1]);
        else
            parent[steps[^1]] = null;
        return root.ToJsonString();
    }

    private static IEnumerable<ParameterInstances> Ordered(Type type) =>
        MicroRun.Ordered(BenchmarkConverter.TypeToBenchmarks(type).BenchmarksCases).Select(item => item.Parameters);
}
