// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.Main;

namespace Duplicati.UnitTest.Main.Backup;

[TestFixture]
public class BackupFilesetTests : BackupTestBase
{
    [Test]
    [Contract("A 7.5 deleted")]
    public async Task Appending_leaves_deleted_paths_out()
    {
        var a = await Backup.AddFileAsync("/x/a", 1);
        await Backup.AddFileAsync("/x/b", 2);
        await Backup.AddFileAsync("/x/'quoted\" %_", 3);
        var next = await Backup.AddFilesetAsync(DateTime.UtcNow);
        await Db.AppendFilesFromPreviousSetAsync(["/x/b", "/x/B", "/x/'quoted\" %_", "/x/b", "/none", "/x/A"], default);
        Assert.That(Backup.Entries(next), Is.EqualTo([$"/x/a {a} 10"]));
    }

    [Test]
    [Contract("A 7.5 newest form")]
    public async Task Appending_takes_the_newest_form_of_a_path_that_a_fileset_refers_to()
    {
        await Backup.AddFileAsync("/a", 1, ticks: 10);
        await Backup.AddFilesetAsync(new DateTime(2024, 2, 1, 0, 0, 0, DateTimeKind.Utc));
        var interrupted = await Backup.AddFileAsync("/a", 2, ticks: 20);
        var orphan = await Backup.AddFileAsync("/a", 3, ticks: 30);
        Backup.Execute($"""DELETE FROM "FilesetEntry" WHERE "FileID" = {orphan}""");
        var next = await Backup.AddFilesetAsync(new DateTime(2024, 3, 1, 0, 0, 0, DateTimeKind.Utc));

        await Db.AppendFilesFromPreviousSetAsync(null, next, Backup.FilesetId, DateTime.UtcNow, default);
        Assert.That(Backup.Entries(next), Is.EqualTo([$"/a {interrupted} 10"]));
    }

    [Test]
    [Contract("A 7.5 AppendFilesFromPreviousSetAsync")]
    [Contract("A 13 Q2")]
    public async Task Appending_keeps_a_form_that_came_back()
    {
        var first = await Backup.AddFileAsync("/a", 1, ticks: 10);
        await Backup.AddFilesetAsync(new DateTime(2024, 2, 1, 0, 0, 0, DateTimeKind.Utc));
        var changed = await Backup.AddFileAsync("/a", 2, ticks: 20);
        var previous = await Backup.AddFilesetAsync(new DateTime(2024, 3, 1, 0, 0, 0, DateTimeKind.Utc));
        Assert.That(await Backup.AddFileAsync("/a", 1, ticks: 30), Is.EqualTo(first).And.LessThan(changed));
        var next = await Backup.AddFilesetAsync(new DateTime(2024, 4, 1, 0, 0, 0, DateTimeKind.Utc));
        await Db.AppendFilesFromPreviousSetAsync(null, default);
        Assert.That(Backup.Entries(next), Is.EqualTo([$"/a {first} 30"]));

        // What an interrupted backup recorded after the previous one is newer, whatever its id.
        var synthetic = await Backup.AddFilesetAsync(new DateTime(2024, 5, 1, 0, 0, 0, DateTimeKind.Utc));
        await Db.AppendFilesFromPreviousSetAsync(null, synthetic, previous - 1, DateTime.UtcNow, default);
        Assert.That(Backup.Entries(synthetic), Is.EqualTo([$"/a {first} 20"]));
    }

    [Test]
    [Contract("A 7.5 previous fileset")]
    public async Task Appending_to_a_fileset_without_an_earlier_one_adds_nothing()
    {
        await Backup.AddFileAsync("/a", 1);
        await Db.AppendFilesFromPreviousSetAsync(null, Backup.FilesetId, -1, new DateTime(2024, 1, 1, 0, 0, 0, DateTimeKind.Utc), default);
        Assert.That(Backup.Entries(Backup.FilesetId), Has.Length.EqualTo(1));
    }

    [Test]
    [Contract("A 7.5 AppendFilesFromPreviousSetWithPredicateAsync")]
    public async Task The_predicate_gets_paths_and_lengths_and_excludes()
    {
        var a = await Backup.AddFileAsync("/a", 1);
        await Backup.AddFileAsync("/b", 2);
        await Db.AddDirectoryEntryAsync("/c/", 1, new DateTime(10, DateTimeKind.Utc), default);
        var d = await Backup.AddFileAsync("/d", 4);
        var next = await Backup.AddFilesetAsync(DateTime.UtcNow);
        await Db.AddKnownFileAsync(d, new DateTime(44, DateTimeKind.Utc), default);

        var asked = new List<(string, long)>();
        await Db.AppendFilesFromPreviousSetWithPredicateAsync((path, length) => Record(asked, path, length, path == "/b"), default);

        Assert.That(asked, Is.EquivalentTo([("/a", 1024L), ("/b", 1024L), ("/c/", -1L)]));
        Assert.That(Backup.Entries(next), Is.EqualTo([$"/a {a} 10", "/c/ 3 10", $"/d {d} 44"]));
        Assert.That(Backup.Committed($"""SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = {next}"""), Is.EqualTo(3));
    }

