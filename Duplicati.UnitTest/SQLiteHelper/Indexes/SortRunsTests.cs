// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Indexes;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;
using NUnit.Framework;

namespace Duplicati.UnitTest.SQLiteHelper.Indexes;

/// <summary>How long the runs are in which indexes are sorted.</summary>
[TestFixture]
public class SortRunsTests
{
    private const string Fill = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
        INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") SELECT i, hex(randomblob(16)) || 'abcdefghijkl', 1024, i / 1000 FROM n
        """;

    private TestFolder m_folder = null!;

    [SetUp]
    public void SetUp() => m_folder = new TestFolder();

    [TearDown]
    public void TearDown() => m_folder.Dispose();

    [TestCase("-65536", "-2048")]
    [TestCase("20000", "-2048")]
    [TestCase("-512", "-512")]
    [TestCase("100", "100")]
    public async Task The_cache_is_small_while_a_small_file_is_sorted_and_as_before_afterwards(string before, string during)
    {
        await using var database = await LocalDatabase.CreateLocalDatabaseAsync(m_folder.File("a.sqlite"), "Recreate", true, null, default);
        database.Connection.Execute($"PRAGMA cache_size = {before}");
        using var statements = new StatementCache(database.Connection);
        using (SortRuns.Shorten(statements))
            Assert.That(database.Connection.Pragma("cache_size"), Is.EqualTo(during));
        Assert.That(database.Connection.Pragma("cache_size"), Is.EqualTo(before));
    }

    [Test]
    public void A_sort_in_memory_leaves_the_cache_alone()
    {
        using var connection = new SqliteConnection($"Data Source={m_folder.File("a.sqlite")};Pooling=false");
        connection.Open();
        connection.Execute("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536");
        using var statements = new StatementCache(connection);
        using (SortRuns.Shorten(statements))
            Assert.That(connection.Pragma("cache_size"), Is.EqualTo("-65536"));
    }

    [Test]
    public async Task Indexes_sorted_in_several_runs_are_whole()
    {
        var path = m_folder.File("a.sqlite");
        await using (var database = await LocalDatabase.CreateLocalDatabaseAsync(path, "Recreate", true, null, default))
        {
            var indexes = DeferredIndexes.Of(database.Session);
            Assert.That(indexes.DropIfEmpty(), Is.True);
            database.Session.Execute(Fill);
            indexes.Restore();
            Assert.That(database.Connection.Pragma("temp_store"), Is.EqualTo("1"), "sorted in files, in runs of 2 MiB");
            Assert.That(database.Connection.Pragma("cache_size"), Is.EqualTo("-65536"));
            await database.CommitAsync(default);
        }

        using var check = new SqliteConnection($"Data Source={path};Pooling=false");
        check.Open();
        Assert.That(check.Scalar("PRAGMA integrity_check"), Is.EqualTo("ok"));
        Assert.That(check.Scalar("SELECT COUNT(*) FROM \"Block\" INDEXED BY \"BlockHashSize\" WHERE \"Hash\" > ''"), Is.EqualTo("100000"));
    }
}
