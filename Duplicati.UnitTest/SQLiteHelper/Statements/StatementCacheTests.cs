// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.SQLiteHelper.Statements;

/// <summary>What a cache of statements keeps, gives back, finalizes and tells of errors.</summary>
[TestFixture]
internal sealed class StatementCacheTests : FolderTestBase
{
    private const string INSERT = "INSERT INTO \"a\" (\"b\") VALUES (?1)";
    private const string COUNT = "SELECT COUNT(*) FROM \"a\"";

    private SqliteConnection m_connection = null!;
    private StatementCache m_cache = null!;

    [SetUp]
    public void SetUp()
    {
        m_connection = Databases.Open(Folder.File("a.sqlite"));
        m_cache = new StatementCache(m_connection);
        m_cache.Execute("CREATE TABLE \"a\" (\"b\" INTEGER UNIQUE)");
    }

    [TearDown]
    public void TearDown()
    {
        m_cache.Dispose();
        m_connection.Dispose();
    }

    [Test]
    public void A_statement_is_prepared_once_and_again_only_while_it_is_taken_out()
    {
        var (prepared, reused) = (m_cache.Figures.Prepared, m_cache.Figures.Reused);
        for (var i = 0; i < 5; i++)
            Insert(i);
        Assert.That((m_cache.Figures.Prepared - prepared, m_cache.Figures.Reused - reused), Is.EqualTo((1L, 4L)));
        Assert.That(m_cache.OpenStatements, Is.EqualTo(1));

        using (var first = m_cache.Take(INSERT))
        using (var second = m_cache.Take(INSERT))
            Assert.That(second, Is.Not.SameAs(first));
        Assert.That(m_cache.OpenStatements, Is.EqualTo(2));
    }

    [Test]
    public void A_statement_that_is_put_back_twice_is_given_to_one_only()
    {
        var taken = m_cache.Take(COUNT);
        taken.Dispose();
        taken.Dispose();

        using var first = m_cache.Take(COUNT);
        using var second = m_cache.Take(COUNT);

        Assert.That(second, Is.Not.SameAs(first));
    }

    [Test]
    public void What_was_bound_and_read_is_gone_when_a_statement_is_taken_again()
    {
        Insert(1);
        using (var taken = m_cache.Take(INSERT))
            taken.ExecuteNonQuery();
        using var read = m_cache.Prepare("SELECT COUNT(*) FROM \"a\" WHERE \"b\" IS NULL");
        Assert.That(read.ExecuteInt64(), Is.EqualTo(1));
    }

    [Test]
    public void A_statement_of_a_text_that_is_no_constant_is_finalized_and_no_longer_known()
    {
        nint handle;
        using (var statement = m_cache.Prepare(COUNT))
        {
            handle = statement.Handle;
            Assert.That((m_cache.OpenStatements, m_cache.Owns(handle)), Is.EqualTo((1, true)));
        }

        Assert.That((m_cache.OpenStatements, m_cache.Owns(handle)), Is.EqualTo((0, false)));
    }

    [Test]
    public void Idle_statements_are_released_and_those_that_are_taken_out_go_on()
    {
        Insert(1);
        using var taken = m_cache.Take(COUNT);
        m_cache.ReleaseIdle();
        Assert.That(m_cache.OpenStatements, Is.EqualTo(1));
        Assert.That(taken.ExecuteInt64(), Is.EqualTo(1));
        Insert(2);
        m_cache.ReleaseIdle();
        Insert(3);
        Assert.That(m_cache.OpenStatements, Is.EqualTo(2));
    }

    [Test]
    public void All_that_are_taken_out_can_be_put_back()
    {
        var first = m_cache.Take(COUNT);
        m_cache.Prepare("SELECT 1");
        Assert.That(m_cache.OpenStatements, Is.EqualTo(2));
        m_cache.ReturnAll();
        m_cache.ReturnAll();
        Assert.That(m_cache.OpenStatements, Is.EqualTo(1));
        using var again = m_cache.Take(COUNT);
        Assert.That(again, Is.SameAs(first));
    }

    [Test]
    public void A_disposed_cache_has_finalized_all_and_gives_none()
    {
        Insert(1);
        var taken = m_cache.Take(COUNT);
        var handle = taken.Handle;
        m_cache.Dispose();
        m_cache.Dispose();
        taken.Dispose();
        Assert.That((m_cache.OpenStatements, m_cache.Owns(handle)), Is.EqualTo((0, false)));
        Assert.Throws<ObjectDisposedException>(() => m_cache.Take(COUNT));
        Assert.Throws<ObjectDisposedException>(() => m_cache.Execute("SELECT 1"));
    }

    [Test]
    public void A_text_of_many_statements_runs_up_to_the_one_that_fails()
    {
        m_cache.Execute(" INSERT INTO \"a\" VALUES (1); /* é */ INSERT INTO \"a\" VALUES (2) ; -- the end\n");
        var error = Assert.Throws<SqliteException>(() =>
            m_cache.Execute("INSERT INTO \"a\" VALUES (3); INSERT INTO \"nowhere\" VALUES (4); INSERT INTO \"a\" VALUES (5)")
        );
        Assert.That(error!.SqliteErrorCode, Is.EqualTo(1));
        Assert.That(error.Message, Does.Contain("no such table: nowhere").And.Contain(m_connection.DataSource));
        using var read = m_cache.Take("SELECT SUM(\"b\") FROM \"a\"");
        Assert.That(read.ExecuteInt64(), Is.EqualTo(6));
        Assert.That(m_cache.OpenStatements, Is.EqualTo(1));
    }

    [Test]
    public void An_error_has_the_codes_and_the_words_of_the_engine()
    {
        Insert(1);
        var error = Assert.Throws<SqliteException>(() => Insert(1));
        Assert.That((error!.SqliteErrorCode, error.SqliteExtendedErrorCode), Is.EqualTo((19, 2067)));
        Assert.That(error.Message, Does.Contain("UNIQUE constraint failed: a.b").And.Contain(INSERT));

        // Of a code that is not the connection's last one only the words for it are known.
        var other = m_cache.CreateException(SqliteFull, COUNT);
        Assert.That((other.SqliteErrorCode, other.SqliteExtendedErrorCode), Is.EqualTo((SqliteFull, SqliteFull)));
        Assert.That(other.Message, Does.Contain("database or disk is full").And.Not.Contain("UNIQUE"));
    }

    [Test]
    public void A_transaction_has_uncommitted_writes_from_its_first_one_to_its_end()
    {
        m_cache.Execute("BEGIN");
        Assert.That(m_cache.HasUncommittedWrites, Is.False);
        Insert(1);
        Assert.That((m_cache.HasUncommittedWrites, m_cache.IsAutoCommit), Is.EqualTo((true, false)));
        m_cache.Execute("COMMIT");
        Assert.That((m_cache.HasUncommittedWrites, m_cache.IsAutoCommit), Is.EqualTo((false, true)));
    }

    private const int SqliteFull = 13;

    private void Insert(long value)
    {
        using var insert = m_cache.Take(INSERT);
        insert.Bind(1, value).ExecuteNonQuery();
    }
}
