// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.SQLiteHelper.Statements;

/// <summary>Statements and changed rows that are told on a connection.</summary>
[TestFixture]
internal sealed class WatchTests
{
    private SqliteConnection m_connection = null!;

    [SetUp]
    public void SetUp()
    {
        m_connection = new SqliteConnection("Data Source=:memory:");
        m_connection.Open();
        m_connection.Execute("CREATE TABLE A (X INTEGER); CREATE TABLE AB (X INTEGER)");
    }

    [TearDown]
    public void TearDown() => m_connection.Dispose();

    [TestCase("SELECT * FROM A", StatementKind.Asks)]
    [TestCase("PRAGMA data_version", StatementKind.Asks)]
    [TestCase("INSERT INTO A VALUES (1)", StatementKind.Changes)]
    [TestCase("DELETE FROM A", StatementKind.Changes)]
    [TestCase("INSERT INTO A VALUES (1) RETURNING X", StatementKind.Changes)]
    [TestCase("DROP TABLE A", StatementKind.Changes)]
    [TestCase("CREATE TEMP TABLE B (X)", StatementKind.Changes)]
    [TestCase("BEGIN", StatementKind.Changes)]
    [TestCase("SAVEPOINT s", StatementKind.Changes)]
    [TestCase("ATTACH ':memory:' AS other", StatementKind.Changes)]
    [TestCase("VACUUM", StatementKind.Changes)]
    public void Statements_are_told_with_what_they_can_do(string sql, StatementKind kind)
    {
        var told = Told();
        m_connection.Execute(sql);
        Assert.That(told, Is.EqualTo(new[] { kind }));
    }

    [TestCase("COMMIT", StatementKind.Commits)]
    [TestCase("END TRANSACTION", StatementKind.Commits)]
    [TestCase("-- done\nCOMMIT", StatementKind.Commits)]
    [TestCase("/* x */ COMMIT", StatementKind.Commits)]
    [TestCase("COMMIT/* x */", StatementKind.Commits)]
    [TestCase("/* a\n*/\f-- b\r\nEND--", StatementKind.Commits)]
    [TestCase("ROLLBACK/* TO s */", StatementKind.RollsBack)]
    [TestCase("ROLLBACK/* */TO/* */s", StatementKind.Changes)]
    [TestCase("ROLLBACK", StatementKind.RollsBack)]
    [TestCase(" rollback transaction;", StatementKind.RollsBack)]
    [TestCase("RELEASE s", StatementKind.Changes)]
    [TestCase("ROLLBACK TO s", StatementKind.Changes)]
    [TestCase("ROLLBACK TRANSACTION TO SAVEPOINT s", StatementKind.Changes)]
    public void The_ends_of_transactions_are_told(string sql, StatementKind kind)
    {
        m_connection.Execute("BEGIN; SAVEPOINT s; INSERT INTO A VALUES (1)");
        var told = Told();
        m_connection.Execute(sql);
        Assert.That(told, Is.EqualTo(new[] { kind }));
    }

    [Test]
    public void A_statement_sees_what_is_done_when_it_is_told()
    {
        using var statements = new StatementCache(m_connection);
        var watch = StatementWatch.Of(m_connection);
        watch.OwnersStatements = statements;
        watch.Starting = _ =>
        {
            using var insert = statements.Prepare("INSERT INTO A VALUES (7)");
            insert.ExecuteNonQuery();
            statements.Execute("CREATE INDEX IF NOT EXISTS I ON A (X)");
        };
        Assert.That(m_connection.Scalar("SELECT COUNT(*) FROM A WHERE X = 7"), Is.EqualTo("1"));
        Assert.That(m_connection.Scalar("SELECT COUNT(*) FROM A WHERE X = 7"), Is.EqualTo("2"));
    }

