// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;
using System.Xml.Linq;
using Duplicati.Benchmarks.Commands;
using Duplicati.Benchmarks.Documents;
using Duplicati.Benchmarks.Micro;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>Reports and comparisons of results as the commands really write them; they were recorded on a busy machine.</summary>
[TestFixture]
public partial class RecordedResultsTests
{
    private static string Recorded => Path.Combine(TestContext.CurrentContext.TestDirectory, "Benchmarks", "Recorded");

    [Test]
    public void Every_case_of_recorded_results_has_a_row()
    {
        using var folder = new TestFolder();
        Assert.That(ReportCommand.Run(Recorded, folder.File("out.md"), null, TextWriter.Null), Is.Zero);

        var rows = File.ReadLines(folder.File("out.md")).Where(line => line.StartsWith("| ", StringComparison.Ordinal)).ToList();
        var results = ResultFolder.Load(Recorded);
        foreach (var candidate in results.Micro.SelectMany(group => group.Cases))
            Assert.That(
                rows,
                Has.Some.Matches<string>(row =>
                    Cells(row).Take(candidate.Parameters.Count).Order().SequenceEqual(candidate.Parameters.Values.Order())
                ),
                candidate.ToString()
            );
        foreach (var row in results.Tables.SelectMany(table => table.Rows))
            Assert.That(rows, Has.Member($"| {string.Join(" | ", row)} |"));
        foreach (var series in results.EndToEnd.SelectMany(run => run.Results))
            Assert.That(rows, Has.Some.StartsWith($"| {series.Operation} | {series.Contender} | "));
        Assert.That(rows, Has.None.Contains("NaN").And.None.Contains("∞"));
    }

    [Test]
    public void Every_figure_of_recorded_results_is_there()
    {
        using var folder = new TestFolder();
        Assert.That(ReportCommand.Run(Recorded, folder.File("out.md"), null, TextWriter.Null), Is.Zero);

        var links = FigureLink().Matches(File.ReadAllText(folder.File("out.md"))).Select(match => match.Groups[1].Value).ToList();
        Assert.That(links, Is.Unique.And.Count.EqualTo(3), "commits, the database's part, and whole operations");
        foreach (var link in links)
            Assert.That(XDocument.Load(folder.File(link)).Root!.Name.LocalName, Is.EqualTo("svg"), link);
    }

    [Test]
    public void Recorded_results_agree_with_themselves()
    {
        using var folder = new TestFolder();
        using var output = new StringWriter { NewLine = "\n" };
        Assert.That(ResultFolder.Load(Recorded).Micro.SelectMany(MicroRun.Differences), Is.Empty);

        Assert.That(CompareCommand.Run(Recorded, folder.File("manifest.json"), true, TextWriter.Null, TextWriter.Null), Is.Zero);
        Assert.That(CompareCommand.Run(Recorded, folder.File("manifest.json"), false, output, TextWriter.Null), Is.Zero);

        Assert.That(output.ToString(), Does.EndWith(" PASS, 0 SKIP, 0 WARN, 0 FAIL\n"));
    }

    private static IEnumerable<string> Cells(string row) => row.Trim('|', ' ').Split(" | ");

    [GeneratedRegex(@"!\[[^]]*\]\(([^)]+)\)")]
    private static partial Regex FigureLink();
}
