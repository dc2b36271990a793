// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using System.Security.Cryptography;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Restore;
using Duplicati.Engine.Volumes;
using Duplicati.UnitTest.Engine.Volumes;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>Restores into folders that are in the way, from damaged volumes, and from file lists made to do harm.</summary>
[TestFixture]
[Platform(Exclude = "Win")]
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
internal sealed class RestoreConflictTests : BackupTestBase
{
    [SetUp]
    public async Task SetUp()
    {
        Backup = new BackupCase(x => x with { IndexPolicy = Duplicati.Engine.Configuration.IndexPolicy.Full });
        var random = new Random(7);
        for (var i = 0; i < 8; i++)
            SourceTree.Write(Backup.Source, $"folder/{i}", 30_000, random);
        File.CreateSymbolicLink(Path.Combine(Backup.Source, "link"), "folder/1");
        await Backup.BackUpAsync();
    }

    [Test]
    public async Task Files_and_links_in_the_way_are_kept()
    {
        var target = Backup.File("target");
        Directory.CreateDirectory(Path.Combine(target, "folder"));
        File.WriteAllText(Path.Combine(target, "folder/1"), "mine");
        File.CreateSymbolicLink(Path.Combine(target, "folder/2"), Backup.File("nowhere"));
        File.WriteAllText(Backup.File("outside"), "outside");
        File.CreateSymbolicLink(Path.Combine(target, "folder/3"), Backup.File("outside"));
        var report = await Backup.RestoreAsync(target);
        Assert.That(report.Failed, Is.Empty);
        Assert.That(File.ReadAllText(Path.Combine(target, "folder/1")), Is.EqualTo("mine"));
        Assert.That(File.Exists(Backup.File("nowhere")), Is.False);
        Assert.That(File.ReadAllText(Backup.File("outside")), Is.EqualTo("outside"));
        foreach (var name in new[] { "1", "2", "3" })
        {
            var copy = Directory
                .GetFiles(Path.Combine(target, "folder"))
                .Single(x => Path.GetFileName(x).StartsWith(name + ".", StringComparison.Ordinal));
            Assert.That(File.ReadAllBytes(copy), Is.EqualTo(File.ReadAllBytes(Path.Combine(Backup.Source, "folder", name))));
        }
    }

    [Test]
    public async Task A_link_in_the_target_is_not_followed_out_of_it()
    {
        var target = Backup.File("target");
        Directory.CreateDirectory(target);
        Directory.CreateDirectory(Backup.File("outside"));
        Directory.CreateSymbolicLink(Path.Combine(target, "folder"), Backup.File("outside"));
        var report = await Backup.RestoreAsync(target);
        Assert.That(Directory.GetFileSystemEntries(Backup.File("outside")), Is.Empty);
        Assert.That(report.Failed, Has.Count.EqualTo(9), "the folder itself, and what is in it");
    }

    [Test]
    public async Task A_truncated_volume_fails_its_files_and_no_others()
    {
        var volume = Backup.Volumes("dblock")[0];
        VolumeEdit.Cut(volume);
        var target = Backup.File("target");
        var report = await Backup.RestoreAsync(target);
        Assert.That(report.Failed, Is.Not.Empty);
        Assert.That(report.Files, Is.Positive);
        Assert.That(report.Files + report.Failed.Count, Is.EqualTo(8));
        foreach (var path in Directory.GetFiles(Path.Combine(Backup.Source, "folder")))
        {
            var restored = Path.Combine(target, "folder", Path.GetFileName(path));
            if (!report.Failed.Contains(restored))
                Assert.That(File.ReadAllBytes(restored), Is.EqualTo(File.ReadAllBytes(path)));
        }
    }

    [Test]
    public async Task A_missing_volume_fails_its_files_and_a_verify_names_it()
    {
        var volume = Backup.Volumes("dblock")[0];
        File.Delete(volume);
        var report = await Backup.RestoreAsync(Backup.File("target"));
        Assert.That(report.Failed, Is.Not.Empty.And.Count.LessThan(8));
        var verified = await Backup.VerifyAsync();
        Assert.That(verified.Problems, Has.Some.Contains(Path.GetFileName(volume)));
    }

