// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Sync;
using Duplicati.Library.SQLiteHelper;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.ContractTests;

/// <summary>The synchronization database: its schema, its versions, and the calls of a synchronization in their order.</summary>
[TestFixture]
public sealed class C08SyncTests
{
    private static readonly CancellationToken s_none = CancellationToken.None;

    private TestFolder m_folder = null!;

    private string DatabasePath => m_folder.File("sync.sqlite");

    [SetUp]
    public void Make() => m_folder = new TestFolder();

    [TearDown]
    public void Remove() => m_folder.Dispose();

    [TestCase(
        "RemoteInventory",
        "ID INTEGER 0 1|RelativePath TEXT 1 0|Size INTEGER 1 0|LastModified DATETIME 1 0|ContentHash TEXT 0 0|LastVerified DATETIME 1 0"
    )]
    [TestCase(
        "PendingOperation",
        "ID INTEGER 0 1|Path TEXT 1 0|Operation TEXT 1 0|Size INTEGER 0 0|Hash TEXT 0 0|StartedAt INTEGER 1 0|Attempts INTEGER 1 0"
    )]
    [TestCase("RemoteOperation", "ID INTEGER 0 1|Timestamp INTEGER 1 0|Operation TEXT 1 0|Path TEXT 1 0|Data TEXT 0 0")]
    [TestCase("Version", "ID INTEGER 0 1|Version INTEGER 1 0")]
    [Contract("C 8.1 schema")]
    [Contract("C 12 row 5")]
    public void The_schema_has_the_tables_of_the_contract(string table, string columns)
    {
        using var connection = SQLiteLoader.LoadConnection(DatabasePath);
        DatabaseUpgrader.UpgradeDatabase(connection, DatabasePath, typeof(Library.Main.Database.Sync.DatabaseSchemaMarker));

        Assert.That(
            connection.Scalar(
                $"""SELECT GROUP_CONCAT("name" || ' ' || "type" || ' ' || "notnull" || ' ' || "pk", '|') FROM pragma_table_info('{table}')"""
            ),
            Is.EqualTo(columns)
        );
        Assert.That(connection.Scalar("""SELECT COUNT(*) || "Version" FROM "Version" """), Is.EqualTo("10"));
        Assert.That(
            connection.Scalar("SELECT tbl_name FROM sqlite_master WHERE name = 'RemoteOperationTimestamp'"),
            Is.EqualTo("RemoteOperation")
        );
        Assert.That(
            () => DatabaseUpgrader.UpgradeDatabase(connection, DatabasePath, typeof(Library.Main.Database.Sync.DatabaseSchemaMarker)),
            Throws.Nothing
        );
    }

    [Test]
    [Contract("C 11 Q16")]
    [Contract("C 8.1 schema")]
    public void A_synchronization_database_is_no_backup_database_and_stays_what_it_was()
    {
        using (new LocalSyncDatabase(DatabasePath)) { }

        var ex = Assert.CatchAsync(() => LocalListDatabase.CreateAsync(DatabasePath, null, s_none));

        Assert.That(ex!.Message, Does.StartWith("Failed to execute SQL"));
        using var again = new LocalSyncDatabase(DatabasePath);
        Assert.That(async () => await again.HasAnyInventoryAsync(s_none), Is.False);
    }

    [Test]
    [Contract("C 8.2 constructor")]
    public void A_folder_that_is_missing_is_made_also_below_the_current_one()
    {
        var current = Environment.CurrentDirectory;
        try
        {
            Environment.CurrentDirectory = m_folder.Path;
            using (new LocalSyncDatabase(Path.Combine("new", "folder", "sync.sqlite")))
                Assert.That(File.Exists(m_folder.File(Path.Combine("new", "folder", "sync.sqlite"))), Is.True);
            using (new LocalSyncDatabase("sync.sqlite"))
                Assert.That(File.Exists(DatabasePath), Is.True);
        }
        finally
        {
            Environment.CurrentDirectory = current;
        }
    }

