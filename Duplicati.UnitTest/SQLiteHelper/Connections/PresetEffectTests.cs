// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;
using NUnit.Framework;
using SQLitePCL;

namespace Duplicati.UnitTest.SQLiteHelper.Connections;

/// <summary>Each preset makes a difference that can be seen from outside, so none is a set of names without effect.</summary>
[TestFixture]
public class PresetEffectTests
{
    private const long MiB = 1 << 20;
    private TempFolder m_folder = null!;

    [SetUp]
    public void MakeFolder() => m_folder = new TempFolder();

    [TearDown]
    public void RemoveFolder() => m_folder.Dispose();

    [Test]
    public void Stock_writes_no_log_and_default_does()
    {
        using var stock = Open("stock");
        using var normal = Open("default");
        Commit(stock, 1);
        Commit(normal, 1);

        Assert.That(File.Exists(FileOf("stock") + "-wal"), Is.False);
        Assert.That(new FileInfo(FileOf("default") + "-wal").Length, Is.GreaterThan(0));
    }

    [Test]
    public void Throughput_lets_the_log_grow_further_than_default()
    {
        using var normal = Open("default");
        using var throughput = Open("throughput");
        Commit(normal, 100);
        Commit(throughput, 100);

        Assert.That(new FileInfo(FileOf("default") + "-wal").Length, Is.LessThan(6 * MiB));
        Assert.That(new FileInfo(FileOf("throughput") + "-wal").Length, Is.GreaterThan(10 * MiB));
    }

    [Test]
    public void Throughput_keeps_more_in_its_cache_than_default()
    {
        using var normal = Open("default");
        using var throughput = Open("throughput");

        Assert.That(CacheUsedInside(normal, 80), Is.LessThan(70 * MiB));
        Assert.That(CacheUsedInside(throughput, 80), Is.GreaterThan(75 * MiB));
    }

    [Test]
    public void Small_keeps_less_in_its_cache_than_default()
    {
        using var normal = Open("default");
        using var small = Open("small");

        Assert.That(CacheUsedInside(normal, 20), Is.GreaterThan(18 * MiB));
        Assert.That(CacheUsedInside(small, 20), Is.LessThan(6 * MiB));
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

    [Test]
    public void Rebuild_lets_the_log_grow_further_than_throughput()
    {
        using var throughput = Open("throughput");
        using var rebuild = Open("rebuild");
        Commit(throughput, 800);
        Commit(rebuild, 800);

        Assert.That(new FileInfo(FileOf("throughput") + "-wal").Length, Is.LessThan(75 * MiB));
        Assert.That(new FileInfo(FileOf("rebuild") + "-wal").Length, Is.GreaterThan(80 * MiB));
    }

    private string FileOf(string preset) => Path.Combine(m_folder, preset + ".sqlite");

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
