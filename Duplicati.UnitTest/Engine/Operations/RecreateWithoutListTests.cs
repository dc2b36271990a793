// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>A folder with block and index volumes and no file list, as a first backup leaves it that did not end.</summary>
[TestFixture]
[Contract("D 1.7")]
[Contract("D 3.5")]
internal sealed class RecreateWithoutListTests
{
    [TestCase("dlist", Description = "all block volumes have their index volumes")]
    [TestCase("dindex", Description = "some have none yet")]
    [Platform("Linux")]
    public async Task A_first_backup_that_was_killed_and_has_lost_its_database_uploads_no_block_again(string killedAt)
    {
        using var backup = new BackupCase();
        SourceTree.Make(backup.Source, new Random(1));
        InterruptedBackupTests.Kill(backup, killedAt, 0);
        RemoveDatabase(backup);
        Assert.That(backup.Volumes("dlist"), Is.Empty);
        var uploaded = Hashes(backup);
        Assert.That(uploaded, Is.Not.Empty);

        var report = await backup.RecreateAsync(backup.Options.DatabasePath);

        Assert.That((report.Filelists, report.Problems), Is.EqualTo((0, 0)));
        Assert.That(report.BlockVolumes, killedAt == "dindex" ? Is.Positive : Is.Zero);
        Assert.That(backup.Warnings.Texts, Has.Exactly(1).Contains("No file lists were found"));
        var dump = backup.Dump();
        Assert.That((dump.Filesets.Count(), dump.Blocks.Count()), Is.EqualTo((0, 0)));
        Assert.That(dump.DeletedBlocks.Select(x => x.Hash), Is.EquivalentTo(uploaded));

        await backup.BackUpAsync();

        Assert.That(Hashes(backup), Is.Unique.And.SupersetOf(uploaded));
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(backup.Source)));
        await backup.AssertRecreateEqualsAsync("after the backup");
    }

    [Test]
    public async Task A_repair_makes_a_database_for_the_next_backup_when_all_lists_and_the_database_are_lost()
    {
        using var backup = await BackupCase.MadeAsync(change: x => x with { Passphrase = "a passphrase" });
        var volumes = backup.Volumes("dblock");
        RemoveLists(backup);
        RemoveDatabase(backup);

        await backup.RepairAsync();
        await backup.BackUpAsync();

        Assert.That(backup.Volumes("dblock"), Is.EqualTo(volumes));
        Assert.That(backup.Volumes("dlist"), Has.Length.EqualTo(1));
        await backup.AssertRecreateEqualsAsync("after the backup");
    }

    // A passphrase that does not fit is told, and nothing is left that a later recreate would go on from.
    [Test]
    public async Task A_wrong_passphrase_is_told_by_the_other_volumes()
    {
        using var backup = await BackupCase.MadeAsync(change: x => x with { Passphrase = "a passphrase" });
        RemoveLists(backup);
        RemoveDatabase(backup);
        backup.Options = backup.Options with { Passphrase = "another" };

        Assert.That(
            async () => await backup.RecreateAsync(backup.Options.DatabasePath),
            Throws.TypeOf<UserInformationException>().With.Matches<UserInformationException>(x => x.HelpID == "WrongPassphrase")
        );
        Assert.That(File.Exists(backup.Options.DatabasePath), Is.False);
    }

    [Test]
    public async Task A_database_that_may_know_versions_is_not_replaced_by_one_without()
    {
        using var backup = await BackupCase.MadeAsync();
        RemoveLists(backup);

        var failure = BackupCase.Refused("EmptyRemoteLocation", () => backup.RecreateInPlaceAsync());
        Assert.That(failure.Message, Does.Contain("duplicati-db repair"));
        await backup.RepairAsync();
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(backup.Source)));
    }

    [Test]
    public async Task A_restore_without_a_database_needs_a_list()
    {
        using var backup = await BackupCase.MadeAsync();
        RemoveLists(backup);

        BackupCase.Refused("EmptyRemoteLocation", () => backup.RestoreDirectlyAsync(backup.File("target")));
    }

    private static void RemoveLists(BackupCase backup)
    {
        foreach (var list in backup.Volumes("dlist"))
            File.Delete(list);
    }

    private static void RemoveDatabase(BackupCase backup)
    {
        foreach (var suffix in new[] { "", "-wal", "-shm" })
            File.Delete(backup.Options.DatabasePath + suffix);
    }

    private static List<string> Hashes(BackupCase backup)
    {
        var hashes = new List<string>();
        foreach (var path in backup.Volumes("dblock"))
        {
            using var volume = BlockVolumeReader.Open(File.OpenRead(path), Path.GetFileName(path));
            hashes.AddRange(volume.Blocks.Select(x => x.Key));
        }

        return hashes;
    }
}
