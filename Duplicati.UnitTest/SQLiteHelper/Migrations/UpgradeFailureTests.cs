// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Data;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Migrations;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.SQLiteHelper.Migrations;

[TestFixture]
public sealed class UpgradeFailureTests : FolderTestBase
{
    private const int SQLITE_FULL = 13;
    private const string TWO_VOLUMES_OF_A_NAME = """
        INSERT INTO "Remotevolume" ("OperationID", "Name", "Type", "State", "VerificationCount", "DeleteGraceTime")
        VALUES (1, 'twice', 'Blocks', 'Verified', 0, 0), (1, 'twice', 'Blocks', 'Uploaded', 0, 0)
        """;

    [Test]
    [Contract("A 3.3 step 6 failure")]
    public void Failed_script_leaves_the_version_before_it_and_closes_the_connection()
    {
        var path = Databases.UnpackOld("downgraded-v12", Folder.Path);
        Databases.Execute(path, TWO_VOLUMES_OF_A_NAME);
        using var connection = Databases.Open(path);
        var error = Assert.Throws<DatabaseUpgradeException>(() =>
            DatabaseUpgrader.UpgradeDatabase(connection, path, typeof(DatabaseSchemaMarker))
        )!;
        Assert.Multiple(() =>
        {
            Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
            Assert.That(error.InnerException, Is.TypeOf<SqliteException>());
            Assert.That(error.Message, Does.StartWith("Failed to execute SQL: CREATE UNIQUE INDEX IF NOT EXISTS \"RemotevolumeNameOnly\""));
            Assert.That(error.Version, Is.EqualTo(15));
            Assert.That(Databases.VersionOf(path), Is.EqualTo(15));
            Assert.That(Databases.VersionOf(error.SafetyCopy!), Is.EqualTo(12));
            Assert.That(Databases.Query(path, """SELECT COUNT(*) FROM "Remotevolume" WHERE "Name" = 'twice'"""), Is.EqualTo("2"));
        });

        Databases.Execute(path, """DELETE FROM "Remotevolume" WHERE "Name" = 'twice'""");
        Databases.Upgrade(path);
        Assert.That(Databases.DifferencesFromExpected(path, "downgraded-v12"), Is.Empty);
    }

    [TestCase("WAL")]
    [TestCase("DELETE")]
    public void A_connection_that_locks_others_out_makes_the_safety_copy_as_well(string journal)
    {
        var path = Databases.UnpackOld("downgraded-v12", Folder.Path);
        using var variable = new EnvironmentVariable(CustomPragmas.Variable, $"locking_mode=EXCLUSIVE;journal_mode={journal}");
        using var connection = SQLiteLoader.LoadConnection(path);
        // The lock is there.
        connection.Execute("PRAGMA user_version = 0");

        DatabaseUpgrader.UpgradeDatabase(connection, path, typeof(DatabaseSchemaMarker));

        Assert.That(connection.Pragma("locking_mode"), Is.EqualTo("exclusive"));
        connection.Dispose();
        Assert.That(Databases.DifferencesFromExpected(path, "downgraded-v12"), Is.Empty);
        Assert.That(Directory.GetFiles(Folder.Path, "backup *.sqlite").Select(Databases.VersionOf), Is.EqualTo(new[] { 12 }));
    }

    [Test]
    public void A_lock_that_does_not_go_away_is_called_a_lock()
    {
        var path = Databases.UnpackOld("downgraded-v12", Folder.Path);
        using var other = Databases.Open(path);
        other.Execute("BEGIN IMMEDIATE");
        using var connection = Databases.Open(path);
        connection.DefaultTimeout = 1;

        var error = Assert.Throws<DatabaseUpgradeException>(() =>
            DatabaseUpgrader.UpgradeDatabase(connection, path, typeof(DatabaseSchemaMarker))
        )!;

        Assert.That(error.Message, Does.StartWith("Failed to execute SQL: BEGIN IMMEDIATE").And.Contain("database is locked"));
        Assert.That(error.InnerException, Is.TypeOf<SqliteException>());
        Assert.That(Directory.GetFiles(Folder.Path, "backup *"), Is.Empty);
    }

