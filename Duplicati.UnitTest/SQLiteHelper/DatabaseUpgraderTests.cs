// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Data;
using System.Globalization;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Migrations;
using Duplicati.Library.SQLiteHelper.Scripts;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.UnitTest.SQLiteHelper;

[TestFixture]
public sealed class DatabaseUpgraderTests : FolderTestBase
{
    private const int NEWEST = 19;

    private string DatabasePath => Folder.File("test db.sqlite");

    [Test]
    [Contract("A 12 row 1")]
    public void New_database_has_the_newest_version_and_no_safety_copy()
    {
        Databases.Upgrade(DatabasePath);
        Assert.Multiple(() =>
        {
            Assert.That(Databases.VersionOf(DatabasePath), Is.EqualTo(NEWEST));
            Assert.That(
                Databases.Query(
                    DatabasePath,
                    "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name IN ('Version', 'Configuration')"
                ),
                Is.EqualTo("2")
            );
            Assert.That(Databases.Query(DatabasePath, "SELECT COUNT(*) FROM Version WHERE ID = 1"), Is.EqualTo("1"));
            Assert.That(Folder.Files(), Is.EqualTo(["test db.sqlite"]));
        });
    }

    [Test]
    [Contract("A 3.3 resource discovery")]
    [Contract("A 12 row 1")]
    public void Newest_script_has_the_number_of_the_newest_version() =>
        Assert.That(SchemaResources.Of(typeof(DatabaseSchemaMarker)).NewestVersion, Is.EqualTo(NEWEST));

    [Test]
    public void A_file_that_another_process_makes_the_schema_in_meanwhile_is_taken_as_it_is()
    {
        using (var connection = Databases.Open(DatabasePath))
        {
            var begins = 0;
            // Told before a statement runs, so that no lock is held yet.
            raw.sqlite3_trace(
                connection.Handle,
                (_, sql) =>
                {
                    if (sql.StartsWith("BEGIN", StringComparison.OrdinalIgnoreCase) && begins++ == 0)
                    {
                        Databases.Upgrade(DatabasePath);
                        Databases.Execute(DatabasePath, "INSERT INTO Configuration VALUES ('theirs', '1')");
                    }
                },
                null
            );
            DatabaseUpgrader.UpgradeDatabase(connection, DatabasePath, typeof(DatabaseSchemaMarker));
            Assert.That(begins, Is.Positive);
        }

        Assert.That(Databases.VersionOf(DatabasePath), Is.EqualTo(NEWEST));
        Assert.That(Databases.Query(DatabasePath, "SELECT COUNT(*) FROM Version"), Is.EqualTo("1"));
        Assert.That(Databases.Query(DatabasePath, "SELECT Value FROM Configuration WHERE Key = 'theirs'"), Is.EqualTo("1"));
    }

    [Test]
    [Contract("A 3.3 step 7")]
    public void Second_run_changes_nothing()
    {
        Databases.Upgrade(DatabasePath);
        var before = File.ReadAllBytes(DatabasePath);
        Databases.Upgrade(DatabasePath);
        Assert.That(File.ReadAllBytes(DatabasePath), Is.EqualTo(before));
        Assert.That(Folder.Files(), Has.Length.EqualTo(1));
    }

    [Test]
    [Contract("A 4.2 [19]")]
    public void Column_dropped_by_a_downgrade_comes_back_and_one_copy_with_the_time_is_left()
    {
        Databases.Upgrade(DatabasePath);
        Databases.Downgrade(DatabasePath);
        var before = DateTime.Now.AddSeconds(-1);
        Databases.Upgrade(DatabasePath);

        Assert.That(Databases.VersionOf(DatabasePath), Is.EqualTo(NEWEST));
        Assert.That(
            Databases.Query(DatabasePath, "SELECT COUNT(*) FROM pragma_table_info('Metadataset') WHERE name = 'Content'"),
            Is.EqualTo("1")
        );
        var copy = Directory.GetFiles(Folder.Path, "* test db *.sqlite").Single();
        var time = DateTime.ParseExact(
            Path.GetFileNameWithoutExtension(copy).Split(' ')[^1],
            "yyyyMMddHHmmss",
            CultureInfo.InvariantCulture
        );
        Assert.That(time, Is.InRange(before, DateTime.Now.AddSeconds(20)));
        Assert.That(Databases.VersionOf(copy), Is.EqualTo(18));
        Assert.That(Folder.Files(), Has.Length.EqualTo(2));
    }

