// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Data;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Plain;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

public sealed class VolumeRemovalTests : LocalDatabaseTestBase
{
    private const int RANDOM_DATABASES = 60;

    private Task<long> AddVolume(string name, RemoteVolumeState state = RemoteVolumeState.Uploaded) =>
        Db.RegisterRemoteVolumeAsync(name, RemoteVolumeType.Blocks, state, default);

    [TestCase(1)]
    [TestCase(3)]
    [Contract("A 6.6 removal step 1")]
    [Contract("A 12 row 5")]
    public async Task Entries_without_a_file_stop_the_removal_before_anything_is_changed(int orphans)
    {
        await AddVolume("b1");
        for (var i = 1; i <= orphans; i++)
            Execute($"INSERT INTO FilesetEntry VALUES (1, {i}, 0)");

        var error = Assert.ThrowsAsync<ConstraintException>(() => Db.RemoveRemoteVolumesAsync(["b1"], default));

        Assert.That(error!.Message, Does.Contain($"{orphans} file(s)").And.Contain("FilesetEntry").And.Contain("FileLookup"));
        Assert.That(Scalar("SELECT COUNT(*) FROM Remotevolume"), Is.EqualTo("1"));
    }

    [Test]
    [Contract("A 12 row 5")]
    public async Task More_names_than_a_chunk_are_removed_when_deleted_without_grace_time()
    {
        var names = Enumerable.Range(0, 150).Select(x => $"b{x}").ToArray();
        foreach (var name in names)
            await AddVolume(name, state: RemoteVolumeState.Deleted);

        await Db.RemoveRemoteVolumesAsync(names, default);

        Assert.That(Scalar("SELECT COUNT(*) FROM Remotevolume"), Is.EqualTo("0"));
    }

    [Test]
    public async Task A_new_volume_is_not_said_to_hold_the_copies_of_a_removed_one()
    {
        var kept = await AddVolume("kept");
        var removed = await AddVolume("removed", state: RemoteVolumeState.Uploading);
        Execute(
            $"""
            INSERT INTO Block (ID, Hash, Size, VolumeID) VALUES (1, 'a', 1, {kept}), (2, 'b', 1, {removed});
            INSERT INTO DuplicateBlock VALUES (1, {removed}), (2, {kept});
            """
        );

        await Db.RemoveRemoteVolumesAsync(["removed"], default);

        Assert.That(await AddVolume("new"), Is.EqualTo(removed + 1), "the copies stay, and name the removed one");
        Assert.That(
            Scalar("SELECT group_concat(BlockID || ' in ' || VolumeID) FROM DuplicateBlock"),
            Is.EqualTo($"1 in {removed},2 in {kept}")
        );
        Assert.That(Scalar("SELECT group_concat(ID) FROM Block"), Is.EqualTo("1"));
    }

    [Test]
    public async Task Deleted_blocks_of_removed_volumes_go_and_those_of_others_stay([Values] bool isOther)
    {
        var (removed, other) = (await AddVolume("b1"), await AddVolume("b2"));
        for (var i = 0; i < 500; i++)
            Execute($"INSERT INTO DeletedBlock (Hash, Size, VolumeID) VALUES ('h{i}', 1, {(i == 300 && isOther ? other : removed)})");

        await Db.RemoveRemoteVolumesAsync(["b1"], default);

        Assert.That(Scalar("SELECT COUNT(*) || IFNULL(MAX(Hash), '') FROM DeletedBlock"), Is.EqualTo(isOther ? "1h300" : "0"));
    }

    [Test]
    [Contract("A 6.6 removal of nothing")]
    public void Nothing_to_remove_is_no_error()
    {
        Execute("INSERT INTO FilesetEntry VALUES (1, 1, 0)");

        Assert.That(() => Db.RemoveRemoteVolumesAsync(null!, default), Throws.Nothing);
        Assert.That(() => Db.RemoveRemoteVolumesAsync([], default), Throws.Nothing);
    }

    [Test]
    [Contract("A 6.6 removal step 10")]
    [Contract("A 12 row 5")]
    [Contract("A 13 Q6")]
    public async Task Nothing_is_committed_and_the_database_can_be_disposed_after_a_refusal()
    {
        await AddVolume("b1");
        await Db.Transaction.CommitAsync(default);
        await Db.RemoveRemoteVolumesAsync(["b1"], default);
        Assert.That(Committed("SELECT COUNT(*) FROM Remotevolume"), Is.EqualTo("1"));

        Execute("INSERT INTO FilesetEntry VALUES (1, 1, 0)");
        Assert.That(() => Db.RemoveRemoteVolumesAsync(["b2"], default), Throws.TypeOf<ConstraintException>());
        Assert.That(() => Db.Dispose(), Throws.Nothing);
    }

    [Test]
    public async Task A_rolled_back_removal_can_be_repeated()
    {
        await AddVolume("b1");
        await Db.Transaction.CommitAsync(default);

        await Db.RemoveRemoteVolumesAsync(["b1"], default);
        await Db.Transaction.RollBackAsync(default);
        await Db.RemoveRemoteVolumesAsync(["b1"], default);
        await Db.Transaction.CommitAsync(default);

        Assert.That(Committed("SELECT COUNT(*) FROM Remotevolume"), Is.EqualTo("0"));
    }

    [Test]
    public async Task A_cancelled_removal_throws_and_leaves_the_object_usable()
    {
        await AddVolume("b1");

        Assert.That(
            () => Db.RemoveRemoteVolumesAsync(["b1"], new CancellationToken(true)),
            Throws.InstanceOf<OperationCanceledException>()
        );
        await Db.RemoveRemoteVolumesAsync(["b1"], default);
        Assert.That(Scalar("SELECT COUNT(*) FROM Remotevolume"), Is.EqualTo("0"));
    }

    [Test]
    [Contract("A 6.6 removal steps 2 to 9")]
    [Contract("A 6.6 removal step 4")]
    [Contract("A 6.6 removal step 6")]
    [Contract("A 6.6 removal step 8")]
    [Contract("A 6.6 removal step 9")]
    [Contract("A 12 row 6")]
    public async Task Any_contents_end_up_as_if_removed_row_by_row()
    {
        var seed = LongRun.Seed();
        for (var run = 0; run < RANDOM_DATABASES; run++)
        {
            using var fast = await OpenRandom($"fast{run}", seed + run);
            using var plain = await OpenRandom($"plain{run}", seed + run);
            var random = new Random(seed - run);
            for (var step = 0; step < 3; step++)
            {
                string[] names = [.. Enumerable.Range(0, random.Next(1, 4)).Select(_ => $"v{random.Next(1, 15)}").Distinct()];
                await fast.RemoveRemoteVolumesAsync(names, default);
                PlainLayer.RemoveVolumes(plain.Connection, names);
                Assert.That(AllRows.Of(fast.Connection), Is.EqualTo(AllRows.Of(plain.Connection)), $"seed {seed}, run {run}, step {step}");
            }
        }
    }

    private async Task<LocalDatabase> OpenRandom(string name, int seed)
    {
        var db = await LocalDatabase.CreateLocalDatabaseAsync(OtherFile(name), "Test", true, null, default);
        InconsistentRows.Fill(db.Connection, new Random(seed));
        return db;
    }
}
