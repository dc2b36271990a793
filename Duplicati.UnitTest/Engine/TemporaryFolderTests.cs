// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Tool;

namespace Duplicati.UnitTest.Engine;

/// <summary>Temporary folders go with their process, or with the next run.</summary>
[TestFixture]
[Platform("Linux")]
[NonParallelizable]
internal sealed class TemporaryFolderTests : FolderTestBase
{
    [Test]
    public async Task What_a_killed_run_has_left_is_removed_by_the_next_one_and_nothing_else()
    {
        using var variable = new EnvironmentVariable("TMPDIR", Folder.Path);
        KilledChild.Run<LeavingChild>(Folder.Path);
        Assert.That(
            Directory.GetDirectories(Folder.Path).Select(x => Path.GetFileName(x)[..12]),
            Is.EqualTo(new[] { "duplicati-en", "duplicati-en" })
        );
        using var held = new TemporaryFolder();
        // One of a process that is just making it, one of somebody else.
        Directory.CreateDirectory(Folder.File(TemporaryFolder.Prefix + "new"));
        Directory.CreateDirectory(Folder.File("mine"));

        Assert.That((await ToolRun.RunAsync("help")).Code, Is.Zero);

        Assert.That(
            Directory.GetDirectories(Folder.Path),
            Is.EquivalentTo(new[] { held.Path, Folder.File(TemporaryFolder.Prefix + "new"), Folder.File("mine") })
        );
    }

    [Test]
    public async Task An_address_that_is_none_leaves_none()
    {
        var temporary = Directory.CreateDirectory(Folder.File("temporary")).FullName;
        using var variable = new EnvironmentVariable("TMPDIR", temporary);

        var run = await ToolRun.RunAsync("recreate", "rclone:name", "--dbpath", Folder.File("new"), "--no-encryption");

        Assert.That(run.Error, Does.Contain("rclone:NAME:PATH"));
        Assert.That(Directory.GetFileSystemEntries(temporary), Is.Empty);
    }

    [TestCase("verify")]
    [TestCase("test")]
    [TestCase("restore", "--target", "TARGET")]
    [TestCase("repair", "--dry-run")]
    [TestCase("purge", "*/folder/3", "--dry-run")]
    [TestCase("backup", "SOURCE")]
    [TestCase("recreate", "--overwrite")]
    [TestCase("recreate")]
    public async Task A_place_for_them_that_cannot_be_used_is_named(string command, params string[] more)
    {
        using var tool = new ToolCase();
        Assert.That((await tool.BackUpAsync()).Code, Is.Zero);
        var volumes = Directory.GetFiles(tool.Remote);
        if (command == "recreate" && more.Length == 0)
            File.Delete(tool.Database);
        var databases = Directory.GetFiles(tool["."], "*.sqlite*");
        File.WriteAllText(Path.Combine(tool.Source, "new"), "new");
        string[] words =
        [
            .. more.Select(x =>
                x == "SOURCE" ? tool.Source
                : x == "TARGET" ? tool["target"]
                : x
            ),
        ];
        using (new EnvironmentVariable("TMPDIR", Folder.File("none")))
        {
            var run = await tool.RunAsync(command, words);
            Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Failed, "NoTemporaryFolder")), run.Error);
            Assert.That(run.Error, Does.Contain(Folder.File("none")).And.Contain("TMPDIR"));
        }

        Assert.That(Directory.GetFiles(tool.Remote), Is.EquivalentTo(volumes));
        Assert.That(Directory.GetFiles(tool["."], "*.sqlite*"), Is.EquivalentTo(databases));
        Assert.That((await tool.RunAsync(command, words)).Code, Is.Zero);
    }

    private sealed class LeavingChild : IChildProgram
    {
        public static int Run(string[] args)
        {
            var (first, second) = (new TemporaryFolder(), new TemporaryFolder());
            File.WriteAllText(Path.Combine(first.Path, "volume"), "content");
            Directory.CreateDirectory(Path.Combine(second.Path, "inner"));
            ChildProgram.Die();
            return 0;
        }
    }
}
