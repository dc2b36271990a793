// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.Versioning;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Restore;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Engine.Restore;

/// <summary>What a restore does to the folders, files and links that were there before, and to what it has placed itself.</summary>
[TestFixture]
[Platform("Linux")]
[SupportedOSPlatform("linux")]
internal sealed class ExistingTargetTests : BackupTestBase
{
    private const UnixFileMode Private = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;
    private const UnixFileMode Open = Private | UnixFileMode.GroupRead | UnixFileMode.OtherRead | UnixFileMode.OtherExecute;

    private static readonly DateTime s_time = new(2001, 2, 3, 4, 5, 6, DateTimeKind.Utc);

    [SetUp]
    public void SetUp() => Backup = new BackupCase(x => x with { Parallelism = 1 });

    [Test]
    public async Task A_target_that_was_there_keeps_its_metadata_and_one_that_is_made_gets_them([Values] ExistingFileChoice existing)
    {
        await BackUpTreeAsync();
        var (mine, made) = (Backup.File("mine"), Backup.File("above/made"));
        Directory.CreateDirectory(mine);
        File.SetUnixFileMode(mine, Private | UnixFileMode.StickyBit);
        foreach (var target in new[] { mine, made })
        {
            var report = await RestoreAsync(target, existing);
            Assert.That((report.Failed.Count, report.Files, report.Symlinks), Is.EqualTo((0, 2L, 1L)));
            Assert.That(SourceTree.Describe(target), Is.EqualTo(SourceTree.Describe(Backup.Source)));
        }

        Assert.That(File.GetUnixFileMode(mine), Is.EqualTo(Private | UnixFileMode.StickyBit));
        Assert.That(Directory.GetLastWriteTimeUtc(mine), Is.Not.EqualTo(s_time));
        Assert.That((File.GetUnixFileMode(made), Directory.GetLastWriteTimeUtc(made)), Is.EqualTo((Open, s_time)));
    }

    [TestCase("")]
    [TestCase("/")]
    public async Task The_folder_that_was_backed_up_gets_its_metadata_back(string end)
    {
        await BackUpTreeAsync();
        var before = Everything(Backup.Source);
        File.SetUnixFileMode(Backup.Source, Private);
        var report = await RestoreAsync(Backup.Source + end, ExistingFileChoice.Keep);
        Assert.That(report.Failed, Is.Empty);
        Assert.That(Everything(Backup.Source), Is.EqualTo(before));
    }

    [Test]
    public async Task What_was_there_gets_its_metadata_back_unless_it_is_skipped([Values] ExistingFileChoice existing)
    {
        await BackUpTreeAsync();
        var target = Backup.File("target");
        await RestoreAsync(target, ExistingFileChoice.Keep);
        var whole = SourceTree.Describe(target);
        foreach (var path in Directory.GetFileSystemEntries(target, "*", SearchOption.AllDirectories).Append(target))
        {
            if (!TargetNames.IsLink(path))
                File.SetUnixFileMode(path, Private);
            File.SetLastWriteTimeUtc(path, DateTime.UnixEpoch);
        }

        var before = Everything(target);
        var report = await RestoreAsync(target, existing);
        var isSkipped = existing == ExistingFileChoice.Skip;
        Assert.That((report.Failed.Count, report.Skipped), Is.EqualTo((0, isSkipped ? 3L : 0L)));
        if (isSkipped)
            Assert.That(Everything(target), Is.EqualTo(before));
        else
            Assert.That(SourceTree.Describe(target), Is.EqualTo(whole));
    }

    [Test]
    public async Task Folders_that_skip_existing_makes_get_their_metadata_and_those_around_them_keep_theirs()
    {
        await BackUpTreeAsync();
        var target = Backup.File("target");
        Directory.CreateDirectory(Path.Combine(target, "folder"));
        File.SetUnixFileMode(Path.Combine(target, "folder"), Private);
        var report = await RestoreAsync(target, ExistingFileChoice.Skip);
        Assert.That((report.Failed.Count, report.Files, report.Skipped), Is.EqualTo((0, 2L, 0L)));
        Assert.That(File.GetUnixFileMode(Path.Combine(target, "folder")), Is.EqualTo(Private));
        var inner = Path.Combine(target, "folder/inner");
        Assert.That((File.GetUnixFileMode(inner), Directory.GetLastWriteTimeUtc(inner)), Is.EqualTo((Open, s_time)));
    }