    [Test]
    public void What_the_callee_throws_makes_the_statement_fail_and_is_handed_over([Values] bool isReportBroken)
    {
        var failures = new List<Exception>();
        var watch = StatementWatch.Of(m_connection);
        watch.Starting = _ => throw new InvalidOperationException("not ready");
        watch.Failed = ex =>
        {
            failures.Add(ex);
            if (isReportBroken)
                throw new InvalidOperationException("nobody listens");
        };
        Assert.That(() => m_connection.Execute("INSERT INTO A VALUES (1)"), Refused.Engine(ResultCode.Interrupt));
        Assert.That(failures.Select(x => x.Message), Is.EqualTo(new[] { "not ready" }));
        watch.Starting = null;
        Assert.That(m_connection.Scalar("SELECT COUNT(*) FROM A"), Is.EqualTo("0"));
    }

    [Test]
    public void A_statement_that_outlives_its_connection_tells_nobody()
    {
        var told = Told();
        Assert.That(SQLitePCL.raw.sqlite3_prepare_v2(m_connection.Handle, "SELECT 1", out var statement), Is.Zero);
        using (statement)
        {
            m_connection.Close();
            GC.Collect();
            Assert.That(SQLitePCL.raw.sqlite3_step(statement), Is.EqualTo(SQLitePCL.raw.SQLITE_ROW));
        }

        Assert.That(told, Is.Empty);
    }

    [Test]
    public void Statements_under_the_owners_lock_are_not_told()
    {
        var told = Told();
        var gate = new object();
        StatementWatch.Of(m_connection).OwnersLock = gate;
        lock (gate)
            m_connection.Execute("INSERT INTO A VALUES (1)");
        Assert.That(told, Is.Empty);
        m_connection.Execute("INSERT INTO A VALUES (1)");
        Assert.That(told, Has.Count.EqualTo(1));
    }

    [Test]
    public void Every_changed_row_of_the_named_table_counts_and_of_no_other()
    {
        var a = TableWatch.Of(m_connection).Table("A");
        var ab = TableWatch.Of(m_connection).Table("AB");
        m_connection.Execute(
            "INSERT INTO A VALUES (1), (2), (3); UPDATE A SET X = 9 WHERE X > 1; DELETE FROM A WHERE X = 1; INSERT INTO AB VALUES (1)"
        );
        Assert.That((a.Count, ab.Count), Is.EqualTo((6L, 1L)));
    }

    [Test]
    public void A_connection_has_one_watch_and_a_table_one_counter()
    {
        var first = TableWatch.Of(m_connection);
        var counter = first.Table("A");
        Assert.That(TableWatch.Of(m_connection), Is.SameAs(first));
        Assert.That(TableWatch.Of(m_connection).Table("A"), Is.SameAs(counter));
    }

    [Test]
    public void A_counter_outlives_its_connection()
    {
        var a = TableWatch.Of(m_connection).Table("A");
        m_connection.Execute("INSERT INTO A VALUES (1)");
        m_connection.Close();
        Assert.That(a.Count, Is.EqualTo(1));

        m_connection.Open();
        Assert.That(TableWatch.Of(m_connection).Table("A"), Is.Not.SameAs(a));
    }

    [Test]
    public void A_closed_connection_cannot_be_watched()
    {
        m_connection.Close();
        Assert.That(() => TableWatch.Of(m_connection), Throws.InvalidOperationException);
    }

    [Test]
    public void An_engine_connection_that_the_provider_keeps_open_tells_nobody_any_more()
    {
        using var folder = new TestFolder();
        var text = $"Data Source={folder.File("pooled.sqlite")};Pooling=true";
        var told = 0;
        for (var i = 0; i < 20; i++)
        {
            using var connection = new SqliteConnection(text);
            connection.Open();
            connection.Execute("CREATE TABLE IF NOT EXISTS A (X INTEGER); INSERT INTO A VALUES (1)");
            if (i % 2 == 0)
            {
                StatementWatch.Of(connection).Starting = _ => told++;
                TableWatch.Of(connection).Table("A");
            }

            connection.Execute("INSERT INTO A VALUES (1)");
            connection.Close();
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        SqliteConnection.ClearAllPools();
        Assert.That(told, Is.EqualTo(10));
    }

    private List<StatementKind> Told()
    {
        var told = new List<StatementKind>();
        StatementWatch.Of(m_connection).Starting = told.Add;
        return told;
    }
}
