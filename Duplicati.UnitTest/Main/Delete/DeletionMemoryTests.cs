// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Delete;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Blocks;
using Duplicati.UnitTest.Main.Restore;

namespace Duplicati.UnitTest.Main.Delete;

/// <summary>A deletion takes a larger page cache while blocks go, but never beside the map of blocks of the backup before.</summary>
[TestFixture]
public class DeletionMemoryTests
{
    private static readonly DeletionLimits s_unsorted = new()
    {
        FewestRows = 1,
        MostRowsInMemory = 0,
        Share = 2,
        ShareOfBlocksInOrder = 2,
    };

    [Test]
    public async Task Blocks_go_with_a_larger_cache_which_is_given_back([Values] bool isSorted)
    {
        using var backup = new RandomBackup(5);
        await using var db = await LocalDeleteDatabase.CreateAsync(backup.Path, "Delete", null, default);
        var before = db.Connection.Pragma("cache_size");
        var versions = await AllButTheNewestAsync(db);
        var (others, blocks) = (new HashSet<string?>(), new HashSet<string?>());
        db.Session.Statements.Observe(sql =>
            (IsDeletionOfBlock(sql) ? blocks : others).Add(
                sql.StartsWith("PRAGMA", StringComparison.Ordinal) ? before : db.Connection.Pragma("cache_size")
            )
        );
        db.Session.Do(session => FilesetDeletion.Run(session, versions, isSorted ? DeletionLimits.Measured : s_unsorted), default);

        db.Session.Statements.Fault = null;
        var wide = FormattableString.Invariant($"{-Math.Min(384L << 20, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 4) / 1024}");
        Assert.Multiple(() =>
        {
            Assert.That(blocks, Is.EqualTo(new[] { wide }));
            Assert.That(others, Does.Contain(before));
            Assert.That(db.Connection.Pragma("cache_size"), Is.EqualTo(before));
        });
    }

    [Test]
    public async Task The_map_of_a_backup_on_the_same_connection_gives_its_memory_back_before([Values] bool isSorted)
    {
        using var backup = new RandomBackup(5);
        await using var db = await LocalDeleteDatabase.CreateAsync(backup.Path, "Delete", null, default);
        var versions = await AllButTheNewestAsync(db);
        var map = Fill(db);
        var bytes = new HashSet<long>();
        db.Session.Statements.Observe(sql => _ = IsDeletionOfBlock(sql) && bytes.Add(map.Bytes));
        db.Session.Do(session => FilesetDeletion.Run(session, versions, isSorted ? DeletionLimits.Measured : s_unsorted), default);

        db.Session.Statements.Fault = null;
        Assert.That(bytes, Is.EqualTo(new[] { 0L }));
    }

    [Test]
    public async Task The_map_stays_if_no_block_goes()
    {
        using var backup = new RandomBackup(5);
        await using var db = await LocalDeleteDatabase.CreateAsync(backup.Path, "Delete", null, default);
        // What the backup has left behind goes with any deletion.
        db.Session.Do(session => FilesetDeletion.Run(session, []), default);
        var map = Fill(db);
        var bytes = map.Bytes;

        db.Session.Do(session => FilesetDeletion.Run(session, []), default);

        Assert.That((map.IsComplete, map.Bytes), Is.EqualTo((true, bytes)));
    }

    private static BlockMap Fill(LocalDatabase db)
    {
        var map = BlockMap.Of(db.Session);
        for (var i = 0; !map.IsComplete; i++)
            map.Find(BlockFixture.Hash(i), 1);
        Assert.That(map.Bytes, Is.Positive);
        return map;
    }

    private static async Task<DateTime[]> AllButTheNewestAsync(LocalDatabase db) =>
        await db.FilesetTimesAsync(default).Select(x => x.Value).Skip(1).ToArrayAsync();

    private static bool IsDeletionOfBlock(string sql) => sql.StartsWith("DELETE FROM \"Block\"", StringComparison.Ordinal);
}
