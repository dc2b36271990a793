// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper;
using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool;

/// <summary>The listing commands: the same from the database and from the remote folder, and what they refuse.</summary>
[TestFixture]
[Platform(Exclude = "Win", Reason = "Names with quotes and newlines")]
internal sealed class ToolListTests : CopiedToolTestBase
{
    private const string Awkward = "new\nline \"quoted\" it's 100%";

    protected override async Task MakeAsync(ToolCase made)
    {
        File.WriteAllText(Path.Combine(made.Source, Awkward), "awkward");
        Directory.CreateDirectory(Path.Combine(made.Source, "empty"));
        Assert.That((await made.BackUpAsync()).Code, Is.Zero);
        File.Delete(Path.Combine(made.Source, "folder", "3"));
        File.WriteAllText(Path.Combine(made.Source, "folder", "notes.txt"), "notes");
        Assert.That((await made.BackUpAsync()).Code, Is.Zero);
    }

    [TestCase("--version", "1")]
    [TestCase("--version", "0", "--path", "*/folder/*", "--exclude", "*.txt")]
    [TestCase("--version", "0", "--path", "*.txt", "--path", "[.*/4]")]
    [TestCase("--version", "1", "--exclude", "*/folder/*")]
    [TestCase("--version", "0", "--path", "*nothing*")]
    [TestCase("--all-versions")]
    [TestCase("--all-versions", "--path", "*3")]
    [TestCase("--all-versions", "--path", "*newline*", "--path", "*new\nline*")]
    [TestCase("--folder", "SOURCE/folder")]
    [TestCase("--folder", "SOURCE", "--version", "1")]
    [TestCase("--folder", "SOURCE/empty/")]
    [TestCase("--folder", "")]
    [TestCase("--file", "SOURCE/folder/3")]
    [TestCase("--file", "SOURCE/folder/notes.txt", "--file", "SOURCE/folder", "--file", "/nothing")]
    [TestCase("--file", "3", "--file", "notes.txt", "--file", "folder/", "--file", "source/folder", "--file", "..")]
    public async Task Database_and_remote_folder_list_the_same(params string[] what)
    {
        what = [.. what.Select(x => x.Replace("SOURCE", Tool.Source, StringComparison.Ordinal))];
        var known = await Tool.QueryAsync("list", what);
        var remote = await ToolRun.RunAsync(["list", Tool.Remote, "--no-encryption", "--json", .. what]);
        Assert.That((known.Code, remote.Code), Is.EqualTo((0, 0)), known.Error + remote.Error);
        // The file list knows whole seconds only.
        Assert.That(WithoutFractions(known.Output), Is.EqualTo(WithoutFractions(remote.Output)));
        var text = await ToolRun.RunAsync(["list", "--dbpath", Tool.Database, .. what]);
        Assert.That((text.Code, text.Output.Contains("0001-", StringComparison.Ordinal)), Is.EqualTo((0, false)));
    }

    [Test]
    public async Task A_filter_keeps_what_a_pattern_fits_and_no_exclusion_does()
    {
        var run = await Tool.QueryAsync("list", "--version", "0", "--path", "*/folder/*", "--exclude", "*.txt", "--exclude", "*/4");
        Assert.That(Names(run), Is.EqualTo(new[] { "folder/", "0", "1", "2", "5" }));
        var search = await Tool.QueryAsync(
            "search",
            "--version",
            "0",
            "folder",
            "*.txt",
            "--exclude",
            "*/4",
            "--exclude",
            "source/folder/0"
        );
        Assert.That(
            search.Items("entries").Select(x => Path.GetFileName(x.GetProperty("path").GetString())),
            Is.EquivalentTo(new[] { "", "1", "2", "5", "notes.txt" })
        );
    }

    [Test]
    public async Task A_filter_finds_paths_of_other_systems()
    {
        using (var connection = SQLiteLoader.LoadConnection(Tool.Database))
        using (var command = connection.CreateCommand())
        {
            command.CommandText = """UPDATE "PathPrefix" SET "Prefix" = 'C:\data\' WHERE "Prefix" LIKE '%/folder/'""";
            Assert.That(command.ExecuteNonQuery(), Is.EqualTo(1));
        }

        var run = await Tool.QueryAsync("list", "--version", "0", "--path", "*notes.txt");
        Assert.That(run.Json.EnumerateArray().Select(x => x.GetProperty("path").GetString()), Is.EqualTo(new[] { @"C:\data\notes.txt" }));
    }