    [Test]
    [Contract("A 3.3 step 1")]
    public void Closed_connection_without_a_connection_string_is_opened()
    {
        using var connection = new SqliteConnection();
        DatabaseUpgrader.UpgradeDatabase(connection, DatabasePath, typeof(DatabaseSchemaMarker));
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Open));
        Assert.That(new SqliteConnectionStringBuilder(connection.ConnectionString).DataSource, Is.EqualTo(DatabasePath));
    }

    [Test]
    public void File_that_is_no_database_is_told_and_left_alone()
    {
        var content = Enumerable.Range(0, 5000).Select(x => (byte)(x * 7)).ToArray();
        File.WriteAllBytes(DatabasePath, content);
        Assert.That(HelpIdOfUpgrade(), Is.EqualTo("DatabaseFormatError"));
        Assert.That(File.ReadAllBytes(DatabasePath), Is.EqualTo(content));
    }

    [TestCase(
        "CREATE TABLE a (b); CREATE TABLE Version (ID INTEGER PRIMARY KEY, Version INTEGER)",
        TestName = "Version table without a row"
    )]
    [TestCase("CREATE TABLE Version (ID INTEGER PRIMARY KEY)", TestName = "Version table without its column")]
    [TestCase("CREATE TABLE Version (Version); INSERT INTO Version VALUES ('text')", TestName = "Version that is no number")]
    [TestCase("CREATE VIEW Version AS SELECT * FROM missing_table", TestName = "View that reads nothing")]
    [Contract("A 3.3 step 2")]
    public void Unreadable_version_is_a_format_error(string sql)
    {
        Databases.Execute(DatabasePath, sql);
        Assert.That(HelpIdOfUpgrade(), Is.EqualTo("DatabaseFormatError"));
    }

    [Test]
    [Contract("A 3.3 step 3")]
    public void Newer_version_is_refused_with_both_versions_and_the_folder_named()
    {
        Databases.Upgrade(DatabasePath);
        Databases.Execute(DatabasePath, "UPDATE Version SET Version = 4711");
        var error = Assert.Throws<UserInformationException>(() => Databases.Upgrade(DatabasePath))!;
        Assert.That(error.HelpID, Is.EqualTo("DatabaseVersionNotSupportedError"));
        Assert.That(error.Message, Does.Contain("4711").And.Contain("21").And.Contain(Folder.Path));
        Assert.That(Folder.Files(), Has.Length.EqualTo(1));
    }

    [Test]
    [Contract("A 3.3 step 6 version")]
    public void Highest_row_of_the_version_table_counts_and_all_rows_are_set()
    {
        Databases.Upgrade(DatabasePath);
        Databases.Downgrade(DatabasePath);
        Databases.Execute(DatabasePath, "INSERT INTO Version (Version) VALUES (3)");
        Databases.Upgrade(DatabasePath);
        Assert.That(Databases.Query(DatabasePath, "SELECT group_concat(Version) FROM Version"), Is.EqualTo("19,19"));
    }

    [Test]
    public void Creation_is_all_or_nothing()
    {
        // A table of the base schema is there already, so the script fails in the middle.
        Databases.Execute(DatabasePath, "CREATE TABLE Fileset (a)");
        Assert.That(() => Databases.Upgrade(DatabasePath), Throws.TypeOf<SqliteException>());
        Assert.That(Databases.Query(DatabasePath, "SELECT group_concat(name) FROM sqlite_master"), Is.EqualTo("Fileset"));
        Databases.Execute(DatabasePath, "DROP TABLE Fileset");
        Databases.Upgrade(DatabasePath);
        Assert.That(Databases.VersionOf(DatabasePath), Is.EqualTo(NEWEST));
    }

    [Test]
    [Contract("A 12 row 19")]
    public void Upgrade_and_creation_log_no_warning()
    {
        using var log = new LogCapture();
        Databases.Upgrade(DatabasePath);
        Databases.Downgrade(DatabasePath);
        Databases.Upgrade(DatabasePath);
        Assert.That(log.WarningsAndErrors, Is.Empty);
    }

    [Test]
    public void Two_connections_that_upgrade_the_same_file_both_succeed()
    {
        Databases.Upgrade(DatabasePath);
        Databases.Execute(DatabasePath, "PRAGMA journal_mode = WAL");
        Databases.Downgrade(DatabasePath);
        Parallel.For(0, 4, _ => Databases.Upgrade(DatabasePath));
        Assert.That(Databases.VersionOf(DatabasePath), Is.EqualTo(NEWEST));
    }

    [Test]
    public void Synchronization_database_cannot_be_upgraded_as_backup_database_and_is_left_as_it_was()
    {
        Databases.Upgrade(DatabasePath, typeof(Library.Main.Database.Sync.DatabaseSchemaMarker));
        var before = File.ReadAllBytes(DatabasePath);
        var error = Assert.Throws<DatabaseUpgradeException>(() => Databases.Upgrade(DatabasePath))!;
        Assert.That(error.Message, Does.StartWith("Failed to execute SQL").And.Contain("FilePath"));
        Assert.That(error.InnerException, Is.TypeOf<SqliteException>());
        Assert.That(File.ReadAllBytes(DatabasePath), Is.EqualTo(before));
    }

    private string HelpIdOfUpgrade()
    {
        var error = Assert.Throws<UserInformationException>(() => Databases.Upgrade(DatabasePath))!;
        Assert.That(error.InnerException, Is.Not.Null);
        return error.HelpID;
    }
}
