// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;

namespace Duplicati.UnitTest.Main.Contract;

/// <summary>Making and disposing database objects in the orders that core and its tests do.</summary>
[TestFixture]
internal sealed class ALifetimeTests : FolderTestBase
{
    private string DatabasePath => Folder.File("local.sqlite");

    [Test]
    [Contract("A 6.3 ShouldCloseConnection false")]
    public async Task An_object_on_a_given_connection_opens_it_and_leaves_it_and_its_transaction_alone([Values] bool isOpen)
    {
        using var connection = SQLiteLoader.LoadConnection(DatabasePath);
        DatabaseUpgrader.UpgradeDatabase(connection, DatabasePath, typeof(DatabaseSchemaMarker));
        if (!isOpen)
            connection.Close();
        var db = await LocalDatabase.CreateLocalDatabaseAsync(connection, "x", null, default);
        Assert.That(db.ShouldCloseConnection, Is.False);
        await db.RegisterRemoteVolumeAsync("v", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default);
        var transaction = db.Transaction;
        await db.DisposeAsync();
        db.Dispose();

        Assert.That(db.IsDisposed, Is.True);
        Assert.That(connection.State, Is.EqualTo(System.Data.ConnectionState.Open));
        Assert.That(connection.Scalar("""SELECT COUNT(*) FROM "Remotevolume" """), Is.EqualTo("1"));
        await transaction.CommitAsync("still open", false, default);
        connection.Close();
        Assert.That(Folder.Files(), Is.EqualTo(new[] { "local.sqlite" }));
    }

    [Test]
    [Contract("A 6.3 ShouldCloseConnection false")]
    public async Task A_second_object_can_follow_on_the_same_connection()
    {
        using var connection = SQLiteLoader.LoadConnection(DatabasePath);
        DatabaseUpgrader.UpgradeDatabase(connection, DatabasePath, typeof(DatabaseSchemaMarker));
        for (var i = 0; i < 3; i++)
        {
            await using var db = await LocalBackupDatabase.CreateAsync(
                await LocalDatabase.CreateLocalDatabaseAsync(connection, $"op{i}", null, default),
                new Options([]),
                null,
                default
            );
            Assert.That(db.ShouldCloseConnection, Is.False);
            Assert.That(await db.AddBlockAsync(Convert.ToBase64String(new byte[32]), 5, 1, default), Is.EqualTo(i == 0));
            await db.Transaction.CommitAsync("end", false, default);
        }

        Assert.That(connection.Scalar("""SELECT GROUP_CONCAT("Description") FROM "Operation" """), Is.EqualTo("op0,op1,op2"));
    }

