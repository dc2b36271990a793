// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Backup;

namespace Duplicati.UnitTest.Engine.Backup;

/// <summary>Which entries of an earlier version can stand beside those recorded.</summary>
[TestFixture]
internal sealed class RecordedPathsTests
{
    [TestCase("/a/file", true, Description = "the same path")]
    [TestCase("/a/folder/", true, Description = "the same folder")]
    [TestCase("/a/file/", true, Description = "a folder in the place of a file")]
    [TestCase("/a/folder", true, Description = "a file in the place of a folder")]
    [TestCase("/a/file/inner/x", true, Description = "in a folder that is a file now")]
    [TestCase("/a/folder/x", false)]
    [TestCase("/a/folder/inner/x", false)]
    [TestCase("/a/File", false)]
    [TestCase("/a/fil", false)]
    [TestCase("/a/file\\", false, Description = "a backslash is part of the name here")]
    [TestCase("/other/x", false)]
    public void Unix_paths(string path, bool excluded) =>
        Assert.That(Recorded("/a/", "/a/file", "/a/folder/").Excludes(path, isLink: false), Is.EqualTo(excluded));

    [TestCase(@"C:\a\file", true)]
    [TestCase(@"C:\a\file\", true)]
    [TestCase(@"C:\a\file\inner", true)]
    [TestCase(@"C:\a\folder\inner", false)]
    [TestCase(@"C:\b", false)]
    [TestCase(@"D:\a\file", false)]
    public void Windows_paths(string path, bool excluded) =>
        Assert.That(Recorded(@"C:\a\", @"C:\a\file", @"C:\a\folder\").Excludes(path, isLink: false), Is.EqualTo(excluded));

    [Test]
    public void The_root_of_a_file_system_is_a_path_of_its_own() =>
        Assert.That((Recorded("/").Excludes("/", false), Recorded("/").Excludes("/a", false)), Is.EqualTo((true, false)));

    // A link to a folder has a path like that of a folder.
    [TestCase("/a/link/", false, true)]
    [TestCase("/a/link/x", false, true)]
    [TestCase("/a/link/x/", true, true)]
    [TestCase("/a/link to/x", false, false)]
    [TestCase("/a/", false, false, Description = "the folder of what was recorded")]
    [TestCase("/a/", true, true, Description = "a link in the place of the folder of what was recorded")]
    [TestCase("/a", false, true, Description = "a file in the place of the folder of what was recorded")]
    [TestCase("/b/", true, false)]
    public void Links_are_no_folders(string path, bool isLink, bool excluded)
    {
        var recorded = new RecordedPaths();
        recorded.Add("/a/link/", isLink: true);
        Assert.That(recorded.Excludes(path, isLink), Is.EqualTo(excluded));
    }

    private static RecordedPaths Recorded(params string[] paths)
    {
        var recorded = new RecordedPaths();
        foreach (var path in paths)
            recorded.Add(path, isLink: false);
        return recorded;
    }
}
