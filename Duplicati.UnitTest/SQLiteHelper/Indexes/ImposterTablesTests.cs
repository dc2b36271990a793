using Duplicati.Library.SQLiteHelper.Indexes;
using Duplicati.Library.SQLiteHelper.Memory;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;
using NUnit.Framework;
using SQLitePCL;

namespace Duplicati.UnitTest.SQLiteHelper.Indexes;

/// <summary>Rows that leave or enter a table apart from its indexes, against the same change of all at once.</summary>
[TestFixture]
public class ImposterTablesTests
{
    private const string Schema = "SELECT rowid, type, name, tbl_name, rootpage, sql FROM sqlite_master";
    private const string Rows = "SELECT * FROM T ORDER BY ID";
    private const string Delete = "DELETE FROM T WHERE is_absent(ID)";

    private TestFolder m_folder = null!;
    private SqliteConnection m_connection = null!;
    private StatementCache m_statements = null!;

    [SetUp]
    public void SetUp()
    {
        m_folder = new TestFolder();
        m_connection = Open("a.sqlite");
        m_statements = new StatementCache(m_connection);
    }

    [TearDown]
    public void TearDown()
    {
        m_statements.Dispose();
        m_connection.Dispose();
        m_folder.Dispose();
    }

    [Test]
    public void Any_rows_of_any_table_go_as_by_a_plain_statement([Values("DELETE", "WAL")] string journal)
    {
        var random = new Random(LongRun.Seed());
        m_connection.Execute($"PRAGMA journal_mode = {journal}");
        for (var round = 0; round < 40; round++)
        {
            var ids = Fill(random);
            using var bits = Set(ids, random.Next(5), random);
            using var plain = Copy();
            using (var statements = new StatementCache(plain))
            using (new AbsentIds(statements, bits, 1, 64 * bits.Length))
                plain.Execute(Delete);

            m_connection.Execute("BEGIN");
            using (var absent = new AbsentIds(m_statements, bits, 1, 64 * bits.Length))
            {
                var schema = Read(m_connection, Schema);
                Assert.That(ImposterTables.During(m_statements, "T", indexes => DeleteApart(indexes, random.Next(1, 50))), Is.True);
                Assert.That(Read(m_connection, Schema), Is.EqualTo(schema));
            }

            m_connection.Execute("COMMIT");
            AssertSame(plain);
        }
    }

    [Test]
    public void Any_rows_enter_as_by_a_plain_statement()
    {
        var random = new Random(LongRun.Seed());
        for (var round = 0; round < 40; round++)
        {
            Fill(random);
            using var plain = Copy();
            var select = $"INSERT INTO T (A, B, C) SELECT A || ID, -B, C * 7 FROM T WHERE ID % {random.Next(1, 4)} = 0 ORDER BY random()";
            var rows = Read(m_connection, select.Replace("INSERT INTO T (A, B, C) ", "", StringComparison.Ordinal));
            var inserts = rows.Select(row => row.Split('|')).Select(x => $"INSERT INTO T (A, B, C) VALUES ('{x[0]}', {x[1]}, {x[2]})").ToArray();
            var last = m_connection.Scalar("SELECT MAX(ID) FROM T");

            m_connection.Execute("BEGIN");
            var isApart = ImposterTables.During(m_statements, "T", indexes =>
            {
                Array.ForEach(inserts, m_statements.Execute);
                indexes.AddAfter(last is null or "" ? 0 : long.Parse(last));
            });
            m_connection.Execute("COMMIT");

            Assert.That(isApart, Is.True);
            Array.ForEach(inserts, insert => plain.Execute(insert));
            AssertSame(plain);
        }
    }

    [Test]
    public void Runs_of_ids_go_from_an_index_of_one_column()
    {
        m_connection.Execute("CREATE TABLE T (ID INTEGER PRIMARY KEY, A TEXT NOT NULL, B INTEGER NOT NULL); CREATE INDEX I ON T (B)");
        m_connection.Execute("WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO T SELECT i, 'a' || i, i / 10 FROM n");
        m_connection.Execute("BEGIN");
        var isApart = ImposterTables.During(m_statements, "T", indexes =>
        {
            m_statements.Execute("DELETE FROM T WHERE ID BETWEEN 15 AND 24 OR ID = 77");
            var index = indexes.Get("B", "ID");
            Assert.That(() => indexes.Get("A", "ID"), Throws.InvalidOperationException);
            index.DeleteRun(1, 15, 19);
            index.DeleteRun(2, 20, 24);
            index.DeleteRun(7, 77, 77);
            Assert.That(index.Deleted, Is.EqualTo(11));
            indexes.Check(11);
        });
        m_connection.Execute("COMMIT");

        Assert.That(isApart, Is.True);
        Assert.That(m_connection.Scalar("SELECT COUNT(*) FROM T NOT INDEXED"), Is.EqualTo("89"));
        Assert.That(m_connection.Pragma("integrity_check"), Is.EqualTo("ok"));
    }

