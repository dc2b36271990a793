// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.Main;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Backup;

[TestFixture]
public class BackupFilesetTests
{
    private BackupFixture m_backup = null!;

    [SetUp]
    public async Task SetUp() => m_backup = await BackupFixture.CreateAsync();

    [TearDown]
    public async Task TearDown() => await m_backup.DisposeAsync();

    [Test]
    [Contract("A 7.5 AppendFilesFromPreviousSetAsync")]
    [Contract("A 12 row 15")]
    public async Task Appending_adds_the_paths_that_are_not_there()
    {
        var a = await m_backup.AddFileAsync("/a", 1, ticks: 10);
        var b = await m_backup.AddFileAsync("/b", 2, ticks: 11);
        var next = await m_backup.AddFilesetAsync(new DateTime(2024, 2, 1, 0, 0, 0, DateTimeKind.Utc));
        var newB = await m_backup.AddFileAsync("/b", 3, ticks: 20);
        await m_backup.Database.AppendFilesFromPreviousSetAsync(null, default);

        Assert.That(m_backup.Entries(next), Is.EqualTo([$"/a {a} 10", $"/b {newB} 20"]));
        Assert.That(m_backup.Entries(m_backup.FilesetId), Is.EqualTo([$"/a {a} 10", $"/b {b} 11"]));
        Assert.That(m_backup.Committed($"""SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = {next}"""), Is.EqualTo(2));
    }

    [Test]
    [Contract("A 7.5 deleted")]
    public async Task Appending_leaves_deleted_paths_out()
    {
        var a = await m_backup.AddFileAsync("/x/a", 1);
        await m_backup.AddFileAsync("/x/b", 2);
        await m_backup.AddFileAsync("/x/'quoted\" %_", 3);
        var next = await m_backup.AddFilesetAsync(DateTime.UtcNow);
        await m_backup.Database.AppendFilesFromPreviousSetAsync(["/x/b", "/x/B", "/x/'quoted\" %_", "/x/b", "/none", "/x/A"], default);
        Assert.That(m_backup.Entries(next), Is.EqualTo([$"/x/a {a} 10"]));
    }

    [Test]
    [Contract("A 7.5 newest form")]
    public async Task Appending_takes_the_newest_form_of_a_path_that_a_fileset_refers_to()
    {
        await m_backup.AddFileAsync("/a", 1, ticks: 10);
        await m_backup.AddFilesetAsync(new DateTime(2024, 2, 1, 0, 0, 0, DateTimeKind.Utc));
        var interrupted = await m_backup.AddFileAsync("/a", 2, ticks: 20);
        var orphan = await m_backup.AddFileAsync("/a", 3, ticks: 30);
        m_backup.Execute($"""DELETE FROM "FilesetEntry" WHERE "FileID" = {orphan}""");
        var next = await m_backup.AddFilesetAsync(new DateTime(2024, 3, 1, 0, 0, 0, DateTimeKind.Utc));

        await m_backup.Database.AppendFilesFromPreviousSetAsync(null, next, m_backup.FilesetId, DateTime.UtcNow, default);
        Assert.That(m_backup.Entries(next), Is.EqualTo([$"/a {interrupted} 10"]));
    }

    [Test]
    [Contract("A 13 Q2")]
    public async Task Appending_never_goes_back_to_an_older_form()
    {
        await m_backup.AddFileAsync("/a", 1, ticks: 10);
        await m_backup.AddFilesetAsync(new DateTime(2024, 2, 1, 0, 0, 0, DateTimeKind.Utc));
        var newer = await m_backup.AddFileAsync("/a", 2, ticks: 20);
        var next = await m_backup.AddFilesetAsync(new DateTime(2024, 3, 1, 0, 0, 0, DateTimeKind.Utc));
        await m_backup.Database.AppendFilesFromPreviousSetAsync(null, default);
        Assert.That(m_backup.Entries(next), Is.EqualTo([$"/a {newer} 20"]));
    }

