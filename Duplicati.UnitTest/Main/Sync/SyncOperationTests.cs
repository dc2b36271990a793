// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Reflection;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Sync;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.UnitTest.Main.Sync;

public sealed class SyncOperationTests : SyncTestBase
{
    private const int HeldMilliseconds = 100;

    // Then the lock is let go, so that a test whose call was not cancelled fails.
    private const int LongestMilliseconds = 20_000;

    private SqliteConnection Connection =>
        (SqliteConnection)typeof(LocalSyncDatabase).GetField("m_connection", BindingFlags.Instance | BindingFlags.NonPublic)!.GetValue(Db)!;

    // Of the one file and, behind it, the one transfer.
    private string? CommittedPaths =>
        Committed("SELECT (SELECT RelativePath FROM RemoteInventory) || IFNULL((SELECT Path FROM PendingOperation), '')");

    private DateTime LastPurge =>
        (DateTime)typeof(LocalSyncDatabase).GetField("m_lastAuditPurgeUtc", BindingFlags.Instance | BindingFlags.NonPublic)!.GetValue(Db)!;

    [Test]
    [Contract("C 8.2 UpsertPendingOperationAsync")]
    [Contract("C 8.2 RemovePendingOperationAsync")]
    [Contract("C 8.2 GetPendingOperationAsync")]
    [Contract("C 12 row 4")]
    public async Task A_transfer_is_begun_begun_again_and_forgotten()
    {
        await Db.UpsertPendingOperationAsync("a", SyncOperation.Upload, 5, "h", None);
        var first = (await Db.GetPendingOperationAsync("a", None))!;
        await Db.UpsertPendingOperationAsync("a", SyncOperation.Delete, null, null, None);
        var second = (await Db.GetPendingOperationAsync("a", None))!;

        Assert.That(
            (first.Path, first.Operation, first.Size, first.Hash, first.Attempts),
            Is.EqualTo(("a", SyncOperation.Upload, (long?)5, "h", 0))
        );
        Assert.That(first.StartedAt.Kind, Is.EqualTo(DateTimeKind.Utc));
        Assert.That(first.StartedAt, Is.EqualTo(DateTime.UtcNow).Within(TimeSpan.FromMinutes(5)));
        Assert.That(
            second,
            Is.EqualTo(
                first with
                {
                    Operation = SyncOperation.Delete,
                    Size = null,
                    Hash = null,
                    Attempts = 1,
                    StartedAt = second.StartedAt,
                }
            )
        );
        Assert.That(Committed("SELECT Operation FROM PendingOperation"), Is.EqualTo("Delete"));

        await Db.RemovePendingOperationAsync("a", None);
        Assert.That(await Db.GetPendingOperationAsync("a", None), Is.Null);
    }

    [Test]
    [Contract("C 8.2 ClearPendingOperationsAsync")]
    [Contract("C 8.2 HasAnyPendingOperationsAsync")]
    [Contract("C 8.2 GetPendingOperationsAsync")]
    [Contract("C 8.2 RemoveRemoteVolumesAsync")]
    public async Task All_transfers_are_forgotten_at_once_or_by_name()
    {
        foreach (var path in new[] { "a", "b", "c" })
            await Db.UpsertPendingOperationAsync(path, SyncOperation.Upload, null, null, None);

        await Db.RemoveRemoteVolumesAsync(["a", "c", "unknown"], None);
        Assert.That(await Db.GetPendingOperationsAsync(None).Select(x => x.Path).ToListAsync(), Is.EqualTo(new[] { "b" }));
        await Db.ClearPendingOperationsAsync(None);
        Assert.That(await Db.HasAnyPendingOperationsAsync(None), Is.False);
    }

    [TestCase(RemoteVolumeState.Uploading, 5, "Upload", 5)]
    [TestCase(RemoteVolumeState.Uploading, 0, "Upload", null)]
    [TestCase(RemoteVolumeState.Deleting, -1, "Delete", null)]
    [TestCase(RemoteVolumeState.Uploaded, 5, null, null)]
    [TestCase(RemoteVolumeState.Deleted, 5, null, null)]
    [TestCase(RemoteVolumeState.Verified, 5, null, null)]
    [TestCase(RemoteVolumeState.Temporary, 5, null, null)]
    [Contract("C 8.2 UpdateRemoteVolumeAsync")]
    [Contract("C 8.2 CommitAsync")]
    public async Task A_volume_that_is_being_moved_is_a_transfer(RemoteVolumeState state, long size, string? operation, long? expectedSize)
    {
        IBackendManagerDatabase db = Db;
        await db.UpdateRemoteVolumeAsync("a", state, size, "h", None);
        await db.UpdateRemoteVolumeAsync("b", state, size, "h", true, TimeSpan.FromHours(1), true, None);
        await db.CommitAsync(None);

        var found = await Db.GetPendingOperationsAsync(None).Select(x => (x.Path, x.Operation.ToString(), x.Size, x.Hash)).ToListAsync();
        Assert.That(
            found,
            Is.EqualTo(operation is null ? [] : new[] { ("a", operation, expectedSize, "h"), ("b", operation, expectedSize, (string?)"h") })
        );
    }