    [Test]
    public async Task Awkward_names_are_found_as_they_are_and_shown_on_one_line()
    {
        var path = Path.Combine(Tool.Source, Awkward);
        foreach (
            var command in new[]
            {
                new[] { "list", "--version", "0", "--path", path },
                ["list", "--all-versions", "--path", path],
                ["list", "--file", path],
                ["search", "--version", "0", Awkward],
            }
        )
        {
            var json = await ToolRun.RunAsync([.. command, "--dbpath", Tool.Database, "--json"]);
            Assert.That(json.Output, Does.Contain("new\\nline \\\"quoted\\\" it's 100%"), command[0]);
            var text = await ToolRun.RunAsync([.. command, "--dbpath", Tool.Database]);
            Assert.That(
                text.Output.Split('\n').Count(x => x.Contains("new\\nline \\\"quoted\\\" it's 100%\"", StringComparison.Ordinal)),
                Is.EqualTo(1),
                text.Output
            );
        }
    }

    [Test]
    public async Task Changes_between_two_versions_are_told_in_both_directions()
    {
        string[] changes = ["changes", "--dbpath", Tool.Database];
        var run = await ToolRun.RunAsync([.. changes, "--json"]);
        Assert.That(
            (
                run.Json.GetProperty("added").GetProperty("files").GetInt64(),
                run.Json.GetProperty("deleted").GetProperty("files").GetInt64()
            ),
            Is.EqualTo((1L, 1L))
        );
        Assert.That((run.Number("addedBytes"), run.Number("deletedBytes")), Is.EqualTo((5L, 30_000L)));
        var back = await ToolRun.RunAsync([.. changes, "--from", "0", "--to", "1", "*/folder/?"]);
        Assert.That(
            back.Output,
            Does.Contain("Added: 0 folders, 0 symbolic links, 1 file\n  + ").And.Contain("folder/3\n").And.Not.Contain("notes.txt")
        );
        (await ToolRun.RunAsync([.. changes, "--from", "2", "--json"])).AssertRefused("InvalidVersion");
    }

    [TestCase(false)]
    [TestCase(true, Description = "with a filter")]
    public async Task Folders_and_links_have_no_bytes_in_changes(bool isFiltered)
    {
        using var tool = new ToolCase();
        Directory.Delete(tool.Source, recursive: true);
        for (var i = 0; i < 5; i++)
        {
            Engine.Operations.SourceTree.Write(tool.Source, $"{i}/empty", 0, new Random(i));
            File.CreateSymbolicLink(Path.Combine(tool.Source, $"{i}/link"), "empty");
        }

        await tool.BackUpAsync();
        Engine.Operations.SourceTree.Write(tool.Source, "added/x", 7, new Random(1));
        Directory.Delete(Path.Combine(tool.Source, "1"), recursive: true);
        await tool.BackUpAsync();
        var run = await tool.QueryAsync("changes", isFiltered ? [tool.Source] : Array.Empty<string>());
        Assert.That(
            (run.Json.GetProperty("from").GetProperty("bytes").GetInt64(), run.Json.GetProperty("to").GetProperty("bytes").GetInt64()),
            Is.EqualTo((0L, 7L)),
            run.Output
        );
        Assert.That((run.Number("addedBytes"), run.Number("deletedBytes")), Is.EqualTo((7L, 0L)));
    }

