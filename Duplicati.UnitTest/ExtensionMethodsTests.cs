// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Data;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest;

[TestFixture]
public class ExtensionMethodsTests
{
    private TestConnection m_db = null!;

    private SqliteConnection Connection => m_db.Connection;

    [SetUp]
    public void SetUp() => m_db = new TestConnection("CREATE TABLE T (ID INTEGER PRIMARY KEY, Name TEXT, Time)");

    [TearDown]
    public void TearDown() => m_db.Dispose();

    [Test]
    [Contract("A 5.11 SetCommandAndParameters")]
    public void Every_distinct_word_with_an_at_sign_becomes_a_parameter_without_a_value()
    {
        using var command = Connection
            .CreateCommand()
            .SetCommandAndParameters("SELECT @a, @B, '@in_text', @b /* @note */ FROM T WHERE x = @a1");
        Assert.That(
            command.Parameters.Cast<SqliteParameter>().Select(x => x.ParameterName),
            Is.EqualTo(new[] { "@a", "@B", "@in_text", "@note", "@a1" })
        );
        Assert.That(command.Parameters.Cast<SqliteParameter>().Select(x => x.Value), Has.All.Null);
    }

    [Test]
    public void Setting_the_text_removes_the_parameters_of_the_text_before()
    {
        using var command = Connection.CreateCommand().SetCommandAndParameters("SELECT @a").SetCommandAndParameters("SELECT @b");
        Assert.That(command.Parameters.Cast<SqliteParameter>().Single().ParameterName, Is.EqualTo("@b"));
    }

    [Test]
    [Contract("A 5.11 SetCommandAndParameters")]
    public void A_used_parameter_without_a_value_fails_and_an_unused_one_is_harmless()
    {
        using var used = Connection.CreateCommand().SetCommandAndParameters("SELECT @a");
        Assert.That(() => used.ExecuteScalar(), Throws.InvalidOperationException);
        using var unused = Connection.CreateCommand().SetCommandAndParameters("SELECT 5 /* @note */");
        Assert.That(unused.ExecuteScalar(), Is.EqualTo(5));
    }

    [Test]
    [Contract("A 5.11 CreateCommand")]
    public async Task A_command_with_a_text_is_prepared_at_once()
    {
        Assert.That(() => Connection.CreateCommand("SELECT * FROM Missing"), Throws.TypeOf<SqliteException>());
        Assert.That(
            async () => await Connection.CreateCommandAsync("SELECT * FROM Missing", CancellationToken.None),
            Throws.TypeOf<SqliteException>()
        );
        await using var command = await Connection.CreateCommandAsync("SELECT @v + 1", CancellationToken.None);
        Assert.That(command.SetParameterValue("@v", 4).ExecuteScalar(), Is.EqualTo(5));
        Assert.That(
            async () => await Connection.CreateCommandAsync("SELECT 1", new CancellationToken(true)),
            Throws.InstanceOf<OperationCanceledException>()
        );
    }

    [Test]
    public void A_command_belongs_to_the_transaction_it_is_given()
    {
        using var transaction = Connection.BeginTransaction();
        using var command = Connection.CreateCommand(transaction);
        Assert.That(command.Transaction, Is.SameAs(transaction));
        using var bound = new SqliteCommand("SELECT 1", Connection);
        Assert.That(bound.SetTransaction(transaction).Transaction, Is.SameAs(transaction));
    }

    [Test]
    [Contract("A 5.11 SetParameterValue")]
    public void Null_becomes_NULL_and_an_unknown_parameter_fails()
    {
        using var command = Connection.CreateCommand("SELECT typeof(@v)").SetParameterValue("@v", null);
        Assert.That(command.ExecuteScalar(), Is.EqualTo("null"));
        Assert.That(() => command.SetParameterValue("@other", 1), Throws.Exception);
        Assert.That(() => command.SetParameterValues(new Dictionary<string, object?> { ["@v"] = 1, ["@w"] = 2 }), Throws.Exception);
    }

    [Test]
    [Contract("A 5.11 SetParameterValue DateTime")]
    public void A_time_is_epoch_seconds_on_a_SQLite_command_and_unchanged_on_any_other()
    {
        var time = DateTime.UnixEpoch.AddSeconds(77.9);
        using var command = Connection.CreateCommand("SELECT @v");
        Assert.That(command.SetParameterValue("@v", time).ExecuteScalar(), Is.EqualTo(77));
        ((IDbCommand)command).SetParameterValue("@v", time);
        Assert.That(command.Parameters["@v"].Value, Is.EqualTo(time));
    }

    [Test]
    [Contract("A 5.11 enums")]
    public void An_enum_is_bound_as_its_number()
    {
        using var command = Connection.CreateCommand("SELECT typeof(@v) || @v").SetParameterValue("@v", RemoteVolumeState.Verified);
        Assert.That(command.ExecuteScalar(), Is.EqualTo("integer3"));
    }

