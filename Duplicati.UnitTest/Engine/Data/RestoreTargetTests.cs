// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Data;
using Duplicati.Engine.Errors;
using Duplicati.Library.Interface;

namespace Duplicati.UnitTest.Engine.Data;

[TestFixture]
[Platform(Exclude = "Win")]
public sealed class RestoreTargetTests : FolderTestBase
{
    [TestCase("a")]
    [TestCase("a/b/c")]
    [TestCase("a/b/")]
    [TestCase("...")]
    [TestCase("..a/b..")]
    [TestCase("back\\slash")]
    [TestCase("C:\\x")]
    [TestCase("CON")]
    [TestCase(" blank ")]
    [TestCase("line\nbreak")]
    public void Plain_paths_stay_what_they_are(string relative)
    {
        var target = new RestoreTarget(Folder.Path);
        var expected = Folder.Path + "/" + relative.TrimEnd('/');
        Assert.That(target.Map(relative), Is.EqualTo(expected));
        Assert.That(target.Check(Folder.Path + "/" + relative), Is.EqualTo(expected));
    }

    [TestCase("")]
    [TestCase("/")]
    [TestCase("/etc/passwd")]
    [TestCase("..")]
    [TestCase("../x")]
    [TestCase("a/../../x")]
    [TestCase("a/../b")]
    [TestCase("a/..")]
    [TestCase("./a")]
    [TestCase("a//b")]
    [TestCase("a\0b")]
    public void Paths_that_lead_elsewhere_are_refused(string relative)
    {
        var target = new RestoreTarget(Folder.Path);
        Assert.Throws<UnsafePathException>(() => target.Map(relative));
        // A separator more leads nowhere else: see the next test.
        if (relative.Length > 0 && relative[0] != '/')
            Assert.Throws<UnsafePathException>(() => target.Check(Folder.Path + "/" + relative));
    }

    [TestCase("/server/share/x")]
    [TestCase("/etc/passwd")]
    public void A_share_of_windows_stays_below_the_folder(string relative) =>
        Assert.That(new RestoreTarget(Folder.Path).Check(Folder.Path + "/" + relative), Is.EqualTo(Folder.Path + relative));

    [TestCase("..\\x")]
    [TestCase("a\\..\\..\\x")]
    [TestCase("\\\\server\\share\\x")]
    [TestCase("C:\\x")]
    [TestCase("a\\C:")]
    [TestCase("file:stream")]
    [TestCase("CON")]
    [TestCase("a\\nul.txt")]
    [TestCase("com1")]
    [TestCase("LPT9 .x")]
    [TestCase("a.")]
    [TestCase("a ")]
    [TestCase("what?")]
    public void The_rules_of_windows_refuse_more(string relative) =>
        Assert.Throws<UnsafePathException>(() => new RestoreTarget(Folder.Path, windows: true).Map(relative));

    [Test]
    public void A_path_beside_the_folder_is_refused()
    {
        var target = new RestoreTarget(Folder.File("target"));
        foreach (var path in new[] { Folder.File("target2/x"), Folder.File("x"), Folder.Path, "/etc/passwd", "relative" })
            Assert.Throws<UnsafePathException>(() => target.Check(path), path);
    }

    [Test]
    public void A_path_through_a_link_is_refused_wherever_the_link_leads()
    {
        var target = new RestoreTarget(Folder.File("target"));
        Directory.CreateDirectory(Folder.File("target/inside"));
        Directory.CreateDirectory(Folder.File("outside"));
        Directory.CreateSymbolicLink(Folder.File("target/out"), "../outside");
        Directory.CreateSymbolicLink(Folder.File("target/in"), "inside");
        Directory.CreateSymbolicLink(Folder.File("target/nowhere"), "no/such");
        foreach (var link in new[] { "out", "in", "nowhere" })
            Assert.Throws<UnsafePathException>(() => target.Map(link + "/x"), link);
        Assert.That(target.Map("inside/x"), Is.EqualTo(Folder.File("target/inside/x")));
    }

    [Test]
    public void The_folder_itself_is_inside()
    {
        var target = new RestoreTarget(Folder.Path);
        Assert.That(target.Check(Folder.Path), Is.EqualTo(Folder.Path));
        Assert.That(target.Check(Folder.Path + "/"), Is.EqualTo(Folder.Path));
    }

    [Test]
    public void A_file_in_the_way_of_a_folder_is_named()
    {
        File.WriteAllText(Folder.File("taken"), "mine");
        var failure = Assert.Throws<UserInformationException>(() => RestoreTarget.MakeFolder(Folder.File("taken")));
        Assert.That(failure!.HelpID, Is.EqualTo("RestoreTargetInTheWay"));
        Assert.That(failure.Message, Does.Contain(Folder.File("taken")));
    }
}
