// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.LocalDatabaseTests;

namespace Duplicati.UnitTest;

[TestFixture]
public class TemporaryDbValueListTests : LocalDatabaseTestBase
{
    private const string TABLES = "SELECT COUNT(*) FROM sqlite_temp_master WHERE name LIKE 'TemporaryList-%'";

    private static readonly CancellationToken s_none = CancellationToken.None;

    [TestCase(0, false)]
    [TestCase(128, false)]
    [TestCase(129, true)]
    [TestCase(1000, true)]
    [Contract("A 5.7 threshold")]
    [Contract("A 12 row 3")]
    public async Task Only_a_long_list_becomes_a_table(int count, bool table)
    {
        await using var list = await TemporaryDbValueList.CreateAsync(Db, Enumerable.Range(1, count).Select(x => (long)x), s_none);
        Assert.That(list.IsTableCreated, Is.EqualTo(table));
        Assert.That(list.Values, Is.EqualTo(Enumerable.Range(1, count)));
        Assert.That(Count(TABLES), Is.EqualTo(table ? 1 : 0));
        if (table)
            Assert.That(
                Count($"SELECT SUM(\"Value\") FROM \"{list.TableName}\" WHERE typeof(\"Value\") = 'integer'"),
                Is.EqualTo(count * (count + 1) / 2)
            );
    }

    [Test]
    [Contract("A 1.8 temporary names")]
    [Contract("A 5.7 table")]
    public async Task The_table_has_the_name_that_core_expects()
    {
        await using var list = await TemporaryDbValueList.CreateAsync(Db, Names(150), s_none);
        Assert.That(list.TableName, Does.Match("^TemporaryList-[0-9A-F]{32}$"));
        Assert.That(
            Count($"SELECT COUNT(*) FROM pragma_table_info('{list.TableName}') WHERE name = 'Value' AND type = 'TEXT'"),
            Is.EqualTo(1)
        );
    }

    [TestCase(0)]
    [TestCase(1)]
    [TestCase(998)]
    [TestCase(1000)]
    [Contract("A 12 row 3")]
    public async Task A_command_is_expanded_by_values_or_by_the_table(int count)
    {
        await using var list = await TemporaryDbValueList.CreateAsync(Db, Names(count), s_none);
        await using var command = Db.Connection.CreateCommand(Db.Transaction);
        command.SetCommandAndParameters(
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 2000) SELECT COUNT(*) FROM n WHERE 'name' || x IN (@list)"
        );
        await command.ExpandInClauseParameterMssqliteAsync("@list", list, s_none);
        Assert.That(await command.ExecuteScalarInt64Async(false, s_none), Is.EqualTo(count));

