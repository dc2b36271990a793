// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.UnitTest.SQLiteHelper.Connections;

[TestFixture]
public class PlannerStatisticsTests : ConnectionTestBase
{
    private string FilePath => Folder.File("local.sqlite");

    [TearDown]
    public void TearDown() => Assert.That(Logged.WarningsAndErrors, Is.Empty);

    [Test]
    public void A_new_database_gets_no_statistics()
    {
        using (SQLiteLoader.LoadConnection(FilePath)) { }

        using var connection = Opened();
        Assert.That(connection.Scalar("SELECT count(*) FROM sqlite_master"), Is.EqualTo("0"));
        Assert.That(PlannerStatistics.Refresh(connection), Is.False);
    }

    [Test]
    public void Tables_without_statistics_get_them_at_open()
    {
        Make(rows: 5000);
        using var connection = Opened();
        Assert.That(RecordedRows(connection), Is.InRange(2500, 10000));
    }

    [Test]
    [Contract("D 3.1")]
    public void A_plain_connection_leaves_statistics_as_they_are()
    {
        Make(rows: 5000);
        Record(rows: 1);
        using (var connection = SQLiteLoader.LoadConnection(FilePath))
            Assert.That(RecordedRows(connection), Is.EqualTo(1));
        using var later = Plain();
        Assert.That(RecordedRows(later), Is.EqualTo(1));
    }

    [TestCase(99, 2, 1000)]
    [TestCase(100, 99, 99)]
    [TestCase(441, 441, 441)]
    [TestCase(441, 99, 99)]
    [TestCase(441, 1, 441)]
    [TestCase(441, 441_000, 441)]
    [TestCase(5000, 7777, 7777)]
    [Contract("D 3.1")]
    public void Statistics_that_are_far_off_are_replaced_and_those_of_less_than_a_hundred_rows_raised(int rows, int recorded, int expected)
    {
        Make(rows);
        Record(recorded);
        using var connection = Opened();
        Assert.That(RecordedRows(connection), Is.EqualTo(expected));
    }

    [Test]
    public void Statistics_of_a_table_that_is_gone_stop_nothing()
    {
        Make(rows: 3);
        using (var first = Plain())
            first.Execute("ANALYZE; INSERT INTO sqlite_stat1 VALUES ('gone', 'gone_x', '1 1')");
        using var connection = Opened();
        Assert.That(RecordedRows(connection), Is.EqualTo(1000));
    }

    [Test]
    public void A_small_table_is_recorded_with_a_thousand_rows_once()
    {
        Make(rows: 3);
        using (var first = Opened())
            Assert.That(first.Scalar("SELECT stat FROM sqlite_stat1 WHERE idx = 't_x'"), Is.EqualTo("1000 1"));

        using var connection = Opened();
        Assert.That(connection.Scalar("SELECT total_changes()"), Is.EqualTo("0"));
    }

    [Test]
    public void An_index_that_was_made_since_gets_statistics()
    {
        Make(rows: 5000);
        using (var first = Opened())
            first.Execute("CREATE INDEX later ON t (y)");

        using var connection = Opened();
        Assert.That(connection.Scalar("SELECT stat FROM sqlite_stat1 WHERE idx = 'later'"), Is.Not.Null);
    }

    [TestCase("CREATE INDEX part ON t (y) WHERE y > 1000000")]
    [TestCase("CREATE TABLE \"an \"\"odd\"\" name\" (x UNIQUE)")]
    [TestCase("CREATE TABLE bare (k TEXT PRIMARY KEY) WITHOUT ROWID; CREATE INDEX bare_k ON bare (k)")]
    public void What_has_no_rows_does_not_make_statistics_stale(string sql)
    {
        Make(rows: 5000);
        using (var first = Plain())
            first.Execute(sql + "; ANALYZE; UPDATE sqlite_stat1 SET stat = '7777 1' WHERE tbl = 't'");

        using var connection = Opened();
        Assert.That(RecordedRows(connection), Is.EqualTo(7777));
    }

    [Test]
    public void A_table_without_rowid_that_grew_gets_new_statistics()
    {
        Make(rows: 5000);
        using (var first = Plain())
        {
            first.Execute(
                "CREATE TABLE w (a INTEGER, b INTEGER, PRIMARY KEY (a, b)) WITHOUT ROWID; CREATE INDEX w_b ON w (b); INSERT INTO w VALUES (1, 1); ANALYZE"
            );
            first.Execute("INSERT INTO w SELECT id, id FROM t WHERE id > 1");
        }

        using var connection = Opened();
        Assert.That(
            long.Parse(connection.Scalar("SELECT CAST(max(stat) AS INTEGER) FROM sqlite_stat1 WHERE idx = 'w_b'")!),
            Is.GreaterThan(100)
        );
    }

