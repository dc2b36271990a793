// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.Versioning;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Restore;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Engine.Restore;

/// <summary>A symbolic link is restored where something else is.</summary>
[TestFixture]
[Platform(Exclude = "Win")]
[UnsupportedOSPlatform("windows")]
internal sealed class RestoredLinksTests : BackupTestBase
{
    [SetUp]
    public async Task SetUp()
    {
        Backup = new BackupCase();
        SourceTree.Write(Backup.Source, "folder/1", 3000, new Random(7));
        File.CreateSymbolicLink(Path.Combine(Backup.Source, "link"), "folder/1");
        await Backup.BackUpAsync();
    }

    [TestCase("file", "folder/1")]
    [TestCase("link", "folder/1")]
    [TestCase("file", "folder")]
    [TestCase("link", "folder")]
    public async Task Something_else_in_the_place_of_a_link_stays_or_is_replaced(string mine, string leadsTo)
    {
        File.Delete(Path.Combine(Backup.Source, "link"));
        File.CreateSymbolicLink(Path.Combine(Backup.Source, "link"), leadsTo);
        await Backup.BackUpAsync();
        var target = Directory.CreateDirectory(Backup.File("target")).FullName;
        var path = Path.Combine(target, "link");
        if (mine == "link")
            File.CreateSymbolicLink(path, target);
        else
            File.WriteAllText(path, "mine");

        var report = await Backup.RestoreAsync(target);
        Assert.That((report.Failed.Count, report.Symlinks), Is.EqualTo((0, 1L)));
        Assert.That(mine == "link" ? new FileInfo(path).LinkTarget : File.ReadAllText(path), Is.EqualTo(mine == "link" ? target : "mine"));
        var beside = Directory.GetFileSystemEntries(target, "link.2*").Single();
        Assert.That(new FileInfo(beside).LinkTarget, Is.EqualTo(leadsTo));

        report = await RestoreAsync(target, ExistingFileChoice.Overwrite);
        Assert.That((report.Failed.Count, report.Symlinks), Is.EqualTo((0, 1L)));
        Assert.That(new FileInfo(path).LinkTarget, Is.EqualTo(leadsTo));
        Assert.That(Directory.GetFileSystemEntries(target), Has.Length.EqualTo(3), "the folder, the link and the one beside");
    }

    [Test]
    public async Task A_link_that_cannot_be_made_fails_and_what_is_there_stays()
    {
        var path = Backup.File("target/link");
        // Where it is made first.
        Directory.CreateDirectory(TargetNames.Temporary(path, "folder/1"));
        File.WriteAllText(path, "mine");
        var report = await RestoreAsync(Backup.File("target"), ExistingFileChoice.Overwrite);
        Assert.That((report.Failed, report.Symlinks), Is.EqualTo((new[] { path }, 0L)));
        Assert.That(File.ReadAllText(path), Is.EqualTo("mine"));
    }

    [Test]
    public async Task A_link_in_the_place_of_a_folder_is_no_folder([Values] ExistingFileChoice existing, [Values] bool isEmpty)
    {
        if (isEmpty)
            File.Delete(Path.Combine(Backup.Source, "folder/1"));
        File.SetUnixFileMode(
            Path.Combine(Backup.Source, "folder"),
            UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute
        );
        await Backup.BackUpAsync();
        var (target, other) = (Backup.File("target"), Backup.File("other"));
        Directory.CreateDirectory(target);
        SourceTree.Write(other, "mine", 10, new Random(1));
        var path = Path.Combine(target, "folder");
        Directory.CreateSymbolicLink(path, other);
        var before = (SourceTree.Describe(other), Directory.GetLastWriteTimeUtc(other), File.GetUnixFileMode(other));

        var report = await RestoreAsync(target, existing);

        Assert.That(report.Failed.Select(x => x.TrimEnd('/')), Is.EqualTo(isEmpty ? [path] : new[] { path, path + "/1" }));
        Assert.That((report.Folders, report.Symlinks), Is.EqualTo((1L, 1L)), "that of the target itself");
        Assert.That(new FileInfo(path).LinkTarget, Is.EqualTo(other));
        Assert.That((SourceTree.Describe(other), Directory.GetLastWriteTimeUtc(other), File.GetUnixFileMode(other)), Is.EqualTo(before));
    }

    [Test]
    public async Task A_target_that_is_a_link_itself_is_followed()
    {
        var (target, other) = (Backup.File("target"), Backup.File("other"));
        Directory.CreateDirectory(other);
        Directory.CreateSymbolicLink(target, other);
        var report = await Backup.RestoreAsync(target);
        Assert.That(report.Failed, Is.Empty);
        Assert.That(SourceTree.Describe(other), Is.EqualTo(SourceTree.Describe(Backup.Source)));
    }

    [TestCase("folder/1")]
    [TestCase("folder")]
    [TestCase("no/such/thing")]
    public async Task A_link_has_its_own_times_and_what_it_leads_to_keeps_its_own(string leadsTo)
    {
        var time = new DateTime(2001, 2, 3, 4, 5, 6, DateTimeKind.Utc);
        var link = Path.Combine(Backup.Source, "link");
        File.Delete(link);
        File.CreateSymbolicLink(link, leadsTo);
        File.SetLastWriteTimeUtc(link, time);
        await Backup.BackUpAsync();
        var target = Backup.File("target");

        foreach (var taken in new[] { false, true })
        {
            Assert.That((await Backup.RestoreAsync(target)).Failed, Is.Empty);
            Assert.That(new FileInfo(Path.Combine(target, "link")).LastWriteTimeUtc, Is.EqualTo(time), $"{taken}");
            Assert.That(SourceTree.Describe(target), Is.EqualTo(SourceTree.Describe(Backup.Source)));
            File.SetLastWriteTimeUtc(Path.Combine(target, "link"), DateTime.UnixEpoch);
        }

        File.Delete(Path.Combine(target, "link"));
        File.WriteAllText(Path.Combine(target, "link"), "in the way");
        Assert.That((await Backup.RestoreAsync(target)).Failed, Is.Empty);
        Assert.That(new FileInfo(Directory.GetFileSystemEntries(target, "link.2*").Single()).LastWriteTimeUtc, Is.EqualTo(time));
    }

    private Task<RestoreReport> RestoreAsync(string target, ExistingFileChoice existing) =>
        Backup.RestoreAsync(target, new RestoreChoices { Existing = existing });
}
