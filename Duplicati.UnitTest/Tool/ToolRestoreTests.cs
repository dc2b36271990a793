// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Tool;

/// <summary>
/// Restores as people ask for them: without a database, single files and folders, of several versions, over what is there.
/// </summary>
[TestFixture]
internal sealed class ToolRestoreTests : CopiedToolTestBase
{
    protected override async Task MakeAsync(ToolCase made)
    {
        SourceTree.Write(made.Source, "other/a [b]/deep", 3000, new Random(1));
        SourceTree.Write(made.Source, "other/a [b] not", 3000, new Random(2));
        Assert.That((await made.BackUpAsync()).Code, Is.Zero);
        File.Delete(Path.Combine(made.Source, "folder/3"));
        SourceTree.Write(made.Source, "folder/4", 40_000, new Random(3));
        Assert.That((await made.BackUpAsync()).Code, Is.Zero);
    }

    [Test]
    public async Task Nothing_is_restored_into_the_remote_folder([Values] bool hasDatabase)
    {
        var before = Directory.GetFileSystemEntries(Tool.Remote);
        string[] from = hasDatabase ? ["--dbpath", Tool.Database] : ["--no-database"];
        string[] words = ["restore", Tool.Remote, .. from, "--no-encryption", "--json", "--target"];

        (await ToolRun.RunAsync([.. words, Tool.Remote + "/"])).AssertRefused("RestoreTargetIsRemote");
        Assert.That(Directory.GetFileSystemEntries(Tool.Remote), Is.EquivalentTo(before));
        // As on a disk for backups alone.
        Assert.That((await ToolRun.RunAsync([.. words, Path.Combine(Tool.Remote, "restored")])).Code, Is.Zero);
    }

    [Test]
    public async Task Metadata_that_are_lost_are_found_to_be_wrong()
    {
        using var tool = new ToolCase();
        Directory.Delete(tool.Source, recursive: true);
        SourceTree.Write(tool.Source, "folder/empty", 0, new Random(1));
        Assert.That((await tool.BackUpAsync()).Code, Is.Zero);
        VolumeFiles.Of(tool.Remote, "dblock").ToList().ForEach(File.Delete);

        var run = await tool.RestoreAsync("target");

        Assert.That(run.Code, Is.EqualTo(ExitCode.Found), run.Error);
        Assert.That(run.Strings("failed"), Is.Empty);
        Assert.That(run.Flag("hasLostBlocks"));
        Assert.That(File.Exists(Path.Combine(tool["target"], "folder/empty")) || File.Exists(Path.Combine(tool["target"], "empty")));
    }

    [TestCase]
    [TestCase("--version", "1")]
    [TestCase("--version", "1", "--include", "SOURCE/folder")]
    [TestCase("--version", "0,1", "--include", "SOURCE/folder/3")]
    [TestCase("--time", "2999-01-01", "--exclude", "*/folder/*")]
    public async Task Without_a_database_the_same_is_restored(params string[] what)
    {
        what = [.. what.Select(x => x.Replace("SOURCE", Tool.Source, StringComparison.Ordinal))];
        var known = await Tool.RestoreAsync("known", what);
        var direct = await Tool.DirectAsync("direct", what);

        Assert.That((known.Code, direct.Code), Is.EqualTo((0, 0)), known.Error + direct.Error);
        Assert.That(SourceTree.Describe(Tool["direct"]), Is.EqualTo(SourceTree.Describe(Tool["known"])).And.Not.Empty);
        foreach (var figure in new[] { "version", "files", "bytes" })
            Assert.That(direct.Json.GetProperty(figure).GetInt64(), Is.EqualTo(known.Json.GetProperty(figure).GetInt64()), figure);
    }

    [Test]
    public async Task Without_a_database_a_passphrase_too_many_is_told_of_the_remote_folder()
    {
        var run = await Tool.LineAsync("restore $REMOTE --no-database --passphrase-file $passphrase --json --target $direct");

        Assert.That(run.HelpId, Is.EqualTo("PassphraseChangeUnsupported"), run.Error);
        Assert.That(run.Error, Does.Contain($"The backup of {Tool.Remote} is not encrypted").And.Not.Contain(".sqlite"));
    }