    [Test]
    [Contract("A 6.3 file is free")]
    [Contract("A 6.11 VacuumAsync")]
    public void A_vacuumed_database_that_nobody_closes_is_closed_by_the_garbage_collector()
    {
        // On a thread of its own, so that nothing of it stays on the stack.
        var thread = new Thread(() => VacuumAndForgetAsync().GetAwaiter().GetResult());
        thread.Start();
        Wait.ForEnd(thread, "the vacuum");
        for (var i = 0; i < 50 && OpenHandles() > 0; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        Assert.That(OpenHandles(), Is.Zero);
    }

    [Test]
    [Contract("A 6.3 owner")]
    public async Task The_owner_can_be_disposed_before_and_after_its_children_in_both_ways()
    {
        for (var i = 0; i < 4; i++)
        {
            var owner = await LocalDatabase.CreateLocalDatabaseAsync(DatabasePath, "x", true, null, default);
            var child = await LocalDeleteDatabase.CreateAsync(owner, null, default);
            await child.RegisterRemoteVolumeAsync($"v{i}", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default);
            await owner.CommitAsync(default);
            LocalDatabase[] order = i % 2 == 0 ? [owner, child] : [child, owner];
            foreach (var item in order.Concat(order))
            {
                if (i < 2)
                    item.Dispose();
                else
                    await item.DisposeAsync();
            }

            Assert.That(Folder.Files(), Is.EqualTo(new[] { "local.sqlite" }), $"way {i}");
        }
    }

    [Test]
    [Contract("A 6.3 use after disposal")]
    public async Task After_the_owner_is_gone_members_fail_with_an_exception_and_writing_results_does_nothing()
    {
        var owner = await LocalDatabase.CreateLocalDatabaseAsync(DatabasePath, "x", true, null, default);
        await owner.GetDbOptionsAsync(default);
        var transaction = owner.Transaction;
        await owner.DisposeAsync();

        Assert.That(owner.IsDisposed, Is.True);
        Assert.That(async () => await owner.GetDbOptionsAsync(default), Throws.InstanceOf<InvalidOperationException>());
        Assert.That(async () => await owner.RemoveRemoteVolumeAsync("v", default), Throws.InstanceOf<InvalidOperationException>());
        Assert.That(async () => await transaction.CommitAsync(default), Throws.InstanceOf<InvalidOperationException>());
        await owner.WriteResultsAndCommitAsync(new BackupResults(), default);
    }

    [Test]
    [Contract("A 6.3 use after disposal")]
    public async Task A_connection_closed_by_somebody_else_is_an_exception_and_no_crash()
    {
        var connection = SQLiteLoader.LoadConnection(DatabasePath);
        DatabaseUpgrader.UpgradeDatabase(connection, DatabasePath, typeof(DatabaseSchemaMarker));
        var db = await LocalDatabase.CreateLocalDatabaseAsync(connection, "x", null, default);
        await db.GetDbOptionsAsync(default);
        connection.Dispose();

        using var log = new LogCapture();
        Assert.That(async () => await db.CommitAsync(default), Throws.InstanceOf<InvalidOperationException>());
        Assert.That(async () => await db.GetDbOptionsAsync(default), Throws.InstanceOf<InvalidOperationException>());
        Assert.That(db.Dispose, Throws.Nothing);
        Assert.That(db.Transaction.Dispose, Throws.Nothing);
    }

    [Test]
    [Contract("A 5.6 construction")]
    public void A_transaction_on_a_plain_connection_is_deferred_and_of_its_own()
    {
        using var connection = SQLiteLoader.LoadConnection(DatabasePath);
        connection.Execute("CREATE TABLE t (x)");
        using (var transaction = new ReusableTransaction(connection))
        using (var other = SQLiteLoader.LoadConnection(DatabasePath))
        {
            Assert.That(other.Execute("INSERT INTO t VALUES (1)"), Is.EqualTo(1));
            using var command = connection.CreateCommand(transaction);
            command.CommandText = "SELECT COUNT(*) FROM t";
            Assert.That(command.ExecuteScalar(), Is.EqualTo(1));
        }

        Assert.That(connection.Scalar("SELECT COUNT(*) FROM t"), Is.EqualTo("1"));
    }

    [Test]
    [Contract("A 5.6 construction")]
    public async Task A_transaction_of_an_object_can_be_adopted_without_taking_it_over()
    {
        await using var db = await LocalDatabase.CreateLocalDatabaseAsync(DatabasePath, "x", true, null, default);
        var adopted = new ReusableTransaction(db, db.Transaction.Transaction);
        Assert.That(adopted.Transaction, Is.SameAs(db.Transaction.Transaction));
        Assert.That(adopted.Session, Is.SameAs(db.Session));
    }

    private async Task VacuumAndForgetAsync()
    {
        await using var db = await LocalDatabase.CreateLocalDatabaseAsync(DatabasePath, "Vacuum", false, null, default);
        await db.Transaction.CommitAsync("before the vacuum", false, default);
        await db.VacuumAsync(default);
    }

    private int OpenHandles() =>
        OperatingSystem.IsLinux()
            ? Directory
                .GetFiles("/proc/self/fd")
                .Count(x => new FileInfo(x).LinkTarget?.StartsWith(DatabasePath, StringComparison.Ordinal) == true)
            : 0;
}
