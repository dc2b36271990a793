// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;
using Duplicati.Library.SQLiteHelper;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.SQLiteHelper.Connections;

[TestFixture]
public class OpenErrorTests : ConnectionTestBase
{
    private const string FailedId = "FailedToLoadConnectionSQLite";

    private string FilePath => Folder.File("local.sqlite");

    [TestCase(null)]
    [TestCase("")]
    [TestCase("  ")]
    [Contract("A 3.2 LoadConnectionAsync(string)")]
    public void A_path_is_needed(string? path)
    {
        Assert.That(Assert.Throws<ArgumentNullException>(() => SQLiteLoader.LoadConnection(path!)).ParamName, Is.EqualTo("targetpath"));
        Assert.That(
            Assert.ThrowsAsync<ArgumentNullException>(() => SQLiteLoader.LoadConnectionAsync(path!)).ParamName,
            Is.EqualTo("targetpath")
        );
    }

    [Test]
    public void A_missing_folder_is_not_made_but_logged_and_thrown()
    {
        var folder = Folder.File("missing");
        var error = Assert.Throws<SqliteException>(() => SQLiteLoader.LoadConnection(Path.Combine(folder, "local.sqlite")));

        Assert.That(error.SqliteErrorCode, Is.EqualTo(14));
        Assert.That(Logged.Of(LogMessageType.Error, FailedId).Single().Exception, Is.SameAs(error));
        Assert.That(Directory.Exists(folder), Is.False);
    }

    [Test]
    public void The_async_API_throws_the_same()
    {
        Assert.ThrowsAsync<SqliteException>(() => SQLiteLoader.LoadConnectionAsync(Path.Combine(Folder.Path, "missing", "local.sqlite")));
        Assert.That(Logged.Of(LogMessageType.Error, FailedId), Has.Count.EqualTo(1));
    }

    [Test]
    public void A_foreign_file_is_opened_with_one_warning_and_left_as_it_was()
    {
        var content = Enumerable.Repeat((byte)'x', 5000).ToArray();
        File.WriteAllBytes(FilePath, content);

        using (var connection = SQLiteLoader.LoadConnection(FilePath))
        {
            Assert.That(
                Assert.Throws<SqliteException>(() => connection.Scalar("SELECT 1 FROM sqlite_master")).SqliteErrorCode,
                Is.EqualTo(26)
            );
            Assert.That(((SqliteException)Logged.WarningsAndErrors.Single().Exception!).SqliteErrorCode, Is.EqualTo(26));
        }

        Assert.That(File.ReadAllBytes(FilePath), Is.EqualTo(content));
    }

    [Test]
    public void A_database_locked_by_another_is_waited_for_once_and_named_in_one_warning()
    {
        using var scope = TestOptions.Waiting(-1, 50).Use();
        using var other = Databases.Open(FilePath);
        other.Execute("CREATE TABLE t (x); PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; INSERT INTO t VALUES (1)");

        using var connection = SQLiteLoader.LoadConnection(FilePath);

        Assert.That(((SqliteException)Logged.WarningsAndErrors.Single().Exception!).SqliteErrorCode, Is.EqualTo(5));
        Assert.That(connection.Pragma("busy_timeout"), Is.EqualTo("50"), "patience is back");

        other.Execute("COMMIT");
        other.Dispose();
        Assert.That(connection.Scalar("SELECT x FROM t"), Is.EqualTo("1"));
    }

    [Test]
    public void A_writer_in_a_write_ahead_log_is_not_in_the_way_of_opening()
    {
        using var writer = SQLiteLoader.LoadConnection(FilePath);
        writer.Execute("CREATE TABLE t (x); CREATE INDEX i ON t (x); INSERT INTO t VALUES (1); BEGIN IMMEDIATE; INSERT INTO t VALUES (2)");

        using var connection = SQLiteLoader.LoadConnection(FilePath);

        Assert.That(connection.Scalar("SELECT count(*) FROM t"), Is.EqualTo("1"));
        Assert.That(connection.Pragma("busy_timeout"), Is.EqualTo("10000"));
        Assert.That(Logged.WarningsAndErrors, Is.Empty);
    }

    [Test]
    public void A_path_with_the_characters_of_a_connection_string_is_a_path()
    {
        var path = Folder.File("a;Mode=ReadOnly \"b\" 'c' = d.sqlite");
        using (var connection = SQLiteLoader.LoadConnection(path))
            connection.Execute("CREATE TABLE t (x)");

        Assert.That(File.Exists(path), Is.True);
        Assert.That(Logged.WarningsAndErrors, Is.Empty);
    }

    [Test]
    [Contract("A 1.1 pooling off")]
    public void The_file_and_its_log_are_gone_or_free_once_the_connection_is_disposed()
    {
        using (var connection = SQLiteLoader.LoadConnection(FilePath))
            connection.Execute("CREATE TABLE t (x)");

        Assert.That(Directory.GetFiles(Folder.Path), Is.EqualTo(new[] { FilePath }));
        File.Move(FilePath, FilePath + ".moved");
    }

    [Test]
    [Contract("A 3.2 LoadConnectionAsync()")]
    public void A_connection_without_a_file_is_not_open_and_has_no_connection_string()
    {
        using var connection = SQLiteLoader.LoadConnection();
        Assert.That(connection.State, Is.EqualTo(System.Data.ConnectionState.Closed));
        Assert.That(connection.ConnectionString, Is.Empty);
    }

    [Test]
    [Contract("A 3.2 SQLiteVersion")]
    public void The_version_of_the_engine_can_be_parsed()
    {
        Assert.That(new Version(SQLiteLoader.SQLiteVersion!), Is.GreaterThanOrEqualTo(new Version(3, 35, 5)));
        Assert.That(SQLiteLoader.SQLiteConnectionType, Is.EqualTo(typeof(SqliteConnection)));
    }
}
