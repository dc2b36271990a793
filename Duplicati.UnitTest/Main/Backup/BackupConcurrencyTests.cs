// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.UnitTest.Main.Blocks;

namespace Duplicati.UnitTest.Main.Backup;

/// <summary>Flows that overlap on one object, as those of an upload do.</summary>
[TestFixture]
public class BackupConcurrencyTests : BackupTestBase
{
    [Test]
    [Contract("A 1.3 case 1")]
    public async Task Blocks_and_blocklists_of_a_volume_can_be_listed_while_blocks_are_added_and_committed()
    {
        await Backup.AddContentAsync(1, 2, 3);
        var done = false;
        var reader = Task.Run(async () =>
        {
            var most = 0;
            do
            {
                var count = 0;
                await foreach (var block in Db.GetBlocksAsync(Backup.VolumeId, default))
                    count += block.Size > 0 ? 1 : 0;
                Assert.That(count, Is.GreaterThanOrEqualTo(most), "a later list is never shorter");
                most = count;
            } while (!Volatile.Read(ref done));

            return most;
        });

        for (var i = 10; i < 1500; i += 3)
            await Backup.AddContentAsync(i, i + 1, i + 2);
        Volatile.Write(ref done, true);
        Assert.That(await reader, Is.GreaterThanOrEqualTo(3));
        Assert.That(Backup.Number("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(1494));
    }

    [Test]
    [Contract("A 7.2 AddBlockAsync")]
    public async Task Of_many_that_offer_the_same_block_exactly_one_stores_it()
    {
        var stored = 0;
        await Parallel.ForAsync(
            0,
            20_000,
            async (i, token) =>
            {
                if (await Db.AddBlockAsync(BlockFixture.Hash(i / 10), 1024, Backup.VolumeId, token))
                    Interlocked.Increment(ref stored);
            }
        );
        Assert.That(stored, Is.EqualTo(2000));
        Assert.That(Backup.Number("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(2000));
    }

    /// <summary>Only who has the connection lock may be at work in it; a member that does not wait for it is done too early.</summary>
    [TestCase("AddBlock")]
    [TestCase("FindBlockID")]
    [TestCase("IsBlocklistHashKnown")]
    [TestCase("MoveBlockToVolume")]
    public async Task A_member_waits_while_another_one_is_at_work(string member)
    {
        await Backup.AddContentAsync(1);
        using var began = new ManualResetEventSlim();
        Task call;
        lock (Db.Session.ConnectionLock)
        {
            call = Task.Run(() =>
            {
                began.Set();
                return Call();
            });
            Wait.For(began, "the call has begun");
            Assert.That(call.Wait(TimeSpan.FromMilliseconds(100)), Is.False);
        }

        await call;

        Task Call() =>
            member switch
            {
                "AddBlock" => Db.AddBlockAsync(BlockFixture.Hash(70), BackupFixture.Blocksize, Backup.VolumeId, default),
                "FindBlockID" => Db.FindBlockIDAsync(BlockFixture.Hash(1), BackupFixture.Blocksize, default),
                "IsBlocklistHashKnown" => Db.IsBlocklistHashKnownAsync(BlockFixture.Hash(1), default),
                _ => Db.MoveBlockToVolumeAsync(BlockFixture.Hash(1), BackupFixture.Blocksize, Backup.VolumeId, Backup.VolumeId, default),
            };
    }
}
