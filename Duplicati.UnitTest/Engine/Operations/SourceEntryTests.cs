// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.Versioning;
using Duplicati.Engine.Access;
using Duplicati.Engine.Backup;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.UnitTest.Engine.Volumes;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>Sources that change, vanish, or are no files at all.</summary>
[TestFixture]
[Platform("Linux")]
[SupportedOSPlatform("linux")]
internal sealed class SourceEntryTests : BackupTestBase
{
    [SetUp]
    public void SetUp()
    {
        Backup = new BackupCase();
        SourceTree.Write(Backup.Source, "file", 5000, new Random(1));
    }

    [Test]
    [CancelAfter(60_000)]
    public async Task Pipes_and_sockets_are_skipped_and_never_opened(CancellationToken token)
    {
        using (var make = Process.Start("mkfifo", [Path.Combine(Backup.Source, "pipe")]))
            await make.WaitForExitAsync(token);
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        socket.Bind(new UnixDomainSocketEndPoint(Path.Combine(Backup.Source, "socket")));

        var report = await Backup.BackUpAsync().WaitAsync(token);
        Assert.That(report.Files, Is.EqualTo(1));
        Assert.That(report.Skipped, Is.EqualTo(2));
        Assert.That(
            Backup.Warnings.Texts,
            Has.Exactly(1).Contains(Path.Combine(Backup.Source, "pipe")).And.Exactly(1).Contains(Path.Combine(Backup.Source, "socket"))
        );
        await Backup.AssertSoundAsync("after the backup");
        Assert.That(await Backup.RestoredAsync(0), Has.Length.EqualTo(1));
    }

    [Test]
    public async Task A_source_that_goes_away_meanwhile_is_not_taken_for_deleted()
    {
        for (var i = 0; i < 20; i++)
            SourceTree.Write(Backup.Source, $"folder/{i}", 5000, new Random(i));
        await Backup.BackUpAsync();
        var whole = await Backup.RestoredAsync(0);
        var away = Backup.File("away");
        Backup.Warnings.OnAdvance = _ =>
        {
            if (!Directory.Exists(away))
                Directory.Move(Backup.Source, away);
        };

        BackupCase.Refused("SourceIsMissing", () => Backup.BackUpAsync());

        Backup.Warnings.OnAdvance = null;
        Directory.Move(away, Backup.Source);
        await Backup.BackUpAsync();
        Assert.That(await Backup.RestoredAsync(0), Is.EqualTo(whole));
    }

    [TestCase("with its folder", "SourceIsMissing")]
    [TestCase("with its folder, and left out", null)]
    [TestCase("alone", null, Description = "as one that is rotated, where a shell gave all that fits a pattern")]
    [TestCase("alone, while the backup waits", null)]
    public async Task A_source_that_is_a_file_and_goes_away_meanwhile_is_not_taken_for_deleted(string goes, string? helpId)
    {
        SourceTree.Write(Backup.File("other"), "file", 5000, new Random(2));
        var file = Backup.File("other/file");
        await BackUpAsync(Backup.Source, file);
        SourceTree.Write(Backup.Source, "more", 5000, new Random(3));
        var isWaiting = goes.EndsWith("waits", StringComparison.Ordinal);
        var turn = isWaiting ? await OperationTurn.TakeAsync(Backup.Options.DatabasePath, SilentProgress.Instance, default) : null;
        Backup.Warnings.OnAdvance = _ => Go(isWaiting);
        Backup.Warnings.OnMessage = text => Go(!isWaiting || !text.StartsWith("Waiting", StringComparison.Ordinal));
        if (goes.EndsWith("left out", StringComparison.Ordinal))
            Backup.Options = Backup.Options with { Exclusions = [file] };

        var failure = await BackUpAsync(Backup.Source, file).ContinueWith(x => x.Exception?.InnerException, TaskScheduler.Default);

        Assert.That((failure as UserInformationException)?.HelpID, Is.EqualTo(helpId));
        Assert.That(Backup.Volumes("dlist"), Has.Length.EqualTo(helpId is null ? 2 : 1));

        void Go(bool isLater)
        {
            if (isLater || !File.Exists(file))
                return;
            File.Delete(file);
            turn?.Dispose();
            if (goes.StartsWith("with", StringComparison.Ordinal))
                Directory.Delete(Path.GetDirectoryName(file)!, recursive: true);
        }
    }