    [TestCase("CREATE INDEX I ON T (A DESC)")]
    [TestCase("CREATE INDEX I ON T (A COLLATE NOCASE)")]
    [TestCase("CREATE INDEX I ON T (A) WHERE B > 5")]
    [TestCase("CREATE INDEX I ON T (A, B + 1)")]
    [TestCase("CREATE INDEX I ON T (N)")]
    [TestCase("CREATE INDEX I ON T (R)")]
    [TestCase("CREATE INDEX I ON T (A); CREATE TABLE imposter_of_I (X)")]
    [TestCase("CREATE INDEX I ON U (A)")]
    [TestCase("")]
    public void What_is_not_known_is_left_alone(string index)
    {
        m_connection.Execute($"CREATE TABLE T (ID INTEGER PRIMARY KEY, A TEXT NOT NULL, B INTEGER NOT NULL, N TEXT, R REAL NOT NULL); CREATE TABLE U (A TEXT UNIQUE NOT NULL); {index}");
        AssertNothingIsDone();
    }

    [Test]
    public void Without_an_index_that_is_needed_nothing_is_done()
    {
        Fill(new Random(1));
        Assert.That(ImposterTables.During(m_statements, "T", _ => Assert.Fail("called"), ["A", "ID"], ["B", "A"]), Is.False);
    }

    [Test]
    public void While_a_statement_is_open_nothing_is_done()
    {
        Fill(new Random(1));
        using var command = m_connection.CreateCommand();
        command.CommandText = "SELECT 1 UNION ALL SELECT 2";
        using var reader = command.ExecuteReader();
        Assert.That(reader.Read(), Is.True);
        Assert.That(ImposterTables.During(m_statements, "T", _ => Assert.Fail("called")), Is.False);
        Assert.That(reader.Read(), Is.True);
    }

    [Test]
    public void An_engine_that_lets_nobody_write_the_schema_is_left_alone()
    {
        const int Defensive = 1010;
        Fill(new Random(1));
        Assert.That(raw.sqlite3_db_config(m_connection.Handle, Defensive, 1, out _), Is.Zero);
        AssertNothingIsDone();
    }

    [Test]
    public void An_index_that_lacks_an_entry_is_told_and_all_is_rolled_back()
    {
        var ids = Fill(new Random(3));
        m_connection.Execute("BEGIN");
        Assert.That(ImposterTables.During(m_statements, "T", _ => m_statements.Execute("DELETE FROM imposter_of_I0 WHERE ID = (SELECT MAX(ID) FROM T)")), Is.True);
        m_connection.Execute("COMMIT");
        var before = Read(m_connection, Rows);
        using var bits = Set(ids, 0, new Random(3));
        using var absent = new AbsentIds(m_statements, bits, 1, 64 * bits.Length);

        m_connection.Execute("BEGIN");
        Assert.That(
            () => ImposterTables.During(m_statements, "T", indexes => DeleteApart(indexes, 100)),
            Throws.TypeOf<SqliteException>().With.Property("SqliteErrorCode").EqualTo(ResultCode.Corrupt).And.Message.Contains("I0").And.Message.Contains(m_connection.DataSource));

        Assert.That(m_statements.IsAutoCommit, Is.True);
        Assert.That(Read(m_connection, Rows), Is.EqualTo(before));
    }