    [Test]
    [Contract("A 7.5 previous fileset")]
    public async Task Appending_to_a_fileset_without_an_earlier_one_adds_nothing()
    {
        await m_backup.AddFileAsync("/a", 1);
        await m_backup.Database.AppendFilesFromPreviousSetAsync(
            null,
            m_backup.FilesetId,
            -1,
            new DateTime(2024, 1, 1, 0, 0, 0, DateTimeKind.Utc),
            default
        );
        Assert.That(m_backup.Entries(m_backup.FilesetId), Has.Length.EqualTo(1));
    }

    [Test]
    public async Task After_appending_duplicates_are_still_refused()
    {
        var a = await m_backup.AddFileAsync("/a", 1);
        await m_backup.AddFilesetAsync(DateTime.UtcNow);
        await m_backup.Database.AppendFilesFromPreviousSetAsync(null, default);
        Assert.That(
            () => m_backup.Database.AddKnownFileAsync(a, DateTime.UtcNow, default),
            Throws.TypeOf<Microsoft.Data.Sqlite.SqliteException>()
        );
    }

    [Test]
    [Contract("A 7.5 AppendFilesFromPreviousSetWithPredicateAsync")]
    public async Task The_predicate_gets_paths_and_lengths_and_excludes()
    {
        var a = await m_backup.AddFileAsync("/a", 1);
        await m_backup.AddFileAsync("/b", 2);
        await m_backup.Database.AddDirectoryEntryAsync("/c/", 1, new DateTime(10, DateTimeKind.Utc), default);
        var d = await m_backup.AddFileAsync("/d", 4);
        var next = await m_backup.AddFilesetAsync(DateTime.UtcNow);
        await m_backup.Database.AddKnownFileAsync(d, new DateTime(44, DateTimeKind.Utc), default);

        var asked = new List<(string, long)>();
        await m_backup.Database.AppendFilesFromPreviousSetWithPredicateAsync(
            (path, length) => Record(asked, path, length, path == "/b"),
            default
        );

        Assert.That(asked, Is.EquivalentTo([("/a", 1024L), ("/b", 1024L), ("/c/", -1L)]));
        Assert.That(m_backup.Entries(next), Is.EqualTo([$"/a {a} 10", "/c/ 3 10", $"/d {d} 44"]));
        Assert.That(m_backup.Committed($"""SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = {next}"""), Is.EqualTo(3));
    }

    [Test]
    public async Task The_predicate_may_use_the_database()
    {
        await AddKnownFilesAsync(10_000);
        var next = await m_backup.AddFilesetAsync(DateTime.UtcNow);
        var calls = 0;
        await m_backup.Database.AppendFilesFromPreviousSetWithPredicateAsync(
            (path, _) =>
            {
                calls++;
                return m_backup.Database.FindBlockIDAsync(path, 1, default).GetAwaiter().GetResult() > 0;
            },
            default
        );
        Assert.That(calls, Is.EqualTo(10_000));
        Assert.That(m_backup.Number($"""SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = {next}"""), Is.EqualTo(10_000));
    }

    [Test]
    [Contract("A 7.5 AppendFilesFromPreviousSetWithPredicateAsync")]
    public async Task Without_a_predicate_everything_is_appended()
    {
        await m_backup.AddFileAsync("/a", 1);
        var next = await m_backup.AddFilesetAsync(DateTime.UtcNow);
        await m_backup.Database.AppendFilesFromPreviousSetWithPredicateAsync(null!, default);
        Assert.That(m_backup.Entries(next), Has.Length.EqualTo(1));
    }

    [Test]
    public async Task An_entry_without_a_path_is_an_error()
    {
        await m_backup.Database.AddKnownFileAsync(12345, DateTime.UtcNow, default);
        await m_backup.AddFilesetAsync(DateTime.UtcNow);
        Assert.That(() => m_backup.Database.AppendFilesFromPreviousSetWithPredicateAsync((_, _) => false, default), Throws.Exception);
    }

