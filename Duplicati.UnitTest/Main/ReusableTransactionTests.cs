// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main;

public sealed class ReusableTransactionTests : FolderTestBase
{
    private SqliteConnection m_connection = null!;

    [SetUp]
    public void Open()
    {
        m_connection = Connect();
        m_connection.Execute("CREATE TABLE T (X)");
    }

    [TearDown]
    public void Close() => m_connection.Dispose();

    private SqliteConnection Connect() => Databases.Open(Folder.File("t.sqlite"));

    [Test]
    [Contract("A 1.2 instance changes")]
    [Contract("A 5.6 CommitAsync")]
    public async Task A_commit_ends_the_transaction_object_and_begins_another()
    {
        using var transaction = new ReusableTransaction(m_connection);
        var first = transaction.Transaction;
        m_connection.Execute("INSERT INTO T VALUES (1)");

        await transaction.CommitAsync("message", token: CancellationToken.None);

        Assert.That(transaction.Transaction, Is.Not.SameAs(first));
        using var other = Connect();
        Assert.That(other.Scalar("SELECT COUNT(*) FROM T"), Is.EqualTo("1"));
    }

    [Test]
    public async Task A_commit_that_the_engine_turns_into_a_rollback_is_reported_and_leaves_the_object_usable([Values] bool isRolledBack)
    {
        using (var transaction = new ReusableTransaction(m_connection))
        {
            m_connection.Execute("INSERT INTO T VALUES (1)");
            var refuse = true;
            SQLitePCL.delegate_commit hook = _ => refuse ? 1 : 0;
            SQLitePCL.raw.sqlite3_commit_hook(m_connection.Handle, hook, null!);

            Assert.ThrowsAsync<SqliteException>(() => transaction.CommitAsync());
            refuse = false;
            if (isRolledBack)
                await transaction.RollBackAsync();
            m_connection.Execute("INSERT INTO T VALUES (2)");
            await transaction.CommitAsync();
            SQLitePCL.raw.sqlite3_commit_hook(m_connection.Handle, null!, null!);
            GC.KeepAlive(hook);
        }

        Assert.That(m_connection.Scalar("SELECT GROUP_CONCAT(X) FROM T"), Is.EqualTo("2"));
    }

    [Test]
    [Contract("A 5.6 RollBackAsync")]
    public async Task A_rollback_takes_what_was_written_since_the_last_commit()
    {
        using (var transaction = new ReusableTransaction(m_connection))
        {
            m_connection.Execute("INSERT INTO T VALUES (1)");
            await transaction.CommitAsync();
            m_connection.Execute("INSERT INTO T VALUES (2)");
            await transaction.RollBackAsync();
            m_connection.Execute("INSERT INTO T VALUES (3)");
            await transaction.CommitAsync();
        }

        Assert.That(m_connection.Scalar("SELECT GROUP_CONCAT(X) FROM T"), Is.EqualTo("1,3"));
    }

    [Test]
    [Contract("A 5.6 RollBackAsync")]
    [Contract("A 13 Q9")]
    public async Task The_transaction_after_a_rollback_takes_no_lock()
    {
        using var transaction = new ReusableTransaction(m_connection);
        await transaction.RollBackAsync(CancellationToken.None);

        using var other = Connect();
        Assert.That(() => other.Execute("INSERT INTO T VALUES (1)"), Throws.Nothing);
    }

    [Test]
    [Contract("A 5.6 restart false")]
    public async Task Without_restart_the_object_has_ended()
    {
        var transaction = new ReusableTransaction(m_connection);
        await transaction.CommitAsync("last", false, default);

        Assert.That(() => transaction.Transaction, Throws.InvalidOperationException);
        Assert.That(() => transaction.CommitAsync(), Throws.InvalidOperationException);
        Assert.That(() => transaction.RollBackAsync(), Throws.InvalidOperationException);
        Assert.That(() => transaction.Dispose(), Throws.Nothing);
    }

    [Test]
    [Contract("A 5.6 DisposeAsync")]
    public async Task Disposal_rolls_back_and_may_be_repeated()
    {
        var transaction = new ReusableTransaction(m_connection);
        m_connection.Execute("INSERT INTO T VALUES (1)");

        await transaction.DisposeAsync();
        transaction.Dispose();

        Assert.That(m_connection.Scalar("SELECT COUNT(*) FROM T"), Is.EqualTo("0"));
        Assert.That(() => transaction.Transaction, Throws.InvalidOperationException);
    }

    [Test]
    [Contract("A 12 row 4")]
    public void A_transaction_completed_by_someone_else_is_only_warned_about_at_disposal()
    {
        using var log = new LogCapture();
        var transaction = new ReusableTransaction(m_connection);
        transaction.Transaction.Commit();

        Assert.That(() => transaction.Dispose(), Throws.Nothing);

        Assert.That(
            log.WarningsAndErrors.Select(x => (x.Level, x.Id)),
            Is.SubsetOf(
                new[]
                {
                    (LogMessageType.Warning, "ReusableTransactionAlreadyCompleted"),
                    (LogMessageType.Warning, "ReusableTransactionAlreadyDisposed"),
                }
            ).And.Not.Empty
        );
    }

    [Test]
    [Contract("A 5.6 DisposeAsync")]
    public void A_transaction_that_the_engine_has_rolled_back_after_a_failed_commit_ends_quietly_at_disposal()
    {
        using var log = new LogCapture();
        m_connection.Execute("CREATE TABLE U (X UNIQUE)");
        m_connection.DefaultTimeout = -1;
        var transaction = new ReusableTransaction(m_connection);
        m_connection.Execute("INSERT INTO T VALUES (1)");
        using (var other = Connect())
        {
            other.Execute("BEGIN; SELECT COUNT(*) FROM T");
            Assert.That(
                () => transaction.CommitAsync(),
                Throws.TypeOf<SqliteException>(),
                "somebody reads, and there is a rollback journal"
            );
        }

        Assert.That(() => m_connection.Execute("INSERT OR ROLLBACK INTO U VALUES (1), (1)"), Throws.TypeOf<SqliteException>());
        Assert.That(() => transaction.Dispose(), Throws.Nothing);

        Assert.That(log.WarningsAndErrors, Is.Empty);
        Assert.That(m_connection.Scalar("SELECT COUNT(*) FROM T"), Is.EqualTo("0"));
    }

    [Test]
    public async Task A_transaction_that_is_given_is_used()
    {
        var given = m_connection.BeginTransaction();
        using var transaction = new ReusableTransaction(m_connection, given);

        Assert.That(transaction.Transaction, Is.SameAs(given));
        await transaction.CommitAsync(CancellationToken.None);
        Assert.That(transaction.Transaction, Is.Not.SameAs(given));
    }

    [Test]
    [Contract("A 1.10 timers")]
    [Contract("A 5.6 CommitAsync")]
    public async Task The_message_is_the_id_of_the_profiling_entry()
    {
        using var log = new LogCapture();
        using var transaction = new ReusableTransaction(m_connection);

        await transaction.CommitAsync("my commit");
        await transaction.CommitAsync();

        Assert.That(log.Of(LogMessageType.Profiling, "my commit"), Is.Not.Empty);
        Assert.That(log.Of(LogMessageType.Profiling, "Unnamed commit"), Is.Not.Empty);
    }
}
