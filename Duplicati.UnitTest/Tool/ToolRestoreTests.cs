// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Tool;

/// <summary>
/// Restores as people ask for them: without a database, single files and folders, of several versions, over what is there.
/// </summary>
[TestFixture]
internal sealed class ToolRestoreTests
{
    private ToolCase m_made = null!;
    private ToolCase m_tool = null!;

    // Once; each test has a copy. What they add to the source is in no version of another.
    [OneTimeSetUp]
    public async Task MakeAsync()
    {
        m_made = new ToolCase();
        SourceTree.Write(m_made.Source, "other/a [b]/deep", 3000, new Random(1));
        SourceTree.Write(m_made.Source, "other/a [b] not", 3000, new Random(2));
        Assert.That((await m_made.BackUpAsync()).Code, Is.Zero);
        File.Delete(Path.Combine(m_made.Source, "folder/3"));
        SourceTree.Write(m_made.Source, "folder/4", 40_000, new Random(3));
        Assert.That((await m_made.BackUpAsync()).Code, Is.Zero);
    }

    [OneTimeTearDown]
    public void Remove() => m_made.Dispose();

    [SetUp]
    public void SetUp() => m_tool = new ToolCase(m_made);

    [TearDown]
    public void TearDown() => m_tool.Dispose();

    [Test]
    public async Task Nothing_is_restored_into_the_remote_folder([Values] bool hasDatabase)
    {
        var before = Directory.GetFileSystemEntries(m_tool.Remote);
        string[] from = hasDatabase ? ["--dbpath", m_tool.Database] : ["--no-database"];
        string[] words = ["restore", m_tool.Remote, .. from, "--no-encryption", "--json", "--target"];

        var run = await ToolRun.RunAsync([.. words, m_tool.Remote + "/"]);

        Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Failed, "RestoreTargetIsRemote")), run.Error);
        Assert.That(Directory.GetFileSystemEntries(m_tool.Remote), Is.EquivalentTo(before));
        // As on a disk for backups alone.
        Assert.That((await ToolRun.RunAsync([.. words, Path.Combine(m_tool.Remote, "restored")])).Code, Is.Zero);
    }

    [Test]
    public async Task Metadata_that_are_lost_are_found_to_be_wrong()
    {
        using var tool = new ToolCase();
        Directory.Delete(tool.Source, recursive: true);
        SourceTree.Write(tool.Source, "folder/empty", 0, new Random(1));
        Assert.That((await tool.BackUpAsync()).Code, Is.Zero);
        VolumeFiles.Of(tool.Remote, "dblock").ToList().ForEach(File.Delete);

        var run = await tool.RunAsync("restore", "--target", tool["target"]);

        Assert.That(run.Code, Is.EqualTo(ExitCode.Found), run.Error);
        Assert.That(run.Strings("failed"), Is.Empty);
        Assert.That(run.Json.GetProperty("hasLostBlocks").GetBoolean());
        Assert.That(File.Exists(Path.Combine(tool["target"], "folder/empty")) || File.Exists(Path.Combine(tool["target"], "empty")));
    }

    [TestCase]
    [TestCase("--version", "1")]
    [TestCase("--version", "1", "--include", "SOURCE/folder")]
    [TestCase("--version", "0,1", "--include", "SOURCE/folder/3")]
    [TestCase("--time", "2999-01-01", "--exclude", "*/folder/*")]
    public async Task Without_a_database_the_same_is_restored(params string[] what)
    {
        what = [.. what.Select(x => x.Replace("SOURCE", m_tool.Source, StringComparison.Ordinal))];
        var known = await m_tool.RunAsync("restore", ["--target", m_tool["known"], .. what]);
        var direct = await ToolRun.RunAsync([
            "restore",
            m_tool.Remote,
            "--no-database",
            "--no-encryption",
            "--json",
            "--target",
            m_tool["direct"],
            .. what,
        ]);

        Assert.That((known.Code, direct.Code), Is.EqualTo((0, 0)), known.Error + direct.Error);
        Assert.That(SourceTree.Describe(m_tool["direct"]), Is.EqualTo(SourceTree.Describe(m_tool["known"])).And.Not.Empty);
        foreach (var figure in new[] { "version", "files", "bytes" })
            Assert.That(direct.Json.GetProperty(figure).GetInt64(), Is.EqualTo(known.Json.GetProperty(figure).GetInt64()), figure);
    }

    [Test]
    public async Task Without_a_database_a_passphrase_too_many_is_told_of_the_remote_folder()
    {
        var run = await ToolRun.RunAsync(
            "restore",
            m_tool.Remote,
            "--no-database",
            "--passphrase-file",
            m_tool.Passphrase,
            "--json",
            "--target",
            m_tool["direct"]
        );

        Assert.That(run.HelpId, Is.EqualTo("PassphraseChangeUnsupported"), run.Error);
        Assert.That(run.Error, Does.Contain($"The backup of {m_tool.Remote} is not encrypted").And.Not.Contain(".sqlite"));
    }

    [Test]
    public async Task Without_a_database_no_more_index_volumes_are_read_than_the_wanted_files_need()
    {
        // Those of the files that are there come first by name, and many others follow.
        var first = Directory.GetFiles(m_tool.Remote, "*.dindex.*");
        for (var i = 0; i < first.Length; i++)
            File.Move(first[i], Path.Combine(m_tool.Remote, $"duplicati-i{i:x32}.dindex.zip"));
        var database = m_tool["other.sqlite"];
        Assert.That((await ToolRun.RunAsync("recreate", m_tool.Remote, "--dbpath", database, "--no-encryption")).Code, Is.Zero);
        for (var i = 0; i < 12; i++)
            SourceTree.Write(m_tool.Source, $"more/{i}", 40_000, new Random(i));
        string[] backup = ["backup", m_tool.Remote, m_tool.Source, "--dbpath", database, "--no-encryption"];
        Assert.That((await ToolRun.RunAsync([.. backup, "--dblock-size", "20kb"])).Code, Is.Zero);

        var wanted = Path.Combine(m_tool.Source, "folder");
        var run = await ToolRun.RunAsync(
            "restore",
            m_tool.Remote,
            "--no-database",
            "--no-encryption",
            "--json",
            "--target",
            m_tool["direct"],
            "--include",
            wanted
        );

        Assert.That(run.Code, Is.Zero, run.Error);
        Assert.That(run.Error, Does.Match($"All that is needed is in {Math.Max(8, first.Length)} of [0-9]+ index volumes"));
        Assert.That(
            SourceTree.Describe(m_tool["direct"]).Where(x => x.StartsWith("file", StringComparison.Ordinal)),
            Is.EqualTo(SourceTree.Describe(wanted).Where(x => x.StartsWith("file", StringComparison.Ordinal)))
        );
    }

    [Test]
    public async Task Without_a_database_and_index_volumes_the_block_volumes_tell_where_the_blocks_are()
    {
        foreach (var index in Directory.GetFiles(m_tool.Remote, "*.dindex.*"))
            File.Delete(index);
        var wanted = Path.Combine(m_tool.Source, "folder/4");
        var run = await ToolRun.RunAsync(
            "restore",
            m_tool.Remote,
            "--no-database",
            "--no-encryption",
            "--json",
            "--target",
            m_tool["direct"],
            "--include",
            wanted
        );
        Assert.That(run.Code, Is.Zero, run.Error);
        Assert.That(File.ReadAllBytes(Path.Combine(m_tool["direct"], "4")), Is.EqualTo(File.ReadAllBytes(wanted)));
    }

    [Test]
    public async Task A_folder_takes_all_below_it_and_a_name_with_brackets_is_a_name()
    {
        var run = await m_tool.RunAsync("restore", "--target", m_tool["target"], "--include", Path.Combine(m_tool.Source, "other/a [b]"));
        Assert.That((run.Code, run.Json.GetProperty("files").GetInt64()), Is.EqualTo((0, 1L)), run.Error);
        Assert.That(Files("target"), Is.EqualTo(new[] { "deep" }));

        run = await m_tool.RunAsync(
            "restore",
            "--target",
            m_tool["rest"],
            "--include",
            m_tool.Source,
            "--exclude",
            Path.Combine(m_tool.Source, "folder"),
            "--exclude",
            "*not"
        );
        Assert.That(Files("rest"), Is.EqualTo(new[] { "deep" }), run.Error);
    }

    [Test]
    public async Task What_is_not_there_is_named()
    {
        var run = await m_tool.RunAsync(
            "restore",
            "--target",
            m_tool["target"],
            "--include",
            Path.Combine(m_tool.Source, "folder"),
            "--include",
            "/misspelt"
        );
        Assert.That(run.Code, Is.EqualTo(ExitCode.Found));
        Assert.That(run.Json.GetProperty("notFound")[0].GetString(), Is.EqualTo("/misspelt"));
        Assert.That(run.Error, Does.Contain("/misspelt"));
    }

    [Test]
    public async Task Of_several_versions_the_newest_that_has_the_file_is_restored()
    {
        var run = await m_tool.RunAsync(
            "restore",
            "--target",
            m_tool["target"],
            "--version",
            "0-1",
            "--include",
            Path.Combine(m_tool.Source, "folder/3")
        );
        Assert.That((run.Code, run.Json.GetProperty("version").GetInt64()), Is.EqualTo((0, 1L)), run.Error);
        Assert.That(Files("target"), Is.EqualTo(new[] { "3" }));
    }

    [Test]
    public async Task Overwrite_replaces_a_file_only_when_the_restored_one_is_complete()
    {
        await m_tool.RunAsync("restore", "--target", m_tool["target"]);
        var whole = SourceTree.Describe(m_tool["target"]);
        foreach (var file in Directory.GetFiles(m_tool["target"], "*", SearchOption.AllDirectories))
            File.WriteAllText(file, "mine");
        Directory.CreateDirectory(m_tool["away"]);
        MoveBlocks(m_tool.Remote, m_tool["away"]);
        var lost = await m_tool.RunAsync("restore", "--target", m_tool["target"], "--overwrite");
        Assert.That((lost.Code, lost.Strings("failed").Count), Is.EqualTo((ExitCode.Found, 7)));
        Assert.That(File.ReadAllText(Path.Combine(m_tool["target"], "folder/1")), Is.EqualTo("mine"));
        foreach (
            var file in Directory.GetFiles(m_tool["target"], "*", SearchOption.AllDirectories).Where(x => File.ReadAllText(x) != "mine")
        )
            File.Delete(file);

        MoveBlocks(m_tool["away"], m_tool.Remote);
        var run = await m_tool.RunAsync("restore", "--target", m_tool["target"], "--overwrite", "--verify");
        Assert.That(
            (run.Code, run.Json.GetProperty("verified").GetInt64(), run.Json.GetProperty("different").GetArrayLength()),
            Is.EqualTo((0, 7L, 0)),
            run.Error
        );
        Assert.That(SourceTree.Describe(m_tool["target"]), Is.EqualTo(whole));
    }

    private static void MoveBlocks(string from, string to)
    {
        foreach (var file in VolumeFiles.Of(from, "dblock"))
            File.Move(file, Path.Combine(to, Path.GetFileName(file)));
    }

    [Test]
    public async Task Skip_existing_leaves_what_is_there_and_verify_says_that_it_differs()
    {
        Directory.CreateDirectory(Path.Combine(m_tool["target"], "folder"));
        var mine = Path.Combine(m_tool["target"], "folder/1");
        File.WriteAllText(mine, "mine");

        var run = await m_tool.RunAsync("restore", "--target", m_tool["target"], "--skip-existing");
        Assert.That(
            (run.Code, run.Json.GetProperty("skipped").GetInt64(), run.Json.GetProperty("files").GetInt64()),
            Is.EqualTo((0, 1L, 6L)),
            run.Error
        );
        Assert.That((File.ReadAllText(mine), Files("target").Count), Is.EqualTo(("mine", 7)));

        run = await m_tool.RunAsync("restore", "--target", m_tool["target"], "--skip-existing", "--verify");
        Assert.That(
            (run.Code, run.Json.GetProperty("skipped").GetInt64(), run.Json.GetProperty("volumes").GetInt64() >= 0),
            Is.EqualTo((ExitCode.Found, 7L, true)),
            run.Error
        );
        Assert.That(run.Json.GetProperty("different").EnumerateArray().Select(x => x.GetString()), Is.EqualTo(new[] { mine }));
    }

    [Test]
    public async Task The_same_names_of_options_choose_in_all_commands()
    {
        var list = await ToolRun.RunAsync(
            "list",
            "--dbpath",
            m_tool.Database,
            "--json",
            "--version",
            "0-1",
            "--include",
            Path.Combine(m_tool.Source, "folder"),
            "--exclude",
            "*/4"
        );
        Assert.That(
            list.Json.EnumerateArray().Select(x => x.GetProperty("entries").GetArrayLength()),
            Is.EqualTo(new[] { 5, 6 }),
            list.Error
        );
        var search = await ToolRun.RunAsync("search", "--dbpath", m_tool.Database, "--json", "--version", "0-1", "--include", "folder/3");
        Assert.That(search.Json.GetProperty("total").GetInt64(), Is.EqualTo(1));
        var purge = await m_tool.RunAsync(
            "purge",
            "--include",
            Path.Combine(m_tool.Source, "other"),
            "--exclude",
            "*not",
            "--version",
            "0,1",
            "--no-compact",
            "--yes"
        );
        Assert.That(purge.Code, Is.Zero, purge.Error);
        await m_tool.RunAsync("restore", "--target", m_tool["target"], "--include", Path.Combine(m_tool.Source, "other"));
        Assert.That(Files("target"), Is.EqualTo(new[] { "a [b] not" }));
    }

    [Test]
    public async Task A_backup_leaves_out_what_is_excluded()
    {
        string[] backup =
        [
            "backup",
            m_tool["remote2"],
            m_tool.Source,
            "--dbpath",
            m_tool["two.sqlite"],
            "--no-encryption",
            "--json",
            "--blocksize",
            "1kb",
            "--exclude",
        ];
        var run = await ToolRun.RunAsync([
            .. backup,
            Path.Combine(m_tool.Source, "other"),
            "--exclude",
            "*/folder/0",
            "--exclude",
            "[.*/5]",
        ]);
        Assert.That(
            (run.Code, run.Json.GetProperty("files").GetInt64(), run.Json.GetProperty("skipped").GetInt64()),
            Is.EqualTo((0, 3L, 0L)),
            run.Error
        );
        var nothing = await ToolRun.RunAsync([.. backup, m_tool.Source]);
        Assert.That((nothing.Code, nothing.HelpId), Is.EqualTo((ExitCode.Failed, "AllSourcesAreExcluded")));
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
        [.. Directory.GetFiles(m_tool[folder], "*", SearchOption.AllDirectories).Select(Path.GetFileName).Order(StringComparer.Ordinal)];
}
