// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.UnitTest.Main.Blocks;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.UnitTest.Main.Backup;

/// <summary>A backup whose n-th statement fails, for every n until none does.</summary>
[TestFixture]
public class BackupFaultTests : BackupTestBase
{
    private const int Files = 3;

    [TestCase(raw.SQLITE_BUSY)]
    [TestCase(raw.SQLITE_FULL)]
    [TestCase(raw.SQLITE_IOERR)]
    public async Task A_failed_statement_is_reported_and_a_new_start_after_a_rollback_succeeds(int code)
    {
        var failures = await FailEverywhereAsync(1, code);
        Assert.That(failures, Is.GreaterThan(20), "statements of one run");
        var statements = Db.Session.Statements.OpenStatements;

        await FailEverywhereAsync(1000, code);
        Assert.That(Db.Session.Statements.OpenStatements, Is.EqualTo(statements), "no statement is left open");
        await Db.VerifyConsistencyAsync(BackupFixture.Blocksize, 32, true, default);
    }

    private async Task<int> FailEverywhereAsync(int firstRun, int code)
    {
        for (var n = 0; ; n++)
        {
            var run = firstRun + n;
            var (failed, error) = await StatementFault.FailAsync(Db.Session.Statements, n, code, () => BackUpAsync(run));
            await Db.Transaction.RollBackAsync(default(CancellationToken));
            if (failed is null)
                return n;

            Assert.That(error, Is.InstanceOf<SqliteException>());
            await BackUpAsync(run);
            await Db.CommitAsync(default);
            Assert.That(Backup.Number($"""SELECT COUNT(*) FROM "File" WHERE "Path" LIKE '/{run}/%'"""), Is.EqualTo(Files));
            Assert.That(
                Backup.Number(
                    """SELECT COUNT(*) FROM "Blockset" WHERE "Length" > 0 AND "ID" NOT IN (SELECT "BlocksetID" FROM "BlocksetEntry")"""
                ),
                Is.Zero
            );
        }
    }

    // A few files of two blocks each, with metadata and folder, all of them new in each run.
    private async Task BackUpAsync(int run)
    {
        var database = Db;
        var list = await database.RegisterRemoteVolumeAsync(
            $"list {run} {Guid.NewGuid()}",
            RemoteVolumeType.Files,
            RemoteVolumeState.Uploaded,
            default
        );
        await database.CreateFilesetAsync(list, DateTime.UtcNow, default);
        for (var file = 0; file < Files; file++)
        {
            var number = (run * 1000) + (file * 10);
            var blocksetId = await Backup.AddContentAsync(number, number + 1);
            await database.AddFileAsync($"/{run}/{file}", DateTime.UtcNow, blocksetId, await Backup.AddMetadataAsync(number + 2), default);
        }
    }
}

/// <summary>A disk that is really full, so that the engine rolls the transaction back by itself, in members that take one row.</summary>
[TestFixture]
public class FullDiskMemberTests : BackupTestBase
{
    [Test]
    public async Task What_was_accepted_before_is_forgotten_and_what_comes_after_is_in_a_transaction()
    {
        await Db.AddBlockAsync(BlockFixture.Hash(1), 10, Backup.VolumeId, default);
        await Db.CommitAsync(default);
        await Db.AddBlockAsync(BlockFixture.Hash(2), 10, Backup.VolumeId, default);

        Db.Session.LimitPages(isFull: true);
        SqliteException? error = null;
        for (var i = 0; error is null; i++)
            error = await BackupFixture.CatchAsync(() =>
                Db.AddBlockAsync($"odd {i} {new string('x', 3000)}", 10, Backup.VolumeId, default)
            );
        Assert.That(error.SqliteErrorCode, Is.EqualTo(raw.SQLITE_FULL));
        Assert.That(Db.Session.Statements.IsAutoCommit, Is.False, "a transaction is open");
        Db.Session.LimitPages(isFull: false);

        Assert.That(await Db.FindBlockIDAsync(BlockFixture.Hash(1), 10, default), Is.EqualTo(1));
        Assert.That(await Db.FindBlockIDAsync(BlockFixture.Hash(2), 10, default), Is.EqualTo(-1));
        Assert.That(await Db.AddBlockAsync(BlockFixture.Hash(2), 10, Backup.VolumeId, default), Is.True);
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(1));
        await Db.CommitAsync(default);
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(2));
    }
}