    [Test]
    public async Task A_hostile_file_list_writes_nothing_outside_the_target()
    {
        await RewriteFilelistAsync(path =>
            path switch
            {
                _ when path.EndsWith("/1", StringComparison.Ordinal) => "/a/../../../../outside-by-parents",
                _ when path.EndsWith("/2", StringComparison.Ordinal) => path[..^1] + "../../../outside-by-name",
                _ when path.EndsWith("/link", StringComparison.Ordinal) => path[..^4] + "trap",
                _ when path.EndsWith("/3", StringComparison.Ordinal) => path[..^8] + "trap/through the link",
                _ => path,
            }
        );
        File.Delete(Backup.Options.DatabasePath);
        await Backup.RecreateAsync(Backup.Options.DatabasePath);
        Assert.That(Backup.Warnings.Texts, Has.Exactly(2).Contains("PathTraversalDetected"));

        var target = Backup.File("target/inner");
        await Backup.RestoreAsync(target);
        Assert.That(SourceTree.Describe(Backup.File(".")).Where(x => x.Contains("outside", StringComparison.Ordinal)), Is.Empty);
        Assert.That(Directory.GetFileSystemEntries(Backup.File("target")), Is.EqualTo(new[] { target }));
        Assert.That(new DirectoryInfo(Path.Combine(target, "trap")).LinkTarget, Is.Null, "a file lies below it, so it is a folder");
    }

    // What cannot be made is the folder or the file; the list says nothing of a system on which it can.
    [TestCase("a folder with a name that is too long", 8, Description = "the folder and the seven files in it")]
    [TestCase("a file with a name that is too long", 1)]
    [TestCase("a file in the way of a folder", 9)]
    [TestCase("a link in the way of a folder", 9, Description = "what is below it is told as led through a link")]
    public async Task What_cannot_be_made_is_left_out_alone_and_told_once(string obstacle, int failed)
    {
        var tooLong = new string('n', 300);
        await Backup.BackUpAsync("other/file", 3000, 1);
        var target = Backup.File("target");
        switch (obstacle)
        {
            case "a folder with a name that is too long":
                await RewriteFilelistAsync(path =>
                    path.EndsWith("/1", StringComparison.Ordinal)
                        ? path
                        : path.Replace("/folder/", $"/{tooLong}/", StringComparison.Ordinal)
                );
                break;
            case "a file with a name that is too long":
                await RewriteFilelistAsync(path => path.EndsWith("/1", StringComparison.Ordinal) ? path[..^1] + tooLong : path);
                break;
            case "a file in the way of a folder":
                Directory.CreateDirectory(target);
                File.WriteAllText(Path.Combine(target, "folder"), "mine");
                File.SetUnixFileMode(Path.Combine(target, "folder"), UnixFileMode.UserRead);
                break;
            default:
                Directory.CreateDirectory(target);
                File.CreateSymbolicLink(Path.Combine(target, "folder"), "nowhere");
                break;
        }

        File.Delete(Backup.Options.DatabasePath);
        await Backup.RecreateAsync(Backup.Options.DatabasePath);
        var report = await Backup.RestoreAsync(target);

        Assert.That(report.Failed, Has.Count.EqualTo(failed), string.Join('\n', Backup.Warnings.Texts));
        Assert.That(
            report.Files,
            Is.EqualTo(
                obstacle.StartsWith("a folder", StringComparison.Ordinal) ? 2
                : obstacle.Contains("way", StringComparison.Ordinal) ? 1
                : 8
            )
        );
        Assert.That(
            File.ReadAllBytes(Path.Combine(target, "other/file")),
            Is.EqualTo(File.ReadAllBytes(Path.Combine(Backup.Source, "other/file")))
        );
        Assert.That(report.Symlinks, Is.EqualTo(1));
        Assert.That(Backup.Warnings.Texts.Where(x => x.StartsWith("Left out", StringComparison.Ordinal)).Count(), Is.EqualTo(1));
        if (obstacle == "a file in the way of a folder")
            Assert.That(
                (File.ReadAllText(Path.Combine(target, "folder")), File.GetUnixFileMode(Path.Combine(target, "folder"))),
                Is.EqualTo(("mine", UnixFileMode.UserRead))
            );
    }

