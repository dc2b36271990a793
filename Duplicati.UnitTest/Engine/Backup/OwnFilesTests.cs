// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Tool;

namespace Duplicati.UnitTest.Engine.Backup;

/// <summary>A backup whose source holds what the backup itself writes leaves that out, however the source is reached.</summary>
[TestFixture]
[Platform("Linux")]
[NonParallelizable]
internal sealed class OwnFilesTests : FolderTestBase
{
    [SetUp]
    public void SetUp()
    {
        SourceTree.Write(Folder.File("home"), "mine/file", 200_000, new Random(1));
        SourceTree.Write(Folder.File("home"), "mine/duplicati-engine-notes/file", 3000, new Random(2));
        SourceTree.Write(Folder.File("home"), "mine/me.sqlite", 3000, new Random(3));
        Directory.CreateDirectory(Folder.File("home/tmp"));
        File.CreateSymbolicLink(Folder.File("link"), Folder.Path);
    }

    // Paths of the source, and of all else.
    [TestCase("home", "home")]
    [TestCase("link/home", "home")]
    [TestCase("home", "link/home")]
    [TestCase("link/home", "link/home")]
    public async Task What_a_backup_writes_is_not_in_it(string source, string own)
    {
        using var temporary = new EnvironmentVariable("TMPDIR", Folder.File($"{own}/tmp"));
        string[] backup =
        [
            "backup",
            Folder.File($"{own}/remote"),
            Folder.File(source),
            "--dbpath",
            Folder.File($"{own}/me.sqlite"),
            "--no-encryption",
            "--blocksize",
            "1kb",
            "--dblock-size",
            "20kb",
            "--json",
        ];
        string[] files =
        [
            "--log-file",
            Folder.File($"{own}/log"),
            "--metrics",
            Folder.File($"{own}/metrics"),
            "--trace",
            Folder.File($"{own}/trace"),
        ];
        string[] left = [.. Directory.GetFiles(Folder.File("home"), "*", SearchOption.AllDirectories)];
        for (var round = 0; round < 2; round++)
        {
            var run = await ToolRun.RunAsync([.. backup, .. files]);
            Assert.That((run.Code, run.Number("skipped")), Is.EqualTo((0, 0)), run.Error);
            Assert.That(run.Number("files"), Is.EqualTo(left.Length), "the same every time");
            Assert.That(run.Error, Does.Contain("Left out what this backup itself writes"));
        }

        var list = await ToolRun.RunAsync("list", "--dbpath", Folder.File("home/me.sqlite"), "--version", "0", "--json");
        var listed = list
            .Json.EnumerateArray()
            .Where(x => x.GetProperty("type").GetString() == "File")
            .Select(x => RealPath.Of(x.GetProperty("path").GetString()!));
        Assert.That(listed, Is.EquivalentTo(left.Select(RealPath.Of)));
    }

    [Test]
    public async Task A_name_that_is_not_UTF_8_is_said_to_be_none()
    {
        using var backup = new BackupCase();
        SourceTree.Write(backup.Source, "file", 3000, new Random(1));
        const string Name = "\"$0/$(printf 'bad\\377name')\"";
        Assert.That(ChildProcess.Run("sh", ["-c", $"touch {Name}", backup.Source]).ExitCode, Is.Zero);
        // The replacement itself is a letter like others.
        SourceTree.Write(backup.Source, "\uFFFD", 3000, new Random(2));

        var report = await backup.BackUpAsync();

        // No program of the runtime can remove it.
        Assert.That(ChildProcess.Run("sh", ["-c", $"rm {Name}", backup.Source]).ExitCode, Is.Zero);
        Assert.That((report.Files, report.Skipped), Is.EqualTo((2L, 1L)));
        Assert.That(backup.Warnings.Texts, Has.Count.EqualTo(1).And.One.Contains("bad\uFFFDname: its name is not UTF-8"));
    }

    [Test]
    public async Task A_source_that_lies_in_the_remote_folder_is_backed_up()
    {
        using var backup = new BackupCase();
        SourceTree.Write(backup.Remote, "source/file", 3000, new Random(1));
        SourceTree.Write(backup.Remote, "source/duplicati-b0123456789abcdef0123456789abcdef.dblock.zip", 3000, new Random(2));
        var report = await new BackupOperation(backup.Options, backup.Warnings).RunAsync([Path.Combine(backup.Remote, "source")], default);
        Assert.That((report.Files, report.Skipped), Is.EqualTo((2L, 0L)));
    }
}
