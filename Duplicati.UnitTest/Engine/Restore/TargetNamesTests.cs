// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.Engine.Restore;

namespace Duplicati.UnitTest.Engine.Restore;

[TestFixture]
[Platform("Linux")]
internal sealed class TargetNamesTests : FolderTestBase
{
    private static readonly DateTime s_time = new(2026, 11, 25, 12, 0, 0, DateTimeKind.Local);

    [TestCase("name.txt", "name.2026-11-25.txt", "name.2026-11-25 (1).txt")]
    [TestCase(".hidden", ".2026-11-25.hidden", ".2026-11-25 (1).hidden")]
    [TestCase("plain", "plain.2026-11-25", "plain.2026-11-25 (1)")]
    public void A_free_name_has_the_time_of_the_version_before_the_extension(string name, string first, string second)
    {
        Assert.That(TargetNames.Free(Folder.File(name), s_time), Is.EqualTo(Folder.File(first)));
        File.CreateSymbolicLink(Folder.File(first), "nowhere");
        Assert.That(TargetNames.Free(Folder.File(name), s_time), Is.EqualTo(Folder.File(second)));
    }

    [Test]
    public void Of_a_name_that_would_be_too_long_the_end_goes(
        [Values("n", "é", "\U0001F600")] string letter,
        [Values("", ".txt", ".long")] string extension
    )
    {
        extension = extension == ".long" ? "." + new string('e', 180) : extension;
        var name =
            string.Concat(Enumerable.Repeat(letter, (255 - Encoding.UTF8.GetByteCount(extension)) / Encoding.UTF8.GetByteCount(letter)))
            + extension;
        File.WriteAllText(Folder.File(name), "mine");
        for (var i = 0; i < 12; i++)
        {
            var free = TargetNames.Free(Folder.File(name), s_time);
            Assert.That(Path.GetFileName(free), Does.StartWith(letter).And.Contains("2026-11-25").And.Not.Contains("\uFFFD"));
            Assert.That(() => File.WriteAllText(free, ""), Throws.Nothing);
        }

        Assert.That(Directory.GetFiles(Folder.Path), Has.Length.EqualTo(13));
    }

    [Test]
    public void A_temporary_name_is_short_and_the_same_for_the_same_content_only()
    {
        var path = Folder.File(new string('n', 255));
        var name = TargetNames.Temporary(path, "hash");
        Assert.That(Path.GetDirectoryName(name), Is.EqualTo(Folder.Path));
        Assert.That(Path.GetFileName(name), Does.Match("^\\.restoring-[0-9a-f]{16}$"));
        Assert.That(TargetNames.Temporary(path, "hash"), Is.EqualTo(name));
        Assert.That(new[] { TargetNames.Temporary(path, "other"), TargetNames.Temporary(path + "n", "hash") }, Has.None.EqualTo(name));
    }
}