    [Test]
    public async Task The_predicate_may_use_the_database()
    {
        await AddKnownFilesAsync(10_000);
        var next = await Backup.AddFilesetAsync(DateTime.UtcNow);
        var calls = 0;
        await Db.AppendFilesFromPreviousSetWithPredicateAsync(
            (path, _) =>
            {
                calls++;
                return Db.FindBlockIDAsync(path, 1, default).GetAwaiter().GetResult() > 0;
            },
            default
        );
        Assert.That(calls, Is.EqualTo(10_000));
        Assert.That(Backup.Number($"""SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = {next}"""), Is.EqualTo(10_000));
    }

    [Test]
    [Contract("A 7.5 AppendFilesFromPreviousSetWithPredicateAsync")]
    public async Task Without_a_predicate_everything_is_appended()
    {
        await Backup.AddFileAsync("/a", 1);
        var next = await Backup.AddFilesetAsync(DateTime.UtcNow);
        await Db.AppendFilesFromPreviousSetWithPredicateAsync(null!, default);
        Assert.That(Backup.Entries(next), Has.Length.EqualTo(1));
    }

    [Test]
    public async Task An_entry_without_a_path_is_an_error()
    {
        await Db.AddKnownFileAsync(12345, DateTime.UtcNow, default);
        await Backup.AddFilesetAsync(DateTime.UtcNow);
        Assert.That(() => Db.AppendFilesFromPreviousSetWithPredicateAsync((_, _) => false, default), Throws.Exception);
    }

    [Test]
    [Contract("A 12 row 15")]
    public async Task Appending_ten_thousand_files_takes_steps_in_proportion()
    {
        var small = await StepsToAppendAsync(1000);
        await RemoveBackup();
        await MakeBackup();
        var large = await StepsToAppendAsync(10_000);
        Assert.That(large, Is.LessThan(small * 30), "ten times the files");
    }

    [Test]
    [Contract("A 7.5 RemoveDuplicatePathsFromFilesetAsync")]
    public async Task Duplicate_paths_are_removed_with_a_warning()
    {
        var metadata = await Backup.AddMetadataAsync(7);
        await Backup.AddFileAsync("/a", 1);
        var newer = await Backup.AddFileAsync("/a", 2);
        var b = await Backup.AddFileAsync("/b", 2);
        Backup.Execute(
            $"""INSERT INTO "PathPrefix" VALUES (99, ''); INSERT INTO "FileLookup" VALUES (900, 99, '/b', 1, {metadata}); INSERT INTO "FilesetEntry" VALUES ({Backup.FilesetId}, 900, 5)"""
        );
        using var log = new LogCapture();

        await Db.RemoveDuplicatePathsFromFilesetAsync(Backup.FilesetId, default);
        Assert.That(
            Backup.Entries(Backup.FilesetId),
            Is.EqualTo([$"/a {newer} 10", "/b 900 5"]),
            "equal full paths count, however they are split"
        );
        Assert.That(log.Of(LogMessageType.Warning, "RemovedDuplicatePaths"), Has.Count.EqualTo(1));
        Assert.That(Backup.Number($"""SELECT COUNT(*) FROM "FileLookup" WHERE "ID" = {b}"""), Is.EqualTo(1));

        await Db.RemoveDuplicatePathsFromFilesetAsync(Backup.FilesetId, default);
        Assert.That(log.Of(LogMessageType.Warning, "RemovedDuplicatePaths"), Has.Count.EqualTo(1));
    }

    [Test]
    [Contract("A 7.5 UpdateChangeStatisticsAsync")]
    public async Task Change_statistics_compare_with_the_fileset_before()
    {
        await Backup.AddFileAsync("/a", 1);
        await Backup.AddFileAsync("/b", 2);
        await Backup.AddFilesetAsync(DateTime.UtcNow);
        await Backup.AddFileAsync("/a", 3);
        await Backup.AddFileAsync("/c", 4);
        await Backup.AddFileAsync("/d", 4);
        var results = new BackupResults();
        await Db.UpdateChangeStatisticsAsync(results, default);
        Assert.That((results.AddedFiles, results.ModifiedFiles, results.DeletedFiles), Is.EqualTo((2L, 1L, 1L)));
    }

    [Test]
    [Contract("A 7.5 GetLastBackupFileCountAndSizeAsync")]
    public async Task Files_of_the_newest_fileset_are_counted_and_summed()
    {
        Assert.That(await Db.GetLastBackupFileCountAndSizeAsync(default), Is.EqualTo(Tuple.Create(0L, -1L)));
        await Backup.AddFileAsync("/a", 1);
        await Backup.AddFileAsync("/b", 2);
        await Db.AddDirectoryEntryAsync("/c/", 1, DateTime.UtcNow, default);
        Assert.That(await Db.GetLastBackupFileCountAndSizeAsync(default), Is.EqualTo(Tuple.Create(2L, 2048L)));
    }

