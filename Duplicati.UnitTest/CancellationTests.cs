// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Library.Main.Database;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest;

/// <summary>
/// Each statement here would run for twenty seconds if a cancelled token did not stop it, and then end well, which fails its test.
/// </summary>
[TestFixture]
public class CancellationTests
{
    private const string ENDLESS = "WITH RECURSIVE n(x) AS (SELECT started() UNION ALL SELECT x + 1 FROM n WHERE going())";
    private const string ENDLESS_QUERY = ENDLESS + " SELECT COUNT(*) FROM n";

    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(20);

    private TestConnection m_db = null!;
    private CancellationTokenSource m_source = null!;
    private Task m_cancel = null!;

    [SetUp]
    public void SetUp()
    {
        m_db = new TestConnection("CREATE TABLE T (X)");
        m_source = new CancellationTokenSource();
        m_cancel = Task.CompletedTask;
        // Cancelled by another thread, after the statement has begun.
        m_db.Connection.CreateFunction(
            "started",
            () =>
            {
                m_cancel = m_source.CancelAsync();
                return 1;
            }
        );
        var clock = Stopwatch.StartNew();
        m_db.Connection.CreateFunction("going", () => clock.Elapsed < s_longest);
    }

    [TearDown]
    public async Task TearDown()
    {
        await m_cancel;
        m_source.Dispose();
        m_db.Dispose();
    }

