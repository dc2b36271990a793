// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>
/// Backups in a process of their own are killed around their uploads, and continued. The long run:
/// <c>dotnet test Duplicati.UnitTest -c Release --filter "TestCategory=Long&amp;FullyQualifiedName~InterruptedBackupTests"</c>.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class InterruptedBackupTests
{
    private const int MostMicroseconds = 2000;
    private const string Deleted = "Deleted";

    [TestCase(4)]
    [TestCase(300, Explicit = true, Category = LongRun.Category)]
    public async Task A_killed_backup_is_continued(int rounds)
    {
        rounds = LongRun.Count(rounds);
        var random = new Random(LongRun.Seed());
        using var backup = new BackupCase(x => x with { VolumeSize = 20 * 1024, SmallFileMaxCount = 4 });
        SourceTree.Make(backup.Source, random);
        if (random.Next(2) == 0)
            await backup.BackUpAsync();
        var made = 0;
        // Some kills come before anything was recorded; so many times as often is tried until one does not.
        const int MOST = 10;
        for (var round = 0; round < rounds || (made == 0 && round < MOST * rounds); round++)
        {
            Change(backup.Source, round, random);
            for (var kills = random.Next(1, 3); kills > 0; kills--)
            {
                Kill(backup, random);
                AssertSoundAfterKill(backup, $"round {round}");
            }

            made += await ContinueAsync(backup, $"round {round}", random) ? 1 : 0;
        }

        TestContext.Out.WriteLine($"{made} rounds made a version of what had been recorded");
        Assert.That(made, Is.Positive);
    }

    [Test]
    public async Task A_backup_killed_at_its_list_leaves_nothing_to_read_again_and_is_followed_by_a_full_version()
    {
        using var backup = new BackupCase();
        SourceTree.Make(backup.Source, new Random(1));
        Kill(backup, "dlist", 0);
        var volumes = backup.Volumes("dblock");

        var report = await backup.BackUpAsync();

        Assert.That((report.NewVersion, report.NewBlocks), Is.EqualTo((true, 0)), "nothing has changed, but the version there is partial");
        Assert.That(backup.Volumes("dblock"), Is.EqualTo(volumes));
        Assert.That(backup.IsFull(), Is.EqualTo((long?[])[0, 1]));
        Assert.That(await backup.RestoredAsync(1), Is.EqualTo(await backup.RestoredAsync(0)));
        await backup.AssertRecreateEqualsAsync("after the second backup");
    }

    [Test]
    public async Task Without_a_synthetic_list_blocks_are_used_but_no_version_is_made()
    {
        using var backup = new BackupCase(x => x with { DisableSyntheticFilelist = true });
        SourceTree.Make(backup.Source, new Random(1));
        Kill(backup, "dlist", 0);

        var report = await backup.BackUpAsync();

        Assert.That((report.NewVersion, report.NewBlocks), Is.EqualTo((true, 0)));
        Assert.That(backup.IsFull(), Is.EqualTo((long?[])[1]));
        await backup.AssertRecreateEqualsAsync("after the second backup");
    }

    // A repair keeps what was recorded, for a version to be made of it, but not that a backup was interrupted.
    [Test]
    public async Task What_only_the_interrupted_backup_had_is_not_left_in_the_database([Values] bool isRepaired)
    {
        using var backup = new BackupCase(x => x with { DisableSyntheticFilelist = true });
        SourceTree.Make(backup.Source, new Random(1));
        Kill(backup, "dlist", 0);
        Directory.Delete(Path.Combine(backup.Source, "sizes"), recursive: true);
        if (isRepaired)
            await backup.RepairAsync();

        await backup.BackUpAsync();

        var dump = backup.Dump();
        Assert.That(dump.FilesWithoutFileset, Is.Empty);
        Assert.That(dump.DeletedBlocks, Is.Not.Empty);
        await backup.AssertRecreateEqualsAsync("after the second backup");
    }

    // The upload had not begun, or was cut: the volume is forgotten, or deleted.
    [TestCase(null)]
    [TestCase("half")]
    public async Task Copies_that_an_interrupted_compact_had_registered_go_with_their_volume(string? content)
    {
        using var backup = await BackupCase.MadeAsync();
        const string Lost = "duplicati-b0123456789abcdef0123456789abcdef.dblock.zip";
        backup.Sql(
            $"""
            INSERT INTO "Remotevolume" ("OperationID", "Name", "Type", "Size", "State", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime")
            VALUES (1, '{Lost}', 'Blocks', 5000, 'Uploading', 0, 0, 0, 0);
            INSERT INTO "DuplicateBlock" ("BlockID", "VolumeID") SELECT "ID", (SELECT "ID" FROM "Remotevolume" WHERE "Name" = '{Lost}') FROM "Block" LIMIT 5
            """
        );

        if (content is not null)
            await File.WriteAllTextAsync(Path.Combine(backup.Remote, Lost), content);

        await backup.CompactAsync();

        var dump = backup.Dump();
        Assert.That(dump.RowCounts["duplicateblock"], Is.Zero);
        Assert.That(
            dump.RemoteVolumes.Where(x => x.Name == Lost).Select(x => x.State),
            content is null ? Is.Empty : Is.EqualTo((string[])[Deleted])
        );
        await backup.AssertRecreateEqualsAsync("after the compact");
    }

    [TestCase(0, Description = "the interrupted backup itself")]
    [TestCase(1)]
    public async Task Operations_between_a_kill_and_the_next_backup_leave_to_it_what_was_recorded(int deleted)
    {
        using var backup = await BackupCase.MadeAsync(change: x => x with { SmallFileMaxCount = 1 });
        SourceTree.Change(backup.Source, new Random(2));
        Kill(backup, "dlist", 0);
        // The remote store shows a part of the list.
        var list = backup.Dump().Filesets.Last().Volume!;
        await File.WriteAllTextAsync(Path.Combine(backup.Remote, list), "half");

        await backup.DeleteAsync(new DeleteChoices { Versions = [deleted], AllowAll = deleted != 0 });
        await backup.CompactAsync();
        await backup.PurgeAsync("*/no such file");

        var between = backup.Dump();
        Assert.That(between.Configuration, Contains.Key("terminated-with-active-uploads"));
        Assert.That(between.Filesets.Select(x => x.Volume == list), Is.EqualTo((bool[])[deleted != 0]));
        var report = await backup.BackUpAsync();
        Assert.That(report.NewBlocks, deleted == 0 ? Is.Positive : Is.Zero);
        var after = backup.Dump();
        Assert.That(after.Filesets.Select(x => x.IsFull), Is.EqualTo((long?[])[deleted == 0 ? 1 : 0, 1]));
        Assert.That(after.Configuration, Does.Not.ContainKey("terminated-with-active-uploads"));
        await backup.AssertRecreateEqualsAsync("after the second backup");
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(backup.Source)));
    }

    // As when the disk becomes full, or the backup is stopped, once the version is begun that is to hold what the killed one had recorded.
    [TestCase("backup")]
    [TestCase("delete")]
    [TestCase("compact")]
    [TestCase("purge")]
    [TestCase("repair")]
    public async Task What_was_recorded_is_kept_by_operations_after_one_that_had_only_begun_its_version(string between)
    {
        using var backup = await BackupCase.MadeAsync();
        SourceTree.Write(backup.Source, "precious", 3000, new Random(2));
        var recorded = SourceTree.Describe(backup.Source);
        Kill(backup, "dlist", 0);
        File.Delete(Path.Combine(backup.Source, "precious"));
        backup.Sql("""CREATE TRIGGER "Full" BEFORE INSERT ON "FilesetEntry" BEGIN SELECT RAISE(ABORT, 'full'); END""");
        Assert.That(backup.BackUpAsync, Throws.InstanceOf<Microsoft.Data.Sqlite.SqliteException>());
        backup.Sql("""DROP TRIGGER "Full" """);
        var left = backup.Dump();
        Assert.That(left.Filesets.Select(x => x.Entries.Any()), Is.EqualTo((bool[])[true, true, false]));

        switch (between)
        {
            case "delete":
                await backup.DeleteAsync(new DeleteChoices { KeepVersions = 9 });
                break;
            case "compact":
                await backup.CompactAsync();
                break;
            case "purge":
                await backup.PurgeAsync("*/no such file");
                break;
            case "repair":
                await backup.RepairAsync();
                break;
        }

        await backup.BackUpAsync();
        Assert.That(backup.IsFull(), Is.EqualTo((long?[])[1, 0, 1]), "the recorded one is partial");
        Assert.That(await backup.RestoredAsync(1), Is.EqualTo(recorded));
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(backup.Source)));
        await backup.AssertRecreateEqualsAsync("after the last backup");
    }

    [Test]
    [Platform(Exclude = "Win")]
    public async Task A_folder_that_became_a_link_has_nothing_below_it_in_the_version_of_a_killed_backup()
    {
        using var backup = new BackupCase();
        SourceTree.Write(backup.Source, "changing/inner/file", 3000, new Random(1));
        await backup.BackUpAsync("other/file", 3000, 2);
        Directory.Delete(Path.Combine(backup.Source, "changing"), recursive: true);
        Directory.CreateSymbolicLink(Path.Combine(backup.Source, "changing"), "other");
        Kill(backup, "dlist", 0);

        await backup.BackUpAsync();

        Assert.That(await backup.RestoredAsync(1), Is.EqualTo(SourceTree.Describe(backup.Source)), "of the killed one");
        await backup.AssertSoundAsync("after the second backup");
    }

    [Test]
    public async Task What_an_interrupted_purge_has_left_is_dropped_and_no_version_is_made_of_it([Values] bool isPurgedAgain)
    {
        using var backup = new BackupCase();
        SourceTree.Write(backup.Source, "gone", 3000, new Random(1));
        SourceTree.Write(backup.Source, "secret", 3000, new Random(2));
        await backup.BackUpAsync("kept", 3000, 3);
        File.Delete(Path.Combine(backup.Source, "gone"));
        File.Delete(Path.Combine(backup.Source, "secret"));
        await backup.BackUpAsync("new", 3000, 4);
        var versions = new[] { await backup.RestoredAsync(0), await backup.RestoredAsync(1) };
        Assert.That(await backup.StopAsync(() => backup.PurgeAsync("*/secret"), "^Uploading "));

        if (isPurgedAgain)
            await backup.PurgeAsync("*/secret");
        await backup.BackUpAsync("newer", 3000, 5);

        var after = backup.Dump();
        Assert.That(after.Filesets.Select(x => x.IsFull), Is.EqualTo((long?[])[1, 1, 1]));
        Assert.That(after.RemoteVolumes.Select(x => x.State), Is.All.EqualTo("Verified").Or.EqualTo(Deleted));
        Assert.That(await backup.RestoredAsync(1), Is.EqualTo(versions[0]));
        Assert.That(
            await backup.RestoredAsync(2),
            Is.EqualTo(versions[1].Where(x => !isPurgedAgain || !x.Contains("secret", StringComparison.Ordinal)))
        );
        await backup.AssertRecreateEqualsAsync("after the backup");
    }

    [Test]
    public async Task The_only_version_that_was_uploaded_goes_with_no_rule_and_not_unasked()
    {
        using var backup = await BackupCase.MadeAsync();
        SourceTree.Change(backup.Source, new Random(2));
        Kill(backup, "dlist", 0);
        Assert.That(backup.IsFull(), Is.EqualTo((long?[])[1, 1]), "the list says that it is complete");

        foreach (
            var rule in new[]
            {
                new DeleteChoices { KeepVersions = 1 },
                new DeleteChoices { KeepSince = DateTime.UtcNow },
                new DeleteChoices { Policy = RetentionPolicy.Parse("1s:U") },
            }
        )
            Assert.That((await backup.DeleteAsync(rule)).DeletedVersions, Is.Zero);
        BackupCase.Refused("CannotDeleteAllVersions", () => backup.DeleteAsync(1));

        Assert.That(backup.Volumes("dlist"), Has.Length.EqualTo(1));
        await backup.BackUpAsync();
        Assert.That((await backup.DeleteAsync(new DeleteChoices { KeepVersions = 1 })).DeletedVersions, Is.EqualTo(2));
        await backup.AssertRecreateEqualsAsync("after the deletion");
    }

    [Test]
    public async Task No_upload_goes_on_behind_a_backup_that_was_cancelled()
    {
        using var backup = new BackupCase();
        SourceTree.Make(backup.Source, new Random(1));
        using var stop = new CancellationTokenSource();
        using var ended = new ManualResetEventSlim();
        var isBehind = false;
        Task<BackupReport>? running = null;
        var progress = new WarningList
        {
            OnMessage = text =>
            {
                if (!text.StartsWith("Uploading", StringComparison.Ordinal) || stop.IsCancellationRequested)
                    return;

                stop.Cancel();
                isBehind = SpinWait.SpinUntil(() => Volatile.Read(ref running)?.IsCompleted == true, TimeSpan.FromSeconds(1));
                ended.Set();
            },
        };

        Volatile.Write(ref running, Task.Run(() => new BackupOperation(backup.Options, progress).RunAsync([backup.Source], stop.Token)));
        Assert.That(async () => await running, Throws.InstanceOf<OperationCanceledException>());

        Wait.For(ended, "the upload");
        Assert.That(isBehind, Is.False);
    }

    [Test]
    public async Task What_the_remote_does_not_delete_is_tried_again_and_keeps_nobody_from_backing_up()
    {
        const string Half = "duplicati-b0123456789abcdef0123456789abcdef.dblock.zip";
        using var backup = await BackupCase.MadeAsync();
        SourceTree.Change(backup.Source, new Random(2));
        await backup.BackUpAsync();
        Assert.That(await backup.StopAsync(() => backup.DeleteAsync(1), "^Deleting "));
        backup.Sql(
            $"""
            INSERT INTO "Remotevolume" ("OperationID", "Name", "Type", "Size", "State", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime")
            VALUES (1, '{Half}', 'Blocks', 5000, 'Uploading', 0, 0, 0, 0)
            """
        );

        await File.WriteAllTextAsync(Path.Combine(backup.Remote, Half), "half");
        for (var round = 1; round <= 2; round++)
        {
            using var local = RemoteFolder.Open(backup.Options, SilentProgress.Instance);
            await using var database = await LocalDatabase.CreateLocalDatabaseAsync(
                backup.Options.DatabasePath,
                "Test",
                true,
                null,
                default
            );
            var inventory = new RemoteInventory(database, new KeepingFolder(local), "duplicati", backup.Warnings);
            await inventory.AnalyseAsync(default);
            inventory.ThrowIfDifferent();
            await inventory.SettleAsync(default);
            Assert.That(backup.Warnings.Texts.Count(x => x.Contains("cannot be deleted", StringComparison.Ordinal)), Is.EqualTo(2 * round));
            Assert.That(
                backup.Rows("""SELECT "Type" FROM "Remotevolume" WHERE "State" = 'Deleting'"""),
                Is.EqualTo((string[])["Blocks", "Files"])
            );
        }

        await backup.BackUpAsync("more", 5000, 3);
        Assert.That(backup.Volumes("dlist"), Has.Length.EqualTo(2));
        Assert.That(File.Exists(Path.Combine(backup.Remote, Half)), Is.False);
        await backup.AssertRecreateEqualsAsync("after the next backup");
    }

    // Of a killed backup, which is given up then, and of a damaged list.
    [Test]
    public async Task A_purge_passes_over_a_version_without_entries([Values] bool isKilled)
    {
        using var backup = await BackupCase.MadeAsync();
        SourceTree.Change(backup.Source, new Random(2));
        if (isKilled)
            Kill(backup, "dlist", 0);
        else
            await backup.BackUpAsync();
        backup.Sql(
            """DELETE FROM "FilesetEntry" WHERE "FilesetID" = (SELECT MAX("ID") FROM "Fileset"); DELETE FROM "FileLookup" WHERE "ID" NOT IN (SELECT "FileID" FROM "FilesetEntry")"""
        );

        var report = await backup.PurgeAsync("*1");

        Assert.That(report.Rewritten, Has.Count.EqualTo(1));
        if (!isKilled)
            return;
        await backup.BackUpAsync();
        await backup.AssertSoundAsync("after the next backup");
    }

    [Test]
    public async Task A_deletion_ends_when_what_was_chosen_goes_with_an_interrupted_backup_and_never_takes_the_last_version()
    {
        using var backup = await BackupCase.MadeAsync();
        var expected = SourceTree.Describe(backup.Source);
        foreach (var deleted in (int[])[0, 1])
        {
            // Nothing of the source is as it was, and nothing arrives of the first block volume.
            Directory.Delete(backup.Source, recursive: true);
            SourceTree.Write(backup.Source, "all there is", 100_000, new Random(deleted));
            Kill(backup, "dblock", 0);
            Assert.That(backup.Dump().Filesets.Count(), Is.EqualTo(2), "the interrupted backup is listed");
            if (deleted == 0)
                Assert.That((await backup.DeleteAsync(deleted)).DeletedVersions, Is.Zero, "it was gone already");
            else
                Assert.That(
                    async () => await backup.DeleteAsync(deleted),
                    Throws.InstanceOf<UserInformationException>().With.Message.Contains("every version there is")
                );
            Assert.That(await backup.RestoredAsync(0), Is.EqualTo(expected));
            Assert.That(backup.Dump().Filesets.Count(), Is.EqualTo(1));
        }
    }

    [Test]
    public async Task A_new_version_is_younger_than_the_newest_one_whatever_the_clock_says()
    {
        using var backup = await BackupCase.MadeAsync();
        var future = DateTimeOffset.UtcNow.AddDays(1).ToUnixTimeSeconds();
        backup.Sql($"""UPDATE "Fileset" SET "Timestamp" = {future}""");
        SourceTree.Change(backup.Source, new Random(2));

        await backup.BackUpAsync();

        Assert.That(backup.Dump().Filesets.Last().Timestamp, Is.EqualTo(future + 1));
        Assert.That(backup.Warnings.Texts, Has.Count.EqualTo(1));
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(backup.Source)));
    }

    private static void AssertSoundAfterKill(BackupCase backup, string when)
    {
        using var folder = new TestFolder();
        Databases.CopyKilled(backup.Options.DatabasePath, folder.File("copy.sqlite"));
        if (File.Exists(folder.File("copy.sqlite")))
            Databases.AssertSound(folder.File("copy.sqlite"), when);
    }

    /// <summary>Backs up once more after kills, and checks everything.</summary>
    /// <returns>True if a version was made of what had been recorded.</returns>
    private static async Task<bool> ContinueAsync(BackupCase backup, string when, Random random)
    {
        Upload(backup, random);
        if (random.Next(3) == 0)
            Change(backup.Source, -1, random);
        if (random.Next(3) == 0)
            await backup.CompactAsync();
        var before = backup.Dump();
        await backup.BackUpAsync();
        var after = backup.Dump();

        var isMade = AssertRecordedIsKept(before, after, when);
        Assert.That(
            Directory.GetFiles(backup.Remote).Select(Path.GetFileName),
            Is.EquivalentTo(after.RemoteVolumes.Where(x => x.State != Deleted).Select(x => x.Name)),
            when
        );
        Assert.That(after.RemoteVolumes.Select(x => x.State), Is.All.EqualTo("Verified").Or.EqualTo(Deleted), when);
        Assert.That(after.Configuration.Keys, Has.None.EqualTo("terminated-with-active-uploads"), when);
        Assert.That(after.DuplicateBlocks, Is.Empty, when);
        Assert.That(
            after.IndexBlockLinks.Select(x => x.BlockVolume),
            Is.EquivalentTo(after.RemoteVolumes.Where(x => x is { Type: "Blocks", State: not Deleted }).Select(x => x.Name)),
            when
        );
        await backup.AssertRecreateEqualsAsync(when);
        for (var version = after.Filesets.Count() - 1; version > 0; version--)
            await backup.RestoredAsync(version);
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(backup.Source)), when);
        if (after.Filesets.Count() > 4)
            await backup.DeleteAsync(3, 4);
        return isMade;
    }

    // What was recorded and is not in a lost volume is in a partial version now, and nothing that was in neither version.
    private static bool AssertRecordedIsKept(DatabaseDump before, DatabaseDump after, string when)
    {
        var lists = before.RemoteVolumes.ToDictionary(x => x.Name, x => x.State);
        var interrupted = before
            .Filesets.Where(x => lists[x.Volume!] is "Temporary" or "Uploading" && x.Entries.Any())
            .OrderBy(x => x.Timestamp)
            .LastOrDefault();
        if (interrupted is null || after.Filesets.Any(x => x.Volume == interrupted.Volume))
            return false;

        var made = after.Filesets.FirstOrDefault(x =>
            x.IsFull == 0 && x.Timestamp > interrupted.Timestamp && !before.Filesets.Any(y => y.Volume == x.Volume)
        );
        var isWhole = before.RemoteVolumes.All(x => x.Type != "Blocks" || x.State is "Uploaded" or "Verified" or Deleted);
        Assert.That(made, isWhole ? Is.Not.Null : Is.Null.Or.Not.Null, when);
        if (made is null)
            return false;

        if (isWhole)
            Assert.That(interrupted.Entries, Is.SubsetOf(made.Entries), when);
        Assert.That(made.Entries, Is.SubsetOf(before.Filesets.SelectMany(x => x.Entries)), when);
        Assert.That(made.Entries.Select(x => x.Path.TrimEnd('/')), Is.Unique, when);
        return true;
    }

    private static void Change(string root, int round, Random random)
    {
        SourceTree.Write(root, $"added/{round}", random.Next(1, 60_000), random);
        SourceTree.Write(root, $"changing/{random.Next(3)}", random.Next(1, 90_000), random);
        // A folder becomes a file, and the other way round.
        var name = Path.Combine(root, $"kind/{random.Next(3)}");
        if (Directory.Exists(name))
            Directory.Delete(name, recursive: true);
        else if (File.Exists(name))
            File.Delete(name);
        SourceTree.Write(root, Path.GetRelativePath(root, name) + (random.Next(2) == 0 ? "/inner" : ""), random.Next(20_000), random);
        if (random.Next(3) == 0)
            File.Delete(Path.Combine(root, $"added/{round - random.Next(1, 4)}"));
    }

    // What a remote store shows of uploads that a killed process had begun: nothing, a part, or the whole file. No list is there that was
    // not recorded as being uploaded: that tells of another database.
    private static void Upload(BackupCase backup, Random random)
    {
        foreach (
            var volume in backup.Dump().RemoteVolumes.Where(x => x.State == "Uploading" || x is { State: "Temporary", Type: not "Files" })
        )
        {
            var path = Path.Combine(backup.Remote, volume.Name);
            if (!File.Exists(path) && random.Next(3) == 0)
                File.WriteAllBytes(path, new byte[random.Next(2) * random.Next(1000)]);
        }
    }

    private static void Kill(BackupCase backup, Random random) => Kill(backup, $"{random.Next(1, 14)}", random.Next(1, MostMicroseconds));

    /// <summary>Runs a backup that dies at a message, given by its number or by what it contains, or so many microseconds later.</summary>
    internal static void Kill(BackupCase backup, string message, int microseconds)
    {
        var (_, _, error) = KilledChild.Run<BackupChild>(
            backup.File("temporary"),
            backup.Remote,
            backup.Options.DatabasePath,
            backup.Source,
            $"{backup.Options.VolumeSize}",
            message,
            $"{microseconds}"
        );
        Assert.That(error, Is.Empty);
    }

    private sealed class KeepingFolder(IRemoteFolder folder) : WatchedFolder(folder, static _ => { })
    {
        public override Task DeleteAsync(string name, CancellationToken token) => throw new UnauthorizedAccessException($"{name} is kept");
    }

    /// <summary>Dies at a message of the backup, or a little later.</summary>
    private sealed class Dying(string message, int microseconds) : IEngineProgress
    {
        private int m_messages;

        public void Message(string text)
        {
            var number = Interlocked.Increment(ref m_messages);
            if (microseconds == 0 && text.Contains(message, StringComparison.Ordinal))
                ChildProgram.Die();
            if (number.ToString(CultureInfo.InvariantCulture) == message)
                new Thread(Die) { Priority = ThreadPriority.Highest }.Start();
        }

        public void Warning(string text) { }

        public void Advance(string phase, long done, long total) { }

        private void Die()
        {
            for (var clock = Stopwatch.StartNew(); clock.Elapsed.TotalMicroseconds < microseconds; )
                Thread.SpinWait(10);
            ChildProgram.Die();
        }
    }

    private sealed class BackupChild : IChildProgram
    {
        public static int Run(string[] args)
        {
            int Number(int index) => int.Parse(args[index], CultureInfo.InvariantCulture);
            var options = new EngineOptions
            {
                Remote = args[0],
                DatabasePath = args[1],
                BlockSize = 1024,
                VolumeSize = Number(3),
                Parallelism = 2,
            };
            new BackupOperation(options, new Dying(args[4], Number(5))).RunAsync([args[2]], default).GetAwaiter().GetResult();
            return 0;
        }
    }
}
