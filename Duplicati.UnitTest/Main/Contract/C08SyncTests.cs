// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Sync;
using Duplicati.Library.SQLiteHelper;
using Duplicati.UnitTest.Main.Sync;

namespace Duplicati.UnitTest.Main.ContractTests;

/// <summary>The synchronization database: its schema, its versions, and the calls of a synchronization in their order.</summary>
[TestFixture]
public sealed class C08SyncTests : SyncTestBase
{
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
        using var connection = Connect();
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
            connection.Lines("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"),
            Is.EqualTo(new[] { "PendingOperation", "RemoteInventory", "RemoteOperation", "Version" })
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
        Db.Dispose();

        var ex = Assert.CatchAsync(() => LocalListDatabase.CreateAsync(DatabasePath, null, None));

        Assert.That(ex!.Message, Does.StartWith("Failed to execute SQL"));
        using var again = new LocalSyncDatabase(DatabasePath);
        Assert.That(async () => await again.HasAnyInventoryAsync(None), Is.False);
    }

    [Test]
    [Contract("C 8.2 constructor")]
    public void A_folder_that_is_missing_is_made_also_below_the_current_one()
    {
        var current = Environment.CurrentDirectory;
        try
        {
            Environment.CurrentDirectory = Folder.Path;
            using (new LocalSyncDatabase(Path.Combine("new", "folder", "sync.sqlite")))
                Assert.That(File.Exists(Folder.File(Path.Combine("new", "folder", "sync.sqlite"))), Is.True);
            using (new LocalSyncDatabase("sync.sqlite"))
                Assert.That(File.Exists(Folder.File("sync.sqlite")), Is.True);
        }
        finally
        {
            Environment.CurrentDirectory = current;
        }
    }

    [Test]
    [Contract("C 10 SyncHandler")]
    [Contract("C 12 row 4")]
    [Contract("C 8.2 durable without disposal")]
    public async Task A_synchronization_is_durable_step_by_step_without_disposal()
    {
        using var other = Connect();
        Assert.That((await Db.HasAnyPendingOperationsAsync(None), await Db.HasAnyInventoryAsync(None)), Is.EqualTo((false, false)));

        await Db.UpsertInventoryAsync("old/x", 1, DateTime.UtcNow, null, None);
        var items = await Db.GetInventoryItemsInFolderAsync("old", None).ToDictionaryAsync(x => x.RelativePath, cancellationToken: None);
        Assert.That(items.Keys, Is.EqualTo(new[] { "old/x" }));
        await Db.UpsertPendingOperationAsync("new/y", SyncOperation.Upload, 5, "h", None);
        Assert.That(
            other.Scalar("SELECT Path || Operation || Attempts FROM PendingOperation"),
            Is.EqualTo("new/yUpload0"),
            "before the upload"
        );
        await Db.ExecuteInTransactionAsync(
            async token =>
            {
                await Db.UpsertInventoryAsync("new/y", 5, DateTime.UtcNow, "h", token);
                await Db.RemovePendingOperationAsync("new/y", token);
                Assert.That(other.Scalar("SELECT COUNT(*) FROM PendingOperation"), Is.EqualTo("1"));
            },
            None
        );
        await Db.UpsertPendingOperationAsync("old/x", SyncOperation.Delete, null, null, None);
        await Db.ExecuteInTransactionAsync(
            async token =>
            {
                await Db.RemoveInventoryAsync("old/x", token);
                await Db.RemovePendingOperationAsync("old/x", token);
            },
            None
        );

        Assert.That(other.Scalar("SELECT GROUP_CONCAT(RelativePath) FROM RemoteInventory"), Is.EqualTo("new/y"));
        Assert.That(other.Scalar("SELECT COUNT(*) FROM PendingOperation"), Is.EqualTo("0"));
    }

    [Test]
    [Contract("C 8.2 ExecuteInTransactionAsync")]
    public async Task A_transaction_holds_the_write_lock_from_its_beginning()
    {
        using var other = Connect();
        other.Execute("PRAGMA busy_timeout = 0");

        await Db.ExecuteInTransactionAsync(
            _ =>
            {
                using var command = other.CreateCommand();
                command.CommandText = "BEGIN IMMEDIATE";
                command.CommandTimeout = 1;
                Assert.That(command.ExecuteNonQuery, Refused.Engine(5));
                return Task.CompletedTask;
            },
            None
        );
        Assert.That(() => other.Execute("BEGIN IMMEDIATE; ROLLBACK"), Throws.Nothing);
    }
}