        using System.Data.IDbCommand any = Db.Connection.CreateCommand(Db.Transaction);
        any.SetCommandAndParameters(
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 2000) SELECT COUNT(*) FROM n WHERE 'name' || x NOT IN (@list)"
        );
        Assert.That(any.ExpandInClauseParameter("@list", list).ExecuteScalarInt64(false), Is.EqualTo(2000 - count));
    }

    [Test]
    [Contract("A 5.7 GetInClauseAsync")]
    public async Task A_short_list_can_be_forced_into_a_table()
    {
        await using var list = await TemporaryDbValueList.CreateAsync(Db.Connection, Db.Transaction, new long[] { 5, 7 }, s_none);
        var clause = await list.GetInClauseAsync(s_none);
        await list.ForceToTableAsync(s_none);
        Assert.That(list.IsTableCreated, Is.True);
        Assert.That(Count($"SELECT 5 IN ({clause}) AND 6 NOT IN ({clause})"), Is.EqualTo(1));
    }

    [Test]
    public async Task The_values_are_read_once()
    {
        var reads = 0;
        await using var list = await TemporaryDbValueList.CreateAsync(Db.Connection, Db.Transaction, Once(), s_none);
        await list.ForceToTableAsync(s_none);
        Assert.That(list.Values, Has.Exactly(2).Items);
        Assert.That(reads, Is.EqualTo(1));

        IEnumerable<string> Once()
        {
            reads++;
            yield return "a";
            yield return "b";
        }
    }

    [TestCase(128)]
    [TestCase(129)]
    [Contract("A 5.7 table")]
    public async Task A_text_that_is_null_is_a_value_like_any_other(int count)
    {
        await using var list = await TemporaryDbValueList.CreateAsync(Db, Names(count - 1).Append(null!), s_none);
        await using var command = Db.Connection.CreateCommand(Db.Transaction);
        command.SetCommandAndParameters("SELECT 'name1' IN (@list) AND ('another' IN (@list)) IS NULL");
        await command.ExpandInClauseParameterMssqliteAsync("@list", list, s_none);
        Assert.That(await command.ExecuteScalarInt64Async(false, s_none), Is.EqualTo(1));
        Assert.That(list.Values, Has.Exactly(1).Null);
    }

    [Test]
    [Contract("A 5.7 null")]
    public void Null_is_refused()
    {
        Assert.That(async () => await TemporaryDbValueList.CreateAsync(Db, (IEnumerable<long>)null!, s_none), Throws.ArgumentNullException);
        Assert.That(
            async () => await TemporaryDbValueList.CreateAsync(Db, (IEnumerable<string>)null!, s_none),
            Throws.ArgumentNullException
        );
    }

    [Test]
    [Contract("A 13 Q15")]
    public async Task The_table_survives_a_commit_and_is_dropped_after_it()
    {
        using var log = new LogCapture();
        var list = await TemporaryDbValueList.CreateAsync(Db, Names(200), s_none);
        await Db.Transaction.CommitAsync(s_none);
        Assert.That(Count($"SELECT COUNT(*) FROM \"{list.TableName}\""), Is.EqualTo(200));
        await list.DisposeAsync();
        Assert.That(Count(TABLES), Is.Zero);
        Assert.That(log.WarningsAndErrors, Is.Empty);
    }

    [Test]
    public async Task A_rollback_takes_the_table_with_it_and_disposal_says_nothing()
    {
        using var log = new LogCapture();
        await using (await TemporaryDbValueList.CreateAsync(Db, Names(200), s_none))
            await Db.Transaction.RollBackAsync(s_none);
        Assert.That(Count(TABLES), Is.Zero);
        Assert.That(log.WarningsAndErrors, Is.Empty);
    }

    [Test]
    [Contract("A 5.7 disposal")]
    public async Task A_drop_that_fails_is_logged_and_not_thrown()
    {
        using var log = new LogCapture();
        var list = await TemporaryDbValueList.CreateAsync(Db, Names(200), s_none);
        await using var command = Db.Connection.CreateCommand($"SELECT * FROM \"{list.TableName}\"");
        await using (var reader = await command.ExecuteReaderAsync(false, s_none))
        {
            reader.Read();
            Assert.That(list.Dispose, Throws.Nothing);
        }
        Assert.That(log.WarningsAndErrors.Select(x => x.Id), Is.EqualTo(new[] { "DropTableFailed" }));
    }

    [Test]
    [Contract("A 5.7 disposal")]
    public async Task A_disposed_list_cannot_be_used()
    {
        var list = await TemporaryDbValueList.CreateAsync(Db, Names(200), s_none);
        list.Dispose();
        list.Dispose();
        Assert.That(() => list.Values, Throws.TypeOf<ObjectDisposedException>());
        Assert.That(() => list.IsTableCreated, Throws.TypeOf<ObjectDisposedException>());
        Assert.That(() => list.TableName, Throws.TypeOf<ObjectDisposedException>());
        Assert.That(async () => await list.GetInClauseAsync(s_none), Throws.TypeOf<ObjectDisposedException>());
        Assert.That(async () => await list.ForceToTableAsync(s_none), Throws.TypeOf<ObjectDisposedException>());
    }

    [Test]
    public void A_cancelled_token_leaves_no_table()
    {
        Assert.That(
            async () => await TemporaryDbValueList.CreateAsync(Db, Names(200), new CancellationToken(true)),
            Throws.InstanceOf<OperationCanceledException>()
        );
        Assert.That(Count(TABLES), Is.Zero);
    }

    private static IEnumerable<string> Names(int count) => Enumerable.Range(1, count).Select(x => "name" + x);

    private long Count(string sql)
    {
        using var command = Db.Connection.CreateCommand(Db.Transaction);
        return command.SetCommandAndParameters(sql).ExecuteScalarInt64(false);
    }
}
