// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.UnitTest.Tool;

namespace Duplicati.UnitTest.Golden;

/// <summary>What the real program listed, made anew from what <c>duplicati-db list --json</c> gives.</summary>
[TestFixture]
internal sealed class GoldenToolListTests : FolderTestBase
{
    // Older releases printed the newest version only.
    private static IEnumerable<string[]> Finds =>
        GoldenData
            .Outputs("find-all", "find-all-by-109", "find-all-nodb", "find-one", "find-quote", "find-txt", "find-regex", "find-nothing")
            .Where(x => GoldenCommand.Find(x[0], x[1])!.Listed("paths"));

    private static IEnumerable<string[]> OldFinds => GoldenData.OldSchemas.Select(x => new[] { "old-schema", $"{x}.find-all" });

    private static IEnumerable<string[]> Versions => GoldenData.Outputs("list-v0", "list-v1", "list-v2", "list-v3");

    private static IEnumerable<string[]> FilesetLists => GoldenData.Outputs("list-filesets");

    [TestCaseSource(nameof(Finds))]
    [TestCaseSource(nameof(OldFinds))]
    public async Task Paths_of_all_versions_are_the_same(string set, string name)
    {
        var expected = GoldenText.Blocks(GoldenCommand.Facts<FindFacts>(set, name));
        var patterns = GoldenCommand.Find(set, name)!.Arguments.SelectMany(x => new[] { "--path", x });
        var run = await ToolRun.RunAsync(["list", .. Source(set, name), "--all-versions", "--json", .. patterns]);

        Assert.That(run.Code, Is.Zero, run.Error);
        var found = run
            .Json.EnumerateArray()
            .Select(path =>
                GoldenText.Block(
                    path.GetProperty("path").GetString()!,
                    path.GetProperty("versions").EnumerateArray().Select(x => (x.GetProperty("version").GetInt64(), Time(x), Size(x)))
                )
            );
        // Without a database the program prints 0 bytes for what has no size, and sorts in another way.
        if (name.EndsWith("-nodb", StringComparison.Ordinal))
            Assert.That(found.Select(WithoutZero), Is.EquivalentTo(expected.Select(WithoutZero)));
        else
            Assert.That(found, Is.EqualTo(expected));
    }

    [TestCaseSource(nameof(Versions))]
    public async Task Entries_of_a_version_are_the_same(string set, string name)
    {
        var expected = GoldenCommand.Facts<ContentFacts>(set, name);
        string[] source = ["list", .. Source(set, name), "--json"];
        var run = await ToolRun.RunAsync([.. source, "--version", $"{expected.Version}"]);
        var versions = await ToolRun.RunAsync(source);

        Assert.That(run.Code, Is.Zero, run.Error);
        Assert.That(Time(versions.Json[(int)expected.Version]), Is.EqualTo(expected.Time));
        Assert.That(
            run.Json.EnumerateArray().Select(x => new[] { x.GetProperty("path").GetString(), Content(x) }),
            Is.EqualTo(expected.Entries)
        );
        Assert.That(
            run.Json.EnumerateArray()
                .Select(x => x.GetProperty("time"))
                .Where(x => x.ValueKind != JsonValueKind.Null)
                .Select(x => x.GetDateTime()),
            Has.All.GreaterThan(DateTime.UnixEpoch)
        );
    }

    [TestCaseSource(nameof(FilesetLists))]
    public async Task Versions_are_the_same(string set, string name)
    {
        var run = await ToolRun.RunAsync(["list", .. Source(set, name), "--json"]);
        var versions = run
            .Json.EnumerateArray()
            .Select(x => new VersionFacts(
                x.GetProperty("version").GetInt64(),
                Time(x),
                x.GetProperty("entries").GetInt64(),
                Size(x, "bytes"),
                x.GetProperty("isFull").GetBoolean()
            ));
        Assert.That(versions, Is.EqualTo(GoldenCommand.Facts<VersionFacts[]>(set, name)));
    }

