// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;
using NUnit.Framework.Constraints;

namespace Duplicati.UnitTest.Main.Compact;

[TestFixture]
public class CompactBookingTests : SampleTestBase
{
    [Test]
    [Contract("A 8.3 UseBlockAsync")]
    public async Task A_block_is_used_if_it_is_live_and_in_the_volume_asked_for()
    {
        var volume = Data.Volume("a");
        Data.Block("live", 5, volume);
        Data.DeletedBlock("dead", 5, volume);
        await using var db = await LocalDeleteDatabase.CreateAsync(Data.Close(), "Compact", null, default);
        using var query = await db.CreateBlockQueryHelperAsync(default);

        Assert.That(await query.UseBlockAsync(SampleDatabase.Hash("live"), 5, -1, default), Is.True);
        Assert.That(await query.UseBlockAsync(SampleDatabase.Hash("live"), 5, volume, default), Is.True);
        Assert.That(await query.UseBlockAsync(SampleDatabase.Hash("live"), 5, volume + 1, default), Is.False);
        Assert.That(await query.UseBlockAsync(SampleDatabase.Hash("live"), 6, -1, default), Is.False);
        Assert.That(await query.UseBlockAsync(SampleDatabase.Hash("dead"), 5, -1, default), Is.False);
        await db.Transaction.CommitAsync();
        Assert.That(await query.UseBlockAsync(SampleDatabase.Hash("live"), 5, volume, default), Is.True, "answers go on after a commit");
    }

    [Test]
    public async Task Asking_for_a_block_allocates_nothing()
    {
        Data.Block("live", 5, Data.Volume("a"));
        await using var db = await LocalDeleteDatabase.CreateAsync(Data.Close(), "Compact", null, default);
        using var query = await db.CreateBlockQueryHelperAsync(default);
        var hash = SampleDatabase.Hash("live");
        await query.UseBlockAsync(hash, 5, -1, default);

        var before = GC.GetAllocatedBytesForCurrentThread();
        var used = 0;
        for (var i = 0; i < 100; i++)
            used += query.UseBlockAsync(hash, 5 + (i & 1), -1, default).GetAwaiter().GetResult() ? 1 : 0;
        var allocated = GC.GetAllocatedBytesForCurrentThread() - before;

        Assert.That(used, Is.EqualTo(50));
        Assert.That(allocated, Is.Zero);
    }

    [Test]
    [Contract("A 8.3 RegisterDuplicatedBlockAsync")]
    public async Task Copies_are_registered_once_and_only_of_live_blocks()
    {
        var (first, second) = (Data.Volume("a"), Data.Volume("b"));
        var block = Data.Block("live", 5, first);
        await using (var db = await LocalDeleteDatabase.CreateAsync(Data.Close(), "Compact", null, default))
        {
            await db.RegisterDuplicatedBlockAsync(SampleDatabase.Hash("live"), 5, second, default);
            await db.RegisterDuplicatedBlockAsync(SampleDatabase.Hash("live"), 5, second, default);
            await db.RegisterDuplicatedBlockAsync(SampleDatabase.Hash("live"), 6, second, default);
            await db.Transaction.CommitAsync();
        }

        Assert.That(Data.Rows("""SELECT * FROM "DuplicateBlock" """), Is.EqualTo(new[] { $"{block}|{second}" }));
    }

    [Test]
    public async Task Copies_are_read_once_for_all_volumes_that_go()
    {
        var leaving = Enumerable.Range(0, 10).Select(i => Data.Volume($"leaving-{i}")).ToArray();
        var target = Data.Volume("target");
        for (var i = 0; i < leaving.Length; i++)
            Data.Block($"block-{i}", 5, leaving[i]);
        await using var db = await LocalDeleteDatabase.CreateAsync(Data.Close(), "Compact", null, default);
        for (var i = 0; i < leaving.Length; i++)
            await db.RegisterDuplicatedBlockAsync(SampleDatabase.Hash($"block-{i}"), 5, target, default);
        var steps = 0;
        db.Session.Statements.Observe(sql => steps += sql == Library.Main.Database.Compact.BlockCopies.DuplicateVolumes ? 1 : 0);

        for (var i = 0; i < leaving.Length; i++)
            await db.PrepareForDeleteAsync($"leaving-{i}", leaving, default);
        db.Session.Statements.Fault = null;

        await db.Transaction.CommitAsync();
        // One for each copy that is left when they are read, and one to see that there are no more.
        Assert.That(steps, Is.EqualTo(leaving.Length));
        Assert.That(Data.Rows($"""SELECT COUNT(*) FROM "Block" WHERE "VolumeID" = {target}"""), Is.EqualTo(new[] { "10" }));
    }

