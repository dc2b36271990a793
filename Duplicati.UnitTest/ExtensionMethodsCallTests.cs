// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Data;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest;

[TestFixture]
public class ExtensionMethodsCallTests
{
    private const string INSERT = "INSERT INTO T (Name) VALUES (@Name)";
    private const string TAG = "Duplicati.Library.Main.Database.ExtensionMethods";

    private static readonly CancellationToken s_none = CancellationToken.None;

    private TestConnection m_db = null!;
    private SqliteCommand m_command = null!;

    [SetUp]
    public void SetUp()
    {
        m_db = new TestConnection("CREATE TABLE T (ID INTEGER PRIMARY KEY, Name TEXT)");
        m_command = m_db.Connection.CreateCommand();
    }

    [TearDown]
    public void TearDown()
    {
        m_command.Dispose();
        m_db.Dispose();
    }

    [Test]
    [Contract("A 5.11 ExecuteNonQuery")]
    public async Task Changed_rows_are_counted_over_a_batch()
    {
        var name = new Dictionary<string, object?> { ["@Name"] = "x" };
        Assert.That(await m_command.ExecuteNonQueryAsync(INSERT, name, s_none), Is.EqualTo(1));
        Assert.That(await m_command.ExecuteNonQueryAsync(false, INSERT + "; SELECT last_insert_rowid();", name, s_none), Is.EqualTo(1));
        Assert.That(await m_command.ExecuteNonQueryAsync("UPDATE T SET Name = 'y'; DELETE FROM T WHERE ID = 1", s_none), Is.EqualTo(3));
        Assert.That(await m_command.ExecuteNonQueryAsync("SELECT 1", s_none), Is.EqualTo(-1));
        Assert.That(await m_command.ExecuteNonQueryAsync(null, s_none), Is.EqualTo(-1), "null keeps the text");
        Assert.That(await m_command.ExecuteNonQueryAsync(false, s_none), Is.EqualTo(-1));
    }

    [Test]
    public async Task A_scalar_is_the_first_value_NULL_or_nothing()
    {
        Assert.That(await m_command.ExecuteScalarAsync("SELECT 'a', 'b' UNION ALL SELECT 'c', 'd'", s_none), Is.EqualTo("a"));
        Assert.That(
            await m_command.ExecuteScalarAsync("SELECT @v", new Dictionary<string, object?> { ["@v"] = null }, s_none),
            Is.EqualTo(DBNull.Value)
        );
        Assert.That(await m_command.ExecuteScalarAsync("SELECT 1 WHERE 0", s_none), Is.Null);
        Assert.That(await m_command.ExecuteScalarAsync(false, s_none), Is.Null);
    }

    [Test]
    [Contract("A 5.11 ExecuteScalarInt64")]
    public async Task A_number_has_a_default_for_NULL_and_for_no_row()
    {
        var none = new Dictionary<string, object?> { ["@v"] = null };
        Assert.That(await m_command.ExecuteScalarInt64Async("SELECT 12", s_none), Is.EqualTo(12));
        Assert.That(await m_command.ExecuteScalarInt64Async("SELECT 2.9", s_none), Is.EqualTo(2));
        Assert.That(await m_command.ExecuteScalarInt64Async("SELECT '31'", s_none), Is.EqualTo(31));
        Assert.That(await m_command.ExecuteScalarInt64Async("SELECT NULL", s_none), Is.EqualTo(-1));
        Assert.That(await m_command.ExecuteScalarInt64Async(s_none), Is.EqualTo(-1));
        Assert.That(await m_command.ExecuteScalarInt64Async(5, s_none), Is.EqualTo(5));
        Assert.That(await m_command.ExecuteScalarInt64Async(false, s_none), Is.EqualTo(-1));
        Assert.That(await m_command.ExecuteScalarInt64Async(false, 6, s_none), Is.EqualTo(6));
        Assert.That(await m_command.ExecuteScalarInt64PerformanceSensitiveAsync(false, s_none), Is.EqualTo(-1));
        Assert.That(await m_command.ExecuteScalarInt64Async("SELECT 1 WHERE 0", 7, s_none), Is.EqualTo(7));
        Assert.That(await m_command.ExecuteScalarInt64Async("SELECT @v", none, s_none), Is.EqualTo(-1));
        Assert.That(await m_command.ExecuteScalarInt64Async("SELECT @v", none, 8, s_none), Is.EqualTo(8));
        Assert.That(await m_command.ExecuteScalarInt64Async(false, "SELECT @v", none, s_none), Is.EqualTo(-1));
        Assert.That(await m_command.ExecuteScalarInt64Async(false, "SELECT @v", none, 9, s_none), Is.EqualTo(9));
    }

