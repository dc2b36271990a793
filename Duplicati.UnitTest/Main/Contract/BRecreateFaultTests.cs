// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Recreate;
using Duplicati.UnitTest.Main.Recreate;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.UnitTest.Main.Contract;

/// <summary>A recreate whose callers catch an error of the engine, log it, and go on with the next file, as the handlers do.</summary>
[TestFixture]
internal sealed class BRecreateFaultTests : RebuildTestBase
{
    [Test]
    [Contract("B 9.8 rule 5")]
    public async Task Blocks_whose_writing_failed_once_are_written_when_they_are_offered_again()
    {
        for (var i = 0; i < 40; i++)
            await Rebuild.UpdateBlockAsync(Hash((byte)i), 64, 100);
        var statements = Db.Session.Statements;
        statements.Fault = sql => sql == BlockSql.Insert ? raw.SQLITE_BUSY : raw.SQLITE_OK;
        var errors = 0;
        for (var i = 40; i < 120; i++)
        {
            try
            {
                await Rebuild.UpdateBlockAsync(Hash((byte)i), 64, 100);
                if (i % 45 == 0)
                    await Db.UpdateRemoteVolumeAsync(
                        "v100",
                        RemoteVolumeState.Verified,
                        await Db.GetBlocksAsync(100, default).CountAsync(),
                        "hash",
                        default
                    );
            }
            catch (SqliteException)
            {
                errors++;
            }

            if (i == 100)
                statements.Fault = null;
        }

        // Those that were refused are offered again, as by the next index file that lists them.
        for (var i = 0; i < 120; i++)
            await Rebuild.UpdateBlockAsync(Hash((byte)i), 64, 100);
        await Db.CommitAsync(default);

        Assert.That(errors, Is.Positive);
        Assert.That(Committed("SELECT COUNT(*) FROM Block"), Is.EqualTo(120));
        Assert.That(Committed("SELECT COUNT(DISTINCT Hash) FROM Block"), Is.EqualTo(120));
    }

    [Test]
    [Contract("B 9.8 rule 5")]
    public void A_volume_whose_blocks_could_not_be_written_is_taken_in_when_it_is_offered_again(
        [Values(BlockSql.Insert, BlockSql.InsertMany)] string failing
    )
    {
        var digests = Enumerable.Range(0, 100).Select(i => Convert.FromBase64String(Hash((byte)i))).ToArray();
        void Offer(RecreateWork work) =>
            work.AddVolume(
                100,
                new PackedBlocks(digests.SelectMany(x => x).ToArray(), Enumerable.Repeat(64L, digests.Length).ToArray()),
                default
            );
        var statements = Db.Session.Statements;
        using var work = new RecreateWork(Db.Session, RecreateLimits.ForThisMachine());
        statements.Fault = sql => sql == failing ? raw.SQLITE_BUSY : raw.SQLITE_OK;
        Assert.That(() => Offer(work), Throws.TypeOf<SqliteException>());
        statements.Fault = null;

        Offer(work);
        Db.Transaction.Commit();

        Assert.That(Committed("SELECT COUNT(*) FROM Block"), Is.EqualTo(100));
        Assert.That(Committed("SELECT COUNT(DISTINCT Hash) FROM Block WHERE VolumeID = 100"), Is.EqualTo(100));
    }

    [Test]
    [Contract("B 9.8 rule 2")]
    public async Task After_a_full_disk_the_engine_s_own_rollback_is_noticed_by_every_member([Values] bool throughBase)
    {
        await Rebuild.UpdateBlockAsync(Hash(1), 64, 100);
        await Db.CommitAsync(default);
        var connection = Db.Session.Connection;
        connection.Execute($"PRAGMA max_page_count = {connection.Pragma("page_count")}");
        var error = await FillAsync(throughBase);
        connection.Execute("PRAGMA max_page_count = 1000000");

        Assert.That(error?.SqliteErrorCode, Is.EqualTo(raw.SQLITE_FULL));
        Assert.That(Db.Session.Statements.IsAutoCommit, Is.False, "what follows is in a transaction");
        Assert.That(await Rebuild.UpdateBlockAsync(Hash(1), 64, 100), Is.EqualTo((false, false)), "committed before");
        Assert.That(await Rebuild.UpdateBlockAsync(Hash(2), 64, 100), Is.EqualTo((true, true)), "lost with the transaction");
        var blockset = await Db.AddBlocksetAsync(Hash(3), 5, [], 0, default);
        await Db.CommitAsync(default);
        Assert.That(Committed($"SELECT COUNT(*) FROM Blockset WHERE ID = {blockset}"), Is.EqualTo(1));
        Assert.That(Committed("SELECT COUNT(*) FROM Block"), Is.EqualTo(2));
    }

    [Test]
    [Contract("B 10 Q1")]
    public async Task A_disposal_after_the_engine_s_own_rollback_does_not_hide_the_error()
    {
        await Rebuild.UpdateBlockAsync(Hash(1), 64, 100);
        await Db.CommitAsync(default);
        await Rebuild.UpdateBlockAsync(Hash(2), 64, 100);
        // As the engine does by itself when the disk is full.
        Db.Session.Statements.Execute("ROLLBACK");

        Assert.That(async () => await Db.DisposeAsync(), Throws.Nothing);

        Assert.That(Committed("SELECT COUNT(*) FROM Block"), Is.EqualTo(1));
    }

    [Test]
    [Contract("B 10 Q16")]
    public async Task After_a_rollback_others_may_write()
    {
        await Rebuild.UpdateBlockAsync(Hash(1), 64, 100);
        await Db.Transaction.RollBackAsync("text", true, default);
        using (var other = Databases.Open(DatabasePath))
            other.Execute("PRAGMA busy_timeout = 0; INSERT INTO Configuration VALUES ('key', '')");
        Assert.That(await Rebuild.UpdateBlockAsync(Hash(1), 64, 100), Is.EqualTo((true, true)));
    }

    private async Task<SqliteException?> FillAsync(bool throughBase)
    {
        try
        {
            await Rebuild.UpdateBlockAsync(Hash(2), 64, 100);
            for (var i = 0; i < 100_000; i++)
            {
                var hash = SampleDatabase.Hash($"{i}");
                await (
                    throughBase
                        ? Db.RegisterRemoteVolumeAsync(hash, RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default)
                        : Db.AddBlocksetAsync(hash, 64, [], 0, default)
                );
            }

            return null;
        }
        catch (SqliteException ex)
        {
            return ex;
        }
    }
}
