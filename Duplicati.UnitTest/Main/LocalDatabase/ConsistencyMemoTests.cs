// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

public sealed class ConsistencyMemoTests : LocalDatabaseTestBase
{
    private const string DAMAGE = "INSERT INTO Blockset (Length, FullHash) VALUES (5, 'damage')";

    private Task Verify(bool lists = true) => Db.VerifyConsistencyAsync(100, 32, lists, default);

    /// <summary>Whether a check reads tables, or only asks whether anything has changed.</summary>
    private async Task<bool> Reads(Func<Task> check)
    {
        var reads = false;
        Db.Session.Statements.Observe(sql => reads |= sql.Contains("BlocksetEntry", StringComparison.Ordinal));
        await check();
        Db.Session.Statements.Fault = null;
        return reads;
    }

    [Test]
    public async Task A_repeated_check_of_an_unchanged_database_reads_no_table()
    {
        Assert.That(await Reads(() => Verify()), Is.True);
        Assert.That(await Reads(() => Verify()), Is.False);
    }

    [Test]
    public async Task A_check_covers_a_weaker_one_and_no_other()
    {
        await Verify(lists: true);

        Assert.That(await Reads(() => Verify(lists: false)), Is.False);
        Assert.That(await Reads(() => Db.VerifyConsistencyForRepairAsync(100, 32, true, default)), Is.False);
        Assert.That(await Reads(() => Db.VerifyConsistencyAsync(101, 32, true, default)), Is.True);
        Assert.That(await Reads(() => Verify(lists: true)), Is.True);
    }

    [Test]
    public async Task A_weaker_check_does_not_cover_a_stronger_one()
    {
        await Db.VerifyConsistencyForRepairAsync(100, 32, false, default);

        Assert.That(await Reads(() => Db.VerifyConsistencyForRepairAsync(100, 32, true, default)), Is.True);
        Assert.That(await Reads(() => Verify()), Is.True);
    }

    [Test]
    public async Task Damage_done_through_the_raw_connection_is_seen()
    {
        var connection = Db.Connection;
        await Db.Transaction.CommitAsync(default);
        await Verify();

        connection.Execute(DAMAGE);

        Assert.That(() => Verify(), Throws.TypeOf<DatabaseInconsistencyException>());
    }

    [Test]
    public async Task Damage_committed_by_another_connection_is_seen_as_soon_as_this_one_can_see_it()
    {
        await Verify();
        Databases.Execute(DatabasePath, DAMAGE);
        await Db.Transaction.CommitAsync(default);

        Assert.That(() => Verify(), Throws.TypeOf<DatabaseInconsistencyException>());
    }

    [Test]
    public async Task A_repair_that_is_rolled_back_is_not_remembered_as_good()
    {
        Databases.Execute(DatabasePath, DAMAGE);
        await Db.Session.ShortAsync(session => session.Execute("DELETE FROM Blockset"), default);
        Assert.That(() => Verify(), Throws.Nothing);
        Assert.That(await Reads(() => Verify()), Is.True, "nothing is remembered of uncommitted content");

        await Db.Transaction.RollBackAsync(default);

        Assert.That(() => Verify(), Throws.TypeOf<DatabaseInconsistencyException>());
    }

    [Test]
    public async Task A_repair_undone_to_a_savepoint_is_not_remembered_as_good()
    {
        Databases.Execute(DatabasePath, DAMAGE);
        Execute("SAVEPOINT repair; DELETE FROM Blockset");
        Assert.That(() => Verify(), Throws.Nothing);
        Execute("ROLLBACK TO repair");

        Assert.That(() => Verify(), Throws.TypeOf<DatabaseInconsistencyException>());
    }

    [Test]
    public async Task A_dropped_table_is_noticed()
    {
        await Db.Transaction.CommitAsync(default);
        await Verify();
        await Db.Session.ShortAsync(session => session.Execute("DROP TABLE Blockset"), default);

        Assert.That(() => Verify(), Throws.TypeOf<SqliteException>());
    }

    [Test]
    public async Task A_failed_check_is_not_remembered()
    {
        Databases.Execute(DatabasePath, DAMAGE);

        Assert.That(() => Verify(), Throws.TypeOf<DatabaseInconsistencyException>());
        Assert.That(() => Verify(), Throws.TypeOf<DatabaseInconsistencyException>());
        await Db.Transaction.CommitAsync(default);
    }

    [Test]
    public async Task Rows_that_do_not_belong_to_the_content_are_noticed_too_rather_than_too_little()
    {
        await Verify();
        await Db.LogMessageAsync("Information", "text", null, default);
        await Db.Transaction.CommitAsync(default);

        Assert.That(await Reads(() => Verify()), Is.True);
        Assert.That(await Reads(() => Verify()), Is.False);
    }
}