    [Test]
    public void Whatever_statement_fails_everything_is_as_before_and_it_can_be_done_again([Values(ResultCode.Full, ResultCode.Interrupt, 10)] int code)
    {
        var ids = Fill(new Random(5));
        m_connection.Execute("CREATE TEMP TABLE Other (X); INSERT INTO Other VALUES (5)");
        using var bits = Set(ids, 2, new Random(5));
        var (rows, schema) = (Read(m_connection, Rows), Read(m_connection, Schema));
        var failed = 0;
        for (var isDone = false; !isDone; failed++)
        {
            using var absent = new AbsentIds(m_statements, bits, 1, 64 * bits.Length);
            var (left, isCleaningUp) = (failed, false);
            m_statements.Fault = sql =>
            {
                isCleaningUp |= sql == "ROLLBACK";
                return !isCleaningUp && left-- == 0 ? code : 0;
            };
            m_connection.Execute("BEGIN");
            try
            {
                isDone = ImposterTables.During(m_statements, "T", indexes => DeleteApart(indexes, 20));
            }
            catch (SqliteException ex)
            {
                Assert.That(ex.SqliteErrorCode, Is.EqualTo(code));
            }

            m_statements.Fault = null;
            if (!m_statements.IsAutoCommit)
                m_connection.Execute("ROLLBACK");
            Assert.That((Read(m_connection, Rows), Read(m_connection, Schema)), Is.EqualTo((rows, schema)));
            Assert.That(m_connection.Scalar("SELECT X FROM Other"), Is.EqualTo("5"));
            Assert.That(m_connection.Pragma("integrity_check"), Is.EqualTo("ok"));
        }

        Assert.That(failed, Is.GreaterThan(20));
    }

    [Test]
    public void Others_see_the_state_before_until_the_commit_and_a_rollback_brings_it_back()
    {
        var ids = Fill(new Random(7));
        m_connection.Execute("PRAGMA journal_mode = WAL");
        using var bits = Set(ids, 3, new Random(7));
        using var absent = new AbsentIds(m_statements, bits, 1, 64 * bits.Length);
        using var other = Open("a.sqlite");
        var before = Read(other, Rows);
        foreach (var end in new[] { "ROLLBACK", "COMMIT" })
        {
            m_connection.Execute("BEGIN; SAVEPOINT s");
            ImposterTables.During(m_statements, "T", indexes =>
            {
                DeleteApart(indexes, 20);
                Assert.That(Read(other, Rows), Is.EqualTo(before));
            });
            Assert.That(Read(other, Rows), Is.EqualTo(before));
            m_connection.Execute("ROLLBACK TO s");
            Assert.That(Read(m_connection, Rows), Is.EqualTo(before));
            ImposterTables.During(m_statements, "T", indexes => DeleteApart(indexes, 20));
            m_connection.Execute(end);
            Assert.That(m_connection.Pragma("integrity_check"), Is.EqualTo("ok"));
            Assert.That(Read(other, Rows), end == "COMMIT" ? Is.EqualTo(Read(m_connection, Rows)) : Is.EqualTo(before));
            Assert.That(Read(other, "SELECT B FROM T INDEXED BY I0 ORDER BY A"), Is.EqualTo(Read(other, "SELECT B FROM T NOT INDEXED ORDER BY A, ID")));
        }
    }

    [Test]
    public void The_function_knows_what_is_in_the_set_and_goes_with_it()
    {
        using var bits = new NativeArray<ulong>(2);
        bits.Slice(0, 2)[0] = 1UL << 5;
        bits.Slice(0, 2)[1] = 1UL << 3;
        using (new AbsentIds(m_statements, bits, 100, 68))
        {
            long[] ids = [105, 167, 100, 99, 168, 169, long.MinValue, long.MaxValue];
            Assert.That(ids.Select(id => m_connection.Scalar($"SELECT is_absent({id})")), Is.EqualTo(new[] { "0", "0", "1", "1", "1", "1", "1", "1" }));
        }

        Assert.That(() => m_connection.Scalar("SELECT is_absent(105)"), Throws.TypeOf<SqliteException>().With.Message.Contains("no such function"));
        Assert.That(() => new AbsentIds(m_statements, bits, 1, 129), Throws.TypeOf<ArgumentOutOfRangeException>());
    }