    [Test]
    [Contract("C 8.2 LogRemoteOperationAsync")]
    [Contract("C 8.2 PurgeLogDataAsync")]
    [Contract("C 8.2 m_lastAuditPurgeUtc")]
    [Contract("C 11.2 row 20")]
    public async Task The_first_log_entry_purges_and_the_next_ones_do_not()
    {
        using (var other = Connect())
            other.Execute("INSERT INTO RemoteOperation (Timestamp, Operation, Path) VALUES (0, 'get', 'old')");
        Assert.That(LastPurge, Is.EqualTo(DateTime.MinValue));

        await Db.LogRemoteOperationAsync("put", "a", "data", None);
        Assert.That(Committed("SELECT GROUP_CONCAT(Operation || Path || Data) FROM RemoteOperation"), Is.EqualTo("putadata"));
        var purged = LastPurge;
        Assert.That(purged, Is.EqualTo(DateTime.UtcNow).Within(TimeSpan.FromMinutes(5)));

        using (var other = Connect())
            other.Execute("INSERT INTO RemoteOperation (Timestamp, Operation, Path) VALUES (0, 'get', 'old')");
        for (var i = 0; i < 20; i++)
            await Db.LogRemoteOperationAsync("put", "a", null, None);
        Assert.That(Committed("SELECT COUNT(*) FROM RemoteOperation"), Is.EqualTo("22"));
        Assert.That(LastPurge, Is.EqualTo(purged));

        await Db.PurgeLogDataAsync(DateTime.UtcNow.AddDays(-1), None);
        Assert.That(Committed("SELECT COUNT(*) FROM RemoteOperation"), Is.EqualTo("21"));
    }

    [Test]
    [Contract("C 8.2 ExecuteInTransactionAsync")]
    public async Task A_transaction_makes_all_durable_together()
    {
        await Db.ExecuteInTransactionAsync(
            async token =>
            {
                await AddAsync("a");
                await Db.UpsertPendingOperationAsync("a", SyncOperation.Upload, null, null, token);
                await Db.RenameRemoteFileAsync("a", "b", token);
                Assert.That(Committed("SELECT COUNT(*) FROM RemoteInventory"), Is.EqualTo("0"));
            },
            None
        );

        Assert.That(Committed("SELECT RelativePath FROM RemoteInventory"), Is.EqualTo("b"));
        await AddAsync("c");
        Assert.That(Committed("SELECT COUNT(*) FROM RemoteInventory"), Is.EqualTo("2"), "every other call is durable by itself");
    }

    [Test]
    [Contract("C 8.2 ExecuteInTransactionAsync")]
    public async Task A_failing_action_leaves_nothing_and_its_exception_is_thrown_on()
    {
        var error = new FileNotFoundException();

        var thrown = Assert.ThrowsAsync<FileNotFoundException>(() =>
            Db.ExecuteInTransactionAsync(
                async _ =>
                {
                    await AddAsync("a");
                    throw error;
                },
                None
            )
        );

        Assert.That(thrown, Is.SameAs(error));
        Assert.That(await Db.HasAnyInventoryAsync(None), Is.False);
        await AddAsync("b");
        Assert.That(Committed("SELECT COUNT(*) FROM RemoteInventory"), Is.EqualTo("1"));
    }

    [Test]
    [Contract("C 8.2 ExecuteInTransactionAsync")]
    public async Task A_transaction_needs_an_action_and_cannot_be_nested()
    {
        Assert.That(
            async () => await Db.ExecuteInTransactionAsync(null!, None),
            Throws.ArgumentNullException.With.Property("ParamName").EqualTo("action")
        );
        Assert.That(
            async () => await Db.ExecuteInTransactionAsync(token => Db.ExecuteInTransactionAsync(_ => AddAsync("a"), token), None),
            Throws.InvalidOperationException
        );
        Assert.That(await Db.HasAnyInventoryAsync(None), Is.False);
    }

