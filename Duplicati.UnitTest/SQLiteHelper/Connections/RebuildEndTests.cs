// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.SQLiteHelper.Connections;

[TestFixture]
public class RebuildEndTests : FolderTestBase
{
    private SqliteConnection m_connection = null!;

    private string FilePath => Folder.File("local.sqlite");

    [SetUp]
    public void SetUp()
    {
        using var scope = ConnectionPreset.Use("rebuild");
        m_connection = SQLiteLoader.LoadConnection(FilePath);
        m_connection.Execute("CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT); CREATE INDEX t_x ON t (x)");
        m_connection.Execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO t SELECT i, 'x' || i FROM n"
        );
    }

    [TearDown]
    public void TearDown() => m_connection.Dispose();

    [Test]
    public void Afterwards_the_settings_are_those_of_the_default_preset()
    {
        RebuildEnd.RestoreNormalSettings(m_connection);

        foreach (var pragma in ConnectionPreset.Default.Pragmas)
            Assert.That(
                m_connection.Pragma(pragma.Name),
                Is.EqualTo(PragmaCatalogue.Find(pragma.Name)!.Canonical(pragma.Value)),
                pragma.ToString()
            );
        Assert.That(m_connection.Pragma("wal_autocheckpoint"), Is.EqualTo("1000"));
    }

    [Test]
    public void Other_options_can_be_asked_for()
    {
        RebuildEnd.RestoreNormalSettings(m_connection, ConnectionPreset.Durable.ToOptions());
        Assert.That(m_connection.Pragma("synchronous"), Is.EqualTo("2"));
    }

    [Test]
    public void Afterwards_the_log_is_empty_and_the_file_alone_has_all_rows()
    {
        RebuildEnd.RestoreNormalSettings(m_connection);
        Assert.That(new FileInfo(FilePath + "-wal").Length, Is.Zero);

        var copy = FilePath + ".copy";
        m_connection.Dispose();
        File.Copy(FilePath, copy);
        using var reopened = SQLiteLoader.LoadConnection(copy);
        Assert.That(reopened.Scalar("SELECT count(*) FROM t"), Is.EqualTo("5000"));
        Assert.That(reopened.Pragma("integrity_check"), Is.EqualTo("ok"));
    }

    [Test]
    public void The_database_file_is_flushed_even_if_all_was_copied_into_it_before()
    {
        m_connection.Execute("PRAGMA wal_checkpoint(TRUNCATE)");
        PlannerStatistics.Refresh(m_connection);
        m_connection.Execute("PRAGMA user_version=42; PRAGMA wal_checkpoint(TRUNCATE)");
        using var counter = new SyncCounter(m_connection, SyncCounter.DatabaseFile);
        Assert.That(counter.Count, Is.Zero);

        RebuildEnd.RestoreNormalSettings(m_connection);

        Assert.That(counter.Count, Is.GreaterThan(0));
        Assert.That(m_connection.Pragma("user_version"), Is.EqualTo("42"));
    }

    [Test]
    public void Statistics_are_fresh_afterwards()
    {
        RebuildEnd.RestoreNormalSettings(m_connection);
        Assert.That(m_connection.Scalar("SELECT count(*) FROM sqlite_stat1"), Is.Not.EqualTo("0"));
    }

    [TestCase("shared_cache=true")]
    [TestCase("threads=32")]
    [TestCase("mmap_size=8589934592")]
    public void An_entry_of_the_environment_that_does_not_take_does_not_keep_the_file_from_being_handed_over(string entry)
    {
        using var variable = new EnvironmentVariable(CustomPragmas.Variable, entry);
        RebuildEnd.RestoreNormalSettings(m_connection);
        Assert.That(m_connection.Pragma("synchronous"), Is.EqualTo("1"));
    }

    [TestCase("synchronous=perhaps")]
    [TestCase("journal_mode=none")]
    public void An_entry_of_the_environment_that_safety_hangs_on_has_to_take(string entry)
    {
        using var variable = new EnvironmentVariable(CustomPragmas.Variable, entry);
        Assert.Throws<InvalidOperationException>(() => RebuildEnd.RestoreNormalSettings(m_connection));
    }

    [Test]
    public void An_open_transaction_is_an_error_and_stays_open()
    {
        m_connection.Execute("BEGIN");
        Assert.Throws<InvalidOperationException>(() => RebuildEnd.RestoreNormalSettings(m_connection));
        m_connection.Execute("COMMIT");
    }

    [Test]
    public void A_reader_in_the_way_is_a_busy_error()
    {
        using var reader = Databases.Open(FilePath);
        reader.Execute("BEGIN");
        Assert.That(reader.Scalar("SELECT count(*) FROM t"), Is.EqualTo("5000"));

        var shortTimeout = TestOptions.Of("default", ("busy_timeout", 10));
        Assert.That(
            Assert.Throws<SqliteException>(() => RebuildEnd.RestoreNormalSettings(m_connection, shortTimeout)).SqliteErrorCode,
            Is.EqualTo(5)
        );

        reader.Execute("COMMIT");
        RebuildEnd.RestoreNormalSettings(m_connection);
    }

    [Test]
    public void A_reader_of_a_file_without_a_log_is_a_busy_error()
    {
        m_connection.Execute("PRAGMA journal_mode=DELETE");
        using var reader = Databases.Open(FilePath);
        reader.Execute("BEGIN");
        Assert.That(reader.Scalar("SELECT count(*) FROM t"), Is.EqualTo("5000"));

        var shortTimeout = TestOptions.Of("default", ("busy_timeout", 10));
        m_connection.DefaultTimeout = 1;
        var failure = Assert.Throws<SqliteException>(() => RebuildEnd.RestoreNormalSettings(m_connection, shortTimeout));
        Assert.That(failure.SqliteErrorCode, Is.EqualTo(5));
        Assert.That(failure.Message, Does.Contain(FilePath));

        reader.Execute("COMMIT");
        RebuildEnd.RestoreNormalSettings(m_connection);
    }

    [Test]
    [Platform("Linux")]
    public void A_file_that_is_gone_is_an_error_of_the_engine()
    {
        m_connection.Execute("PRAGMA journal_mode=DELETE");
        File.Move(FilePath, FilePath + ".gone");
        Assert.Throws<SqliteException>(() => RebuildEnd.RestoreNormalSettings(m_connection));
        File.Move(FilePath + ".gone", FilePath);
        RebuildEnd.RestoreNormalSettings(m_connection);
    }
}