    [Test]
    public async Task A_copy_that_a_rollback_brought_back_goes_with_its_volume()
    {
        var (first, second, third) = (Data.Volume("first"), Data.Volume("second"), Data.Volume("third"));
        Data.Block("moved", 5, first);
        Data.Block("live", 5, second);
        await using var db = await LocalDeleteDatabase.CreateAsync(Data.Close(), "Compact", null, default);
        await db.RegisterDuplicatedBlockAsync(SampleDatabase.Hash("moved"), 5, second, default);
        await db.RegisterDuplicatedBlockAsync(SampleDatabase.Hash("live"), 5, third, default);
        await db.Transaction.CommitAsync();
        await db.PrepareForDeleteAsync("first", [first], default);
        await db.Transaction.RollBackAsync();

        await db.PrepareForDeleteAsync("second", [second], default);

        await db.Transaction.CommitAsync();
        Assert.That(Data.Rows("""SELECT * FROM "DuplicateBlock" """), Is.Empty);
        Assert.That(Data.Rows($"""SELECT COUNT(*) FROM "Block" WHERE "VolumeID" = {third}"""), Is.EqualTo(new[] { "1" }));
    }

    [Test]
    [Contract("A 8.3 PrepareForDeleteAsync")]
    public async Task Blocks_move_to_the_copy_in_the_highest_volume_that_stays()
    {
        var (leaving, low, high, alsoLeaving) = (Data.Volume("leaving"), Data.Volume("low"), Data.Volume("high"), Data.Volume("also"));
        var (a, b, other) = (Data.Block("a", 1, leaving), Data.Block("b", 1, leaving), Data.Block("c", 1, low));
        foreach (var (block, volume) in new[] { (a, low), (a, high), (a, alsoLeaving), (b, low), (other, leaving) })
            Data.DuplicateBlock(block, volume);
        await using (var db = await LocalDeleteDatabase.CreateAsync(Data.Close(), "Compact", null, default))
        {
            await db.PrepareForDeleteAsync(
                "leaving",
                Enumerable.Range(1000, 500).Select(x => (long)x).Concat([leaving, alsoLeaving]),
                default
            );
            await db.Transaction.CommitAsync();
        }

        Assert.That(
            Data.Rows("""SELECT "ID", "VolumeID" FROM "Block" """),
            Is.EqualTo(new[] { $"{a}|{high}", $"{b}|{low}", $"{other}|{low}" })
        );
        Assert.That(
            Data.Rows("""SELECT * FROM "DuplicateBlock" """),
            Is.EqualTo(new[] { $"{a}|{low}", $"{a}|{alsoLeaving}" }),
            "no copy is left in the volume that goes"
        );
    }

    [TestCase(true)]
    [TestCase(false)]
    [Contract("A 8.3 PrepareForDeleteAsync")]
    public async Task A_copy_in_a_volume_that_is_gone_is_none(bool hasAnother)
    {
        var (leaving, there) = (Data.Volume("leaving"), Data.Volume("there"));
        var (deleting, deleted) = (Data.Volume("deleting", state: "Deleting"), Data.Volume("deleted", state: "Deleted"));
        var block = Data.Block("a", 1, leaving);
        foreach (var volume in new[] { deleting, deleted, deleted + 1 })
            Data.DuplicateBlock(block, volume);
        if (hasAnother)
            Data.DuplicateBlock(block, there);
        await using var db = await LocalDeleteDatabase.CreateAsync(Data.Close(), "Compact", null, default);

        Assert.That(
            () => db.PrepareForDeleteAsync("leaving", [leaving], default),
            hasAnother ? Throws.Nothing : (IResolveConstraint)Throws.Exception.With.Message.Contains("Unexpected number of rows updated")
        );
        Assert.That(db.Connection.Scalar("""SELECT "VolumeID" FROM "Block" """), Is.EqualTo($"{(hasAnother ? there : leaving)}"));
    }

