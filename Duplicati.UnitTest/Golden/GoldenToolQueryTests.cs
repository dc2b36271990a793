// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.UnitTest.Tool;

namespace Duplicati.UnitTest.Golden;

/// <summary>What the real program told of affected files, changes and searches is in what <c>duplicati-db … --json</c> gives.</summary>
[TestFixture]
internal sealed class GoldenToolQueryTests : FolderTestBase
{
    private static IEnumerable<string[]> Affected =>
        GoldenData.Outputs(
            "affected-dblock",
            "affected-dblocks",
            "affected-dlist",
            "affected-dindex",
            "affected-unknown",
            "affected-damaged",
            "list-affected-full"
        );

    private static IEnumerable<string[]> Comparisons =>
        GoldenData.Outputs("compare-1-0", "compare-2-1", "compare-3-2", "compare-oldest-newest", "compare-default");

    [TestCaseSource(nameof(Affected))]
    public async Task Affected_versions_files_and_messages_are_the_same(string set, string name)
    {
        var expected = GoldenCommand.Facts<AffectedFacts>(set, name);
        var run = await ToolRun.RunAsync(["affected", "--dbpath", Database(set), "--json", .. GoldenCommand.Find(set, name)!.Arguments]);

        Assert.That(run.Code, Is.EqualTo(name == "affected-unknown" ? 1 : 0), run.Error);
        // The program overlooks versions of which only metadata is affected.
        var isWhole = set == "a-plain-1k" && name is "affected-dblock" or "affected-dlist" or "affected-dindex" or "affected-unknown";
        Assert.That(
            run.Items("versions").Select(x => GoldenText.Version(x.GetProperty("version").GetInt64(), Time(x))),
            isWhole ? Is.EqualTo(expected.Filesets) : Is.SupersetOf(expected.Filesets)
        );
        var files = run.Items("files").Select(x => x.GetString()!).ToList();
        Assert.That(files, Has.Count.EqualTo(expected.Total));
        Assert.That(files.Take(expected.Shown.Length), Is.EqualTo(expected.Shown));
        var messages = run.Items("messages").Select(x => (Time: Time(x), Text: x.GetProperty("text").GetString()!)).ToList();
        Assert.That(messages, Has.Count.EqualTo(expected.Messages.Length));
        Assert.That(expected.Messages, Is.All.Matches<MessageFacts>(x => messages.Exists(y => GoldenText.IsMessage(x, y.Time, y.Text))));
    }

    [TestCaseSource(nameof(Comparisons))]
    public async Task Changes_counts_and_sizes_are_the_same(string set, string name)
    {
        var expected = GoldenCommand.Facts<CompareFacts>(set, name);
        var versions = GoldenCommand.Find(set, name)!.Arguments;
        string[] which = versions.Length == 0 ? [] : ["--from", versions[0], "--to", versions[1]];
        var run = await ToolRun.RunAsync(["changes", "--dbpath", Database(set), "--json", .. which]);

        Assert.That(run.Code, Is.Zero, run.Error);
        var changes = run.Items("changes").Select(x => $"{Sign(x)} {x.GetProperty("path").GetString()}");
        var recorded = expected.Changes.Select(x => $"{x[0]} {x[1]}");
        // Without --full-result the program leaves out what goes beyond some lines of a kind.
        Assert.That(changes, expected.Complete ? Is.EquivalentTo(recorded) : Is.SupersetOf(recorded));
        foreach (var (side, version) in new[] { ("from", expected.From), ("to", expected.To) })
        {
            var own = run.Json.GetProperty(side);
            var number = own.GetProperty("version").GetInt64();
            // The program takes a byte off for each folder and link.
            var others = (await ToolRun.RunAsync("list", "--dbpath", Database(set), "--json", "--version", $"{number}"))
                .Json.EnumerateArray()
                .Count(x => x.GetProperty("type").GetString() != "File");
            Assert.That(
                GoldenText.Version(number, Time(own)) with
                {
                    Size = GoldenText.Size(own.GetProperty("bytes").GetInt64() - others),
                },
                Is.EqualTo(version)
            );
        }

        // The program prints only what is not zero.
        var counts =
            from change in new[] { "added", "deleted", "modified" }
            from type in new[] { "folders", "symlinks", "files" }
            let count = run.Json.GetProperty(change).GetProperty(type).GetInt64()
            where count > 0
            select new CountFacts(change, type, count);
        Assert.That(counts, Is.EqualTo(expected.Counts));
    }