    // As an empty folder that is there when its disk is unmounted: on another device.
    [TestCase("Listing remote folder")]
    [TestCase("Waiting for another operation")]
    public async Task A_source_whose_disk_is_unmounted_before_it_is_listed_is_not_taken_for_emptied(string moment)
    {
        var isWaiting = moment.StartsWith("Waiting", StringComparison.Ordinal);
        var parent =
            UnixFile.DeviceOf(Backup.Source) == UnixFile.DeviceOf(AppContext.BaseDirectory) ? "/dev/shm" : AppContext.BaseDirectory;
        var empty = Directory.CreateDirectory(Path.Combine(parent, $"duplicati-test-{Guid.NewGuid():N}"));
        try
        {
            empty.CreateSubdirectory("source");
            var link = Backup.File("link");
            Directory.CreateSymbolicLink(link, Path.GetDirectoryName(Backup.Source)!);
            await BackUpAsync(Path.Combine(link, "source"));
            var turn = isWaiting ? await OperationTurn.TakeAsync(Backup.Options.DatabasePath, SilentProgress.Instance, default) : null;
            Backup.Warnings.OnMessage = text =>
            {
                if (!text.StartsWith(moment, StringComparison.Ordinal))
                    return;
                Backup.Warnings.OnMessage = null;
                Directory.Delete(link);
                Directory.CreateSymbolicLink(link, empty.FullName);
                turn?.Dispose();
            };

            BackupCase.Refused("SourceIsMissing", () => BackUpAsync(Path.Combine(link, "source")));
            Assert.That(Backup.Volumes("dlist"), Has.Length.EqualTo(1));
            Assert.That(Backup.IsFull().Count(), Is.EqualTo(isWaiting ? 1 : 2), "while it waits, nothing is begun");
        }
        finally
        {
            empty.Delete(recursive: true);
        }
    }

    // Where a process has no memory, reading it gives EIO, as a bad sector does.
    [Test]
    public async Task What_a_disk_does_not_give_makes_a_partial_version_that_no_rule_counts()
    {
        const string Bad = "/proc/self/mem";
        await Backup.BackUpAsync();
        SourceTree.Write(Backup.Source, "more", 5000, new Random(2));

        Assert.That((await BackUpAsync(Backup.Source, Bad)).Skipped, Is.EqualTo(1));

        Assert.That(Backup.IsFull(), Is.EqualTo((long?[])[1, 0]));
        Assert.That(Backup.Warnings.Texts, Has.Exactly(1).StartsWith($"Skipped {Bad}"));
        Assert.That(Backup.Warnings.Texts, Has.Exactly(1).Contains("marked partial"));
        Assert.That((await Backup.DeleteAsync(new DeleteChoices { KeepVersions = 1 })).DeletedVersions, Is.Zero);
        Assert.That((await BackUpAsync(Backup.Source, Bad)).NewVersion, Is.False, "it would be partial again, and the same");
        Assert.That(Backup.Warnings.Texts, Has.Exactly(2).EndsWith(Advice.UnreadSource(Bad)));
        Assert.That(Backup.Warnings.Texts, Has.Exactly(1).StartsWith("No version was made"));
        Assert.That((await Backup.RestoreAsync(Backup.File("newest"), new RestoreChoices())).Version, Is.EqualTo(1));
        Assert.That(Backup.Warnings.Texts, Has.One.Contains("could not read all"));
        Assert.That((await Backup.BackUpAsync()).NewVersion, Is.True);
        Assert.That(Backup.IsFull(), Is.EqualTo((long?[])[1, 0, 1]));
        await Backup.AssertRecreateEqualsAsync("after the backups");
    }

    // EIO, and those of a disk or server that is gone, of Linux; no memory, and no permission.
    [TestCase(5, false)]
    [TestCase(6, false)]
    [TestCase(19, false)]
    [TestCase(100, false)]
    [TestCase(101, false)]
    [TestCase(103, false)]
    [TestCase(104, false)]
    [TestCase(107, false)]
    [TestCase(111, false)]
    [TestCase(112, false)]
    [TestCase(116, false)]
    [TestCase(123, false)]
    [TestCase(12, true)]
    [TestCase(0, true)]
    public async Task A_folder_that_its_disk_does_not_list_makes_a_partial_version(int error, bool isFull)
    {
        await Backup.BackUpAsync("folder/inner", 5000, 2);
        FailListing("folder", error);

        Assert.That((await Backup.BackUpAsync()).Skipped, Is.EqualTo(1));

        Assert.That(Backup.IsFull(), Is.EqualTo((long?[])[1, isFull ? 1 : 0]));
        Assert.That(Backup.Warnings.Texts, Has.Exactly(1).Contains("folder: "));
        Assert.That(Backup.Warnings.Texts, Has.Exactly(isFull ? 0 : 1).Contains("marked partial"));
    }