    [TestCase(ExistingFileChoice.Keep)]
    [TestCase(ExistingFileChoice.Overwrite)]
    public async Task What_is_not_complete_never_has_its_own_name(ExistingFileChoice existing)
    {
        File.Delete(Backup.Volumes("dblock")[0]);
        var target = Backup.File("target");
        Directory.CreateDirectory(Path.Combine(target, "folder"));
        if (existing == ExistingFileChoice.Overwrite)
        {
            for (var i = 0; i < 8; i++)
                File.WriteAllText(Path.Combine(target, $"folder/{i}"), "mine");
        }

        for (var round = 0; round < 2; round++)
        {
            var report = await RestoreAsync(target, existing);
            Assert.That(report.Failed, Is.Not.Empty.And.Count.LessThan(8));
            foreach (var path in report.Failed)
            {
                Assert.That(
                    existing == ExistingFileChoice.Overwrite ? File.ReadAllText(path) : Path.Exists(path).ToString(),
                    Is.EqualTo(existing == ExistingFileChoice.Overwrite ? "mine" : "False")
                );
                var aside = path + (round == 0 ? ".incomplete" : ".incomplete (1)");
                Assert.That(
                    (new FileInfo(aside).Length, File.GetUnixFileMode(aside)),
                    Is.EqualTo((30_000L, UnixFileMode.UserRead | UnixFileMode.UserWrite))
                );
                Assert.That(Backup.Warnings.Texts, Has.One.EndsWith($"what could be restored is in {aside}"));
            }
        }
    }

    [Test]
    public async Task A_file_that_cannot_be_replaced_is_reported_and_the_restored_one_is_beside()
    {
        var target = Backup.File("target");
        var path = Path.Combine(target, "folder/1");
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.WriteAllText(path, "mine");
        // Nothing but a folder in its place keeps the administrator from replacing a file.
        var isSwapped = 0;
        var swapping = WarningList.AtVolumes(() =>
        {
            if (Interlocked.Exchange(ref isSwapped, 1) == 0)
            {
                File.Delete(path);
                Directory.CreateDirectory(Path.Combine(path, "not empty"));
            }
        });
        var report = await Backup.RestoreAsync(target, new RestoreChoices { Existing = ExistingFileChoice.Overwrite }, swapping);

        Assert.That((report.Failed, report.Files, report.Bytes), Is.EqualTo((new[] { path }, 7L, 7 * 30_000L)));
        var beside = Directory.GetFiles(Path.GetDirectoryName(path)!, "1.2*").Single();
        Assert.That(File.ReadAllBytes(beside), Is.EqualTo(File.ReadAllBytes(Path.Combine(Backup.Source, "folder/1"))));
    }

    [TestCase(ExistingFileChoice.Keep)]
    [TestCase(ExistingFileChoice.Overwrite)]
    public async Task A_link_of_the_list_is_not_followed_by_what_the_list_has_below_it(ExistingFileChoice existing)
    {
        File.CreateSymbolicLink(Path.Combine(Backup.Source, "a link"), Directory.CreateDirectory(Backup.File("outside")).FullName);
        await Backup.BackUpAsync();
        await RewriteFilelistAsync(path => path.EndsWith("/link", StringComparison.Ordinal) ? path[..^4] + "a link/victim" : path);
        File.WriteAllText(Backup.File("outside/victim"), "mine");
        File.Delete(Backup.Options.DatabasePath);
        await Backup.RecreateAsync(Backup.Options.DatabasePath);

        var report = await RestoreAsync(Backup.File("target"), existing);
        Assert.That(SourceTree.Describe(Backup.File("outside")), Has.Length.EqualTo(1));
        Assert.That(
            (new FileInfo(Backup.File("outside/victim")).LinkTarget, File.ReadAllText(Backup.File("outside/victim"))),
            Is.EqualTo(((string?)null, "mine"))
        );
        // Which of the two comes first is not said; the later one cannot be where it belongs.
        var isFolder = new DirectoryInfo(Backup.File("target/a link")).LinkTarget is null;
        Assert.That(report.Failed, isFolder ? Is.Empty : Is.EqualTo(new[] { Backup.File("target/a link/victim") }));
        Assert.That(report.Symlinks, Is.EqualTo(isFolder ? 2 : 1));
    }