    [Test]
    public async Task Without_a_database_no_more_index_volumes_are_read_than_the_wanted_files_need()
    {
        // Those of the files that are there come first by name, and many others follow.
        var first = Directory.GetFiles(Tool.Remote, "*.dindex.*");
        for (var i = 0; i < first.Length; i++)
            File.Move(first[i], Path.Combine(Tool.Remote, $"duplicati-i{i:x32}.dindex.zip"));
        var database = Tool["other.sqlite"];
        Assert.That((await ToolRun.RunAsync("recreate", Tool.Remote, "--dbpath", database, "--no-encryption")).Code, Is.Zero);
        for (var i = 0; i < 12; i++)
            SourceTree.Write(Tool.Source, $"more/{i}", 40_000, new Random(i));
        string[] backup = ["backup", Tool.Remote, Tool.Source, "--dbpath", database, "--no-encryption"];
        Assert.That((await ToolRun.RunAsync([.. backup, "--dblock-size", "20kb"])).Code, Is.Zero);

        var wanted = Path.Combine(Tool.Source, "folder");
        var run = await ToolRun.OkAsync(Tool.DirectAsync("direct", "--include", wanted));
        Assert.That(run.Error, Does.Match($"All that is needed is in {Math.Max(8, first.Length)} of [0-9]+ index volumes"));
        Assert.That(
            SourceTree.Describe(Tool["direct"]).Where(x => x.StartsWith("file", StringComparison.Ordinal)),
            Is.EqualTo(SourceTree.Describe(wanted).Where(x => x.StartsWith("file", StringComparison.Ordinal)))
        );
    }

    [Test]
    public async Task Without_a_database_and_index_volumes_the_block_volumes_tell_where_the_blocks_are()
    {
        foreach (var index in Directory.GetFiles(Tool.Remote, "*.dindex.*"))
            File.Delete(index);
        var wanted = Path.Combine(Tool.Source, "folder/4");
        await ToolRun.OkAsync(Tool.DirectAsync("direct", "--include", wanted));
        Assert.That(File.ReadAllBytes(Path.Combine(Tool["direct"], "4")), Is.EqualTo(File.ReadAllBytes(wanted)));
    }

    [Test]
    public async Task A_folder_takes_all_below_it_and_a_name_with_brackets_is_a_name()
    {
        var run = await Tool.RestoreAsync("target", "--include", Path.Combine(Tool.Source, "other/a [b]"));
        Assert.That((run.Code, run.Number("files")), Is.EqualTo((0, 1L)), run.Error);
        Assert.That(Files("target"), Is.EqualTo(new[] { "deep" }));

        run = await Tool.RestoreAsync(
            "rest",
            "--include",
            Tool.Source,
            "--exclude",
            Path.Combine(Tool.Source, "folder"),
            "--exclude",
            "*not"
        );
        Assert.That(Files("rest"), Is.EqualTo(new[] { "deep" }), run.Error);
    }

    [Test]
    public async Task What_is_not_there_is_named()
    {
        var run = await Tool.RestoreAsync("target", "--include", Path.Combine(Tool.Source, "folder"), "--include", "/misspelt");
        Assert.That(run.Code, Is.EqualTo(ExitCode.Found));
        Assert.That(run.Json.GetProperty("notFound")[0].GetString(), Is.EqualTo("/misspelt"));
        Assert.That(run.Error, Does.Contain("/misspelt"));
    }

    [Test]
    public async Task Of_several_versions_the_newest_that_has_the_file_is_restored()
    {
        var run = await Tool.RestoreAsync("target", "--version", "0-1", "--include", Path.Combine(Tool.Source, "folder/3"));
        Assert.That((run.Code, run.Number("version")), Is.EqualTo((0, 1L)), run.Error);
        Assert.That(Files("target"), Is.EqualTo(new[] { "3" }));
    }

    [Test]
    public async Task Overwrite_replaces_a_file_only_when_the_restored_one_is_complete()
    {
        await Tool.RestoreAsync("target");
        var whole = SourceTree.Describe(Tool["target"]);
        foreach (var file in Directory.GetFiles(Tool["target"], "*", SearchOption.AllDirectories))
            File.WriteAllText(file, "mine");
        Directory.CreateDirectory(Tool["away"]);
        MoveBlocks(Tool.Remote, Tool["away"]);
        var lost = await Tool.RestoreAsync("target", "--overwrite");
        Assert.That((lost.Code, lost.Strings("failed").Count), Is.EqualTo((ExitCode.Found, 7)));
        Assert.That(File.ReadAllText(Path.Combine(Tool["target"], "folder/1")), Is.EqualTo("mine"));
        foreach (var file in Directory.GetFiles(Tool["target"], "*", SearchOption.AllDirectories).Where(x => File.ReadAllText(x) != "mine"))
            File.Delete(file);

        MoveBlocks(Tool["away"], Tool.Remote);
        var run = await Tool.RestoreAsync("target", "--overwrite", "--verify");
        Assert.That((run.Code, run.Number("verified"), run.Items("different").Count), Is.EqualTo((0, 7L, 0)), run.Error);
        Assert.That(SourceTree.Describe(Tool["target"]), Is.EqualTo(whole));
    }