    [Test]
    [Contract("C 8.1 stored formats")]
    [Contract("C 8.2 InsertLocalFilesAsync")]
    public async Task Times_are_text_in_utc_but_local_files_keep_theirs()
    {
        using var db = new LocalSyncDatabase(DatabasePath);
        await db.UpsertInventoryAsync("a", 1, new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc), null, s_none);
        await using var table = await db.CreateTempTableAsync(
            "RelativePath TEXT NOT NULL UNIQUE, AbsolutePath TEXT NOT NULL, Size INTEGER NOT NULL, LastModified TEXT NOT NULL",
            s_none
        );
        await db.InsertLocalFilesAsync(
            table.Name,
            [
                ("a", "/a", 1, new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Unspecified)),
                ("b", "/b", 1, new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc)),
            ],
            s_none
        );

        var plan = await db.GetUpdatePlanAsync(table.Name, false, s_none).ToListAsync(s_none);
        var uploads = await db.GetUploadPlanAsync(table.Name, s_none).ToListAsync(s_none);

        Assert.That(plan, Is.Empty, "as text, the stored time ends in Z and is not earlier");
        Assert.That(
            uploads.Single(),
            Is.EqualTo(
                new LocalSyncDatabase.SyncPlanRow
                {
                    RelativePath = "b",
                    AbsolutePath = "/b",
                    Size = 1,
                    LastModifiedUtc = new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc),
                    Operation = SyncOperation.Upload,
                    RemoteContentHash = null,
                }
            )
        );
        Assert.That(table.Name, Does.Match("^SyncTemp-[0-9A-Fa-f]{32}$"));
        Assert.That(await db.CountRowsAsync(table.Name, s_none), Is.EqualTo(2));
    }

    [Test]
    [Contract("C 10 SyncHandler")]
    [Contract("C 12 row 4")]
    [Contract("C 8.2 durable without disposal")]
    public async Task A_synchronization_is_durable_step_by_step_without_disposal()
    {
        // The handler never disposes its first database.
        var db = new LocalSyncDatabase(DatabasePath);
        using var other = new SqliteConnection($"Data Source={DatabasePath};Pooling=false");
        other.Open();
        Assert.That((await db.HasAnyPendingOperationsAsync(s_none), await db.HasAnyInventoryAsync(s_none)), Is.EqualTo((false, false)));

        await db.UpsertInventoryAsync("old/x", 1, DateTime.UtcNow, null, s_none);
        var items = await db.GetInventoryItemsInFolderAsync("old", s_none)
            .ToDictionaryAsync(x => x.RelativePath, cancellationToken: s_none);
        Assert.That(items.Keys, Is.EqualTo(new[] { "old/x" }));
        await db.UpsertPendingOperationAsync("new/y", SyncOperation.Upload, 5, "h", s_none);
        Assert.That(
            other.Scalar("SELECT Path || Operation || Attempts FROM PendingOperation"),
            Is.EqualTo("new/yUpload0"),
            "before the upload"
        );
        await db.ExecuteInTransactionAsync(
            async token =>
            {
                await db.UpsertInventoryAsync("new/y", 5, DateTime.UtcNow, "h", token);
                await db.RemovePendingOperationAsync("new/y", token);
                Assert.That(other.Scalar("SELECT COUNT(*) FROM PendingOperation"), Is.EqualTo("1"));
            },
            s_none
        );
        await db.UpsertPendingOperationAsync("old/x", SyncOperation.Delete, null, null, s_none);
        await db.ExecuteInTransactionAsync(
            async token =>
            {
                await db.RemoveInventoryAsync("old/x", token);
                await db.RemovePendingOperationAsync("old/x", token);
            },
            s_none
        );

        Assert.That(other.Scalar("SELECT GROUP_CONCAT(RelativePath) FROM RemoteInventory"), Is.EqualTo("new/y"));
        Assert.That(other.Scalar("SELECT COUNT(*) FROM PendingOperation"), Is.EqualTo("0"));
        db.Dispose();
    }

    [Test]
    [Contract("C 8.2 ExecuteInTransactionAsync")]
    public async Task A_transaction_holds_the_write_lock_from_its_beginning()
    {
        using var db = new LocalSyncDatabase(DatabasePath);
        using var other = new SqliteConnection($"Data Source={DatabasePath};Pooling=false;Default Timeout=0");
        other.Open();
        other.Execute("PRAGMA busy_timeout = 0");

        await db.ExecuteInTransactionAsync(
            _ =>
            {
                using var command = other.CreateCommand();
                command.CommandText = "BEGIN IMMEDIATE";
                command.CommandTimeout = 1;
                Assert.That(command.ExecuteNonQuery, Throws.TypeOf<SqliteException>().With.Property("SqliteErrorCode").EqualTo(5));
                return Task.CompletedTask;
            },
            s_none
        );
        Assert.That(() => other.Execute("BEGIN IMMEDIATE; ROLLBACK"), Throws.Nothing);
    }
}