    [Test]
    public async Task Files_that_are_right_already_are_not_written_again()
    {
        File.Copy("/bin/sleep", Path.Combine(Backup.Source, "program"));
        await Backup.BackUpAsync();
        var target = Backup.File("target");
        await Backup.RestoreAsync(target);
        File.Delete(Path.Combine(target, "folder/1"));
        // The system refuses to write to a program that runs.
        using var running = Process.Start(Path.Combine(target, "program"), "60");
        try
        {
            var report = await Backup.RestoreAsync(target);
            Assert.That((report.Failed.Count, report.Files), Is.EqualTo((0, 9L)));
            Assert.That(
                File.ReadAllBytes(Path.Combine(target, "folder/1")),
                Is.EqualTo(File.ReadAllBytes(Path.Combine(Backup.Source, "folder/1")))
            );
        }
        finally
        {
            running.Kill();
            await running.WaitForExitAsync();
        }
    }

    [Test]
    public async Task Of_a_file_that_is_right_already_only_the_metadata_is_fetched()
    {
        await Backup.BackUpAsync("large", 300_000, 5);
        var choices = new RestoreChoices { Include = [Path.Combine(Backup.Source, "large")] };
        Assert.That((await Backup.RestoreAsync(Backup.File("target"), choices)).Volumes, Is.GreaterThan(5));
        File.SetLastWriteTimeUtc(Backup.File("target/large"), DateTime.UnixEpoch);

        var report = await Backup.RestoreAsync(Backup.File("target"), choices);
        Assert.That((report.Volumes, report.Files, report.Bytes), Is.EqualTo((1, 1L, 300_000L)));
        Assert.That(
            File.GetLastWriteTimeUtc(Backup.File("target/large")),
            Is.EqualTo(File.GetLastWriteTimeUtc(Path.Combine(Backup.Source, "large")))
        );
    }

    [Test]
    public async Task A_file_whose_temporary_name_is_taken_fails_alone()
    {
        var path = Backup.File("target/folder/1");
        var content = File.ReadAllBytes(Path.Combine(Backup.Source, "folder/1"));
        Directory.CreateDirectory(TargetNames.Temporary(path, Convert.ToBase64String(SHA256.HashData(content))));
        var report = await Backup.RestoreAsync(Backup.File("target"));
        Assert.That((report.Failed, report.Files), Is.EqualTo((new[] { path }, 7L)));
    }

    [TestCase(ExistingFileChoice.Keep)]
    [TestCase(ExistingFileChoice.Overwrite)]
    public async Task A_file_with_the_longest_name_is_restored_whatever_is_in_the_way(ExistingFileChoice existing)
    {
        var name = new string('n', 251) + ".bin";
        await Backup.BackUpAsync(name, 3000, 3);
        var target = Directory.CreateDirectory(Backup.File("target")).FullName;
        File.WriteAllText(Path.Combine(target, name), "mine");
        var report = await RestoreAsync(target, existing);
        Assert.That(report.Failed, Is.Empty);
        var restored =
            existing == ExistingFileChoice.Overwrite ? Path.Combine(target, name) : Directory.GetFiles(target, "n*.*-*.bin").Single();
        Assert.That(File.ReadAllBytes(restored), Is.EqualTo(File.ReadAllBytes(Path.Combine(Backup.Source, name))));
        Assert.That(File.ReadAllText(Path.Combine(target, name)) == "mine", Is.EqualTo(existing == ExistingFileChoice.Keep));
    }

    [Test]
    public async Task Overwrite_replaces_a_link_and_not_what_it_leads_to()
    {
        var target = Backup.File("target");
        Directory.CreateDirectory(Path.Combine(target, "folder"));
        Directory.CreateDirectory(Backup.File("outside"));
        File.CreateSymbolicLink(Path.Combine(target, "folder/1"), Backup.File("outside"));
        var report = await RestoreAsync(target, ExistingFileChoice.Overwrite);
        Assert.That((report.Failed.Count, report.Files), Is.EqualTo((0, 8L)));
        Assert.That(new FileInfo(Path.Combine(target, "folder/1")).LinkTarget, Is.Null);
        Assert.That(Directory.GetFileSystemEntries(Backup.File("outside")), Is.Empty);
        Assert.That(Directory.GetFileSystemEntries(Path.Combine(target, "folder")), Has.Length.EqualTo(8));
    }

    private Task<RestoreReport> RestoreAsync(string target, ExistingFileChoice existing) =>
        Backup.RestoreAsync(target, new RestoreChoices { Existing = existing });

    private Task RewriteFilelistAsync(Func<string, string> rename) => FilelistCopy.RewriteAsync(Backup.Volumes("dlist")[^1], rename);
}