    [TestCase("search-include")]
    [TestCase("search-folder-include")]
    public async Task Searches_with_a_filter_find_the_same(string name)
    {
        var run = await SearchAsync(name);
        Assert.That(Print(run), Is.EqualTo(GoldenText.Blocks(GoldenCommand.Facts<SearchFacts[]>("a-plain-1k", name))));
        await AssertTimesAsync(run);
    }

    [TestCase("search", "search-include")]
    [TestCase("search-content-names", null)]
    [TestCase("search-folder", "search-folder-include")]
    [TestCase("search-plain", null)]
    public async Task Searches_that_the_program_failed_at_find_what_was_meant(string name, string? same)
    {
        Assert.That(GoldenCommand.Find("a-plain-1k", name)!.ExitCode, Is.EqualTo(100));
        var run = await SearchAsync(name);
        Assert.That(run.Code, Is.Zero, run.Error);
        Assert.That(run.Json.GetProperty("total").GetInt64(), Is.Positive.And.EqualTo(run.Items("entries").Count));
        if (same is not null)
            Assert.That(Print(run), Is.EqualTo(Print(await SearchAsync(same))));
        await AssertTimesAsync(run);
    }

    [Test]
    public async Task A_search_without_any_filter_finds_every_entry_of_every_version_page_by_page()
    {
        string[] search = ["search", "--dbpath", Database("a-plain-1k"), "--json"];
        var all = (await ToolRun.RunAsync(search)).Items("entries").Select(x => x.GetRawText()).ToList();
        var paged = new List<string>();
        for (var offset = 0; offset < all.Count; offset += 100)
        {
            var page = await ToolRun.RunAsync([.. search, "--limit", "100", "--offset", $"{offset}"]);
            Assert.That(page.Json.GetProperty("total").GetInt64(), Is.EqualTo(all.Count));
            paged.AddRange(page.Items("entries").Select(x => x.GetRawText()));
        }

        Assert.That(all, Has.Count.EqualTo(568));
        Assert.That(paged, Is.EqualTo(all));
    }

    [Test]
    public async Task A_search_for_a_regular_expression_is_refused_with_its_help_id()
    {
        var run = await SearchAsync("search-regex");
        Assert.That((run.Code, run.HelpId), Is.EqualTo((3, "FilterTypeNotSupported")));
    }

    // The program takes folders as arguments; what is none was meant as a pattern.
    private Task<ToolRun> SearchAsync(string name)
    {
        var command = GoldenCommand.Find("a-plain-1k", name)!;
        string[] search =
        [
            "search",
            "--dbpath",
            Database("a-plain-1k"),
            "--json",
            .. command.Option("--include"),
            .. command.Arguments.Where(x => !x.EndsWith('/')),
        ];
        return ToolRun.RunAsync([
            .. search,
            .. command.Arguments.Where(x => x.EndsWith('/')).SelectMany(x => new[] { "--path", x }),
            .. command.Option("--version").SelectMany(x => new[] { "--version", x }),
        ]);
    }

    private async Task AssertTimesAsync(ToolRun run)
    {
        var versions = (await ToolRun.RunAsync("list", "--dbpath", Database("a-plain-1k"), "--json"))
            .Json.EnumerateArray()
            .ToDictionary(x => x.GetProperty("version").GetInt64(), x => x.GetProperty("time").GetString());
        foreach (var entry in run.Items("entries"))
            Assert.That(
                entry.GetProperty("versionTime").GetString(),
                Is.EqualTo(versions[entry.GetProperty("version").GetInt64()]).And.StartsWith("2026-11-21T")
            );
    }

    private string Database(string set)
    {
        var known = Folder.File("local.sqlite");
        return File.Exists(known) ? known : GoldenData.UnpackDatabase(set, Folder.Path);
    }

    private static DateTime Time(JsonElement element) => GoldenText.Time(element.GetProperty("time").GetDateTime());

    private static char Sign(JsonElement change) =>
        change.GetProperty("change").GetString() switch
        {
            "Added" => '+',
            "Deleted" => '-',
            _ => '~',
        };

    private static List<string> Print(ToolRun run) =>
        [
            .. run.Items("entries")
                .GroupBy(x => x.GetProperty("path").GetString())
                .SelectMany(file =>
                    file.Select(x => $"{file.Key} {x.GetProperty("version")} {GoldenText.Size(x.GetProperty("size").GetInt64())}")
                        .Prepend(file.Key!)
                ),
        ];
}
