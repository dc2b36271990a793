// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.UnitTest.Main.Blocks;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.UnitTest.Main.Backup;

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