    // A link that makes one folder of two during the restore stands for a file system that does not tell their names apart.
    [TestCase("mine", "mine")]
    [TestCase("lower", "mine", Description = "right already, and as much a file of the restore as one that was written")]
    public async Task A_file_of_the_restore_is_not_replaced_by_another_one(string lower, string upper)
    {
        Write(Backup.Source, "x/file", "lower");
        Write(Backup.Source, "X/file", "the upper one");
        await Backup.BackUpAsync();
        var target = Backup.File("target");
        Write(target, "x/file", lower);
        Write(target, "X/file", upper);
        var isMerged = false;
        var merging = WarningList.AtVolumes(() =>
        {
            if (isMerged)
                return;
            isMerged = true;
            foreach (var path in Directory.GetFiles(Path.Combine(target, "X"), TargetNames.TemporaryPrefix + "*"))
                File.Move(path, Path.Combine(target, "x", Path.GetFileName(path)));
            Directory.Delete(Path.Combine(target, "X"), recursive: true);
            Directory.CreateSymbolicLink(Path.Combine(target, "X"), "x");
        });

        var report = await RestoreAsync(target, ExistingFileChoice.Overwrite, merging);

        Assert.That(isMerged, Is.True);
        Assert.That((report.Files, report.Failed.Where(x => x.EndsWith("file", StringComparison.Ordinal)).Count()), Is.EqualTo((2L, 0)));
        Assert.That(Contents(Path.Combine(target, "x")), Is.EquivalentTo(new[] { "lower", "the upper one" }));
        Assert.That(merging.Texts, Has.One.Contains("exists with other content; restoring to"));
    }

    [Test]
    public async Task Names_that_differ_in_case_are_both_replaced_where_both_are_there()
    {
        foreach (var name in new[] { "file", "File", "FILE" })
        {
            Write(Backup.Source, name, "content of " + name);
            Write(Backup.File("target"), name, "mine");
            File.CreateSymbolicLink(Path.Combine(Backup.Source, name + "-link"), "to " + name);
            File.CreateSymbolicLink(Backup.File($"target/{name}-link"), "mine");
        }

        await Backup.BackUpAsync();
        var report = await RestoreAsync(Backup.File("target"), ExistingFileChoice.Overwrite);
        Assert.That((report.Failed.Count, report.Files, report.Symlinks), Is.EqualTo((0, 3L, 3L)));
        Assert.That(SourceTree.Describe(Backup.File("target")), Is.EqualTo(SourceTree.Describe(Backup.Source)));
    }

    private async Task BackUpTreeAsync()
    {
        foreach (var name in new[] { "folder/file", "folder/inner/file" })
            Write(Backup.Source, name, name);
        File.CreateSymbolicLink(Path.Combine(Backup.Source, "folder/link"), "file");
        foreach (var name in new[] { "folder/inner", "folder", "" })
        {
            var path = Path.Combine(Backup.Source, name);
            File.SetUnixFileMode(path, Open);
            Directory.SetLastWriteTimeUtc(path, s_time);
        }

        await Backup.BackUpAsync();
    }

    // Of the folder itself, too, and the times of links.
    private static string[] Everything(string folder) =>
        [
            .. SourceTree.Describe(folder),
            $"{File.GetUnixFileMode(folder)} {Directory.GetLastWriteTimeUtc(folder):O}",
            .. new DirectoryInfo(folder)
                .GetFiles("link", SearchOption.AllDirectories)
                .Select(x => x.LastWriteTimeUtc.ToString("O", System.Globalization.CultureInfo.InvariantCulture)),
        ];

    private static void Write(string folder, string name, string text)
    {
        var path = Path.Combine(folder, name);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.WriteAllText(path, text);
    }

    private static IEnumerable<string> Contents(string folder) => Directory.GetFiles(folder).Select(File.ReadAllText);

    private Task<RestoreReport> RestoreAsync(string target, ExistingFileChoice existing, WarningList? warnings = null) =>
        Backup.RestoreAsync(target, new RestoreChoices { Existing = existing }, warnings);
}