    [Test]
    [Contract("A 12 row 15")]
    public async Task Appending_ten_thousand_files_takes_steps_in_proportion()
    {
        var small = await StepsToAppendAsync(1000);
        await m_backup.DisposeAsync();
        m_backup = await BackupFixture.CreateAsync();
        var large = await StepsToAppendAsync(10_000);
        Assert.That(large, Is.LessThan(small * 30), "ten times the files");
    }

    [Test]
    [Contract("A 7.5 RemoveDuplicatePathsFromFilesetAsync")]
    public async Task Duplicate_paths_are_removed_with_a_warning()
    {
        var metadata = await m_backup.AddMetadataAsync(7);
        await m_backup.AddFileAsync("/a", 1);
        var newer = await m_backup.AddFileAsync("/a", 2);
        var b = await m_backup.AddFileAsync("/b", 2);
        m_backup.Execute(
            $"""INSERT INTO "PathPrefix" VALUES (99, ''); INSERT INTO "FileLookup" VALUES (900, 99, '/b', 1, {metadata}); INSERT INTO "FilesetEntry" VALUES ({m_backup.FilesetId}, 900, 5)"""
        );
        using var log = new LogCapture();

        await m_backup.Database.RemoveDuplicatePathsFromFilesetAsync(m_backup.FilesetId, default);
        Assert.That(
            m_backup.Entries(m_backup.FilesetId),
            Is.EqualTo([$"/a {newer} 10", "/b 900 5"]),
            "equal full paths count, however they are split"
        );
        Assert.That(log.Of(LogMessageType.Warning, "RemovedDuplicatePaths"), Has.Count.EqualTo(1));
        Assert.That(m_backup.Number($"""SELECT COUNT(*) FROM "FileLookup" WHERE "ID" = {b}"""), Is.EqualTo(1));

        await m_backup.Database.RemoveDuplicatePathsFromFilesetAsync(m_backup.FilesetId, default);
        Assert.That(log.Of(LogMessageType.Warning, "RemovedDuplicatePaths"), Has.Count.EqualTo(1));
    }

    [Test]
    [Contract("A 7.5 UpdateChangeStatisticsAsync")]
    public async Task Change_statistics_compare_with_the_fileset_before()
    {
        await m_backup.AddFileAsync("/a", 1);
        await m_backup.AddFileAsync("/b", 2);
        await m_backup.AddFilesetAsync(DateTime.UtcNow);
        await m_backup.AddFileAsync("/a", 3);
        await m_backup.AddFileAsync("/c", 4);
        await m_backup.AddFileAsync("/d", 4);
        var results = new BackupResults();
        await m_backup.Database.UpdateChangeStatisticsAsync(results, default);
        Assert.That((results.AddedFiles, results.ModifiedFiles, results.DeletedFiles), Is.EqualTo((2L, 1L, 1L)));
    }

    [Test]
    [Contract("A 7.5 GetLastBackupFileCountAndSizeAsync")]
    public async Task Files_of_the_newest_fileset_are_counted_and_summed()
    {
        Assert.That(await m_backup.Database.GetLastBackupFileCountAndSizeAsync(default), Is.EqualTo(Tuple.Create(0L, -1L)));
        await m_backup.AddFileAsync("/a", 1);
        await m_backup.AddFileAsync("/b", 2);
        await m_backup.Database.AddDirectoryEntryAsync("/c/", 1, DateTime.UtcNow, default);
        Assert.That(await m_backup.Database.GetLastBackupFileCountAndSizeAsync(default), Is.EqualTo(Tuple.Create(2L, 2048L)));
    }

