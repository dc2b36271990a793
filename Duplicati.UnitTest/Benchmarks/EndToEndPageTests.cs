// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Net;
using System.Text.RegularExpressions;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Replay;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>The page of an end-to-end run.</summary>
[TestFixture]
internal sealed partial class EndToEndPageTests
{
    private static readonly string s_page = EndToEndPage.Of(SampleResults.EndToEnd());

    [Test]
    public void The_page_needs_nothing_but_itself()
    {
        Assert.That(Loads().Matches(s_page).Select(match => match.Value), Is.Empty);
        Assert.That(s_page, Does.Contain("@media (prefers-color-scheme: dark)").And.Contain("color-scheme: light dark"));
    }

    [Test]
    public void The_page_shows_figures_tables_machine_and_every_round_in_a_browser()
    {
        // Where there is none, the page itself is what can be looked at.
        using var folder = new TestFolder();
        File.WriteAllText(folder.File("index.html"), s_page);
        Check(HeadlessBrowser.Read(folder.File("index.html"), folder.File("profile"))?.Dom ?? s_page);
    }

    private static void Check(string page)
    {
        var text = WebUtility.HtmlDecode(page);
        Assert.That(Figure().Count(page), Is.EqualTo(2), "the database's part, and presets side by side");
        foreach (var table in EndToEndTables.Of(SampleResults.EndToEnd()))
            Assert.That(text, Does.Contain(table.Title).And.Contain(table.Markdown()));
        Assert.That(
            text,
            Does.Contain("machine: 2 processors;").And.Contain("SQLite 3.35.5;").And.Contain("It is broken.").And.Contain("e2e --presets")
        );
        var rounds = (6 * TimedOperation.InDatabase.Count) + (6 * TimedOperation.All.Count);
        Assert.That(Round().Count(page), Is.EqualTo(rounds), "with three figures after the point");
    }

    [GeneratedRegex("""<script|<link|<img|<iframe|\ssrc=|\shref=|@import|url\(|https?://(?!www\.w3\.org/)""")]
    private static partial Regex Loads();

    [GeneratedRegex("<svg ")]
    private static partial Regex Figure();

    [GeneratedRegex("""\| +\d+\.\d{3} \| +\d+\.\d{3} \|""")]
    private static partial Regex Round();
}