    [Test]
    public void A_running_call_is_stopped([Values("NonQuery", "Scalar", "Int64", "Reader", "Enumerable")] string call)
    {
        using var command = m_db.Connection.CreateCommand(ENDLESS_QUERY);
        Assert.That(async () => await RunAsync(command, call), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(m_db.Scalar("SELECT 5"), Is.EqualTo(5), "the connection works on");
    }

    [Test]
    public void A_stopped_query_leaves_the_transaction_open_and_its_changes_in_it()
    {
        using (var transaction = m_db.Connection.BeginTransaction())
        {
            m_db.Run("INSERT INTO T VALUES (1)");
            using var command = m_db.Connection.CreateCommand(ENDLESS_QUERY);
            Assert.That(
                async () => await command.ExecuteScalarAsync(false, m_source.Token),
                Throws.InstanceOf<OperationCanceledException>()
            );
            transaction.Commit();
        }
        Assert.That(m_db.Scalar("SELECT COUNT(*) FROM T"), Is.EqualTo(1));
    }

    [Test]
    public void A_stopped_write_changes_nothing_and_the_transaction_can_be_rolled_back()
    {
        using (var transaction = m_db.Connection.BeginTransaction())
        {
            using var command = m_db.Connection.CreateCommand(ENDLESS + " INSERT INTO T SELECT x FROM n");
            Assert.That(
                async () => await command.ExecuteNonQueryAsync(false, m_source.Token),
                Throws.InstanceOf<OperationCanceledException>()
            );
            transaction.Rollback();
        }
        Assert.That(m_db.Scalar("SELECT COUNT(*) FROM T"), Is.Zero);
    }

    [Test]
    public void An_enumeration_is_stopped_between_rows_and_inside_a_row()
    {
        using var command = m_db.Connection.CreateCommand("SELECT 1 UNION ALL SELECT * FROM (" + ENDLESS_QUERY + ")");
        var rows = 0;
        Assert.That(
            async () =>
            {
                await foreach (var row in command.ExecuteReaderEnumerableAsync(false, null, null, m_source.Token))
                    rows++;
            },
            Throws.InstanceOf<OperationCanceledException>()
        );
        Assert.That(rows, Is.EqualTo(1));
        Assert.That(() => m_db.Run("DROP TABLE T"), Throws.Nothing, "no reader is left open");
    }

    [Test]
    public void A_token_cancelled_before_the_call_keeps_the_statement_from_starting(
        [Values("NonQuery", "Scalar", "Int64", "Reader", "Enumerable", "BareNonQuery", "BareInt64")] string call
    )
    {
        m_source.Cancel();
        using var command = m_db.Connection.CreateCommand("INSERT INTO T VALUES (1) RETURNING X");
        Assert.That(async () => await RunAsync(command, call), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(m_db.Scalar("SELECT COUNT(*) FROM T"), Is.Zero);
    }

    [Test]
    public async Task A_token_cancelled_before_the_call_disturbs_no_statement_that_is_open(
        [Values("NonQuery", "Scalar", "Int64", "Reader", "Enumerable", "BareNonQuery", "BareInt64")] string call
    )
    {
        await m_source.CancelAsync();
        using var open = m_db.Connection.CreateCommand(
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 5000) SELECT x FROM n"
        );
        using var command = m_db.Connection.CreateCommand("SELECT 1");
        var rows = 0;
        await foreach (var row in open.ExecuteReaderEnumerableAsync(false, null, null, CancellationToken.None))
        {
            if (rows++ == 0)
                Assert.That(async () => await RunAsync(command, call), Throws.InstanceOf<OperationCanceledException>());
            Assert.That(m_db.Scalar("SELECT 5"), Is.EqualTo(5));
        }

        Assert.That(rows, Is.EqualTo(5000));
    }

    [Test]
    public async Task A_token_cancelled_between_two_rows_disturbs_no_statement_of_the_consumer()
    {
        await using var transaction = new ReusableTransaction(m_db.Connection);
        using var command = m_db.Connection.CreateCommand("SELECT 1 UNION ALL SELECT 2");
        var rows = 0;
        Assert.That(
            async () =>
            {
                await foreach (var row in command.ExecuteReaderEnumerableAsync(false, null, null, m_source.Token))
                {
                    rows++;
                    await m_source.CancelAsync();
                    m_db.Run("INSERT INTO T VALUES (1)");
                }
            },
            Throws.InstanceOf<OperationCanceledException>()
        );
        Assert.That(rows, Is.EqualTo(1));
        Assert.That(m_db.Scalar("SELECT COUNT(*) FROM T"), Is.EqualTo(1));
    }

    // The engine goes on interrupting until no statement of the connection is open.
    [Test]
    public async Task A_token_cancelled_while_a_reader_is_open_disturbs_nothing_but_its_call([Values] bool isMember)
    {
        await using var transaction = new ReusableTransaction(m_db.Connection);
        m_db.Run("INSERT INTO T VALUES (1)");
        using var open = m_db.Connection.CreateCommand("SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3");
        using (var reader = open.ExecuteReader())
        {
            Assert.That(reader.Read());
            m_db.Connection.CreateFunction("cancel", () => Cancel(m_source));
            if (isMember)
            {
                Assert.That(
                    () => transaction.Session.Do(Work, m_source.Token),
                    Throws.InstanceOf<OperationCanceledException>(),
                    "the second statement does not begin"
                );
            }
            else
            {
                using var command = m_db.Connection.CreateCommand("SELECT cancel()");
                await command.ExecuteScalarAsync(false, m_source.Token);
            }

            m_db.Run("INSERT INTO T VALUES (2)");
            Assert.That(reader.Read());
        }

        Assert.That(m_db.Scalar("SELECT COUNT(*) FROM T"), Is.EqualTo(2));

        static void Work(Duplicati.Library.Main.Database.Session.DatabaseSession session)
        {
            session.Execute("SELECT cancel()");
            session.Execute("INSERT INTO T VALUES (3)");
        }
    }

    private static int Cancel(CancellationTokenSource source)
    {
        source.Cancel();
        return 1;
    }

    [Test]
    public async Task A_token_cancelled_after_the_call_disturbs_no_later_statement()
    {
        using var command = m_db.Connection.CreateCommand("SELECT 1");
        await command.ExecuteScalarAsync(false, m_source.Token);
        await m_source.CancelAsync();
        Assert.That(
            m_db.Scalar("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 100000) SELECT COUNT(*) FROM n"),
            Is.EqualTo(100000)
        );
    }

    [Test]
    public void An_interrupt_from_elsewhere_is_not_taken_for_a_cancellation()
    {
        using var command = m_db.Connection.CreateCommand(ENDLESS_QUERY);
        using var other = new CancellationTokenSource();
        m_source.Token.Register(() => SQLitePCL.raw.sqlite3_interrupt(m_db.Connection.Handle));
        Assert.That(async () => await command.ExecuteScalarAsync(false, other.Token), Refused.Engine(9));
    }

    [Test]
    public async Task A_token_cancelled_between_two_statements_of_one_call_stops_the_second()
    {
        await using var transaction = new ReusableTransaction(m_db.Connection);
        Assert.That(
            () =>
                transaction.Session.Do(
                    session =>
                    {
                        m_source.Cancel();
                        session.Execute(
                            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE going()) SELECT COUNT(*) FROM n"
                        );
                    },
                    m_source.Token
                ),
            Throws.InstanceOf<OperationCanceledException>()
        );
        Assert.That(m_db.Scalar("SELECT 5"), Is.EqualTo(5), "the connection works on");
    }

    private async Task RunAsync(SqliteCommand command, string call)
    {
        var token = m_source.Token;
        switch (call)
        {
            case "NonQuery":
                await command.ExecuteNonQueryAsync(false, token);
                break;
            case "Scalar":
                await command.ExecuteScalarAsync(true, token);
                break;
            case "Int64":
                await command.ExecuteScalarInt64Async(false, token);
                break;
            case "BareNonQuery":
                await command.ExecuteNonQueryPerformanceSensitiveAsync(false, token);
                break;
            case "BareInt64":
                await command.ExecuteScalarInt64PerformanceSensitiveAsync(false, token);
                break;
            case "Reader":
                await using (var reader = await command.ExecuteReaderAsync(false, token))
                    reader.Read();
                break;
            default:
                await foreach (var row in command.ExecuteReaderEnumerableAsync(false, null, null, token))
                    row.GetInt64(0);
                break;
        }
    }
}
