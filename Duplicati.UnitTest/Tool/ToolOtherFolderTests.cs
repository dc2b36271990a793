// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Tool;

/// <summary>Commands on a folder that is not the one of the backup: a mistyped address, or a disk that is not mounted.</summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class ToolOtherFolderTests
{
    private ToolCase m_tool = null!;
    private ToolCase m_other = null!;
    private int m_serial;

    // No test changes what is made here, and each makes sure of it.
    [OneTimeSetUp]
    public async Task SetUp()
    {
        (m_tool, m_other) = (new ToolCase(), new ToolCase());
        await m_tool.BackUpAsync();
        SourceTree.Write(m_tool.Source, "folder/new", 5_000, new Random(1));
        await m_tool.BackUpAsync();
        // A list that was made in the same second has the same name, and must have another size.
        for (var i = 0; i < 5; i++)
            SourceTree.Write(m_other.Source, $"another/{i}", 100, new Random(i));
        await m_other.BackUpAsync();
    }

    [OneTimeTearDown]
    public void TearDown()
    {
        m_tool.Dispose();
        m_other.Dispose();
    }

    [Test]
    public async Task A_folder_without_a_volume_of_the_backup_is_refused_before_anything_is_written_or_called_lost(
        [Values("empty", "other", "missing")] string kind,
        [Values(
            "backup",
            "repair",
            "repair all",
            "recreate",
            "delete",
            "purge",
            "compact",
            "restore",
            "test",
            "verify",
            "check",
            "list-broken-files",
            "purge-broken-files"
        )]
            string name
    )
    {
        var folder = kind switch
        {
            "empty" => Directory.CreateDirectory(m_tool["empty"]).FullName,
            "other" => m_other.Remote,
            _ => m_tool["missing/folder"],
        };
        var copy = m_tool[$"before-{++m_serial}.sqlite"];
        File.Copy(m_tool.Database, copy);
        var target = m_tool["target"];
        var (own, remote) = (FolderState.Of(m_tool.Remote), kind == "missing" ? [] : FolderState.Of(folder));
        var command = name.Split(' ')[0];
        string[] more = name switch
        {
            "backup" => [m_tool.Source],
            "repair all" => ["--rebuild-missing-dblock-files", "--delete-unknown-files", "--repair-ignore-outdated-database", "--yes"],
            "recreate" => ["--overwrite"],
            "delete" => ["--version", "1", "--yes"],
            "purge" => ["*new", "--yes"],
            "purge-broken-files" => ["--yes"],
            "restore" => ["--target", target],
            _ => [],
        };

        var run = await ToolRun.RunAsync([command, folder, "--dbpath", m_tool.Database, "--no-encryption", "--json", .. more]);

        Assert.That(run.Error, Does.Not.Contain("Missing file").And.Not.Contain("lost"));
        if (command == "check" && kind != "missing")
        {
            Assert.That(run.Code, Is.EqualTo(ExitCode.Found));
            Assert.That(run.Kinds, Is.EqualTo(new[] { "OtherFolder" }));
            Assert.That(run.Output, Does.Contain(Advice.OtherFolder()));
        }
        else
        {
            var expected = kind == "missing" ? "FolderMissing" : "RemoteFolderEmptyWithPrefix";
            Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.NoBackup, expected)), run.Error);
            Assert.That(run.Error.Contains("and none is at", StringComparison.Ordinal), Is.EqualTo(kind != "missing"), run.Error);
        }

        await ToolRun.OkAsync("compare", copy, m_tool.Database, "--exact", "--json");
        Assert.That(Path.Exists(target), Is.False);
        Assert.That(FolderState.Of(m_tool.Remote), Is.EqualTo(own));
        Assert.That(Directory.Exists(folder) ? FolderState.Of(folder) : [], Is.EqualTo(remote));
    }

    [Test]
    public async Task A_new_backup_into_a_folder_with_another_one_is_refused_and_leaves_no_database()
    {
        var database = m_tool["new.sqlite"];
        var before = FolderState.Of(m_other.Remote);

        (await ToolRun.RunAsync("backup", m_other.Remote, m_tool.Source, "--dbpath", database, "--no-encryption", "--json")).AssertRefused(
            "ExtraRemoteFiles"
        );
        Assert.That(Directory.GetFiles(Path.GetDirectoryName(database)!, "new.sqlite*"), Is.Empty);
        Assert.That(FolderState.Of(m_other.Remote), Is.EqualTo(before));
    }

    // One that says nothing of volumes is no reason to refuse; what only it had is lost, which is told.
    [Test]
    public async Task A_database_that_cannot_be_read_is_replaced_from_whatever_folder()
    {
        await File.WriteAllTextAsync(m_tool["no.sqlite"], "no database");

        var run = await m_other.LineAsync("recreate $REMOTE --overwrite --no-encryption --json --dbpath", m_tool["no.sqlite"]);

        Assert.That(run.Code, Is.EqualTo(ExitCode.Found), run.Error);
        Assert.That(await File.ReadAllTextAsync(m_tool["no.sqlite.backup"]), Is.EqualTo("no database"));
        run = await ToolRun.RunAsync("check", m_other.Remote, "--dbpath", m_tool["no.sqlite"], "--no-encryption", "--json");
        Assert.That(run.Code, Is.Zero, run.Output);
    }
}
