// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Library.Interface;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>Backups with lost volumes are purged of what cannot be restored, and of nothing else.</summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class PurgeBrokenFilesTests
{
    [Test]
    public async Task A_version_of_which_only_the_list_is_lost_is_left_to_the_repair()
    {
        using var backup = new BackupCase();
        await backup.BackUpAsync("only in the first", 900, 17);
        var lost = backup.Volumes("dblock");
        File.Delete(Path.Combine(backup.Source, "only in the first"));
        await backup.BackUpAsync("second", 30_000, 6);
        await backup.BackUpAsync("third", 30_000, 5);
        var whole = await backup.RestoredVersionsAsync(2);
        foreach (var volume in lost.Append(backup.Volumes("dlist")[1]))
            File.Delete(volume);

        var dry = await backup.PurgeBrokenAsync(dryRun: true);
        var report = await backup.PurgeBrokenAsync();

        Assert.That((report.Deleted.Count, report.Losses.Count, report.Rewritten.Count), Is.EqualTo((1, 1, 0)));
        Assert.That((dry.Deleted, dry.Losses), Is.EqualTo((report.Deleted, report.Losses)));
        Assert.That(await backup.RestoredVersionsAsync(2), Is.EqualTo(whole));
        Assert.That(backup.Warnings.Texts, Has.Some.Contains(Advice.MissingVolume()));
        await backup.RepairAsync();
        await backup.AssertRecreateEqualsAsync("after the repair that was advised");
        Assert.That(await backup.RestoredVersionsAsync(2), Is.EquivalentTo(whole));
    }

    [Test]
    public async Task An_unfinished_version_that_has_lost_blocks_is_given_up_and_the_others_stay()
    {
        using var backup = new BackupCase();
        await backup.BackUpAsync("first", 30_000, 5);
        var whole = await backup.RestoredVersionsAsync(1);
        await LoseOfUnfinishedAsync(backup);

        var report = await backup.PurgeBrokenAsync();

        Assert.That((report.Deleted.Count, report.Losses.Count, report.Rewritten.Count), Is.EqualTo((1, 1, 0)));
        Assert.That(backup.Warnings.Texts, Has.One.Contains("is given up"));
        Assert.That(await backup.RestoredVersionsAsync(1), Is.EqualTo(whole));
        await backup.BackUpAsync();
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(backup.Source)));
        await backup.AssertRecreateEqualsAsync("after the next backup");
    }

    [Test]
    public async Task What_an_unfinished_version_loses_is_shown()
    {
        using var backup = new BackupCase();
        await backup.BackUpAsync("first", 30_000, 5);
        await LoseOfUnfinishedAsync(backup);
        var unfinished = (await new DatabaseListing(backup.Options.DatabasePath, backup.Options.Preset).VersionsAsync(default))[0].Time;

        var dry = await backup.PurgeBrokenAsync(dryRun: true);
        var report = await backup.PurgeBrokenAsync();

        var loss = dry.Losses.Single();
        Assert.That((loss.IsWhole, loss.Files, loss.Bytes), Is.EqualTo((true, 2, 150_000)));
        Assert.That(loss.Time.ToUniversalTime(), Is.EqualTo(unfinished.ToUniversalTime()));
        Assert.That((report.Losses, report.Deleted), Is.EqualTo((dry.Losses, dry.Deleted)));
    }

    [Test]
    public async Task The_unfinished_first_version_is_given_up_and_the_backup_goes_on()
    {
        using var backup = new BackupCase();
        await LoseOfUnfinishedAsync(backup);

        var report = await backup.PurgeBrokenAsync();

        Assert.That((report.Deleted.Count, report.Losses.Count, report.Rewritten.Count), Is.EqualTo((1, 1, 0)));
        await backup.BackUpAsync();
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(backup.Source)));
        await backup.AssertRecreateEqualsAsync("after the next backup");
    }

    // As rclone leaves it, which writes under the name itself.
    [Test]
    public async Task The_half_uploaded_list_of_a_version_that_is_given_up_goes_with_it()
    {
        using var backup = new BackupCase();
        await backup.BackUpAsync("first", 30_000, 5);
        await LoseOfUnfinishedAsync(backup);
        var list = backup.Rows("""SELECT "Name" FROM "Remotevolume" WHERE "Type" = 'Files' AND "State" = 'Uploading' """)[0];
        File.WriteAllText(Path.Combine(backup.Remote, list), "half");

        await backup.PurgeBrokenAsync();

        Assert.That(Path.Combine(backup.Remote, list), Does.Not.Exist);
        await backup.BackUpAsync();
        await backup.AssertSoundAsync("after the next backup");
    }

    [Test]
    public async Task What_is_lost_after_a_look_that_found_nothing_is_not_purged()
    {
        using var backup = await BackupCase.MadeAsync(7);
        var shown = new ShownLosses();
        var dry = backup.Options with { DryRun = true };
        await new PurgeBrokenFilesOperation(dry, backup.Warnings) { Shown = shown }.RunAsync(default);
        var lost = backup.Volumes("dblock")[0];
        File.Move(lost, backup.File("kept"));
        var before = Directory.GetFiles(backup.Remote);

        BackupCase.Refused(
            "LossesHaveChanged",
            () => new PurgeBrokenFilesOperation(backup.Options, backup.Warnings) { Shown = shown }.RunAsync(default)
        );
        Assert.That(Directory.GetFiles(backup.Remote), Is.EquivalentTo(before));
        File.Move(backup.File("kept"), lost);
        await backup.AssertRecreateEqualsAsync("after the refusal");
    }

    // Of another copy of the database, which has rewritten the version since.
    [Test]
    public async Task A_list_that_the_database_does_not_know_is_not_overwritten()
    {
        using var backup = await BackupCase.MadeAsync(7, x => x with { NoAutoCompact = true });
        var other = backup.Options with { DatabasePath = backup.File("other.sqlite") };
        File.Copy(backup.Options.DatabasePath, other.DatabasePath);
        var purged = await new PurgeOperation(other, backup.Warnings).RunAsync(["*/sizes/1025"], [], default);
        var list = backup.Volumes("dlist").Single();
        var content = File.ReadAllBytes(list);
        File.Delete(backup.Volumes("dblock")[0]);

        var report = await backup.PurgeBrokenAsync();

        Assert.That((purged.Rewritten.Count, report.Rewritten.Count), Is.EqualTo((1, 1)));
        Assert.That(report.Rewritten[0].NewTime, Is.GreaterThan(purged.Rewritten[0].NewTime));
        Assert.That(File.ReadAllBytes(list), Is.EqualTo(content));
    }

    [Test]
    public async Task A_lost_list_of_no_version_does_not_stop_a_purge()
    {
        using var backup = await BackupCase.MadeAsync(7);
        var lost = backup.Volumes("dblock")[0];
        await backup.BackUpAsync("second", 30_000, 6);
        backup.Sql(
            """
            INSERT INTO "Remotevolume" ("OperationID", "Name", "Type", "Size", "Hash", "State", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime")
            SELECT "OperationID", 'duplicati-20200101T000000Z.dlist.zip', "Type", "Size", "Hash", "State", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime"
            FROM "Remotevolume" WHERE "Type" = 'Files' LIMIT 1
            """
        );

        File.Delete(lost);

        var report = await backup.PurgeBrokenAsync();

        Assert.That(report.Rewritten, Has.Count.EqualTo(2));
        await backup.AssertSoundAsync("after the purge");
        await backup.BackUpAsync();
        await backup.AssertSoundAsync("after the next backup");
    }

    // The times of everything are in the volume of the second backup.
    [Test]
    public async Task A_version_of_which_only_metadata_are_lost_keeps_its_files()
    {
        using var backup = new BackupCase();
        await BackUpTwiceAndLoseTimesAsync(backup);

        var listed = await backup.ListBrokenAsync();
        var dry = await backup.PurgeBrokenAsync(dryRun: true);
        var report = await backup.PurgeBrokenAsync();

        Assert.That(listed.Single().Files.Select(x => x.OnlyMetadata), Is.EqualTo(new[] { true, true }));
        Assert.That((dry.Losses.Count, dry.Rewritten.Count), Is.EqualTo((0, 1)));
        Assert.That((report.Deleted.Count, report.Losses.Count, report.Rewritten.Count), Is.EqualTo((0, 0, 1)));
        Assert.That(await RestoredContentAsync(backup), Is.EqualTo(File.ReadAllBytes(Path.Combine(backup.Source, "a file"))));
        await backup.AssertSoundAsync("after the purge");
        await backup.BackUpAsync();
        await backup.AssertSoundAsync("after the next backup");
    }

    [Test]
    public async Task Where_no_metadata_are_left_at_all_the_data_stay([Values] bool isReplaced)
    {
        using var backup = new BackupCase(x => x with { NoAutoCompact = true, DisableReplaceMissingMetadata = !isReplaced });
        await BackUpTwiceAndLoseTimesAsync(backup, onlyTheSecond: true);
        var before = Directory.GetFiles(backup.Remote);

        if (isReplaced)
        {
            Assert.That((await backup.PurgeBrokenAsync()).Rewritten.Single().RemovedFiles, Is.Zero);
            await backup.AssertSoundAsync("after the purge");
        }
        else
        {
            var error = BackupCase.Refused("AllFilesetsBroken", () => backup.PurgeBrokenAsync());
            Assert.That(error.Message, Does.EndWith(Advice.NothingLeft()));
            Assert.That(Directory.GetFiles(backup.Remote), Is.EquivalentTo(before));
        }

        Assert.That(await RestoredContentAsync(backup), Is.EqualTo(File.ReadAllBytes(Path.Combine(backup.Source, "a file"))));
    }

    // A remote folder that fails to delete it leaves the same.
    // As of a part of a folder that was not mounted.
    [TestCase("backup")]
    [TestCase("compact")]
    [TestCase("delete")]
    [TestCase("purge")]
    public async Task Volumes_that_come_back_after_an_interrupted_purge_are_kept(string operation)
    {
        using var backup = new BackupCase();
        await backup.BackUpAsync("first", 30_000, 5);
        var kept = backup.Volumes("dblock");
        await backup.BackUpAsync("second", 30_000, 6);
        var lost = backup.Volumes("dblock").Except(kept).ToList();
        await backup.BackUpAsync("third", 30_000, 5);
        var whole = await backup.RestoredVersionsAsync(3);
        foreach (var volume in lost)
            File.Move(volume, backup.File(Path.GetFileName(volume)));
        Assert.That(await backup.StopAsync(() => backup.PurgeBrokenAsync(), "^Uploading "));
        foreach (var volume in lost)
            File.Move(backup.File(Path.GetFileName(volume)), volume);

        var run = operation switch
        {
            "backup" => backup.BackUpAsync(),
            "compact" => backup.CompactAsync(),
            "delete" => backup.DeleteAsync(1),
            _ => (Task)backup.PurgeBrokenAsync(),
        };
        await run.ContinueWith(_ => { }, TaskScheduler.Default);

        Assert.That(run.Exception?.InnerException, Is.Null.Or.InstanceOf<UserInformationException>());
        Assert.That(lost, Has.All.Exist);
        await backup.RecreateInPlaceAsync();
        await backup.AssertSoundAsync("after a recreate");
        Assert.That(await backup.RestoredVersionsAsync(3), Is.EqualTo(whole));
    }

    [Test]
    public async Task A_purge_interrupted_while_it_deletes_an_old_list_is_finished_by_the_next()
    {
        using var backup = await BackupCase.MadeAsync(7);
        var lost = backup.Volumes("dblock")[0];
        await backup.BackUpAsync("second", 30_000, 6);
        await backup.BackUpAsync("third", 30_000, 5);
        File.Delete(lost);
        Assert.That(await backup.StopAsync(() => backup.PurgeBrokenAsync(), "^Deleting .*[.]dlist[.]"));
        var before = Directory.GetFiles(backup.Remote);

        var dry = await backup.PurgeBrokenAsync(dryRun: true);
        Assert.That(Directory.GetFiles(backup.Remote), Is.EquivalentTo(before));
        var report = await backup.PurgeBrokenAsync();

        // One more where the first has to make room for the second: that depends on how many seconds the backups took.
        Assert.That(report.Rewritten, Has.Count.InRange(2, 3));
        Assert.That(backup.Volumes("dlist"), Has.Length.EqualTo(3));
        Assert.That((dry.Rewritten.Count, dry.Losses), Is.EqualTo((report.Rewritten.Count, report.Losses)));
        await backup.AssertSoundAsync("after the second purge");
        await backup.BackUpAsync();
        await backup.AssertSoundAsync("after the next backup");
    }

    // Killed when its list was on its way, and then a block volume of it was lost.
    private static async Task LoseOfUnfinishedAsync(BackupCase backup)
    {
        var known = Directory.Exists(backup.Remote) ? backup.Volumes("dblock") : [];
        SourceTree.Write(backup.Source, "second", 120_000, new Random(2));
        Assert.That(await backup.StopAsync(backup.BackUpAsync, "^Uploading .*[.]dlist[.]"));
        File.Delete(backup.Volumes("dblock").Except(known).First());
    }

    private static async Task BackUpTwiceAndLoseTimesAsync(BackupCase backup, bool onlyTheSecond = false)
    {
        await backup.BackUpAsync("a file", 30_000, 6);
        var known = backup.Volumes("dblock");
        File.SetLastWriteTimeUtc(Path.Combine(backup.Source, "a file"), new DateTime(2001, 2, 3, 4, 5, 6, DateTimeKind.Utc));
        Directory.SetLastWriteTimeUtc(backup.Source, new DateTime(2001, 2, 3, 4, 5, 7, DateTimeKind.Utc));
        await backup.BackUpAsync();
        if (onlyTheSecond)
            await backup.DeleteAsync(1);
        File.Delete(backup.Volumes("dblock").Except(known).Single());
    }

    private static async Task<byte[]> RestoredContentAsync(BackupCase backup)
    {
        await backup.RestoreAsync(backup.File("restored"));
        return File.ReadAllBytes(Directory.GetFiles(backup.File("restored"), "a file", SearchOption.AllDirectories).Single());
    }
}
