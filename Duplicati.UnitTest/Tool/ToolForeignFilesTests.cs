// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Engine.Remote.Rclone;

namespace Duplicati.UnitTest.Tool;

/// <summary>Remote folders as other programs leave them: parts of uploads, copies of editors, names that are there twice.</summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class ToolForeignFilesTests
{
    private static readonly string[] s_endings =
    [
        ".1a2b3c4d.partial",
        ".partial",
        ".part",
        ".filepart",
        ".tmp",
        "~",
        ".swp",
        ".bak",
        ".orig",
        ".crdownload",
        ".!sync",
        " (1)",
        "#",
        ".aes.part",
        ".aes.tmp",
        ".rclone_chunk.001",
    ];

    [Test]
    public async Task A_pipe_with_the_name_of_a_volume_is_not_waited_for()
    {
        using var tool = new ToolCase();
        Assert.That((await tool.BackUpAsync()).Code, Is.Zero);
        var name = Path.Combine(tool.Remote, "duplicati-20990101T000000Z.dlist.zip");
        using (var made = Process.Start("mkfifo", [name]))
            await made.WaitForExitAsync();

        var run = await ToolRun.RunAsync("list", tool.Remote, "--no-encryption", "--version", "0", "--json");

        Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Failed, "FileNotReadable")), run.Error);
        Assert.That(run.Error, Does.Contain(Path.GetFileName(name)));
    }

    [Test]
    public async Task What_uploads_and_editors_left_is_told_once_and_makes_no_difference()
    {
        using var tool = new ToolCase();
        Assert.That((await tool.BackUpAsync()).Code, Is.Zero);
        var block = VolumeFiles.Of(tool.Remote, "dblock")[0];
        foreach (var ending in s_endings)
        {
            foreach (
                var name in new[]
                {
                    Path.GetFileName(block),
                    $"duplicati-b{Guid.NewGuid():N}.dblock.zip",
                    $"duplicati-i{Guid.NewGuid():N}.dindex.zip",
                    "duplicati-20990101T000000Z.dlist.zip",
                }
            )
                await File.WriteAllBytesAsync(Path.Combine(tool.Remote, name + ending), (await File.ReadAllBytesAsync(block))[..1000]);
        }

        var left = Directory.GetFiles(tool.Remote);
        SourceTree.Write(tool.Source, "folder/new", 5_000, new Random(1));
        foreach (var (command, more) in Commands(tool.Source))
        {
            var run = await tool.RunAsync(command, more);
            Assert.That(run.Code, Is.Zero, $"{command}: {run.Error}{run.Output}");
            AssertToldOnce(run, command, $"Passed over {4 * s_endings.Length} files");
        }

        var list = await ToolRun.RunAsync("list", tool.Remote, "--no-encryption", "--json");
        Assert.That((list.Code, list.Json.GetArrayLength()), Is.EqualTo((0, 1)), list.Error);
        AssertToldOnce(list, "list", "Passed over");
        await ToolRun.OkAsync(tool.DirectAsync("target"));
        Assert.That(SourceTree.Describe(tool["target"]), Is.EqualTo(SourceTree.Describe(tool.Source)));
        Assert.That(left.Where(x => s_endings.Any(x.EndsWith)), Has.All.Exist, "they are nobody's to remove");
    }

    [Test]
    public async Task A_name_that_a_remote_lists_twice_is_told_once_and_makes_no_difference()
    {
        using var remote = new RcloneCase();
        var source = remote["source"];
        string[] database = ["--dbpath", remote["a.sqlite"]];
        for (var i = 0; i < 3; i++)
            SourceTree.Write(source, $"folder/{i}", 20_000, new Random(i));
        Assert.That((await remote.RunAsync("backup", [source, .. database, "--blocksize", "1kb", "--dblock-size", "50kb"])).Code, Is.Zero);
        SourceTree.Write(source, "folder/new", 5_000, new Random(9));
        remote.Fault("lsjson", "twice");

        foreach (var (command, more) in Commands(source).Append(("restore", ["--target", remote["target"]])))
        {
            var run = await remote.RunAsync(command, [.. more, .. database]);
            Assert.That(run.Code, Is.Zero, $"{command}: {run.Error}{run.Output}");
            if (command != "restore")
                AssertToldOnce(run, command, "Listed more than once");
        }

        Assert.That(SourceTree.Describe(remote["target"]), Is.EqualTo(SourceTree.Describe(source)));
        var list = await remote.RunAsync("list");
        Assert.That((list.Code, list.Json.GetArrayLength()), Is.EqualTo((0, 1)), list.Error);
    }

    private static IEnumerable<(string Command, string[] More)> Commands(string source) =>
        [
            ("check", []),
            ("verify", []),
            ("test", ["--samples", "all"]),
            ("backup", [source]),
            ("repair", []),
            ("compact", []),
            ("list-broken-files", []),
            ("purge-broken-files", ["--yes"]),
            ("recreate", ["--overwrite"]),
            ("delete", ["--version", "1", "--yes"]),
            ("purge", ["*nothing*", "--yes"]),
        ];

    private static void AssertToldOnce(ToolRun run, string command, string text) =>
        Assert.That(
            run.Error.Split('\n').Where(x => x.Contains(text, StringComparison.Ordinal)),
            Has.Exactly(1).Items,
            $"{command}: {run.Error}"
        );
}