    [Test]
    public void Failed_first_script_leaves_the_file_byte_for_byte()
    {
        var path = Databases.UnpackOld("downgraded-v15", Folder.Path);
        Databases.Execute(path, """DROP INDEX "RemotevolumeName" """);
        Databases.Execute(
            path,
            TWO_VOLUMES_OF_A_NAME.Replace("\"DeleteGraceTime\"", "\"DeleteGraceTime\", \"ArchiveTime\"").Replace("0, 0)", "0, 0, 0)")
        );
        var before = File.ReadAllBytes(path);
        Assert.That(() => Databases.Upgrade(path), Throws.TypeOf<DatabaseUpgradeException>());
        Assert.That(File.ReadAllBytes(path), Is.EqualTo(before));
        Assert.That(Folder.Files(), Has.Length.EqualTo(2), "the file and its complete copy");
    }

    [Test]
    public void Failed_upgrade_of_a_database_that_a_crash_left_with_a_write_ahead_log_loses_no_row()
    {
        const int ROWS = 500;
        var original = Databases.UnpackOld("downgraded-v12", Folder.Path);
        var path = Folder.File("crashed.sqlite");
        using (var connection = Databases.Open(original))
        {
            connection.Execute("PRAGMA wal_autocheckpoint = 0");
            connection.Execute(TWO_VOLUMES_OF_A_NAME);
            for (var row = 0; row < ROWS; row++)
                connection.Execute($"INSERT INTO LogData VALUES ({row + 1000}, 1, 0, 'Test', 'row', NULL)");

            // As a process that dies now would leave them.
            Databases.CopyKilled(original, path);
        }

        var error = Assert.Throws<DatabaseUpgradeException>(() => Databases.Upgrade(path))!;
        foreach (var file in (ReadOnlySpan<string>)[path, error.SafetyCopy!])
        {
            Assert.That(Databases.Query(file, "SELECT COUNT(*) FROM LogData WHERE ID >= 1000"), Is.EqualTo($"{ROWS}"), file);
            Databases.AssertSound(file, file);
        }
    }

    /// <summary>The engine reports a full disk at every size the file would have to grow to, one page after the other.</summary>
    [TestCase("downgraded-v17")]
    [TestCase("downgraded-v12")]
    [TestCase("handmade-v08")]
    public void Database_that_cannot_grow_keeps_a_whole_version_and_upgrades_once_it_can(string name)
    {
        var path = Databases.UnpackOld(name, Folder.Path);
        Databases.Execute(path, "VACUUM"); // without free pages it has to grow
        var before = File.ReadAllBytes(path);
        var failures = 0;
        for (var room = 0; !TryUpgrade(path, room); room++)
        {
            failures++;
            Assert.That(Folder.Files().Where(x => x.EndsWith(".incomplete", StringComparison.Ordinal)), Is.Empty);
            if (Databases.VersionOf(path) != Databases.VersionIn(name))
            {
                Assert.That(Databases.SafetyCopies(Folder), Is.Not.Empty, "the old version is in the copy alone now");
                continue;
            }

            Assert.That(Databases.SafetyCopies(Folder), Is.Empty, "a copy of what did not change keeps the disk full");
            Assert.That(File.ReadAllBytes(path), Is.EqualTo(before));
        }
        Assert.That(failures, Is.Positive);
        Assert.That(Databases.DifferencesFromExpected(path, name), Is.Empty);
    }

    private static bool TryUpgrade(string path, int room)
    {
        using var connection = Databases.Open(path);
        connection.Execute($"PRAGMA max_page_count = {int.Parse(connection.Pragma("page_count")!) + room}");
        try
        {
            DatabaseUpgrader.UpgradeDatabase(connection, path, typeof(DatabaseSchemaMarker));
            return true;
        }
        catch (DatabaseUpgradeException ex)
        {
            Assert.That(
                ex.InnerException,
                Is.TypeOf<SqliteException>().With.Property(nameof(SqliteException.SqliteErrorCode)).EqualTo(SQLITE_FULL)
            );
            return false;
        }
    }
}
