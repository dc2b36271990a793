// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.UnitTest.SQLiteHelper.Connections;

/// <summary>Each preset makes a difference that can be seen from outside, so none is a set of names without effect.</summary>
[TestFixture]
public class PresetEffectTests : FolderTestBase
{
    private const long MiB = 1 << 20;

    [TestCase("stock", 1, 0, 0)]
    [TestCase("default", 100, 1, 6 * MiB)]
    [TestCase("throughput", 800, 10 * MiB, 75 * MiB)]
    [TestCase("rebuild", 800, 80 * MiB, long.MaxValue)]
    public void The_log_grows_as_far_as_the_preset_lets_it(string preset, int commits, long atLeast, long most)
    {
        using var connection = Open(preset);
        Commit(connection, commits);

        var log = new FileInfo(FileOf(preset) + "-wal");
        Assert.That(log.Exists, Is.EqualTo(most > 0));
        Assert.That(log.Exists ? log.Length : 0, Is.InRange(atLeast, most));
    }

    [TestCase("default", 80, 0, 70 * MiB)]
    [TestCase("throughput", 80, 75 * MiB, long.MaxValue)]
    [TestCase("default", 20, 18 * MiB, long.MaxValue)]
    [TestCase("small", 20, 0, 6 * MiB)]
    public void The_cache_keeps_as_much_as_the_preset_lets_it(string preset, int megabytes, long atLeast, long most)
    {
        using var connection = Open(preset);
        Assert.That(CacheUsedInside(connection, megabytes), Is.InRange(atLeast, most));
    }

    [Test]
    [Platform("Linux")]
    public void Small_keeps_large_temporary_tables_in_files_of_the_temp_folder_and_default_does_not()
    {
        using (var normal = Open("default"))
        {
            FillTemporaryTable(normal);
            Assert.That(TemporaryFiles(), Is.Empty);
        }

        using (var small = Open("small"))
        {
            FillTemporaryTable(small);
            Assert.That(TemporaryFiles(), Is.Not.Empty);
            Assert.That(TemporaryFiles(), Has.All.StartsWith(TempFolder.SystemTempPath));
        }
    }

    [TestCase("default", 0)]
    [TestCase("throughput", 0)]
    [TestCase("small", 0)]
    [TestCase("rebuild", 0)]
    [TestCase("durable", 10)]
    public void Only_durable_flushes_the_log_at_every_commit(string preset, int flushes)
    {
        using var connection = Open(preset);
        Commit(connection, 1);
        using var counter = new SyncCounter(connection, SyncCounter.Journal);
        Commit(connection, 10, bytes: 10);

        Assert.That(counter.Count, flushes == 0 ? Is.Zero : Is.GreaterThanOrEqualTo(flushes));
    }

    [TestCase("default", true)]
    [TestCase("durable", true)]
    [TestCase("rebuild", false)]
    public void Only_rebuild_does_not_flush_the_database_at_a_checkpoint(string preset, bool flushes)
    {
        using var connection = Open(preset);
        Commit(connection, 1);
        using var counter = new SyncCounter(connection, SyncCounter.DatabaseFile);
        connection.Execute("PRAGMA wal_checkpoint(PASSIVE)");

        Assert.That(counter.Count, flushes ? Is.GreaterThan(0) : Is.Zero);
    }

    private string FileOf(string preset) => Folder.File(preset + ".sqlite");

    private SqliteConnection Open(string preset)
    {
        using var scope = ConnectionPreset.Use(preset);
        var connection = SQLiteLoader.LoadConnection(FileOf(preset));
        connection.Execute("CREATE TABLE t (id INTEGER PRIMARY KEY, data BLOB)");
        return connection;
    }

    private static void Commit(SqliteConnection connection, int times, int bytes = 120_000)
    {
        for (var i = 0; i < times; i++)
            connection.Execute($"INSERT INTO t (data) VALUES (zeroblob({bytes}))");
    }

    private static long CacheUsedInside(SqliteConnection connection, int megabytes)
    {
        using var transaction = connection.BeginTransaction();
        for (var i = 0; i < megabytes * 10; i++)
            connection.Execute("INSERT INTO t (data) VALUES (zeroblob(104000))");

        Assert.That(raw.sqlite3_db_status(connection.Handle!, raw.SQLITE_DBSTATUS_CACHE_USED, out var used, out _, 0), Is.Zero);
        return used;
    }

    private static void FillTemporaryTable(SqliteConnection connection)
    {
        connection.Execute("CREATE TEMP TABLE big (data BLOB)");
        connection.Execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO big SELECT zeroblob(100000) FROM n"
        );
    }

    // The files have no name any more: SQLite removes it at once.
    private static List<string> TemporaryFiles() =>
        [
            .. Directory
                .GetFiles("/proc/self/fd")
                .Select(link => new FileInfo(link).LinkTarget)
                .OfType<string>()
                .Where(target => Path.GetFileName(target).StartsWith("etilqs_", StringComparison.Ordinal)),
        ];
}