    [Test]
    [Contract("A 5.11 AddNamedParameter")]
    [Contract("A 12 row 18")]
    public void An_added_parameter_without_a_value_is_not_NULL()
    {
        using var command = Connection.CreateCommand().AddNamedParameter("@a").AddNamedParameter("@b", 3);
        Assert.That(command.Parameters["@a"].Value, Is.Null);
        Assert.That(command.Parameters["@b"].Value, Is.EqualTo(3));
        ((IDbCommand)command).AddNamedParameter("@c", "x");
        Assert.That(command.Parameters["@c"].Value, Is.EqualTo("x"));
    }

    [Test]
    [Contract("A 5.11 ConvertValueToInt64")]
    public void Columns_are_converted_with_a_default_for_NULL_and_for_what_cannot_be_read()
    {
        using var command = Connection.CreateCommand("SELECT 7, NULL, 'text'");
        using var reader = command.ExecuteReader();
        reader.Read();
        Assert.That(
            (
                reader.ConvertValueToInt64(0),
                reader.ConvertValueToInt64(1),
                reader.ConvertValueToInt64(1, 9),
                reader.ConvertValueToInt64(99, 8)
            ),
            Is.EqualTo((7L, -1L, 9L, 8L))
        );
        Assert.That(
            (reader.ConvertValueToString(0), reader.ConvertValueToString(1), reader.ConvertValueToString(2)),
            Is.EqualTo(("7", (string?)null, "text"))
        );
        IDataReader any = reader;
        Assert.That((any.ConvertValueToInt64(0), any.ConvertValueToInt64(1, 9), any.ConvertValueToString(2)), Is.EqualTo((7L, 9L, "text")));
    }

    [Test]
    [Contract("A 5.11 GetPrintableCommandText")]
    public void Printable_text_has_values_in_place_of_parameters()
    {
        using var command = Connection.CreateCommand().SetCommandAndParameters("SELECT @n, @s, @S2, @t, @b, @d, @unset WHERE '@x'");
        command.Parameters.RemoveAt("@x");
        command
            .SetParameterValue("@n", null)
            .SetParameterValue("@s", "a b")
            .SetParameterValue("@S2", 1.5)
            .SetParameterValue("@b", new byte[] { 1, 0xAB })
            .SetParameterValue("@d", -3L);
        command.Parameters["@t"].Value = DateTime.UnixEpoch;
        Assert.That(
            command.GetPrintableCommandText(),
            Is.EqualTo("SELECT NULL, \"a b\", 1.5, \"1970-01-01T00:00:00.0000000Z\", X'01AB', -3, NULL WHERE '@x'")
        );
    }

    [TestCase(0)]
    [TestCase(1)]
    [TestCase(2)]
    [TestCase(3)]
    [TestCase(998)]
    [TestCase(1000)]
    [Contract("A 5.11 ExpandInClauseParameter")]
    [Contract("A 12 row 3")]
    public void A_list_parameter_is_expanded_to_one_parameter_a_value(int count)
    {
        m_db.Run("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 2000) INSERT INTO T (ID) SELECT x FROM n");
        using var command = Connection
            .CreateCommand("SELECT COUNT(*) FROM T WHERE ID IN (@list)")
            .ExpandInClauseParameterMssqlite("@list", Enumerable.Range(500, count));
        Assert.That(command.Parameters, Has.Count.EqualTo(count));
        Assert.That(command.ExecuteScalar(), Is.EqualTo(count));

        using IDbCommand any = Connection.CreateCommand("SELECT COUNT(*) FROM T WHERE ID NOT IN (@list)");
        Assert.That(any.ExpandInClauseParameter("@list", Enumerable.Range(500, count)).ExecuteScalar(), Is.EqualTo(2000 - count));
    }

    [Test]
    public void A_list_parameter_is_replaced_in_any_case_and_keeps_other_parameters()
    {
        using var command = Connection
            .CreateCommand("SELECT @other IN (@LIST) OR @other IN (@list)")
            .SetParameterValue("@other", "b")
            .ExpandInClauseParameterMssqlite("@list", new[] { "a", "b" });
        Assert.That(command.CommandText, Is.EqualTo("SELECT @other IN (@list0, @list1) OR @other IN (@list0, @list1)"));
        Assert.That(command.ExecuteScalar(), Is.EqualTo(1));
    }

    [Test]
    [Contract("A 5.11 ExpandInClauseParameter")]
    public void A_list_parameter_without_an_at_sign_is_refused()
    {
        using var command = Connection.CreateCommand("SELECT 1 IN (@list)");
        Assert.That(() => command.ExpandInClauseParameterMssqlite("list", new[] { 1 }), Throws.ArgumentException);
        Assert.That(() => ((IDbCommand)command).ExpandInClauseParameter("list", new[] { 1 }), Throws.ArgumentException);
    }
}