    [Test]
    public async Task Affected_tells_unknown_names_from_harmless_ones()
    {
        var volume = Path.GetFileName(VolumeFiles.Of(Tool.Remote, "dlist")[0]);
        var run = await Tool.QueryAsync("affected", volume, volume);
        Assert.That(
            (run.Code, run.Items("versions").Count, run.Json.GetProperty("versions")[0].GetProperty("version").GetInt64()),
            Is.EqualTo((0, 1, 1L)),
            run.Error
        );
        Assert.That(run.Items("files"), Has.Count.EqualTo(10));
        Assert.That(run.Items("volumes"), Is.Not.Empty);
        var text = await ToolRun.RunAsync("affected", "--dbpath", Tool.Database, volume, "no\nvolume");
        Assert.That(text.Code, Is.EqualTo(ExitCode.Found));
        Assert.That(text.Error, Does.Contain("\"no\\nvolume\""));
    }

    [TestCase("list")]
    [TestCase("list", "remote", "--dbpath", "x")]
    [TestCase("list", "--dbpath", "x", "--all-versions", "--version", "0")]
    [TestCase("list", "--dbpath", "x", "--folder", "/a", "--file", "/b")]
    [TestCase("list", "--dbpath", "x", "--path", "*")]
    [TestCase("list", "--dbpath", "x", "--folder", "/a", "--path", "*")]
    [TestCase("search", "--dbpath", "x", "--version", "0", "--all-versions")]
    [TestCase("search", "--dbpath", "x", "--offset", "1")]
    [TestCase("search", "--dbpath", "x", "--limit", "0")]
    [TestCase("search", "--dbpath", "x", "--limit", "1", "--offset", "-1")]
    [TestCase("affected", "--dbpath", "x")]
    [TestCase("changes")]
    [TestCase("bug-report", "--dbpath", "x")]
    public async Task Options_that_contradict_each_other_are_refused_with_exit_code_2(params string[] args)
    {
        var run = await ToolRun.RunAsync(args);
        Assert.That(run.Code, Is.EqualTo(ExitCode.Usage));
        Assert.That(run.Error, Is.Not.Empty);
    }

    [Test]
    public async Task What_does_not_exist_is_refused_with_its_help_id()
    {
        var missing = Tool["missing.sqlite"];
        foreach (var command in new[] { new[] { "list" }, ["search"], ["changes"], ["affected", "x"], ["bug-report", Tool["report.zip"]] })
            (await ToolRun.RunAsync([.. command, "--dbpath", missing, "--json"])).AssertRefused("DatabaseDoesNotExist");
        Assert.That(File.Exists(missing), Is.False);
        foreach (var source in new[] { new[] { "--dbpath", Tool.Database }, [Tool.Remote, "--no-encryption"] })
        {
            foreach (var folder in new[] { "/nothing/like/it", "folder", "folder/", "source/folder", "empty/", "3" })
                (await ToolRun.RunAsync(["list", .. source, "--json", "--folder", folder])).AssertRefused("FolderNotInVersion");
            (await ToolRun.RunAsync(["list", .. source, "--json", "--version", "2"])).AssertRefused("InvalidVersion");
        }

        (await Tool.QueryAsync("search", "--version", "7")).AssertRefused("InvalidVersion");
        (await Tool.QueryAsync("search", "[a.*]")).AssertRefused("FilterTypeNotSupported");
    }

    [Test]
    public async Task One_version_cannot_be_compared()
    {
        Assert.That((await Tool.RunAsync("delete", "--version", "1", "--yes")).Code, Is.Zero);
        (await Tool.QueryAsync("changes")).AssertRefused("NeedTwoBackupsToStartDiff");
    }

    [Test]
    public async Task A_file_whose_time_is_not_known_has_none()
    {
        Tool.Sql("UPDATE \"FilesetEntry\" SET \"Lastmodified\" = 0");
        var list = await Tool.QueryAsync("list", "--version", "0");
        var search = await Tool.QueryAsync("search");
        Assert.That(list.Output + search.Output, Does.Not.Contain("0001-"));
    }

    private static IEnumerable<string> Names(ToolRun run) =>
        run
            .Json.EnumerateArray()
            .Select(x => x.GetProperty("path").GetString()!)
            .Select(x => x.EndsWith('/') ? Path.GetFileName(x[..^1]) + '/' : Path.GetFileName(x));

    private static string WithoutFractions(string json) =>
        System.Text.RegularExpressions.Regex.Replace(json, @"(T\d\d:\d\d:\d\d)\.\d+Z", "$1Z");
}
