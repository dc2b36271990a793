// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Indexes;
using Duplicati.Library.SQLiteHelper.Statements;
using SQLitePCL;

namespace Duplicati.UnitTest.SQLiteHelper.Indexes;

/// <summary>The copy that a vacuum makes of a large database is no memory of its size, and the page caches are small meanwhile.</summary>
[TestFixture]
[NonParallelizable]
public class TemporaryStorageTests : FolderTestBase
{
    // 80 MB of messages.
    private const string Fill = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80)
        INSERT INTO "LogData" ("OperationID", "Timestamp", "Type", "Message") SELECT 1, 1, 'Information', hex(zeroblob(500000)) FROM n
        """;

    private const long MostBytes = 24L << 20;

    [Test]
    public async Task A_vacuum_of_a_large_database_takes_little_memory_and_leaves_the_setting_as_it_was()
    {
        await using var database = await FillAsync();
        Assert.That(database.Connection.Pragma("temp_store"), Is.EqualTo("2"), "in memory");
        var cache = database.Connection.Pragma("cache_size");
        raw.sqlite3_memory_highwater(1);
        var before = raw.sqlite3_memory_used();
        await database.VacuumAsync(default);
        Assert.That(raw.sqlite3_memory_highwater(0) - before, Is.LessThan(MostBytes));
        Assert.That(database.Connection.Pragma("temp_store"), Is.EqualTo("2"), "in memory again");
        Assert.That(database.Connection.Pragma("cache_size"), Is.EqualTo(cache));
    }

    [Test]
    public async Task The_vacuum_of_the_tool_takes_little_memory()
    {
        await (await FillAsync()).DisposeAsync();
        raw.sqlite3_memory_highwater(1);
        var before = raw.sqlite3_memory_used();
        VacuumOperation.Run(Folder.File("a.sqlite"), SilentProgress.Instance, default);
        Assert.That(raw.sqlite3_memory_highwater(0) - before, Is.LessThan(MostBytes));
    }

    [Test]
    public async Task A_bug_report_of_a_large_database_takes_little_memory()
    {
        await (await FillAsync()).DisposeAsync();
        await using var database = await LocalBugReportDatabase.CreateAsync(Folder.File("a.sqlite"), null, default);
        raw.sqlite3_memory_highwater(1);
        var before = raw.sqlite3_memory_used();
        await database.ObfuscateAsync(default);
        Assert.That(raw.sqlite3_memory_highwater(0) - before, Is.LessThan(MostBytes));
    }

    [Test]
    public async Task Temporary_tables_stay()
    {
        await using var database = await FillAsync();
        database.Connection.Execute("CREATE TEMP TABLE \"Kept\" (x); INSERT INTO \"Kept\" VALUES (1)");
        using (var statements = new StatementCache(database.Connection))
        using (TemporaryStorage.ForVacuum(statements))
            Assert.That(database.Connection.Scalar("SELECT COUNT(*) FROM \"Kept\""), Is.EqualTo("1"));
        await database.VacuumAsync(default);
        Assert.That(database.Connection.Scalar("SELECT COUNT(*) FROM \"Kept\""), Is.EqualTo("1"));
    }

    // A database without a row of a backup has it in files in any case.
    private async Task<LocalDatabase> FillAsync()
    {
        var path = Folder.File("a.sqlite");
        await using (var made = await LocalDatabase.CreateLocalDatabaseAsync(path, "Vacuum", true, null, default))
        {
            made.Connection.Execute(Fill + """; INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES (1, 'a', 1, 1)""");
            await made.CommitAsync(default);
        }

        var database = await LocalDatabase.CreateLocalDatabaseAsync(path, "Vacuum", true, null, default);
        await database.Transaction.CommitAsync("opened", false, default);
        return database;
    }
}
