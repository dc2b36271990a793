// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.UnitTest.Main.Blocks;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;
using NUnit.Framework;
using SQLitePCL;

namespace Duplicati.UnitTest.Main.Backup;

/// <summary>A disk that is really full, so that the engine rolls the transaction back by itself, in members that take one row.</summary>
[TestFixture]
public class FullDiskMemberTests
{
    [Test]
    public async Task What_was_accepted_before_is_forgotten_and_what_comes_after_is_in_a_transaction()
    {
        await using var backup = await BackupFixture.CreateAsync();
        var database = backup.Database;
        await database.AddBlockAsync(BlockFixture.Hash(1), 10, backup.VolumeId, default);
        await database.CommitAsync(default);
        await database.AddBlockAsync(BlockFixture.Hash(2), 10, backup.VolumeId, default);

        LimitPages(backup, isFull: true);
        SqliteException? error = null;
        for (var i = 0; error is null; i++)
            error = await CatchAsync(() => database.AddBlockAsync($"odd {i} {new string('x', 3000)}", 10, backup.VolumeId, default));
        Assert.That(error.SqliteErrorCode, Is.EqualTo(raw.SQLITE_FULL));
        Assert.That(database.Session.Statements.IsAutoCommit, Is.False, "a transaction is open");
        LimitPages(backup, isFull: false);

        Assert.That(await database.FindBlockIDAsync(BlockFixture.Hash(1), 10, default), Is.EqualTo(1));
        Assert.That(await database.FindBlockIDAsync(BlockFixture.Hash(2), 10, default), Is.EqualTo(-1));
        Assert.That(await database.AddBlockAsync(BlockFixture.Hash(2), 10, backup.VolumeId, default), Is.True);
        Assert.That(backup.Committed("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(1));
        await database.CommitAsync(default);
        Assert.That(backup.Committed("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(2));
    }

    private static void LimitPages(BackupFixture backup, bool isFull)
    {
        var session = backup.Database.Session;
        lock (session.ConnectionLock)
        {
            using var count = session.Statements.Prepare("PRAGMA page_count");
            var pages = isFull ? count.ExecuteInt64() : int.MaxValue - 1;
            using var limit = session.Statements.Prepare($"PRAGMA max_page_count={pages}");
            limit.ExecuteInt64();
        }
    }

    private static async Task<SqliteException?> CatchAsync(Func<Task> action)
    {
        try
        {
            await action();
            return null;
        }
        catch (SqliteException ex)
        {
            return ex;
        }
    }
}
