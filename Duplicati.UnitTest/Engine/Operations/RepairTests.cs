// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>Backups lose volumes, rows and uploads in every way, and are brought together again.</summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class RepairTests
{
    private static readonly RepairChoices s_rebuild = new() { RebuildMissingBlockVolumes = true };

    // A file is committed before the entry that refers to it: a backup that is killed between the two leaves such a row.
    [Test]
    public async Task Files_that_a_killed_backup_has_left_are_dropped_so_that_the_purge_that_advised_a_repair_goes_on()
    {
        using var backup = await OneVersionAsync();
        LeaveFile(backup);
        var refused = BackupCase.Refused("CannotPurgeWithOrphans", () => backup.PurgeAsync("*1"));
        Assert.That(refused.Message, Does.StartWith("The database holds 1 file that belongs to no version. Run `duplicati-db repair`, "));

        await backup.RepairAsync();

        await backup.PurgeAsync("*1");
        await backup.AssertRecreateEqualsAsync("after the purge");
    }

    [Test]
    public async Task Nothing_is_dropped_where_the_entries_of_a_version_are_gone()
    {
        using var backup = await OneVersionAsync();
        LeaveFile(backup);
        backup.Sql("""DELETE FROM "FilesetEntry" """);
        var before = RowCounts(backup);

        Assert.That((await backup.RepairAsync()).Problems, Is.Not.Empty);

        Assert.That(RowCounts(backup), Is.EqualTo(before));
    }

    // As of a letter that is altered on the disk, beside a lost volume.
    [Test]
    public async Task A_hash_that_is_none_in_a_lost_list_of_blocks_is_passed_over()
    {
        using var backup = await OneVersionAsync();
        var block = """(SELECT "BlockID" FROM "BlocksetEntry" WHERE "Index" = 1 LIMIT 1)""";
        var list = backup.Rows(
            $"""
            SELECT "v"."Name" FROM "BlocksetEntry" "e"
            JOIN "BlocklistHash" "h" ON "h"."BlocksetID" = "e"."BlocksetID"
            JOIN "Block" "b" ON "b"."Hash" = "h"."Hash"
            JOIN "Remotevolume" "v" ON "v"."ID" = "b"."VolumeID"
            WHERE "e"."BlockID" = {block} LIMIT 1
            """
        )[0];
        backup.Sql($"""UPDATE "Block" SET "Hash" = '*' || substr("Hash", 2) WHERE "ID" = {block}""");
        File.Delete(Path.Combine(backup.Remote, list));

        var report = await backup.RepairAsync(s_rebuild);

        Assert.That(report.LostBlocks, Is.Positive);
        Assert.That(report.Problems, Has.Some.Contains(Advice.LostBlocks()));
    }

    [TestCase(IndexPolicy.Full, null)]
    [TestCase(IndexPolicy.Lookup, null)]
    [TestCase(IndexPolicy.None, null)]
    [TestCase(IndexPolicy.Full, "a passphrase")]
    [Contract("B 6 step 10")]
    public async Task Lost_block_volumes_are_made_anew_from_unchanged_sources(IndexPolicy policy, string? passphrase)
    {
        using var backup = await TwoVersionsAsync(x => x with { IndexPolicy = policy, Passphrase = passphrase });
        // The older version has what is no longer among the sources.
        await new DeleteOperation(backup.Options with { NoAutoCompact = true }, backup.Warnings).RunAsync([1], false, default);
        var newest = await backup.RestoredAsync(0);
        var before = backup.Volumes("dblock").Length;
        foreach (var volume in backup.Volumes("dblock").Take(3))
            File.Delete(volume);

        var report = await backup.RepairAsync(s_rebuild);

        Assert.That(
            (report.RecoveredBlocks > 0, report.LostBlocks, report.Problems.Count),
            Is.EqualTo((true, 0L, 0)),
            string.Join('\n', backup.Warnings.Texts)
        );
        Assert.That(backup.Volumes("dblock"), Has.Length.EqualTo(before));
        await backup.AssertRecreateEqualsAsync("after the repair");
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(newest));
    }

    [TestCase("dblock", 1)]
    [TestCase("dindex", 2)]
    [TestCase("dlist", 1)]
    [Contract("B 6 step 11")]
    [Contract("B 6 step 12")]
    public async Task Everything_missing_of_one_kind_is_made_anew(string kind, int versions)
    {
        using var backup = versions == 1 ? await OneVersionAsync() : await TwoVersionsAsync();
        var restored = await backup.RestoredAsync(0);
        foreach (var volume in backup.Volumes(kind))
            File.Delete(volume);

        var report = await backup.RepairAsync(s_rebuild);

        Assert.That(report.LostBlocks, Is.Zero);
        await backup.AssertRecreateEqualsAsync("after the repair");
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(restored));
        Assert.That((await backup.RepairAsync()).Uploaded, Is.Empty);
    }

    [Test]
    [Contract("B 6 step 10")]
    public async Task What_cannot_be_found_is_counted_and_can_be_purged()
    {
        using var backup = await OneVersionAsync();
        File.Delete(backup.Volumes("dblock")[0]);
        foreach (var file in Directory.GetFiles(Path.Combine(backup.Source, "sizes")))
            File.WriteAllBytes(file, []);

        var report = await backup.RepairAsync(s_rebuild);

        Assert.That((report.RecoveredBlocks > 0, report.LostBlocks > 0, report.Problems.Count), Is.EqualTo((true, true, 1)));
        Assert.That(backup.Warnings.Texts, Has.Some.Contains("still missing"));
        await backup.PurgeBrokenAsync();
        await backup.AssertSoundAsync("after the purge");
        await backup.BackUpAsync();
        // Entries whose lost metadata was replaced by the same now share one row.
        Assert.That((await backup.RepairAsync()).Problems, Is.Empty);
        await backup.AssertRecreateEqualsAsync("after the next backup and repair");
    }

    [Test]
    public async Task A_volume_of_which_nothing_is_found_does_not_keep_others_from_being_made_anew()
    {
        using var backup = new BackupCase();
        await backup.BackUpAsync("only in the first", 900, 1);
        var lost = backup.Volumes("dblock");
        File.Delete(Path.Combine(backup.Source, "only in the first"));
        await backup.BackUpAsync("second", 30_000, 2);
        var older = backup.Volumes("dblock");
        await backup.BackUpAsync("third", 30_000, 3);
        var whole = await backup.RestoredVersionsAsync(2);
        var found = backup.Volumes("dblock").Except(older);
        foreach (var volume in lost.Concat(found).Append(backup.Volumes("dlist")[1]).Append(backup.Volumes("dindex")[0]))
            File.Delete(volume);

        var failure = BackupCase.Refused("RepairIsNotPossible", () => backup.RepairAsync(s_rebuild));

        Assert.That(backup.Volumes("dlist"), Has.Length.EqualTo(3));
        Assert.That(failure.Message, Does.Contain(Path.GetFileName(lost[0])).And.Contain(Advice.LostBlocks()));
        Assert.That(await backup.RestoredVersionsAsync(2), Is.EquivalentTo(whole));
        var purged = await backup.PurgeBrokenAsync();
        Assert.That((purged.Deleted.Count, purged.Losses.Count), Is.EqualTo((1, 1)));
        await backup.BackUpAsync();
        await backup.AssertRecreateEqualsAsync("after the purge that was advised");
        Assert.That(await backup.RestoredVersionsAsync(2), Is.EquivalentTo(whole));
    }

    [Test]
    public async Task A_block_that_another_volume_holds_too_is_taken_from_there_if_it_can_be_read([Values] bool isDamaged)
    {
        using var backup = await OneVersionAsync();
        var source = SourceTree.Describe(backup.Source);
        var lost = backup.Volumes("dblock")[0];
        var copy = Path.Combine(backup.Remote, $"duplicati-b{Guid.NewGuid():N}.dblock.zip");
        File.Move(lost, copy);
        RegisterCopies(backup, Path.GetFileName(lost), Path.GetFileName(copy));
        // In none of its blocks.
        if (isDamaged)
            VolumeEdit.Flip(copy, ^1);
        Directory.Delete(backup.Source, recursive: true);

        var report = await backup.RepairAsync(s_rebuild);

        Assert.That((report.LostBlocks, report.RecoveredBlocks > 0), Is.EqualTo((0L, true)));
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(source));
        if (isDamaged)
            Assert.That(backup.Warnings.Texts, Has.Some.Contains(Path.GetFileName(copy)));
        else
            await backup.AssertSoundAsync("after the repair");
    }

    // A disk that gives something else the second or the third time.
    [TestCase(2)]
    [TestCase(3)]
    public async Task What_is_recorded_of_a_volume_without_a_hash_is_what_was_compared(int changed)
    {
        using var backup = await OneVersionAsync();
        var path = backup.Volumes("dblock")[0];
        var name = Path.GetFileName(path);
        var other = backup.File("other");
        File.Copy(path, other);
        VolumeEdit.Flip(other, (int)(new FileInfo(other).Length / 2));
        backup.Sql($"""UPDATE "Remotevolume" SET "Hash" = NULL WHERE "Name" = '{name}'""");
        RemoteFolder.Through.Value = folder => new ChangingFolder(folder, name, other, changed);

        await backup.RepairAsync();

        RemoteFolder.Through.Value = null;
        await backup.AssertSoundAsync("after the repair");
    }

    [Test]
    public async Task A_volume_nobody_needs_is_dropped_with_its_index_when_it_is_missing()
    {
        using var backup = await OneVersionAsync();
        Directory.Delete(Path.Combine(backup.Source, "sizes"), recursive: true);
        await backup.BackUpAsync();
        await new DeleteOperation(backup.Options with { NoAutoCompact = true }, backup.Warnings).RunAsync([1], false, default);
        var unused = backup.Rows(
            """SELECT "Name" FROM "Remotevolume" v WHERE "Type" = 'Blocks' AND NOT EXISTS (SELECT * FROM "Block" b WHERE b."VolumeID" = v."ID")"""
        );
        Assume.That(unused, Is.Not.Empty);
        File.Delete(Path.Combine(backup.Remote, unused[0]));

        await backup.RepairAsync(s_rebuild);

        await backup.AssertSoundAsync("after the repair");
        Assert.That((await backup.TestAsync()).Differences, Is.Empty);
    }

    [Test]
    public async Task An_unknown_block_volume_is_kept_and_named_and_goes_on_demand_only()
    {
        using var backup = await OneVersionAsync();
        var unknown = Path.Combine(backup.Remote, $"duplicati-b{Guid.NewGuid():N}.dblock.zip");
        File.Copy(backup.Volumes("dblock")[0], unknown);

        var kept = await backup.RepairAsync();
        Assert.That(kept.UnknownFiles, Is.EqualTo(new[] { Path.GetFileName(unknown) }));
        Assert.That(File.Exists(unknown));

        var unseen = await backup.RepairAsync(new RepairChoices { DeleteUnknownFiles = true, Shown = [] });
        Assert.That((unseen.UnknownFiles.Count, File.Exists(unknown)), Is.EqualTo((1, true)));

        var report = await backup.RepairAsync(new RepairChoices { DeleteUnknownFiles = true });
        Assert.That((report.UnknownFiles.Count, File.Exists(unknown)), Is.EqualTo((0, false)));
        Assert.That(report.Deleted, Is.EqualTo(kept.UnknownFiles));
        await backup.AssertSoundAsync("after the deletion");
    }

    [Test]
    public async Task A_lost_volume_of_which_no_version_needs_a_block_is_forgotten([Values] bool purge)
    {
        using var backup = await OneVersionAsync();
        var older = backup.Volumes("dblock");
        // The folder as it was: its metadata would be in a new volume, and the version that was interrupted needs it.
        var time = Directory.GetLastWriteTimeUtc(backup.Source);
        SourceTree.Write(backup.Source, "large", 1_000_000, new Random(2));
        Directory.SetLastWriteTimeUtc(backup.Source, time);
        Assert.That(await backup.StopAsync(backup.BackUpAsync, "^Uploading .*[.]dblock[.]", nth: 4));
        await backup.RepairAsync();
        var lost = backup.Volumes("dblock").Except(older).First();
        File.Delete(lost);
        var refused = BackupCase.Refused("MissingRemoteFiles", backup.BackUpAsync);
        Assert.That(
            refused.Message,
            Is.EqualTo(
                $"Missing from the remote storage or not whole: 1 file, first {Path.GetFileName(lost)}. {Advice.MissingBlockVolumes()}"
            )
        );

        if (purge)
            Assert.That((await backup.PurgeBrokenAsync()).Losses, Is.Empty);
        else
            Assert.That((await backup.RepairAsync()).LostBlocks, Is.Zero);

        await backup.BackUpAsync();
        await backup.AssertRecreateEqualsAsync("after the next backup");
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(backup.Source)));
    }

    [TestCase("""SELECT "Hash" FROM "BlocklistHash" """)]
    [TestCase(
        """SELECT "b"."Hash" FROM "Metadataset" "m" JOIN "BlocksetEntry" "e" ON "e"."BlocksetID" = "m"."BlocksetID" JOIN "Block" "b" ON "b"."ID" = "e"."BlockID" """
    )]
    public async Task A_lost_volume_with_lists_of_blocks_or_metadata_is_not_forgotten(string hashes)
    {
        using var backup = await OneVersionAsync();
        LoseBlocks(backup, hashes);

        BackupCase.Refused("MissingDblockFiles", () => backup.RepairAsync());
    }

    [Test]
    public async Task A_lost_volume_is_not_forgotten_where_the_entries_of_a_version_are_gone()
    {
        using var backup = await OneVersionAsync();
        LoseBlocks(backup, "SELECT 'of nothing'");
        backup.Sql("""DELETE FROM "FilesetEntry" """);
        var before = backup.Dump().RowCounts["block"];

        BackupCase.Refused("MissingDblockFiles", () => backup.RepairAsync());
        var purge = Assert.ThrowsAsync<UserInformationException>(() => backup.PurgeBrokenAsync());

        Assert.That(purge!.Message, Does.EndWith(Advice.RecreateDatabase()));
        Assert.That(backup.Dump().RowCounts["block"], Is.EqualTo(before));
    }

    [Test]
    public async Task A_lost_volume_with_contents_of_no_version_is_forgotten()
    {
        using var backup = await OneVersionAsync();
        LoseBlocks(backup, "SELECT 'of nothing'");
        backup.Sql(
            """
            INSERT INTO "Blockset" ("Length", "FullHash") VALUES (7, 'of no version');
            INSERT INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID")
            SELECT (SELECT MAX("ID") FROM "Blockset"), 0, "ID" FROM "Block" WHERE "Hash" = 'of nothing'
            """
        );
        var dry = await new RepairOperation(backup.Options with { DryRun = true }, new RepairChoices(), backup.Warnings).RunAsync(default);

        var report = await backup.RepairAsync();

        Assert.That((report.Uploaded, report.Problems, report.LostBlocks), Is.EqualTo((dry.Uploaded, dry.Problems, dry.LostBlocks)));
        Assert.That(report.Problems, Is.Empty);
        await backup.AssertRecreateEqualsAsync("after the repair");
    }

    [Test]
    [Contract("B 6 step 5")]
    public async Task An_unknown_index_volume_is_used_again_if_it_says_what_the_database_says()
    {
        using var backup = await OneVersionAsync();
        var copy = $"duplicati-i{Guid.NewGuid():N}.dindex.zip";
        File.Copy(backup.Volumes("dindex")[0], Path.Combine(backup.Remote, copy));

        var report = await backup.RepairAsync(new RepairChoices { DeleteUnknownFiles = true });

        Assert.That((report.Adopted, report.Deleted.Count), Is.EqualTo((new[] { copy }, 0)));
        await backup.AssertRecreateEqualsAsync("after the repair");
        Assert.That((await backup.TestAsync()).Differences, Is.Empty);
    }

    [Test]
    public async Task An_unknown_index_volume_of_another_backup_is_not_used()
    {
        using var backup = await OneVersionAsync();
        using var other = await OneVersionAsync();
        var foreign = other.Volumes("dindex")[0];
        File.Copy(foreign, Path.Combine(backup.Remote, Path.GetFileName(foreign)));

        var report = await backup.RepairAsync();

        Assert.That((report.Adopted.Count, report.UnknownFiles), Is.EqualTo((0, new[] { Path.GetFileName(foreign) })));
    }

    [Test]
    public async Task A_version_without_a_list_does_not_take_one_that_says_something_else_nor_overwrites_it()
    {
        using var backup = await OneVersionAsync();
        var list = backup.Volumes("dlist")[0];
        backup.Sql(
            """
            DELETE FROM "Remotevolume" WHERE "Type" = 'Files';
            DELETE FROM "FilesetEntry" WHERE "FileID" = (SELECT MAX("FileID") FROM "FilesetEntry")
            """
        );
        var content = File.ReadAllBytes(list);

        var report = await backup.RepairAsync();

        Assert.That(
            (report.Adopted.Count, report.UnknownFiles, report.Uploaded.Count),
            Is.EqualTo((0, new[] { Path.GetFileName(list) }, 1))
        );
        Assert.That(File.ReadAllBytes(list), Is.EqualTo(content));
        Assert.That(report.Uploaded[0], Is.Not.EqualTo(Path.GetFileName(list)).And.Contain(".dlist."));
    }

    [Test]
    [Contract("B 6 step 3")]
    public async Task A_database_older_than_the_remote_folder_is_refused()
    {
        using var backup = await OneVersionAsync();
        File.Copy(backup.Options.DatabasePath, backup.File("old.sqlite"));
        await backup.BackUpAsync("new", 5000, 2);
        backup.Options = backup.Options with { DatabasePath = backup.File("old.sqlite") };

        BackupCase.Refused("RemoteFilesNewerThanLocalDatabase", () => backup.RepairAsync());
        var report = await backup.RepairAsync(new RepairChoices { IgnoreOutdatedDatabase = true });
        Assert.That(report.UnknownFiles, Is.Not.Empty.And.Some.Contain(".dlist."));
    }

    [Test]
    public async Task A_version_that_loses_entries_with_a_half_uploaded_volume_is_partial_and_its_list_says_so([Values] bool isStopped)
    {
        using var backup = await OneVersionAsync();
        var half = backup.Volumes("dblock")[0];
        await using (var file = new FileStream(half, FileMode.Open))
            file.SetLength(100);
        backup.Sql(
            $"""
            UPDATE "Remotevolume" SET "State" = 'Uploading' WHERE "Name" = '{Path.GetFileName(half)}' OR "Type" = 'Files';
            INSERT INTO "Configuration" ("Key", "Value") VALUES ('terminated-with-active-uploads', 'true')
            """
        );
        if (isStopped)
        {
            backup.Warnings.OnWarning = text =>
            {
                if (text.StartsWith("Never uploaded", StringComparison.Ordinal))
                    throw new OperationCanceledException();
            };
            Assert.CatchAsync<OperationCanceledException>(() => backup.RepairAsync());
            backup.Warnings.OnWarning = null;
        }

        await backup.RepairAsync();

        Assert.That(backup.IsFull(), Is.EqualTo(new int?[] { 0 }));
        Assert.That(File.Exists(half), Is.False);
        await backup.AssertSoundAsync("after the repair");
        await backup.RecreateAsync(backup.File("recreated.sqlite"));
        var differences = Databases.Compare(backup.Options.DatabasePath, backup.File("recreated.sqlite"), DumpComparisonOptions.Logical);
        Assert.That(
            differences.Where(x => x.Section is "filesets" or "remote_volumes" or "index_block_links").Select(x => x.ToString()),
            Is.Empty
        );
    }

    [TestCase("""DELETE FROM "Fileset" WHERE "ID" = (SELECT MIN("ID") FROM "Fileset")""")]
    [TestCase("""DELETE FROM "Remotevolume" WHERE "Type" = 'Index'""")]
    [TestCase("""DELETE FROM "Remotevolume" WHERE "Type" = 'Files'""")]
    [TestCase("""DELETE FROM "IndexBlockLink" WHERE "BlockVolumeID" = (SELECT MIN("BlockVolumeID") FROM "IndexBlockLink")""")]
    [TestCase("""DELETE FROM "BlocklistHash" """)]
    [TestCase("""DELETE FROM "FileLookup" WHERE "ID" = (SELECT MAX("ID") FROM "FileLookup")""")]
    [Contract("B 6 step 7")]
    [Contract("B 6 step 8")]
    [Contract("B 7 RepairHandlerTests")]
    public async Task Rows_that_are_lost_come_back_from_the_remote_folder_or_from_other_rows(string loss)
    {
        using var backup = await TwoVersionsAsync();
        File.Copy(backup.Options.DatabasePath, backup.File("whole.sqlite"));
        backup.Sql(loss);

        await backup.RepairAsync();

        await backup.AssertSoundAsync(loss);
        var differences = Databases.Compare(backup.File("whole.sqlite"), backup.Options.DatabasePath, DumpComparisonOptions.Logical);
        Assert.That(differences.Where(x => x.Section is "filesets" or "blocks" or "blocksets").Select(x => x.ToString()), Is.Empty);
        await backup.AssertRecreateEqualsAsync(loss);
    }

    // By a first backup that has just begun.
    [Test]
    public async Task A_database_without_volumes_that_another_program_has_open_is_not_put_aside()
    {
        using var backup = await OneVersionAsync();
        backup.Sql("""DELETE FROM "Remotevolume" """);
        using var other = Databases.Open(backup.Options.DatabasePath);
        other.Execute("PRAGMA journal_mode = WAL; PRAGMA user_version = 1");

        var failure = Assert.CatchAsync<UserInformationException>(() => backup.RepairAsync());

        Assert.That(failure!.HelpID, Is.EqualTo("DatabaseIsBusy"));
        Assert.That(File.Exists(backup.Options.DatabasePath), Is.True);
        Assert.That(File.Exists(backup.Options.DatabasePath + ".backup"), Is.False);
    }

    [Test]
    public async Task A_version_whose_list_is_missing_is_told_where_a_damaged_database_is_made_anew()
    {
        using var backup = await OneVersionAsync();
        await backup.BackUpAsync("more", 5000, 2);
        File.Delete(backup.Volumes("dlist")[0]);
        Databases.ZeroPage(backup.Options.DatabasePath, "BlocksetEntry");

        var report = await backup.RepairAsync();

        Assert.That(report.Recreated!.LostVersions, Has.Count.EqualTo(1));
        Assert.That(
            report.Problems,
            Has.One.StartsWith($"The remote folder has no list of the version of {report.Recreated.LostVersions[0]:u}")
        );
        Assert.That(report.Recreated.OldDatabase, Does.Exist);
    }

    [Test]
    [Contract("B 6")]
    public async Task A_database_without_volumes_or_a_damaged_one_is_put_aside_and_made_anew()
    {
        using var backup = await OneVersionAsync();
        File.Copy(backup.Options.DatabasePath, backup.File("whole.sqlite"));
        backup.Sql("""DELETE FROM "Remotevolume" """);
        Assert.That((await backup.RepairAsync()).Recreated, Is.Not.Null);
        Assert.That(File.Exists(backup.Options.DatabasePath + ".backup"));

        await using (var file = new FileStream(backup.Options.DatabasePath, FileMode.Open))
        {
            // The pages of the tables; the header still says what it is.
            file.Position = 4096;
            file.Write(new byte[(int)file.Length - 4096]);
        }

        Assert.That((await backup.RepairAsync()).Recreated, Is.Not.Null);
        Assert.That(File.Exists(backup.Options.DatabasePath + ".backup-1"));
        Databases.AssertEqual(backup.File("whole.sqlite"), backup.Options.DatabasePath);
    }

    [Test]
    public async Task A_database_put_aside_comes_back_when_the_folder_has_nothing_to_recreate_from()
    {
        using var backup = await OneVersionAsync();
        backup.Sql("""DELETE FROM "Remotevolume" """);
        foreach (var file in Directory.GetFiles(backup.Remote))
            File.Delete(file);

        BackupCase.Refused("EmptyRemoteLocation", () => backup.RepairAsync());
        Assert.That(
            (File.Exists(backup.Options.DatabasePath), File.Exists(backup.Options.DatabasePath + ".backup")),
            Is.EqualTo((true, false))
        );
    }

    [TestCase("dlist")]
    [TestCase("dindex")]
    [TestCase("dblock")]
    public async Task A_truncated_volume_is_made_anew_and_kept_beside(string kind)
    {
        using var backup = await OneVersionAsync();
        var restored = await backup.RestoredAsync(0);
        var damaged = backup.Volumes(kind)[0];
        VolumeEdit.Cut(damaged);

        var left = await File.ReadAllBytesAsync(damaged);

        var report = await backup.RepairAsync();

        Assert.That((report.Problems.Count, File.Exists(damaged)), Is.EqualTo((0, false)), string.Join('\n', report.Problems));
        Assert.That(report.KeptDamaged, Is.EqualTo(new[] { "damaged-" + Path.GetFileName(damaged) }));
        Assert.That(await File.ReadAllBytesAsync(Path.Combine(backup.Remote, report.KeptDamaged[0])), Is.EqualTo(left));
        await backup.AssertRecreateEqualsAsync("after the repair");
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(restored));
    }

    [Test]
    public async Task A_repair_interrupted_at_any_step_is_finished_by_the_next([Values] bool all, [Values] bool damaged)
    {
        using var backup = await OneVersionAsync();
        var restored = await backup.RestoredAsync(0);
        var step = 0;
        do
        {
            if (damaged)
                VolumeEdit.Cut(backup.Volumes("dblock")[0]);
            else
                File.Delete(backup.Volumes("dblock")[0]);
            File.Delete(backup.Volumes("dindex")[^1]);
            if (all)
                File.Delete(backup.Volumes("dlist")[0]);
        } while (await InterruptAsync(backup, ++step));

        Assert.That(step, Is.GreaterThan(4), "there is something to interrupt");
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(restored));
    }

    [Test]
    [Contract("C 6.3")]
    public async Task A_test_makes_faulty_index_volumes_anew_on_demand()
    {
        using var backup = await OneVersionAsync();
        var faulty = backup.Volumes("dindex")[0];
        await using (var file = new FileStream(faulty, FileMode.Open))
        {
            file.Position = file.Length / 2;
            file.Write("damage"u8);
        }

        var first = await backup.TestAsync();
        Assert.That((first.Differences.Count, first.ReplacedIndexVolumes.Count, File.Exists(faulty)), Is.EqualTo((1, 0, true)));
        backup.Options = backup.Options with { ReplaceFaultyIndexVolumes = true };
        var second = await backup.TestAsync();
        Assert.That((second.ReplacedIndexVolumes, File.Exists(faulty)), Is.EqualTo((new[] { Path.GetFileName(faulty) }, false)));
        var third = await backup.TestAsync();
        Assert.That((third.Differences.Count, third.ReplacedIndexVolumes.Count), Is.EqualTo((0, 0)));
        await backup.AssertRecreateEqualsAsync("after the test");
    }

    // The list is read into the version of its row, which is lost, or into that of a file that is lost. It stops at an entry that it warns
    // of.
    [TestCase("""DELETE FROM "Fileset" """)]
    [TestCase("""DELETE FROM "FileLookup" WHERE "ID" = (SELECT MIN("ID") FROM "FileLookup")""")]
    public async Task A_list_that_is_not_read_to_its_end_leaves_no_half_of_a_version(string loss)
    {
        const string VERSIONS =
            """SELECT "ID", "IsFullBackup", (SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = "Fileset"."ID") FROM "Fileset" """;
        using var backup = await OneVersionAsync();
        backup.Sql("""UPDATE "FileLookup" SET "Path" = '../' || "Path" WHERE "Path" = '10240'""");
        File.Delete(backup.Volumes("dlist")[0]);
        await backup.RepairAsync();
        var entries = Entries();
        backup.Sql(loss);
        var before = backup.Rows(VERSIONS);

        var progress = new WarningList { OnWarning = text => throw new OperationCanceledException(text) };
        Assert.That(
            async () => await new RepairOperation(backup.Options, new RepairChoices(), progress).RunAsync(default),
            Throws.TypeOf<OperationCanceledException>().With.Message.StartsWith("Left out")
        );

        Assert.That(backup.Rows(VERSIONS), Is.EqualTo(before));
        await backup.RepairAsync();
        Assert.That(Entries(), Is.EqualTo(entries - 1));
        await backup.AssertSoundAsync("after the second repair");

        int Entries() => backup.Dump().Filesets.Single().Entries.Count();
    }

    [Test]
    public async Task A_list_of_no_version_that_cannot_be_read_is_a_problem_and_nothing_is_dropped_for_it(
        [Values] bool isCut,
        [Values] bool withEntries
    )
    {
        using var backup = await TwoVersionsAsync();
        backup.Sql("""DELETE FROM "Fileset" WHERE "ID" = 1""");
        if (withEntries)
            backup.Sql("""DELETE FROM "FilesetEntry" WHERE "FilesetID" = 1""");
        var list = backup.Volumes("dlist")[0];
        var whole = await File.ReadAllBytesAsync(list);
        var damaged = isCut ? whole[..(whole.Length / 2)] : new byte[whole.Length];
        await File.WriteAllBytesAsync(list, damaged);
        var before = RowCounts(backup);

        foreach (var when in (string[])["first", "second"])
        {
            var report = await backup.RepairAsync();

            Assert.That(report.Problems.Where(x => x.Contains(Path.GetFileName(list), StringComparison.Ordinal)), Is.Not.Empty, when);
            Assert.That(await File.ReadAllBytesAsync(list), Is.EqualTo(damaged), when);
            Assert.That(RowCounts(backup), Is.EqualTo(before), when);
        }

        Assert.That(backup.Dump().Filesets.First().IsFull, Is.Zero);
        // What is advised.
        await File.WriteAllBytesAsync(list, whole);
        await backup.UseRecreatedAsync();
        await backup.AssertSoundAsync("recreated");
        await backup.RestoredAsync(1);
    }

    /// <summary>Stops a repair at its n-th message, as a kill would, and finishes with another one.</summary>
    /// <returns>False if the first one came to its end.</returns>
    private static async Task<bool> InterruptAsync(BackupCase backup, int step)
    {
        var interrupted = await backup.StopAsync(() => backup.RepairAsync(s_rebuild), "", step);
        var report = await backup.RepairAsync(s_rebuild);
        Assert.That(
            (report.LostBlocks, report.Problems.Count, report.UnknownFiles.Count),
            Is.EqualTo((0L, 0, 0)),
            $"after an interruption at step {step}"
        );
        await backup.AssertRecreateEqualsAsync($"after an interruption at step {step}");
        return interrupted;
    }

    /// <summary>Puts the blocks of some hashes, and one of the hash "of nothing", into a volume that is gone.</summary>
    private static void LoseBlocks(BackupCase backup, string hashes) =>
        backup.Sql(
            $"""
            INSERT INTO "Remotevolume" ("OperationID", "Name", "Type", "Size", "Hash", "State", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime")
            SELECT "OperationID", 'duplicati-b{Guid.NewGuid():N}.dblock.zip', "Type", "Size", "Hash", "State", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime"
            FROM "Remotevolume" WHERE "Type" = 'Blocks' LIMIT 1;
            INSERT INTO "Block" ("Hash", "Size", "VolumeID") SELECT 'of nothing', 7, MAX("ID") FROM "Remotevolume";
            UPDATE "Block" SET "VolumeID" = (SELECT MAX("ID") FROM "Remotevolume") WHERE "Hash" IN ({hashes})
            """
        );

    private static Task<BackupCase> OneVersionAsync(Func<EngineOptions, EngineOptions>? change = null) => BackupCase.MadeAsync(7, change);

    private static async Task<BackupCase> TwoVersionsAsync(Func<EngineOptions, EngineOptions>? change = null)
    {
        var backup = await OneVersionAsync(change);
        SourceTree.Change(backup.Source, new Random(8));
        await backup.BackUpAsync();
        return backup;
    }

    private static List<long> RowCounts(BackupCase backup)
    {
        var counts = backup.Dump().RowCounts;
        return [counts["filelookup"], counts["blockset"], counts["block"]];
    }

    private static void LeaveFile(BackupCase backup) =>
        backup.Sql(
            """
            INSERT INTO "FileLookup" ("PrefixID", "Path", "BlocksetID", "MetadataID")
            SELECT "PrefixID", 'left behind', "BlocksetID", "MetadataID" FROM "FileLookup" WHERE "BlocksetID" > 0 LIMIT 1
            """
        );

    private static void RegisterCopies(BackupCase backup, string from, string to) =>
        backup.Sql(
            $"""
            INSERT INTO "Remotevolume" ("OperationID", "Name", "Type", "Size", "Hash", "State", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime")
            SELECT "OperationID", '{to}', "Type", "Size", "Hash", "State", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime" FROM "Remotevolume" WHERE "Name" = '{from}';
            INSERT INTO "DuplicateBlock" ("BlockID", "VolumeID")
            SELECT "b"."ID", (SELECT "ID" FROM "Remotevolume" WHERE "Name" = '{to}')
            FROM "Block" "b" WHERE "b"."VolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = '{from}')
            """
        );

    // Gives another content of a file from its nth fetch on.
    private sealed class ChangingFolder(IRemoteFolder folder, string name, string other, int changed)
        : WatchedFolder(folder, static _ => { })
    {
        private int m_fetched;

        public override Stream? OpenLocal(string file) =>
            file == name && Interlocked.Increment(ref m_fetched) >= changed ? File.OpenRead(other) : base.OpenLocal(file);
    }
}
