// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.SQLiteHelper.Statements;

[TestFixture]
internal sealed class InsertBatchTests : FolderTestBase
{
    private static readonly string[] s_columns = ["A", "B", "C"];

    private SqliteConnection m_connection = null!;
    private StatementCache m_statements = null!;

    [SetUp]
    public void Open()
    {
        m_connection = Databases.Open(Folder.File("t.sqlite"));
        m_connection.Execute("CREATE TABLE T (A INTEGER, B TEXT, C BLOB, CHECK (A <> -1))");
        m_statements = new StatementCache(m_connection);
    }

    [TearDown]
    public void Close()
    {
        m_statements.Dispose();
        m_connection.Dispose();
    }

    [Test]
    public void Another_batch_on_the_same_table_uses_the_same_statements()
    {
        Insert(40);
        var open = m_statements.OpenStatements;

        Insert(40);

        Assert.That(m_statements.OpenStatements, Is.EqualTo(open));

        void Insert(int rows)
        {
            using var batch = new InsertBatch(m_statements, "T", s_columns);
            for (var i = 0; i < rows; i++)
            {
                batch.Set(0, i);
                batch.Set(1, "text");
                batch.Set(2, []);
                batch.EndRow();
            }
        }
    }

    [Test]
    public void A_column_that_is_not_set_is_null_in_every_row([Values] bool inTransaction)
    {
        if (inTransaction)
            m_connection.Execute("BEGIN");
        using (var batch = new InsertBatch(m_statements, "T", s_columns))
        {
            for (var i = 0; i < 80; i++)
            {
                batch.Set(0, i);
                if (i % 40 == 1)
                    batch.Set(1, "text");
                if (i % 40 == 2)
                    batch.Set(2, [1]);
                batch.EndRow();
            }
        }

        Assert.That(
            m_connection.Lines("SELECT A FROM T WHERE B IS NOT NULL OR C IS NOT NULL ORDER BY A"),
            Is.EqualTo(new[] { "1", "2", "41", "42" })
        );
    }

    [TestCase(0)]
    [TestCase(1)]
    [TestCase(31)]
    [TestCase(32)]
    [TestCase(33)]
    [TestCase(1000)]
    public void The_rows_are_those_of_one_statement_a_row(int rows)
    {
        var random = new Random(rows);
        m_connection.Execute("CREATE TABLE Plain (A INTEGER, B TEXT, C BLOB)");
        using (var batch = new InsertBatch(m_statements, "T", s_columns, rowsPerCommit: 100))
        {
            for (var i = 0; i < rows; i++)
            {
                var number = random.NextInt64();
                var text =
                    i % 7 == 0 ? null
                    : i % 5 == 0 ? ""
                    : $"text '{i}' ü";
                var blob = new byte[random.Next(4)];
                random.NextBytes(blob);
                batch.Set(0, number);
                batch.Set(1, text);
                batch.Set(2, blob);
                batch.EndRow();
            }
        }

        random = new Random(rows);
        using (var plain = m_statements.Prepare("INSERT INTO Plain VALUES (?1, ?2, ?3)"))
        {
            for (var i = 0; i < rows; i++)
            {
                plain
                    .Bind(1, random.NextInt64())
                    .Bind(
                        2,
                        i % 7 == 0 ? null
                            : i % 5 == 0 ? ""
                            : $"text '{i}' ü"
                    );
                var blob = new byte[random.Next(4)];
                random.NextBytes(blob);
                plain.BindBlob(3, blob).ExecuteNonQuery();
            }
        }

        Assert.That(m_connection.Scalar("SELECT COUNT(*) FROM T"), Is.EqualTo(rows.ToString()));
        Assert.That(
            m_connection.Scalar("SELECT COUNT(*) FROM (SELECT rowid, * FROM T EXCEPT SELECT rowid, * FROM Plain)"),
            Is.EqualTo("0")
        );
    }