    [Test]
    [Contract("C 8.2 RenameRemoteFileAsync")]
    [Contract("C 8.2 RemoveRemoteVolumesAsync")]
    [Contract("C 8.2 ExecuteInTransactionAsync")]
    public async Task A_commit_that_the_engine_turns_into_a_rollback_is_told_with_its_own_error(
        [Values("rename", "remove", "action")] string member
    )
    {
        await AddAsync("a");
        await Db.UpsertPendingOperationAsync("a", SyncOperation.Upload, null, null, None);
        delegate_commit refuse = _ => 1;
        raw.sqlite3_commit_hook(Connection.Handle, refuse, null!);

        Assert.That(() => WriteAsync(member, None), Refused.Engine(raw.SQLITE_CONSTRAINT));
        raw.sqlite3_commit_hook(Connection.Handle, null!, null!);
        GC.KeepAlive(refuse);

        Assert.That(CommittedPaths, Is.EqualTo("aa"));
        await WriteAsync(member, None);
        Assert.That(CommittedPaths, Is.EqualTo(member == "remove" ? "a" : "bb"));
    }

    [Test]
    [Contract("C 8.2 RenameRemoteFileAsync")]
    [Contract("C 8.2 RemoveRemoteVolumesAsync")]
    [Contract("C 8.2 ExecuteInTransactionAsync")]
    public async Task A_cancelled_wait_for_another_writer_ends_and_leaves_nothing([Values("rename", "remove", "action")] string member)
    {
        await AddAsync("a");
        await Db.UpsertPendingOperationAsync("a", SyncOperation.Upload, null, null, None);
        using var source = new CancellationTokenSource();
        using var other = Connect();
        other.Execute("BEGIN IMMEDIATE");
        var cancelled = Task.Delay(HeldMilliseconds).ContinueWith(_ => source.CancelAsync(), TaskScheduler.Default).Unwrap();

        var call = Task.Run(() => WriteAsync(member, source.Token), None);
        await Task.WhenAny(call, Task.Delay(LongestMilliseconds, None));
        other.Execute("ROLLBACK");

        Assert.That(async () => await call, Throws.InstanceOf<OperationCanceledException>());
        await cancelled;
        Assert.That(CommittedPaths, Is.EqualTo("aa"));
        await WriteAsync(member, None);
        Assert.That(CommittedPaths, Is.EqualTo(member == "remove" ? "a" : "bb"));
    }

    [Test]
    public async Task A_cancelled_call_does_nothing()
    {
        var cancelled = new CancellationToken(true);

        Assert.That(
            async () => await Db.UpsertInventoryAsync("a", 1, Day(1), null, cancelled),
            Throws.InstanceOf<OperationCanceledException>()
        );
        Assert.That(
            async () => await Db.ExecuteInTransactionAsync(_ => AddAsync("a"), cancelled),
            Throws.InstanceOf<OperationCanceledException>()
        );
        Assert.That(await Db.HasAnyInventoryAsync(None), Is.False);
    }

    [Test]
    [Contract("C 8.2 Dispose")]
    public async Task Rows_are_there_when_the_file_is_opened_again()
    {
        await AddAsync("a");
        Db.Dispose();
        Db.Dispose();

        using var again = new LocalSyncDatabase(DatabasePath);
        Assert.That(await again.GetInventoryAsync(None).CountAsync(), Is.EqualTo(1));
    }

    [TestCase(null)]
    [TestCase("")]
    [TestCase("  ")]
    [Contract("C 8.2 constructor")]
    public void A_path_is_needed(string? path) =>
        Assert.That(() => new LocalSyncDatabase(path!), Throws.ArgumentNullException.With.Property("ParamName").EqualTo("targetpath"));

    [Test]
    [Contract("C 11 Q16")]
    public void A_backup_database_is_refused()
    {
        using var backup = new SampleDatabase();
        var path = backup.Close();

        Assert.That(() => _ = new LocalSyncDatabase(path), Refused.HelpId("DatabaseVersionNotSupportedError"));
    }

    private Task WriteAsync(string member, CancellationToken token) =>
        member switch
        {
            "rename" => Db.RenameRemoteFileAsync("a", "b", token),
            "remove" => Db.RemoveRemoteVolumesAsync(["a"], token),
            _ => Db.ExecuteInTransactionAsync(_ => Db.RenameRemoteFileAsync("a", "b", None), token),
        };
}
