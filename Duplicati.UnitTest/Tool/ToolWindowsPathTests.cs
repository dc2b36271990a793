// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Engine.Volumes;

namespace Duplicati.UnitTest.Tool;

/// <summary>A backup that was made on Windows, of drives and of a share, is listed and restored elsewhere.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class ToolWindowsPathTests : ToolTestBase
{
    private static readonly (string Folder, string Path)[] s_places =
    [
        ("c", @"C:\data\"),
        ("d", @"D:\"),
        ("share", @"\\server\share\more\"),
    ];

    [SetUp]
    public async Task BackUp()
    {
        foreach (var (folder, _) in s_places)
            SourceTree.Write(Tool.Source, $"{folder}/sub/file", 3000, new Random(folder.Length));
        Assert.That((await Tool.BackUpAsync("--exclude", "*/source/folder/*", "--exclude", "*/source/folder/")).Code, Is.Zero);
        await FilelistCopy.RewriteAsync(VolumeFiles.Of(Tool.Remote, "dlist")[0], Renamed);
        File.Delete(Tool.Database);
        Assert.That((await Tool.RunAsync("recreate")).Code, Is.Zero);
    }

    [Test]
    public async Task Drives_and_shares_are_restored_together([Values] bool withDatabase)
    {
        string[] from = withDatabase ? ["--dbpath", Tool.Database] : ["--no-database"];
        var run = await ToolRun.RunAsync(["restore", Tool.Remote, "--no-encryption", "--json", "--target", Tool["target"], .. from]);

        Assert.That((run.Code, run.Number("files")), Is.EqualTo((0, 3L)), run.Error);
        foreach (var (folder, path) in new[] { ("c", "C/data"), ("d", "D"), ("share", "server/share/more") })
            Assert.That(
                File.ReadAllBytes(Path.Combine(Tool["target"], path, "sub/file")),
                Is.EqualTo(File.ReadAllBytes(Path.Combine(Tool.Source, folder, "sub/file"))),
                path
            );
    }

    [TestCase(@"C:\data\", @"C:\data\sub\")]
    [TestCase(@"C:\data", @"C:\data\sub\")]
    [TestCase(@"D:\", @"D:\sub\")]
    [TestCase(@"\\server\share\more\", @"\\server\share\more\sub\")]
    [TestCase(@"\\server\share\more\sub", @"\\server\share\more\sub\file")]
    public async Task A_folder_is_listed_by_its_name(string folder, string inside)
    {
        var database = await Tool.QueryAsync("list", "--folder", folder);
        var remote = await ToolRun.RunAsync("list", Tool.Remote, "--no-encryption", "--folder", folder, "--json");
        foreach (var run in new[] { database, remote })
            Assert.That(
                (run.Code, string.Join("|", run.Json.EnumerateArray().Select(x => x.GetProperty("path").GetString()))),
                Is.EqualTo((0, inside)),
                run.Error
            );
    }

    [Test]
    public async Task A_folder_of_a_drive_is_restored_alone()
    {
        var run = await Tool.RestoreAsync("target", "--include", @"\\server\share\more\");
        Assert.That((run.Code, run.Number("files")), Is.EqualTo((0, 1L)), run.Error);
        Assert.That(Directory.GetFiles(Tool["target"], "*", SearchOption.AllDirectories), Has.Length.EqualTo(1));
    }

    private string Renamed(string path)
    {
        foreach (var (folder, windows) in s_places)
        {
            var beginning = Path.Combine(Tool.Source, folder) + "/";
            if (path.StartsWith(beginning, StringComparison.Ordinal))
                return new StringBuilder(windows).Append(path.AsSpan(beginning.Length)).Replace('/', '\\').ToString();
        }

        // The folder above the three, which Windows does not have.
        return @"E:\";
    }
}
