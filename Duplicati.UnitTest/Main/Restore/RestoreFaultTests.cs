// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Restore;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Restore;

[TestFixture]
public class RestoreFaultTests
{
    private const int Locked = 6;
    private const int Full = 13;

    [Test]
    [Contract("B 1.8 DropRestoreTableAsync")]
    [Contract("B 11.3 row 1")]
    public async Task A_list_that_cannot_be_dropped_is_a_warning_and_the_rest_goes_on()
    {
        using var backup = new RandomBackup(1);
        await using var db = await RestoreFixture.PrepareBlocksAsync(backup.Path);
        await (await db.CreateBlockMarkerAsync(default)).DisposeAsync();
        using var log = new LogCapture();
        db.Session.Statements.Fault = sql => sql == RestoreTempTables.RestoreFile.Clear ? Locked : 0;

        await db.DropRestoreTableAsync(default);

        db.Session.Statements.Fault = null;
        Assert.That(log.Of(LogMessageType.Warning, "CleanupError"), Has.Count.EqualTo(1));
        Assert.That(db.Connection.Scalar("""SELECT COUNT(*) FROM temp."RestoreBlock" """), Is.EqualTo("0"));
        Assert.That((await db.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, null, null, false, default)).Item1, Is.Positive);
    }

    [TestCase(RestoreBlockList.FillMetadata)]
    [TestCase(RestoreBlockList.FillData)]
    public async Task A_block_list_that_could_not_be_filled_is_filled_anew(string failing)
    {
        using var backup = new RandomBackup(1);
        await using var db = await RestoreFixture.PrepareBlocksAsync(backup.Path);
        db.Session.Statements.Fault = sql => sql == failing ? Full : 0;
        Assert.That(() => db.CreateBlockMarkerAsync(default), Throws.InstanceOf<SqliteException>());
        db.Session.Statements.Fault = null;

        await (await db.CreateBlockMarkerAsync(default)).DisposeAsync();

        Assert.That(db.Connection.Scalar("""SELECT COUNT(*) FROM temp."RestoreBlock" """), Is.EqualTo(await CountUsesAsync(db)));
    }

    [Test]
    public async Task A_cancelled_call_says_so_and_the_next_one_works()
    {
        using var backup = new RandomBackup(1);
        await using var db = await RestoreFixture.PrepareAsync(backup.Path);
        var cancelled = new CancellationToken(true);

        Assert.That(
            () => db.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, null, null, false, cancelled),
            Throws.InstanceOf<OperationCanceledException>()
        );
        Assert.That(
            async () => await db.GetBlocksFromFileAsync(1, cancelled).CountAsync(default),
            Throws.InstanceOf<OperationCanceledException>()
        );
        Assert.That(
            async () => await db.GetBlocksAndVolumeIDsAsync(false, cancelled).CountAsync(default),
            Throws.InstanceOf<OperationCanceledException>()
        );
        Assert.That(() => db.MarkFileDataVerifiedAsync(1, cancelled), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(await CountUsesAsync(db), Is.Not.EqualTo("0"));
    }

    [Test]
    [Contract("B 1.6 streams")]
    public async Task Streams_leave_no_statement_open()
    {
        using var backup = new RandomBackup(1);
        await using var db = await RestoreFixture.PrepareBlocksAsync(backup.Path);
        await foreach (var file in db.GetExistingFilesWithBlocksAsync(default))
        {
            await foreach (var source in db.GetFilesAndSourceBlocksAsync(false, RandomBackup.BlockSize, default))
            {
                Assert.That(await source.BlocksAsync(default).CountAsync(), Is.Positive);
                break;
            }

            // A drop is refused while any statement of the connection is running.
            db.Connection.Execute($"""CREATE TEMP TABLE "Probe{file.TargetFileID}" (x); DROP TABLE "Probe{file.TargetFileID}" """);
        }
    }

    [Test]
    [Contract("B 1.8 DisposePoolAsync")]
    public async Task Pairs_that_lie_in_the_pool_are_closed_with_it()
    {
        using var backup = new RandomBackup(1);
        await using var db = (Pooled)await LocalRestoreDatabase.CreateAsync(backup.Path, new Pooled(), default);
        var first = await db.GetConnectionFromPoolAsync(default);
        db.PutBack(first);
        var second = await db.GetConnectionFromPoolAsync(default);
        Assert.That(second.Item1, Is.SameAs(first.Item1), "an idle pair is used again");
        db.PutBack(second);

        await db.DisposePoolAsync();

        Assert.That(first.Item1.State, Is.EqualTo(System.Data.ConnectionState.Closed));
        Assert.That(() => first.Item2.Transaction, Throws.InvalidOperationException);
    }

    private static async Task<string> CountUsesAsync(LocalRestoreDatabase db) =>
        (await db.GetBlocksAndVolumeIDsAsync(false, default).CountAsync()).ToString();

    private sealed class Pooled : LocalRestoreDatabase
    {
        internal void PutBack((SqliteConnection, ReusableTransaction) pair) => m_connection_pool.Add(pair);
    }
}