    private static void MoveBlocks(string from, string to)
    {
        foreach (var file in VolumeFiles.Of(from, "dblock"))
            File.Move(file, Path.Combine(to, Path.GetFileName(file)));
    }

    [Test]
    public async Task Skip_existing_leaves_what_is_there_and_verify_says_that_it_differs()
    {
        Directory.CreateDirectory(Path.Combine(Tool["target"], "folder"));
        var mine = Path.Combine(Tool["target"], "folder/1");
        File.WriteAllText(mine, "mine");

        var run = await Tool.RestoreAsync("target", "--skip-existing");
        Assert.That((run.Code, run.Number("skipped"), run.Number("files")), Is.EqualTo((0, 1L, 6L)), run.Error);
        Assert.That((File.ReadAllText(mine), Files("target").Count), Is.EqualTo(("mine", 7)));

        run = await Tool.RestoreAsync("target", "--skip-existing", "--verify");
        Assert.That((run.Code, run.Number("skipped"), run.Number("volumes") >= 0), Is.EqualTo((ExitCode.Found, 7L, true)), run.Error);
        Assert.That(run.Strings("different"), Is.EqualTo(new[] { mine }));
    }

    [Test]
    public async Task The_same_names_of_options_choose_in_all_commands()
    {
        var list = await Tool.QueryAsync("list", "--version", "0-1", "--include", Path.Combine(Tool.Source, "folder"), "--exclude", "*/4");
        Assert.That(
            list.Json.EnumerateArray().Select(x => x.GetProperty("entries").GetArrayLength()),
            Is.EqualTo(new[] { 5, 6 }),
            list.Error
        );
        var search = await Tool.QueryAsync("search", "--version", "0-1", "--include", "folder/3");
        Assert.That(search.Number("total"), Is.EqualTo(1));
        var purge = await Tool.LineAsync(
            "purge $REMOTE --dbpath $DB --no-encryption --json --exclude *not --version 0,1 --no-compact --yes --include",
            Path.Combine(Tool.Source, "other")
        );
        Assert.That(purge.Code, Is.Zero, purge.Error);
        await Tool.RestoreAsync("target", "--include", Path.Combine(Tool.Source, "other"));
        Assert.That(Files("target"), Is.EqualTo(new[] { "a [b] not" }));
    }

    [Test]
    public async Task A_backup_leaves_out_what_is_excluded()
    {
        const string Backup = "backup $remote2 $SOURCE --dbpath $two.sqlite --no-encryption --json --blocksize 1kb --exclude";
        var run = await Tool.LineAsync(Backup, Path.Combine(Tool.Source, "other"), "--exclude", "*/folder/0", "--exclude", "[.*/5]");
        Assert.That((run.Code, run.Number("files"), run.Number("skipped")), Is.EqualTo((0, 3L, 0L)), run.Error);
        (await Tool.LineAsync(Backup, Tool.Source)).AssertRefused("AllSourcesAreExcluded");
    }

    [TestCase("--dbpath", "x", "--no-database")]
    [TestCase]
    [TestCase("--no-database", "--overwrite", "--skip-existing")]
    [TestCase("--no-database", "--version", "3-1")]
    [TestCase("--no-database", "--version", "1,,2")]
    public async Task Options_that_contradict_each_other_are_refused(params string[] more)
    {
        var run = await ToolRun.RunAsync(["restore", "remote", "--target", "t", .. more]);
        Assert.That(run.Code, Is.EqualTo(ExitCode.Usage), run.Error);
    }

    private List<string?> Files(string folder) =>
        [.. Directory.GetFiles(Tool[folder], "*", SearchOption.AllDirectories).Select(Path.GetFileName).Order(StringComparer.Ordinal)];
}