    [Test]
    public async Task Copies_registered_or_removed_by_others_are_noticed()
    {
        var (first, second, target) = (Data.Volume("first"), Data.Volume("second"), Data.Volume("target"));
        var (a, b, c) = (Data.Block("a", 1, first), Data.Block("b", 1, second), Data.Block("c", 1, target));
        Data.DuplicateBlock(a, target);
        Data.DuplicateBlock(b, target);
        await using var db = await LocalDeleteDatabase.CreateAsync(Data.Close(), "Compact", null, default);
        await db.PrepareForDeleteAsync("first", [first], default);

        db.Connection.Execute($"""INSERT INTO "DuplicateBlock" VALUES ({c}, {second})""");
        await db.PrepareForDeleteAsync("second", [second], default);

        Assert.That(db.Connection.Scalar("""SELECT COUNT(*) FROM "DuplicateBlock" """), Is.EqualTo("0"));
    }

    [Test]
    [Contract("A 8.3 PrepareForDeleteAsync")]
    [Contract("A 12 row 9")]
    public async Task A_live_block_without_a_copy_is_refused_before_anything_is_changed()
    {
        var (leaving, other) = (Data.Volume("leaving"), Data.Volume("other"));
        var (a, _) = (Data.Block("a", 1, leaving), Data.Block("b", 1, leaving));
        Data.DuplicateBlock(a, other);
        await using var db = await LocalDeleteDatabase.CreateAsync(Data.Close(), "Compact", null, default);

        Assert.That(
            () => db.PrepareForDeleteAsync("leaving", [leaving], default),
            Throws.Exception.TypeOf<Exception>().With.Message.Contains("Unexpected number of rows updated")
        );
        Assert.That(db.Connection.Scalar($"""SELECT COUNT(*) FROM "Block" WHERE "VolumeID" = {leaving}"""), Is.EqualTo("2"));
    }

    [TestCase("empty")]
    [TestCase("list")]
    [TestCase("unknown")]
    [Contract("A 8.3 PrepareForDeleteAsync")]
    public async Task Volumes_without_live_blocks_are_left_alone(string name)
    {
        var (empty, list) = (Data.Volume("empty"), Data.Volume("list", "Files"));
        var block = Data.Block("a", 1, list);
        Data.DuplicateBlock(block, empty);
        await using var db = await LocalDeleteDatabase.CreateAsync(Data.Close(), "Compact", null, default);

        await db.PrepareForDeleteAsync(name, [empty, list], default);

        Assert.That(db.Connection.Scalar("""SELECT COUNT(*) FROM "DuplicateBlock" """), Is.EqualTo("1"));
    }

    [Test]
    [Contract("A 8.3 ReOrderDeleteableVolumesAsync")]
    public async Task An_index_volume_follows_the_last_volume_it_describes()
    {
        var volumes = new[] { "a", "b", "c", "kept" }.Select(x => Data.Volume(x)).ToArray();
        var (one, shared, alive, bare) = (
            Data.Volume("one", "Index"),
            Data.Volume("shared", "Index"),
            Data.Volume("alive", "Index"),
            Data.Volume("bare", "Index", hash: null)
        );
        foreach (
            var (index, block) in new[]
            {
                (one, volumes[0]),
                (one, volumes[0]),
                (shared, volumes[0]),
                (shared, volumes[2]),
                (alive, volumes[1]),
                (alive, volumes[3]),
                (bare, volumes[1]),
            }
        )
            Data.Link(index, block);
        await using var db = await LocalDeleteDatabase.CreateAsync(Data.Close(), "Compact", null, default);
        var a = new RemoteVolume("a", "h", 1);

        var ordered = await db.ReOrderDeleteableVolumesAsync([a, a, new RemoteVolume("b", "h", 1), new RemoteVolume("c", "h", 1)], default)
            .ToListAsync();

        Assert.That(ordered.Select(x => x.Name), Is.EqualTo(new[] { "a", "one", "b", "c", "shared" }));
        Assert.That(ordered[0], Is.SameAs(a));
        Assert.That((ordered[1].Hash, ordered[1].Size), Is.EqualTo(("volume-hash", 1000L)));
    }
}
