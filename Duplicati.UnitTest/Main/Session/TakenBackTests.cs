// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.UnitTest.SQLiteHelper.Migrations;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Session;

/// <summary>What a rollback, or a refusal, leaves of the watch over a caller's volumes and of locks.</summary>
[TestFixture]
internal sealed class TakenBackTests : OtherConnectionTestBase
{
    private const string Unrelated =
        """INSERT INTO "LogData" ("OperationID", "Timestamp", "Type", "Message") VALUES (1, 5, 'Result', 'x')""";

    [Test]
    public async Task A_refused_write_on_a_connection_of_the_providers_pool_leaves_no_lock()
    {
        using var mine = new SqliteConnection($"Data Source={Backup.Path};Pooling=true");
        try
        {
            mine.Open();
            mine.Execute("PRAGMA journal_mode = WAL");
            await using var db = await LocalDatabase.CreateLocalDatabaseAsync(mine, "Test", null, default);
            await db.CommitAsync(default);
            Assert.That((await db.GetRemoteVolumeAsync("v0.dblock.zip", default)).State, Is.EqualTo(RemoteVolumeState.Verified));
            Other.Execute("""UPDATE "Remotevolume" SET "State" = 'Deleted' WHERE "Name" = 'v0.dblock.zip'""");

            Assert.That(() => RegisterAsync(db, "next"), Refused.Engine(ResultCode.Busy, 517));

            Other.Execute("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; ROLLBACK");
            await db.Transaction.DisposeAsync();
        }
        finally
        {
            SqliteConnection.ClearPool(mine);
        }
    }

    [Test]
    public async Task A_volume_that_is_being_made_is_so_under_its_old_name_if_the_end_or_the_new_name_is_taken_back(
        [Values("renamed", "renamed twice", "uploaded", "unlinked", "made again")] string change,
        [Values] bool isGone
    )
    {
        await using var db = await LocalBackupDatabase.CreateAsync(Backup.Path, new Options([]), default);
        await RegisterAsync(db, "mine");
        await db.CommitAsync(default);
        switch (change)
        {
            case "renamed":
                await db.RenameRemoteFileAsync("mine", "another", default);
                break;
            case "renamed twice":
                await db.RenameRemoteFileAsync("mine", "another", default);
                await db.RenameRemoteFileAsync("another", "a third", default);
                break;
            case "uploaded":
                await db.UpdateRemoteVolumeAsync("mine", RemoteVolumeState.Uploaded, 1, "hash", default);
                break;
            default:
                await db.UnlinkRemoteVolumeAsync("mine", RemoteVolumeState.Uploading, default);
                if (change != "unlinked")
                    await RegisterAsync(db, "mine");
                break;
        }

        await db.Transaction.RollBackAsync(default(CancellationToken));
        Other.Execute(isGone ? """DELETE FROM "Remotevolume" WHERE "Name" = 'mine'""" : Unrelated);

        if (isGone)
        {
            Assert.That(() => RegisterAsync(db, "next"), Refused.Engine(ResultCode.Busy, 517, "mine"));
            return;
        }

        await RegisterAsync(db, "next");
        await db.CommitAsync(default);
        Assert.That(Other.Scalar("""SELECT COUNT(*) FROM "Remotevolume" WHERE "Name" IN ('mine', 'next')"""), Is.EqualTo("2"));
    }

    [Test]
    public async Task A_volume_whose_registration_is_taken_back_is_not_watched()
    {
        await using var db = await LocalBackupDatabase.CreateAsync(Backup.Path, new Options([]), default);
        await RegisterAsync(db, "mine");
        await db.RenameRemoteFileAsync("mine", "another", default);
        await db.Transaction.RollBackAsync(default(CancellationToken));
        Other.Execute(Unrelated);

        await RegisterAsync(db, "next");
    }

    private static Task RegisterAsync(LocalDatabase db, string name) =>
        db.RegisterRemoteVolumeAsync(name, RemoteVolumeType.Blocks, RemoteVolumeState.Uploading, default);
}