    [Test]
    public void An_interval_is_committed_when_it_is_full_and_a_failing_one_is_rolled_back_alone()
    {
        var batch = new InsertBatch(m_statements, "T", s_columns, rowsPerCommit: 10, rowsPerStatement: 5);
        for (var i = 0; i < 12; i++)
            Add(batch, i);
        Add(batch, -1);
        Add(batch, 13);

        Assert.Throws<SqliteException>(() => Add(batch, 14));
        Assert.That(m_statements.IsAutoCommit);
        Assert.That(batch.WrittenRows, Is.EqualTo(10));
        Assert.That(m_connection.Scalar("SELECT COUNT(*) FROM T"), Is.EqualTo("10"));

        Add(batch, 15);
        batch.Dispose();
        Assert.That(m_connection.Scalar("SELECT COUNT(*) FROM T"), Is.EqualTo("11"));
    }

    [Test]
    public void A_callers_transaction_is_neither_committed_nor_accepted_with_an_interval()
    {
        m_connection.Execute("BEGIN");
        Assert.Throws<InvalidOperationException>(() => new InsertBatch(m_statements, "T", s_columns, rowsPerCommit: 1));
        using (var batch = new InsertBatch(m_statements, "T", s_columns))
            Add(batch, 1);
        m_connection.Execute("ROLLBACK");
        Assert.That(m_connection.Scalar("SELECT COUNT(*) FROM T"), Is.EqualTo("0"));
    }

    [Test]
    public void In_a_callers_transaction_the_rows_before_the_failing_one_stay_and_are_counted()
    {
        m_connection.Execute("BEGIN");
        var batch = new InsertBatch(m_statements, "T", s_columns, rowsPerStatement: 4);
        Add(batch, 1);
        Add(batch, 2);
        Add(batch, -1);

        Assert.Throws<SqliteException>(() => Add(batch, 4));
        Assert.That(m_statements.IsAutoCommit, Is.False);
        Assert.That(batch.WrittenRows, Is.EqualTo(2));

        Add(batch, 5);
        batch.Dispose();
        m_connection.Execute("COMMIT");
        Assert.That(m_connection.Scalar("SELECT group_concat(A) FROM T"), Is.EqualTo("1,2,5"));
        Assert.That(batch.WrittenRows, Is.EqualTo(3));
    }

    [TestCase(4, Description = "all in one statement")]
    [TestCase(10, Description = "a statement each")]
    public void Of_a_failing_interval_no_row_stays_wherever_it_fails(int rowsPerStatement)
    {
        for (var failing = 0; failing < 4; failing++)
        {
            var batch = new InsertBatch(m_statements, "T", s_columns, rowsPerStatement: rowsPerStatement);
            Assert.Throws<SqliteException>(() =>
            {
                for (var i = 0; i < 4; i++)
                    Add(batch, i == failing ? -1 : i);
                batch.Flush();
            });
            Assert.That((batch.WrittenRows, m_statements.IsAutoCommit), Is.EqualTo((0L, true)));
        }

        Assert.That(m_connection.Scalar("SELECT COUNT(*) FROM T"), Is.EqualTo("0"));
    }

    [Test]
    public void An_interval_that_cannot_be_committed_is_rolled_back()
    {
        var batch = new InsertBatch(m_statements, "T", s_columns);
        Add(batch, 1);
        m_statements.Fault = sql => sql == "COMMIT" ? ResultCode.Full : 0;
        Assert.Throws<SqliteException>(batch.Flush);
        m_statements.Fault = null;

        Assert.That((batch.WrittenRows, m_statements.IsAutoCommit), Is.EqualTo((0L, true)));
        Add(batch, 2);
        batch.Dispose();
        Assert.That(m_connection.Scalar("SELECT group_concat(A) FROM T"), Is.EqualTo("2"));
    }

    [Test]
    public void Names_are_names_whatever_is_in_them()
    {
        m_connection.Execute("CREATE TABLE \"a \"\"b\"\"; DROP\" (\"x,y\" INTEGER)");
        using (var batch = new InsertBatch(m_statements, "a \"b\"; DROP", ["x,y"]))
        {
            batch.Set(0, 5);
            batch.EndRow();
        }

        Assert.That(m_connection.Scalar("SELECT \"x,y\" FROM \"a \"\"b\"\"; DROP\""), Is.EqualTo("5"));
    }

    private static void Add(InsertBatch batch, long value)
    {
        batch.Set(0, value);
        batch.Set(1, "x");
        batch.Set(2, []);
        batch.EndRow();
    }
}