    [Test]
    public async Task A_reader_gives_the_rows()
    {
        var two = new Dictionary<string, object?> { ["@v"] = 2 };
        await using (var reader = await m_command.ExecuteReaderAsync("SELECT 1", s_none))
            Assert.That(reader.Read() && reader.GetInt64(0) == 1, Is.True);
        await using (var reader = await m_command.ExecuteReaderAsync("SELECT @v", two, s_none))
            Assert.That(reader.Read() && reader.GetInt64(0) == 2, Is.True);
        await using (var reader = await m_command.ExecuteReaderAsync(false, s_none))
            Assert.That(reader.Read() && reader.GetInt64(0) == 2, Is.True);
        Assert.That(
            await Collect(m_command.ExecuteReaderEnumerableAsync("SELECT 1 UNION ALL SELECT 2", s_none)),
            Is.EqualTo(new[] { 1, 2 })
        );
        Assert.That(await Collect(m_command.ExecuteReaderEnumerableAsync(s_none)), Is.EqualTo(new[] { 1, 2 }));
        Assert.That(await Collect(m_command.ExecuteReaderEnumerableAsync("SELECT @v", two, s_none)), Is.EqualTo(new[] { 2 }));
        Assert.That(await Collect(m_command.ExecuteReaderEnumerableAsync(false, "SELECT 1 WHERE 0", null, s_none)), Is.Empty);
    }

    [Test]
    [Contract("A 5.11 ExecuteReaderEnumerable")]
    public async Task An_enumeration_left_early_leaves_no_open_reader()
    {
        await foreach (
            var reader in m_command.ExecuteReaderEnumerableAsync("SELECT * FROM sqlite_master UNION ALL SELECT 1,2,3,4,5", s_none)
        )
        {
            Assert.That(reader.FieldCount, Is.EqualTo(5));
            break;
        }
        Assert.That(() => m_db.Run("DROP TABLE T"), Throws.Nothing);
    }

    [Test]
    public void Calls_are_complete_when_they_return()
    {
        Assert.That(m_command.ExecuteNonQueryAsync("SELECT 1", s_none).IsCompletedSuccessfully, Is.True);
        Assert.That(m_command.ExecuteNonQueryPerformanceSensitiveAsync(false, s_none).IsCompletedSuccessfully, Is.True);
        Assert.That(m_command.ExecuteScalarInt64Async(s_none).IsCompletedSuccessfully, Is.True);
        Assert.That(m_command.ExecuteNonQueryAsync(false, "SELECT * FROM Missing", null, s_none).IsFaulted, Is.True);
    }

    [Test]
    public void Errors_of_the_provider_pass_through()
    {
        Assert.That(async () => await m_command.ExecuteNonQueryAsync("INSERT INTO T (ID) VALUES (1), (1)", s_none), Refused.Engine(19));
        Assert.That(async () => await m_command.ExecuteNonQueryPerformanceSensitiveAsync(false, s_none), Throws.TypeOf<SqliteException>());
    }

    [Test]
    [Contract("A 1.10 timers")]
    [Contract("A 5.11 writeLog")]
    public async Task Calls_write_two_profiling_messages_with_their_id_and_the_printable_text()
    {
        var texts = new List<string>();
        using var log = new LogCapture(x => texts.Add(x.FormattedMessage));
        var name = new Dictionary<string, object?> { ["@Name"] = "marked" };
        await m_command.ExecuteNonQueryAsync(INSERT, name, s_none);
        await m_command.ExecuteScalarAsync("SELECT 'marked'", s_none);
        await m_command.ExecuteScalarInt64Async("SELECT 1 /*marked*/", s_none);
        await using (await m_command.ExecuteReaderAsync("SELECT 'marked'", s_none))
            await Task.CompletedTask;
        await Collect(m_command.ExecuteReaderEnumerableAsync("SELECT 1 /*marked*/", s_none));
        await m_command.ExecuteNonQueryPerformanceSensitiveAsync(true, s_none);

        var ids = new[]
        {
            "ExecuteNonQueryAsync",
            "ExecuteScalarAsync",
            "ExecuteScalarInt64Async",
            "ExecuteReader",
            "ExecuteReaderEnumerableAsync",
            "ExecuteNonQueryAsync",
        };
        Assert.That(log.Entries.Select(x => x.Id), Is.EqualTo(ids.SelectMany(x => new[] { x, x })));
        Assert.That(log.Entries.Select(x => x.Level), Has.All.EqualTo(LogMessageType.Profiling));
        Assert.That(log.Entries.Select(x => x.Tag).Distinct(), Is.EquivalentTo(new[] { "Timer.Begin-" + TAG, "Timer.Finished-" + TAG }));
        Assert.That(texts, Has.Count.EqualTo(12).And.All.Contains("marked"));
    }