    [Test]
    public void Values_are_given_for_the_ids_that_they_were_noted_for()
    {
        using (var values = new IdValues(m_statements, 100, 3))
        {
            foreach (var (id, value) in (ReadOnlySpan<(long, long)>)[(100, 7), (102, long.MinValue), (103, 1), (99, 1)])
                Assert.That(m_connection.Scalar($"SELECT note_value({id}, {value})"), Is.EqualTo("0"));
            Assert.That(m_connection.Scalar("SELECT value_of(100) || ' ' || value_of(102)"), Is.EqualTo($"7 {long.MinValue}"));
            foreach (var id in (long[])[99, 101, 103, long.MaxValue])
                Assert.That(() => m_connection.Scalar($"SELECT value_of({id})"), Throws.TypeOf<SqliteException>().With.Property(nameof(SqliteException.SqliteErrorCode)).EqualTo(raw.SQLITE_CORRUPT));
            Assert.That(values.IsWhole);
            m_connection.Execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 65533) SELECT SUM(note_value(i, i)) FROM n");
            Assert.That(values.IsWhole, "3 values, of which the last is the first of 65,533 more");
            m_connection.Execute("SELECT note_value(101, 8)");
            Assert.That(values.IsWhole, Is.False);
        }

        Assert.That(() => m_connection.Scalar("SELECT value_of(100)"), Throws.TypeOf<SqliteException>().With.Message.Contains("no such function"));
    }

    private void AssertNothingIsDone()
    {
        var schema = Read(m_connection, Schema);
        m_connection.Execute("BEGIN");
        Assert.That(ImposterTables.During(m_statements, "T", _ => Assert.Fail("called")), Is.False);
        Assert.That(Read(m_connection, Schema), Is.EqualTo(schema));
        m_connection.Execute("COMMIT");
    }

    private void DeleteApart(ImposterTables indexes, int entriesAtOnce)
    {
        using (var delete = m_statements.Prepare(Delete))
            delete.Execute();
        var deleted = m_statements.Changes;
        indexes.DeleteAbsent(entriesAtOnce);
        indexes.Check(deleted);
    }

    private void AssertSame(SqliteConnection plain)
    {
        Assert.That(Read(m_connection, Rows), Is.EqualTo(Read(plain, Rows)));
        Assert.That(m_connection.Pragma("integrity_check"), Is.EqualTo("ok"));
        Assert.That(m_connection.Pragma("writable_schema"), Is.EqualTo("0"));
    }

    // A table with or without row ids, and up to four indexes of any of its columns, some of them unique.
    private List<long> Fill(Random random)
    {
        m_connection.Execute("DROP TABLE IF EXISTS T");
        m_connection.Execute($"CREATE TABLE T (ID INTEGER PRIMARY KEY, A TEXT NOT NULL, B INTEGER NOT NULL, C INTEGER NOT NULL)");
        var ids = Enumerable.Range(1, 500).Select(x => (long)x).Where(_ => random.Next(3) > 0).ToList();
        foreach (var id in ids)
            m_connection.Execute($"INSERT INTO T VALUES ({id}, '{(char)('a' + random.Next(26))}{random.Next(200)}', {random.Next(10)}, {random.NextInt64()})");
        m_connection.Execute("CREATE INDEX I0 ON T (A)");
        for (var i = 1; i <= random.Next(4); i++)
        {
            var columns = new[] { "A", "B", "C" }.OrderBy(_ => random.Next()).Take(random.Next(1, 4)).ToArray();
            m_connection.Execute($"CREATE {(columns.Contains("C") && random.Next(2) == 0 ? "UNIQUE " : "")}INDEX I{i} ON T ({string.Join(", ", columns)})");
        }

        return ids;
    }

    private SqliteConnection Copy()
    {
        m_connection.Execute("PRAGMA wal_checkpoint(TRUNCATE)");
        File.Copy(m_folder.File("a.sqlite"), m_folder.File("plain.sqlite"), overwrite: true);
        return Open("plain.sqlite");
    }

    private SqliteConnection Open(string name)
    {
        var connection = new SqliteConnection($"Data Source={m_folder.File(name)};Pooling=false");
        connection.Open();
        return connection;
    }

    private static NativeArray<ulong> Set(List<long> ids, int share, Random random)
    {
        var bits = new NativeArray<ulong>(10);
        foreach (var id in ids.Where(_ => random.Next(4) < share))
            bits.Slice((id - 1) / 64, 1)[0] |= 1UL << (int)((id - 1) % 64);
        return bits;
    }

    private static List<string> Read(SqliteConnection connection, string sql)
    {
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        using var reader = command.ExecuteReader();
        var rows = new List<string>();
        while (reader.Read())
            rows.Add(string.Join('|', Enumerable.Range(0, reader.FieldCount).Select(reader.GetValue)));
        return rows;
    }
}
