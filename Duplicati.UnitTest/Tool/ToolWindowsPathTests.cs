// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Engine.Volumes;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Tool;

/// <summary>A backup that was made on Windows, of drives and of a share, is listed and restored elsewhere.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class ToolWindowsPathTests
{
    private static readonly (string Folder, string Path)[] s_places =
    [
        ("c", @"C:\data\"),
        ("d", @"D:\"),
        ("share", @"\\server\share\more\"),
    ];

    private ToolCase m_tool = null!;

    [SetUp]
    public async Task SetUp()
    {
        m_tool = new ToolCase();
        foreach (var (folder, _) in s_places)
            SourceTree.Write(m_tool.Source, $"{folder}/sub/file", 3000, new Random(folder.Length));
        Assert.That((await m_tool.BackUpAsync("--exclude", "*/source/folder/*", "--exclude", "*/source/folder/")).Code, Is.Zero);
        await FilelistCopy.RewriteAsync(VolumeFiles.Of(m_tool.Remote, "dlist")[0], Renamed);
        File.Delete(m_tool.Database);
        Assert.That((await m_tool.RunAsync("recreate")).Code, Is.Zero);
    }

    [TearDown]
    public void TearDown() => m_tool.Dispose();

    [Test]
    public async Task Drives_and_shares_are_restored_together([Values] bool withDatabase)
    {
        string[] from = withDatabase ? ["--dbpath", m_tool.Database] : ["--no-database"];
        var run = await ToolRun.RunAsync(["restore", m_tool.Remote, "--no-encryption", "--json", "--target", m_tool["target"], .. from]);

        Assert.That((run.Code, run.Json.GetProperty("files").GetInt64()), Is.EqualTo((0, 3L)), run.Error);
        foreach (var (folder, path) in new[] { ("c", "C/data"), ("d", "D"), ("share", "server/share/more") })
            Assert.That(
                File.ReadAllBytes(Path.Combine(m_tool["target"], path, "sub/file")),
                Is.EqualTo(File.ReadAllBytes(Path.Combine(m_tool.Source, folder, "sub/file"))),
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
        var database = await ToolRun.RunAsync("list", "--dbpath", m_tool.Database, "--folder", folder, "--json");
        var remote = await ToolRun.RunAsync("list", m_tool.Remote, "--no-encryption", "--folder", folder, "--json");
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
        var run = await m_tool.RunAsync("restore", "--target", m_tool["target"], "--include", @"\\server\share\more\");
        Assert.That((run.Code, run.Json.GetProperty("files").GetInt64()), Is.EqualTo((0, 1L)), run.Error);
        Assert.That(Directory.GetFiles(m_tool["target"], "*", SearchOption.AllDirectories), Has.Length.EqualTo(1));
    }

    private string Renamed(string path)
    {
        foreach (var (folder, windows) in s_places)
        {
            var beginning = Path.Combine(m_tool.Source, folder) + "/";
            if (path.StartsWith(beginning, StringComparison.Ordinal))
                return new StringBuilder(windows).Append(path.AsSpan(beginning.Length)).Replace('/', '\\').ToString();
        }

        // The folder above the three, which Windows does not have.
        return @"E:\";
    }
}