    [TestCase("folder-top")]
    [TestCase("folder-names")]
    [TestCase("folder-docs-v1")]
    [TestCase("folder-root")]
    public async Task Folders_are_the_same_from_the_database_and_from_the_remote_folder(string name)
    {
        var command = GoldenCommand.Find("a-plain-1k", name)!;
        string[] what = ["--folder", command.Arguments.SingleOrDefault("")!, "--version", command.Option("--version").Single(), "--json"];
        foreach (var source in new[] { Source("a-plain-1k", name), Source("a-plain-1k", "x-nodb") })
        {
            var run = await ToolRun.RunAsync(["list", .. source, .. what]);
            var entries = run
                .Json.EnumerateArray()
                .Select(x =>
                    new[] { x.GetProperty("path").GetString(), x.GetProperty("type").GetString() == "Folder" ? "directory" : Size(x) }
                );
            Assert.That(entries, Is.EqualTo(GoldenCommand.Facts<string[][]>("a-plain-1k", name)));
        }
    }

    [Test]
    public async Task A_folder_without_a_version_is_listed_from_the_newest_where_the_program_failed()
    {
        Assert.That(GoldenCommand.HelpId("a-plain-1k", "folder-no-version"), Is.EqualTo("MultipleFilesetsFound"));
        var source = Source("a-plain-1k", "folder-top");
        var newest = await ToolRun.RunAsync(["list", .. source, "--folder", "/data/tree1", "--json"]);
        var first = await ToolRun.RunAsync(["list", .. source, "--folder", "/data/tree1/", "--version", "0", "--json"]);
        Assert.That(newest.Code, Is.Zero, newest.Error);
        Assert.That(newest.Output, Is.EqualTo(first.Output));
    }

    [TestCase("file-versions")]
    [TestCase("file-versions-all")]
    [TestCase("file-versions-one")]
    public async Task Versions_of_files_are_found_where_the_program_found_none(string name)
    {
        Assert.That(GoldenCommand.Facts<string[]>("a-plain-1k", name), Is.Empty);
        var paths = GoldenCommand.Find("a-plain-1k", name)!.Arguments;
        foreach (var source in new[] { Source("a-plain-1k", name), Source("a-plain-1k", "x-nodb") })
        {
            var run = await ToolRun.RunAsync(["list", .. source, "--json", .. paths.SelectMany(x => new[] { "--file", x })]);
            var all = await ToolRun.RunAsync([
                "list",
                .. source,
                "--json",
                "--all-versions",
                .. paths.SelectMany(x => new[] { "--path", x }),
            ]);
            Assert.That(Facts(run, "versionTime"), Is.EqualTo(Facts(all, "time")).And.Not.Empty);
            Assert.That(run.Json.EnumerateArray().Select(x => x.GetProperty("path").GetString()), Is.EqualTo(paths));
        }
    }

    // What has no size in a version is not in it; the paths here are files.
    private static string[] Facts(ToolRun run, string time) =>
        [
            .. from path in run.Json.EnumerateArray()
            from version in path.GetProperty("versions").EnumerateArray()
            where version.GetProperty("size").GetInt64() >= 0
            select $"{path.GetProperty("path")} {version.GetProperty("version")} {Time(version, time):s} {Size(version)}" into fact
            orderby fact
            select fact,
        ];

    // The program prints no size for what looks like a folder, as some symbolic links do, and what is stored for others.
    private static string? Content(JsonElement entry) =>
        entry.GetProperty("path").GetString()!.EndsWith('/') ? null
        : entry.GetProperty("type").GetString() == "Symlink" ? "-1 bytes"
        : Size(entry);

    private static string WithoutZero(string block) => (block + '\n').Replace(" 0 bytes\n", " -\n", StringComparison.Ordinal);

    private string[] Source(string set, string name)
    {
        if (set == "old-schema")
            return ["--dbpath", GoldenData.Unpack(set, name[..name.IndexOf('.', StringComparison.Ordinal)] + ".sqlite", Folder.Path)];
        if (!name.EndsWith("-nodb", StringComparison.Ordinal))
            return ["--dbpath", GoldenData.UnpackDatabase(set, Folder.Path)];
        GoldenData.CopyRemote(set, Folder.File("remote"));
        return [Folder.File("remote"), "--no-encryption"];
    }

    private static DateTime Time(JsonElement element, string name = "time") => GoldenText.Time(element.GetProperty(name).GetDateTime());

    private static string? Size(JsonElement element, string name = "size") => GoldenText.Size(element.GetProperty(name).GetInt64());
}