    [Test]
    [Contract("A 7.6 CreateChangeJournalDataAsync")]
    public async Task Change_journal_positions_are_kept_for_the_current_fileset_and_committed()
    {
        USNJournalDataEntry[] data =
        [
            new()
            {
                Volume = "C:",
                JournalId = 1,
                NextUsn = 2,
                ConfigHash = "h",
            },
            new()
            {
                Volume = "D:",
                JournalId = 3,
                NextUsn = 4,
                ConfigHash = "i",
            },
        ];
        await m_backup.Database.CreateChangeJournalDataAsync(data, default);
        Assert.That(m_backup.Committed("""SELECT COUNT(*) FROM "ChangeJournalData" """), Is.EqualTo(2));

        data[0].NextUsn = 20;
        data[1].JournalId = 33;
        await m_backup.Database.UpdateChangeJournalDataAsync(data, m_backup.FilesetId, default);
        var read = m_backup
            .Database.GetChangeJournalDataAsync(m_backup.FilesetId, default)
            .ToBlockingEnumerable()
            .Select(x => (x.Volume, x.JournalId, x.NextUsn, x.ConfigHash));
        Assert.That(read, Is.EqualTo([("C:", 1L, 20L, "h"), ("D:", 3L, 4L, "i")]));
        Assert.That(m_backup.Committed("""SELECT MAX("NextUsn") FROM "ChangeJournalData" """), Is.EqualTo(20));
    }

    [Test]
    [Contract("A 7.5 CreateFilesetAsync")]
    [Contract("A 13 Q8")]
    public async Task Renaming_a_list_does_not_change_the_current_fileset()
    {
        await m_backup.Database.RenameRemoteFileAsync($"list-{new DateTime(2024, 1, 1).Ticks}", "renamed", default);
        await m_backup.Database.AddKnownFileAsync(5, DateTime.UtcNow, default);
        Assert.That(m_backup.Number("""SELECT "FilesetID" FROM "FilesetEntry" """), Is.EqualTo(m_backup.FilesetId));
    }

    private async Task<long> StepsToAppendAsync(int files)
    {
        await AddKnownFilesAsync(files);
        var next = await m_backup.AddFilesetAsync(DateTime.UtcNow);
        using var statement = Append();
        SQLitePCL.raw.sqlite3_bind_int64(statement, 1, next);
        SQLitePCL.raw.sqlite3_bind_int64(statement, 2, m_backup.FilesetId);
        Assert.That(SQLitePCL.raw.sqlite3_step(statement), Is.EqualTo(SQLitePCL.raw.SQLITE_DONE));
        Assert.That(m_backup.Number($"""SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = {next}"""), Is.EqualTo(files));
        return SQLitePCL.raw.sqlite3_stmt_status(statement, SQLitePCL.raw.SQLITE_STMTSTATUS_VM_STEP, 0);
    }

    private SQLitePCL.sqlite3_stmt Append()
    {
        SQLitePCL.raw.sqlite3_prepare_v2(
            m_backup.Database.Connection.Handle,
            Library.Main.Database.Backup.PreviousFileset.AppendSql,
            out var statement
        );
        return statement;
    }

    private async Task AddKnownFilesAsync(int count)
    {
        var prefix = await m_backup.Database.GetOrCreatePathPrefixAsync("/many/", default);
        m_backup.Execute(
            $"""
            WITH RECURSIVE "N"("I") AS (SELECT 1 UNION ALL SELECT "I" + 1 FROM "N" WHERE "I" < {count})
            INSERT INTO "FileLookup" ("ID", "PrefixID", "Path", "BlocksetID", "MetadataID") SELECT "I", {prefix}, 'file ' || "I", -100, 1 FROM "N";
            INSERT INTO "FilesetEntry" SELECT {m_backup.FilesetId}, "ID", 5 FROM "FileLookup";
            """
        );
        await m_backup.Database.CommitAsync(default);
    }

    private static bool Record(List<(string, long)> asked, string path, long length, bool exclude)
    {
        asked.Add((path, length));
        return exclude;
    }
}
