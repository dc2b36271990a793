// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Backup;

namespace Duplicati.UnitTest.Main.Contract;

/// <summary>What consumers do while they read the sequences that members return.</summary>
[TestFixture]
internal sealed class AStreamTests : BackupTestBase
{
    [Test]
    [Contract("A 1.4 row 1")]
    [Contract("A 1.4 row 2")]
    [Contract("A 6.5 GetRemoteVolumesAsync")]
    public async Task Volumes_are_removed_and_committed_while_all_volumes_are_read()
    {
        for (var i = 0; i < 5; i++)
            await Backup.AddVolumeAsync($"gone-{i}", RemoteVolumeType.Blocks, RemoteVolumeState.Deleting);
        var seen = new List<string>();
        await foreach (var volume in Db.GetRemoteVolumesAsync(default))
        {
            seen.Add(volume.Name);
            if (volume.State != RemoteVolumeState.Deleting)
                continue;
            await Db.UpdateRemoteVolumeAsync(
                volume.Name,
                RemoteVolumeState.Deleted,
                volume.Size,
                volume.Hash,
                true,
                TimeSpan.FromHours(-1),
                null,
                default
            );
            await Db.RemoveRemoteVolumesAsync([volume.Name], default);
            await Db.CommitAsync(default);
        }

        Assert.That(seen, Has.Count.EqualTo(7));
        Assert.That(seen.Skip(2), Is.EqualTo(new[] { "gone-0", "gone-1", "gone-2", "gone-3", "gone-4" }));
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "Remotevolume" """), Is.EqualTo(2));
    }

    [Test]
    [Contract("A 1.4 row 3")]
    public async Task Duplicates_are_unlinked_while_they_are_read()
    {
        Backup.Execute("""DROP INDEX "RemotevolumeNameOnly" """);
        foreach (var state in (RemoteVolumeState[])[RemoteVolumeState.Deleted, RemoteVolumeState.Verified, RemoteVolumeState.Uploaded])
        {
            Backup.Execute(
                $"""
                INSERT INTO "Remotevolume" ("OperationID", "Name", "Type", "State", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime")
                VALUES (1, 'twice', 'Blocks', '{state}', 0, 0, 0, 0)
                """
            );
        }

        await foreach (var (name, state) in Db.DuplicateRemoteVolumesAsync(default))
            await Db.UnlinkRemoteVolumeAsync(name, state, default);

        Assert.That(Backup.Scalar("""SELECT GROUP_CONCAT("State") FROM "Remotevolume" WHERE "Name" = 'twice'"""), Is.EqualTo("Deleted"));
    }

    [Test]
    [Contract("A 1.4 laziness")]
    public async Task Nothing_is_read_before_the_first_item_and_each_enumeration_reads_anew()
    {
        var volumes = Db.GetRemoteVolumesAsync(default);
        await Backup.AddVolumeAsync("later", RemoteVolumeType.Index);
        Assert.That(await volumes.CountAsync(), Is.EqualTo(3));
        await Backup.AddVolumeAsync("later still", RemoteVolumeType.Index);
        Assert.That(await volumes.CountAsync(), Is.EqualTo(4));
    }

    [Test]
    [Contract("A 1.4 overlapping")]
    public async Task Two_enumerations_may_overlap_and_end_early()
    {
        await foreach (var outer in Db.GetRemoteVolumesAsync(default))
        {
            Assert.That(await Db.GetRemoteVolumesAsync(default).CountAsync(), Is.EqualTo(2));
            await foreach (var inner in Db.FilesetTimesAsync(default))
            {
                Assert.That(inner.Key, Is.EqualTo(Backup.FilesetId));
                break;
            }

            Assert.That(outer.ID, Is.Positive);
            break;
        }

        // No reader is left that a drop or a vacuum would trip over.
        Backup.Execute("CREATE TEMP TABLE t (x); DROP TABLE t");
        await Db.Transaction.CommitAsync("before vacuum", false, default);
        await Db.VacuumAsync(default);
    }

    [Test]
    [Contract("A 0 context-free awaits")]
    public async Task Callers_that_block_on_a_synchronization_context_of_one_thread_do_not_wait_for_ever()
    {
        var path = Backup.Path + "2";
        var ended = Task.Run(() =>
        {
            SynchronizationContext.SetSynchronizationContext(new NeverRunning());
            using var db = LocalDatabase.CreateLocalDatabaseAsync(path, "x", true, null, default).GetAwaiter().GetResult();
            db.RegisterRemoteVolumeAsync("v", RemoteVolumeType.Files, RemoteVolumeState.Verified, default).GetAwaiter().GetResult();
            db.RemoveRemoteVolumeAsync("v", default).GetAwaiter().GetResult();
            db.VerifyConsistencyAsync(100, 32, true, default).GetAwaiter().GetResult();
            db.WriteResultsAndCommitAsync(new BackupResults(), default).GetAwaiter().GetResult();
            return db.GetRemoteVolumesAsync(default).ToBlockingEnumerable().Count();
        });
        Assert.That(await ended.WaitAsync(TimeSpan.FromMinutes(1)), Is.Zero);
    }

    private sealed class NeverRunning : SynchronizationContext
    {
        public override void Post(SendOrPostCallback d, object? state) { }
    }
}
