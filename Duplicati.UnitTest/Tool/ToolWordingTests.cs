// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;
using Duplicati.Engine.Common;
using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool;

/// <summary>What people read: numbers that fit their nouns, sizes in units, and nothing told twice.</summary>
[TestFixture]
internal sealed partial class ToolWordingTests
{
    [TestCase(0, "file", "0 files")]
    [TestCase(1, "file", "1 file")]
    [TestCase(2, "entry", "2 entries")]
    [TestCase(3, "index", "3 indexes")]
    [TestCase(1, "lost block", "1 lost block")]
    public void A_number_fits_its_noun(int number, string one, string expected) =>
        Assert.That(SizeText.Count(number, one), Is.EqualTo(expected));

    // A text with a number of its own before a noun would say "1 files", and one before "bytes" nothing at a glance.
    [Test]
    public void No_text_of_the_sources_puts_a_bare_number_before_a_noun()
    {
        var found = Directory
            .EnumerateFiles(Repository.File("Tools"), "*.cs", SearchOption.AllDirectories)
            .Where(x => !x.Contains($"{Path.DirectorySeparatorChar}obj{Path.DirectorySeparatorChar}", StringComparison.Ordinal))
            .SelectMany(file => File.ReadLines(file).Select((text, line) => (Place: $"{Path.GetFileName(file)}:{line + 1}", Text: text)))
            .Where(x => !x.Text.TrimStart().StartsWith("//", StringComparison.Ordinal) && BareNumber().IsMatch(x.Text))
            .Select(x => $"{x.Place} {x.Text.Trim()}")
            .ToList();
        Assert.That(found, Is.Empty);
        Assert.That(BareNumber().IsMatch("$\"{report.Count} versions\""), "the pattern finds one");
    }

    [Test]
    public async Task A_command_tells_nothing_twice()
    {
        using var tool = new ToolCase();
        foreach (
            var words in (string[][])
                [
                    ["backup", tool.Remote, tool.Source, "--blocksize", "10kb", "--dblock-size", "100kb"],
                    ["verify", tool.Remote],
                    ["check", tool.Remote],
                    ["test", tool.Remote],
                    ["repair", tool.Remote],
                    ["compact", tool.Remote],
                    ["list-broken-files", tool.Remote],
                    ["purge-broken-files", tool.Remote],
                    ["purge", tool.Remote, "*/folder/3", "--yes"],
                    ["backup", tool.Remote, tool.Source, "--exclude", "*/folder/*"],
                    ["delete", tool.Remote, "--version", "1", "--yes"],
                ]
        )
        {
            var run = await ToolRun.RunAsync([.. words, "--dbpath", tool.Database, "--no-encryption", "--verbose"]);
            Assert.That(run.Code, Is.EqualTo(ExitCode.Ok), $"{words[0]}: {run.Error}");
            Assert.That(run.Error.Split('\n', StringSplitOptions.RemoveEmptyEntries), Is.Unique, words[0]);
            Assert.That(run.Error + run.Output, Does.Not.Match(@"\b1 [a-z ]+s\b(?<! is| was| has)"), words[0]);
            Assert.That(run.Output, Does.Not.Match(@"\d{4,} bytes"), words[0]);
        }
    }

    [GeneratedRegex(
        """\{(?! |SizeText)[^{}"]*\} (?:[a-z]+ )?(?:files|versions|volumes|blocks|entries|folders|links|lists|indexes|differences|problems|messages|names|labels|pages|rows|blocklists)\b"""
    )]
    private static partial Regex BareNumber();
}