    [Test]
    public void A_table_without_rowid_that_shrank_gets_new_statistics()
    {
        Make(rows: 5000);
        using (var first = Plain())
        {
            first.Execute(
                "CREATE TABLE w (a INTEGER, b INTEGER, PRIMARY KEY (a, b)) WITHOUT ROWID; CREATE INDEX w_b ON w (b); INSERT INTO w SELECT id, id FROM t; ANALYZE"
            );
            first.Execute("DELETE FROM w WHERE a > 20");
        }

        using var connection = Opened();
        Assert.That(
            long.Parse(connection.Scalar("SELECT CAST(max(stat) AS INTEGER) FROM sqlite_stat1 WHERE idx = 'w_b'")!),
            Is.EqualTo(1000),
            "the least that is recorded"
        );
    }

    [Test]
    public void A_database_locked_by_a_writer_is_not_waited_for()
    {
        Make(rows: 5000);
        using var writer = Plain();
        writer.Execute("PRAGMA journal_mode=WAL; BEGIN IMMEDIATE; DELETE FROM t WHERE id = 1");
        using var connection = Opened();

        Assert.That(Logged.Of(LogMessageType.Verbose, "PlannerStatisticsSkipped"), Has.Count.EqualTo(1));
        Assert.That(connection.Pragma("busy_timeout"), Is.EqualTo("10000"));

        writer.Execute("COMMIT");
        Assert.That(PlannerStatistics.Refresh(connection), Is.True);
        Assert.That(RecordedRows(connection), Is.GreaterThan(0));
    }

    [Test]
    [CancelAfter(60_000)]
    public void The_end_of_a_connection_does_not_wait_for_a_writer(CancellationToken cancellationToken)
    {
        Make(rows: 5000);
        using var writer = Plain();
        using var connection = Plain();
        writer.Execute("CREATE INDEX t_y ON t (y); PRAGMA journal_mode=WAL; BEGIN IMMEDIATE; DELETE FROM t WHERE id = 1");
        connection.Execute($"PRAGMA busy_timeout={int.MaxValue}");
        connection.Scalar("SELECT id FROM t WHERE y = 5");
        using var stop = cancellationToken.Register(() => EngineControl.Interrupt(connection));

        Assert.That(() => PlannerStatistics.Keep(connection), Refused.Engine(raw.SQLITE_BUSY));
        Assert.That(connection.Pragma("busy_timeout"), Is.EqualTo($"{int.MaxValue}"));

        writer.Execute("COMMIT");
        PlannerStatistics.Keep(connection);
        Assert.That(RecordedRows(connection), Is.GreaterThan(0));
    }

    [Test]
    public void A_read_only_database_is_left_alone()
    {
        Make(rows: 5000);
        using var reader = new SqliteConnection($"Data Source={FilePath};Mode=ReadOnly;Pooling=false");
        reader.Open();

        Assert.That(PlannerStatistics.Refresh(reader), Is.False);
        Assert.That(Logged.Of(LogMessageType.Verbose, "PlannerStatisticsSkipped"), Has.Count.EqualTo(1));
    }

    [Test]
    public async Task A_refresh_inside_a_transaction_is_part_of_it()
    {
        Make(rows: 5000);
        await using var connection = Plain();
        using (var transaction = connection.BeginTransaction(deferred: true))
            Assert.That(await PlannerStatistics.RefreshAsync(connection, default), Is.True);

        Assert.That(connection.Scalar("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat1'"), Is.Null);
    }

    [Test]
    public void A_closed_connection_is_an_error()
    {
        using var connection = new SqliteConnection();
        Assert.Throws<InvalidOperationException>(() => PlannerStatistics.Refresh(connection));
    }

    private SqliteConnection Opened()
    {
        var connection = SQLiteLoader.LoadConnection(FilePath);
        PlannerStatistics.RefreshAtOpen(connection);
        return connection;
    }

    private SqliteConnection Plain()
    {
        var connection = Databases.Open(FilePath);
        return connection;
    }

    private void Make(int rows)
    {
        using var connection = Plain();
        connection.Execute("CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT, y INTEGER); CREATE UNIQUE INDEX t_x ON t (x)");
        connection.Execute(
            $"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) INSERT INTO t SELECT i, 'x' || i, i % 10 FROM n"
        );
    }

    private void Record(int rows)
    {
        using var connection = Plain();
        connection.Execute($"ANALYZE; UPDATE sqlite_stat1 SET stat = '{rows} 1'");
    }

    private static long RecordedRows(SqliteConnection connection) =>
        long.Parse(connection.Scalar("SELECT CAST(stat AS INTEGER) FROM sqlite_stat1 WHERE idx = 't_x'")!);
}
