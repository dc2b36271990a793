// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Restore;

namespace Duplicati.UnitTest.Main.Restore;

[TestFixture]
public class TargetPathsTests
{
    [TestCase("/a/b/c.txt", "", "", ExpectedResult = "/a/b/c.txt", TestName = "In_place_nothing_changes")]
    [TestCase("/a/b/c.txt", "/a/b/", "/out", ExpectedResult = "/out/c.txt", TestName = "The_prefix_is_replaced_by_the_destination")]
    [TestCase("/a/b/c.txt", "/a/b", "/out/", ExpectedResult = "/out/c.txt", TestName = "Missing_separators_are_added")]
    [TestCase("/a/b/", "/a/b/", "/out", ExpectedResult = "/out/", TestName = "The_prefix_itself_becomes_the_destination")]
    [TestCase("/a/b", "", "/out", ExpectedResult = "/out//a/b", TestName = "Without_prefix_the_path_is_appended")]
    [TestCase("/a/", "/a/b/c/", "/out", ExpectedResult = "/out/", TestName = "A_path_shorter_than_the_prefix_is_cut_to_nothing")]
    [TestCase(
        "/a/we\\ird:name\n",
        "/a/",
        "/out",
        ExpectedResult = "/out/we\\ird:name\n",
        TestName = "Letters_that_mean_something_elsewhere_stay"
    )]
    [TestCase("/a/../b", "/a/", "/out", ExpectedResult = "/out/../b", TestName = "Dots_are_left_to_the_restore")]
    public string On_Linux_from_Linux(string path, string prefix, string destination) =>
        new TargetPaths("/", prefix, destination, false, "").Map(path);

    [TestCase(@"C:\x\y.txt", "", "", ExpectedResult = "//C/x/y.txt", TestName = "A_drive_in_place_becomes_a_root_folder")]
    [TestCase(@"\\srv\share\y", "", "", ExpectedResult = "//srv/share/y", TestName = "A_share_in_place_keeps_its_root")]
    [TestCase(@"C:\x\y.txt", "", "/out", ExpectedResult = "/out/C/x/y.txt", TestName = "A_drive_becomes_a_folder")]
    [TestCase(@"\\srv\share\y", "", "/out", ExpectedResult = "/out//srv/share/y", TestName = "A_share_loses_one_backslash")]
    [TestCase(@"C:\x\y.txt", @"C:\x\", "/out", ExpectedResult = "/out/y.txt", TestName = "A_drive_prefix_is_cut_off")]
    [TestCase(@"C:\", "", "/out", ExpectedResult = "/out/C/", TestName = "A_bare_drive_becomes_a_folder")]
    [Contract("B 10 Q3")]
    public string On_Linux_from_Windows(string path, string prefix, string destination) =>
        new TargetPaths("\\", prefix, destination, false, "").Map(path);

    [TestCase("/a/b.txt", "", "", ExpectedResult = @"D:\a\b.txt", TestName = "In_place_slash_paths_go_to_the_drive_of_the_temp_folder")]
    [TestCase(
        "/a/b\\c.txt",
        "/a/",
        @"C:\out",
        ExpectedResult = @"C:\out\b_c.txt",
        TestName = "A_backslash_in_a_name_becomes_an_underscore"
    )]
    public string On_Windows_from_Linux(string path, string prefix, string destination) =>
        new TargetPaths("/", prefix, destination, true, @"D:\").Map(path);

    [TestCase(@"C:\x\y", "", "", ExpectedResult = @"C:\x\y")]
    [TestCase(@"C:\x\y", "", @"E:\out", ExpectedResult = @"E:\out\C\x\y")]
    [TestCase(@"\\srv\share\y", "", @"E:\out", ExpectedResult = @"E:\out\\srv\share\y")]
    [TestCase(@"C:\x\y", @"C:\x", @"E:\out\", ExpectedResult = @"E:\out\y")]
    public string On_Windows_from_Windows(string path, string prefix, string destination) =>
        new TargetPaths("\\", prefix, destination, true, @"D:\").Map(path);

    [TestCase("/data/é😀/", 10)]
    [TestCase("", 1)]
    public void Sorting_starts_behind_the_prefix_counted_in_characters(string prefix, long expected)
    {
        var targets = new TargetPaths("/", prefix, "/out", false, "");

        Assert.That(targets.KeepsOrder);
        Assert.That(targets.SortFrom, Is.EqualTo(expected));
    }
}