    [Test]
    [Contract("A 1.3 case 3")]
    [Contract("A 7.6 CreateChangeJournalDataAsync")]
    [Contract("A 7.6 GetChangeJournalDataAsync")]
    public async Task Change_journal_positions_are_kept_for_the_current_fileset_and_committed()
    {
        var data = new[] { Journal("C:", 1, 2, "h"), Journal("D:", 3, 4, "i") };
        await Db.CreateChangeJournalDataAsync(data, default);
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "ChangeJournalData" """), Is.EqualTo(2));

        data[0].NextUsn = 20;
        data[1].JournalId = 33;
        await Db.UpdateChangeJournalDataAsync(data, Backup.FilesetId, default);
        var read = Backup
            .Database.GetChangeJournalDataAsync(Backup.FilesetId, default)
            .ToBlockingEnumerable()
            .Select(x => (x.Volume, x.JournalId, x.NextUsn, x.ConfigHash));
        Assert.That(read, Is.EqualTo([("C:", 1L, 20L, "h"), ("D:", 3L, 4L, "i")]));
        Assert.That(Backup.Committed("""SELECT MAX("NextUsn") FROM "ChangeJournalData" """), Is.EqualTo(20));
    }

    [Test]
    [Contract("A 7.6 CreateChangeJournalDataAsync")]
    public async Task Positions_may_come_from_a_question_to_the_same_database()
    {
        await Db.CreateChangeJournalDataAsync([Journal("C:", 1, 2, "h")], default);
        var (before, now) = (Backup.FilesetId, await Backup.AddFilesetAsync(DateTime.UtcNow));

        await Db.CreateChangeJournalDataAsync(Read(before), default).WaitAsync(TimeSpan.FromMinutes(1));
        await Db.UpdateChangeJournalDataAsync(Read(before).Select(Later), now, default).WaitAsync(TimeSpan.FromMinutes(1));

        Assert.That(Read(before).Select(x => x.NextUsn), Is.EqualTo(new[] { 2L }));
        Assert.That(Read(now).Select(x => x.NextUsn), Is.EqualTo(new[] { 3L }));

        IEnumerable<USNJournalDataEntry> Read(long fileset) => Db.GetChangeJournalDataAsync(fileset, default).ToBlockingEnumerable();

        static USNJournalDataEntry Later(USNJournalDataEntry entry)
        {
            entry.NextUsn++;
            return entry;
        }
    }

    [Test]
    [Contract("A 7.5 CreateFilesetAsync")]
    [Contract("A 13 Q8")]
    public async Task Renaming_a_list_does_not_change_the_current_fileset()
    {
        await Db.RenameRemoteFileAsync($"list-{new DateTime(2024, 1, 1).Ticks}", "renamed", default);
        await Db.AddKnownFileAsync(5, DateTime.UtcNow, default);
        Assert.That(Backup.Number("""SELECT "FilesetID" FROM "FilesetEntry" """), Is.EqualTo(Backup.FilesetId));
    }

    private static USNJournalDataEntry Journal(string volume, long id, long next, string hash) =>
        new()
        {
            Volume = volume,
            JournalId = id,
            NextUsn = next,
            ConfigHash = hash,
        };

    private async Task<long> StepsToAppendAsync(int files)
    {
        await AddKnownFilesAsync(files);
        var next = await Backup.AddFilesetAsync(DateTime.UtcNow);
        using var statement = Append();
        SQLitePCL.raw.sqlite3_bind_int64(statement, 1, next);
        SQLitePCL.raw.sqlite3_bind_int64(statement, 2, Backup.FilesetId);
        Assert.That(SQLitePCL.raw.sqlite3_step(statement), Is.EqualTo(SQLitePCL.raw.SQLITE_DONE));
        Assert.That(Backup.Number($"""SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = {next}"""), Is.EqualTo(files));
        return SQLitePCL.raw.sqlite3_stmt_status(statement, SQLitePCL.raw.SQLITE_STMTSTATUS_VM_STEP, 0);
    }

    private SQLitePCL.sqlite3_stmt Append()
    {
        SQLitePCL.raw.sqlite3_prepare_v2(Db.Connection.Handle, Library.Main.Database.Backup.PreviousFileset.AppendSql, out var statement);
        return statement;
    }

    private async Task AddKnownFilesAsync(int count)
    {
        var prefix = await Db.GetOrCreatePathPrefixAsync("/many/", default);
        Backup.Execute(
            $"""
            WITH RECURSIVE "N"("I") AS (SELECT 1 UNION ALL SELECT "I" + 1 FROM "N" WHERE "I" < {count})
            INSERT INTO "FileLookup" ("ID", "PrefixID", "Path", "BlocksetID", "MetadataID") SELECT "I", {prefix}, 'file ' || "I", -100, 1 FROM "N";
            INSERT INTO "FilesetEntry" SELECT {Backup.FilesetId}, "ID", 5 FROM "FileLookup";
            """
        );
        await Db.CommitAsync(default);
    }

    private static bool Record(List<(string, long)> asked, string path, long length, bool exclude)
    {
        asked.Add((path, length));
        return exclude;
    }
}