    [Test]
    public async Task The_message_shows_the_values_of_its_own_call_if_it_is_read_at_once()
    {
        var texts = new List<string>();
        using var log = new LogCapture(x => texts.Add(x.FormattedMessage));
        m_command.SetCommandAndParameters("SELECT @v");
        await m_command.SetParameterValue("@v", "first").ExecuteScalarAsync(true, s_none);
        await m_command.SetParameterValue("@v", "second").ExecuteScalarAsync(true, s_none);
        Assert.That(texts.Select(x => x.Contains("first", StringComparison.Ordinal)), Is.EqualTo(new[] { true, true, false, false }));
    }

    [Test]
    public async Task Without_a_log_nothing_is_written()
    {
        using var log = new LogCapture();
        m_command.SetCommandAndParameters("SELECT 1");
        await m_command.ExecuteNonQueryAsync(false, s_none);
        await m_command.ExecuteScalarAsync(false, s_none);
        await m_command.ExecuteNonQueryPerformanceSensitiveAsync(false, s_none);
        await m_command.ExecuteScalarInt64PerformanceSensitiveAsync(false, s_none);
        Assert.That(log.Entries, Is.Empty);
    }

    [Test]
    [Contract("A 5.11 family B")]
    public void Commands_of_any_provider_have_the_same_calls()
    {
        IDbConnection connection = m_db.Connection;
        using var log = new LogCapture();
        using var command = connection.CreateCommand(INSERT);
        Assert.That(command.SetParameterValue("@Name", "a").ExecuteNonQuery(writeLog: true), Is.EqualTo(1));
        Assert.That(command.ExecuteNonQuery(INSERT, new Dictionary<string, object?> { ["@Name"] = "b" }), Is.EqualTo(1));
        Assert.That(command.ExecuteNonQuery("DELETE FROM T WHERE Name = 'a'"), Is.EqualTo(1));
        Assert.That(command.ExecuteScalar("SELECT Name FROM T"), Is.EqualTo("b"));
        Assert.That(command.ExecuteScalarInt64("SELECT NULL", 4), Is.EqualTo(4));
        Assert.That(command.ExecuteScalarInt64(), Is.EqualTo(-1));
        Assert.That(command.ExecuteScalarInt64(false), Is.EqualTo(-1));
        Assert.That(command.ExecuteScalarInt64(false, "SELECT 6", 1), Is.EqualTo(6));
        Assert.That(command.ExecuteReaderEnumerable("SELECT 1 UNION ALL SELECT 2").Select(x => x.GetInt64(0)), Is.EqualTo(new[] { 1, 2 }));
        Assert.That(command.ExecuteReaderEnumerable().Count(), Is.EqualTo(2));
        using (var reader = command.ExecuteReader("SELECT @v", new Dictionary<string, object?> { ["@v"] = 3 }))
            Assert.That(reader.Read() && reader.GetInt64(0) == 3, Is.True);
        Assert.That(
            log.Entries.Select(x => x.Id).Distinct(),
            Is.EquivalentTo(new[] { "ExecuteNonQuery", "ExecuteScalar", "ExecuteScalarInt64", "ExecuteReader" })
        );
    }

    [Test]
    public void Commands_of_any_provider_are_bound_to_a_transaction()
    {
        IDbConnection connection = m_db.Connection;
        using var transaction = connection.BeginTransaction();
        using var command = connection.CreateCommand(transaction, "SELECT 3");
        Assert.That(command.Transaction, Is.SameAs(transaction));
        Assert.That(command.ExecuteScalarInt64(transaction), Is.EqualTo(3));
        Assert.That(command.ExecuteNonQuery(transaction), Is.EqualTo(-1));
        using var empty = connection.CreateCommand((IDbTransaction?)null);
        Assert.That(empty.SetCommandAndParameters(transaction, "SELECT 4").ExecuteScalarInt64(true, -1), Is.EqualTo(4));
    }

    private static async Task<List<long>> Collect(IAsyncEnumerable<SqliteDataReader> rows)
    {
        var values = new List<long>();
        await foreach (var row in rows)
            values.Add(row.GetInt64(0));
        return values;
    }
}
