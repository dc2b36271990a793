// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Tool;

/// <summary>What people read: numbers that fit their nouns, sizes in units, and nothing told twice.</summary>
[TestFixture]
internal sealed class ToolWordingTests
{
    [TestCase(0, "file", "0 files")]
    [TestCase(1, "file", "1 file")]
    [TestCase(2, "entry", "2 entries")]
    [TestCase(3, "index", "3 indexes")]
    [TestCase(1, "lost block", "1 lost block")]
    public void A_number_fits_its_noun(int number, string one, string expected) =>
        Assert.That(SizeText.Count(number, one), Is.EqualTo(expected));

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
}