    [TestCase(5, "SourceIsMissing")]
    [TestCase(19, "SourceIsMissing")]
    [TestCase(123, "SourceIsMissing")]
    [TestCase(0, null)]
    public async Task A_source_that_its_disk_does_not_list_is_not_taken_for_emptied(int error, string? helpId)
    {
        await Backup.BackUpAsync();
        FailListing("source", error);

        var failure = await Backup.BackUpAsync().ContinueWith(x => x.Exception?.InnerException, TaskScheduler.Default);

        Assert.That((failure as UserInformationException)?.HelpID, Is.EqualTo(helpId));
        Assert.That(Backup.Volumes("dlist"), Has.Length.EqualTo(helpId is null ? 2 : 1));
    }

    [Test]
    [CancelAfter(60_000)]
    public async Task A_pipe_as_the_source_itself_is_skipped(CancellationToken token)
    {
        using (var make = Process.Start("mkfifo", [Backup.File("pipe")]))
            await make.WaitForExitAsync(token);
        var report = await new BackupOperation(Backup.Options, Backup.Warnings)
            .RunAsync([Backup.Source, Backup.File("pipe")], token)
            .WaitAsync(token);
        Assert.That((report.Files, report.Skipped), Is.EqualTo((1L, 1L)));
    }

    [Test]
    public async Task A_file_that_vanishes_between_listing_and_reading_is_skipped_and_the_rest_backed_up()
    {
        // The message about the upload of the first volume comes while later files are listed but not yet read.
        for (var i = 0; i < 400; i++)
            SourceTree.Write(Backup.Source, $"many/{i:D3}", 3000, new Random(i));
        var last = Path.Combine(Backup.Source, "many/399");
        Backup.Warnings.OnMessage = text =>
        {
            if (text.StartsWith("Uploading", StringComparison.Ordinal))
                File.Delete(last);
        };
        var report = await Backup.BackUpAsync();
        Assert.That(File.Exists(last), Is.False);
        Assert.That(report.Files, Is.AnyOf(400, 401));
        Assert.That(report.Skipped == 1 ? Backup.Warnings.Texts : [last], Has.Exactly(1).Contains(last));
        await Backup.AssertRecreateEqualsAsync("after the backup");
    }

    [Test]
    public async Task Files_that_grow_while_they_are_read_give_a_sound_backup()
    {
        var path = Path.Combine(Backup.Source, "growing");
        using var stop = new CancellationTokenSource();
        var growing = Task.Run(() =>
        {
            using var file = new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.ReadWrite);
            var random = new Random(3);
            var piece = new byte[777];
            for (var i = 0; i < 400 && !stop.IsCancellationRequested; i++)
            {
                random.NextBytes(piece);
                file.Write(piece);
                file.Flush();
                if (i % 100 == 99)
                    file.SetLength(1500);
            }
        });
        Wait.Until(() => File.Exists(path), "the file is there");
        for (var i = 0; i < 3; i++)
        {
            await Backup.BackUpAsync();
            await Backup.AssertSoundAsync($"after backup {i}");
        }

        await stop.CancelAsync();
        await growing;
        await Backup.BackUpAsync();
        Assert.That(await Backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(Backup.Source)));
        await Backup.AssertRecreateEqualsAsync("after the last backup");
    }

    [Test]
    public async Task Metadata_longer_than_a_block_comes_back()
    {
        var path = Path.Combine(Backup.Source, "file");
        var value = VolumeFixture.RandomBytes(new Random(5), 3000);
        if (!UnixFile.SetExtendedAttribute(path, "user.large", value))
            Assert.Ignore("The file system has no extended attributes.");
        await Backup.BackUpAsync();
        await Backup.AssertRecreateEqualsAsync("after the backup");
        var target = Backup.File("restored");
        await Backup.RestoreAsync(target);
        Assert.That(
            UnixFile.ExtendedAttributes(Path.Combine(target, "file")),
            Has.One.Matches<KeyValuePair<string, byte[]>>(x => x.Key == "user.large" && x.Value.SequenceEqual(value))
        );
    }

    [Test]
    public async Task A_change_of_permissions_alone_makes_a_version()
    {
        await Backup.BackUpAsync();
        File.SetUnixFileMode(Path.Combine(Backup.Source, "file"), UnixFileMode.UserRead);
        Assert.That((await Backup.BackUpAsync()).NewVersion, Is.True);
        Assert.That(await Backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(Backup.Source)));
        Assert.That(await Backup.RestoredAsync(1), Is.Not.EqualTo(await Backup.RestoredAsync(0)));
    }

    // To its end, this test cannot list folders of that name.
    private static void FailListing(string name, int error) =>
        SourceScanner.Listing.Value = path =>
        {
            if (Path.GetFileName(path) == name)
                throw error > 0 ? new IOException("The disk says no", error) : new UnauthorizedAccessException("Access is denied");
        };

    private Task<BackupReport> BackUpAsync(params string[] sources) =>
        new BackupOperation(Backup.Options, Backup.Warnings).RunAsync(sources, default);
}
