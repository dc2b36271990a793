// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Dump;
using Duplicati.Library.Main.Database.Delete;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Golden;
using Duplicati.UnitTest.Main.Plain;

namespace Duplicati.UnitTest.Main.Delete;

[TestFixture]
public class FilesetDeletionTests
{
    [TestCase("a-plain-1k", "e-delete-nocompact", "local.dump.json", new[] { 1, 3 })]
    [TestCase("l-duplicate-blocks", "l-duplicate-blocks", "after-delete-v0.dump.json", new[] { 0 })]
    [Contract("A 8.1 DropFilesetsFromTableAsync steps")]
    public async Task Deleting_versions_leaves_what_Duplicati_leaves(string set, string expectedSet, string expectedDump, int[] versions)
    {
        using var folder = new TestFolder();
        var path = GoldenData.UnpackDatabase(set, folder.Path);
        await using (var db = await LocalDeleteDatabase.CreateAsync(path, "Delete", null, default))
        {
            var all = await db.FilesetsWithBackupVersionAsync(default).ToListAsync();
            var times = versions.Select(x => all[x].Time).ToArray();
            Assert.That(await db.DropFilesetsFromTableAsync(times, default).CountAsync(), Is.EqualTo(versions.Length));
            await db.Transaction.CommitAsync();
        }

        var options = DumpComparisonOptions.Content with
        {
            IgnoreAllRowCounts = true,
            // Deleting the lists from the remote folder comes after this.
            IgnoredSections = new HashSet<string>(DumpComparisonOptions.Content.IgnoredSections)
            {
                DumpNames.RemoteVolumes,
                DumpNames.Configuration,
            },
        };
        Assert.That(DatabaseComparison.Compare(GoldenData.Dump(expectedSet, expectedDump), DatabaseDump.Load(path), options), Is.Empty);
    }

    [Test]
    [Contract("A 8.1 DropFilesetsFromTableAsync step 3")]
    public Task Whatever_holes_the_ids_of_used_blocks_have_exactly_the_others_go(
        [Values(0, 1, 3, 20)] int widest,
        [Values] bool isTooFarApart
    ) =>
        AssertUnusedBlocksGoAsync(
            widest,
            async db => Assert.That(await db.DropFilesetsFromTableAsync([], default).CountAsync(), Is.Zero),
            isTooFarApart
        );

    // With a set whose last word is full, or not.
    [Test]
    public async Task Entries_of_blocks_before_the_first_and_behind_the_last_change_nothing([Values(63, 64, 65)] int blocks)
    {
        using var sample = new SampleDatabase();
        var set = sample.Blockset("set", 0);
        sample.Fileset(1000, sample.File("/d/a", set));
        for (var i = 0; i < blocks; i++)
            sample.Block($"{i}", 5, 1);
        for (var id = 0; id <= blocks + 1; id++)
        {
            if (id != 7)
                sample.Insert("""INSERT INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") VALUES (?1, ?2, ?2)""", set, (long)id);
        }

        await using (var db = await LocalDeleteDatabase.CreateAsync(sample.Close(), "Delete", null, default))
        {
            Assert.That(await db.DropFilesetsFromTableAsync([], default).CountAsync(), Is.Zero);
            await db.Transaction.CommitAsync();
        }

        Assert.That(sample.Rows("""SELECT COUNT(*), SUM("ID" = 7) FROM "Block" """), Is.EqualTo(new[] { $"{blocks - 1}|0" }));
        Assert.That(sample.Rows("""SELECT "Hash" FROM "DeletedBlock" """), Is.EqualTo(new[] { SampleDatabase.Hash("6") }));
    }

    [Test]
    public Task Blocks_that_do_not_fit_into_one_batch_go_all_the_same([Values(1, 7)] int mostBlocks) =>
        AssertUnusedBlocksGoAsync(
            9,
            db =>
                db.Session.LongAsync(
                    session =>
                    {
                        using var unused = new UnusedBlocks(session, DeletionLimits.Measured);
                        unused.Find();
                        unused.Move(mostBlocks);
                    },
                    default
                )
        );

    [Test]
    [Contract("A 8.1 DropFilesetsFromTableAsync lazy")]
    public async Task Nothing_happens_before_the_first_item_and_nothing_is_committed()
    {
        using var backup = new RandomBackup(1);
        await using (var db = await LocalDeleteDatabase.CreateAsync(backup.Path, "Delete", null, default))
        {
            var volumes = db.DropFilesetsFromTableAsync([DateTime.UnixEpoch.AddSeconds(1_000_000)], default);
            Assert.That(await db.FilesetTimesAsync(default).CountAsync(), Is.EqualTo(RandomBackup.Versions));
            await volumes.CountAsync();
            Assert.That(await db.FilesetTimesAsync(default).CountAsync(), Is.EqualTo(RandomBackup.Versions - 1));
        }

        Assert.That(backup.Database.Rows("""SELECT COUNT(*) FROM "Fileset" """), Is.EqualTo(new[] { "3" }));
        Assert.That(backup.Database.Rows("""SELECT COUNT(*) FROM "DeletedBlock" """), Is.EqualTo(new[] { "0" }));
    }

    [Test]
    [Contract("A 8.1 DropFilesetsFromTableAsync counts")]
    public async Task A_time_without_a_version_is_refused()
    {
        using var backup = new RandomBackup(1);
        await using var db = await LocalDeleteDatabase.CreateAsync(backup.Path, "Delete", null, default);

        Assert.That(
            async () => await db.DropFilesetsFromTableAsync([DateTime.UnixEpoch.AddSeconds(5)], default).CountAsync(),
            Throws.Exception.Message.Contains("0 vs 1")
        );
    }

    [Test]
    public async Task A_list_volume_that_no_version_has_is_refused()
    {
        using var sample = new SampleDatabase();
        sample.Fileset(1000);
        sample.Volume("stray.dlist.zip", "Files", "Uploaded");
        await using var db = await LocalDeleteDatabase.CreateAsync(sample.Close(), "Delete", null, default);

        Assert.That(
            async () => await db.DropFilesetsFromTableAsync([DateTime.UnixEpoch.AddSeconds(1000)], default).CountAsync(),
            Throws.Exception.Message.Contains("2 volumes")
        );
    }

    [Test]
    [Contract("A 8.1 DropFilesetsFromTableAsync counts")]
    public async Task A_list_whose_deletion_was_refused_before_does_not_count_and_is_named_again()
    {
        using var sample = new SampleDatabase();
        sample.Volume("refused.dlist.zip", "Files", "Deleting", size: null);
        sample.Fileset(1000);
        sample.EmptyFileset(2000, sample.Volume("renamed.dlist.zip", "Files", "Deleting"));
        await using var db = await LocalDeleteDatabase.CreateAsync(sample.Close(), "Delete", null, default);

        var volumes = await db.DropFilesetsFromTableAsync(
                [DateTime.UnixEpoch.AddSeconds(1000), DateTime.UnixEpoch.AddSeconds(2000)],
                default
            )
            .ToListAsync();

        Assert.That(
            volumes.Select(x => (x.Key, x.Value)),
            Is.EqualTo(new[] { ("refused.dlist.zip", -1L), ("duplicati-1000.dlist.zip", 1000L), ("renamed.dlist.zip", 1000L) })
        );
    }

    [Test]
    public async Task Of_versions_of_one_time_those_of_the_ids_go()
    {
        using var sample = new SampleDatabase();
        sample.Fileset(1000);
        foreach (var list in (string[])["second", "third"])
            sample.EmptyFileset(1000, sample.Volume(list, "Files"));
        await using var db = await LocalDeleteDatabase.CreateAsync(sample.Close(), "Delete", null, default);

        var volumes = await db.DropFilesetsAsync([2, 3], default).ToListAsync();

        Assert.That(volumes.Select(x => x.Key), Is.EqualTo(new[] { "second", "third" }));
        Assert.That(await db.FilesetTimesAsync(default).Select(x => x.Key).ToListAsync(), Is.EqualTo(new[] { 1L }));
        Assert.That(async () => await db.DropFilesetsAsync([2], default).CountAsync(), Throws.Exception.Message.Contains("0 vs 1"));
    }

    // Few files and more of them than are looked up one by one.
    [TestCase(1)]
    [TestCase(9)]
    public async Task However_many_files_share_metadata_what_no_file_has_goes(int files)
    {
        using var sample = new SampleDatabase();
        var (shared, set) = (sample.Metadata(sample.Blockset("shared", 0)), sample.Blockset("set", 0));
        sample.Metadata(sample.Blockset("unused", 0));
        sample.Fileset(1000, [.. Enumerable.Range(0, files).Select(i => sample.File($"/d/{i}", set, shared))]);
        await using (var db = await LocalDeleteDatabase.CreateAsync(sample.Close(), "Delete", null, default))
        {
            Assert.That(await db.DropFilesetsFromTableAsync([], default).CountAsync(), Is.Zero);
            await db.Transaction.CommitAsync();
        }

        Assert.That(sample.Rows("""SELECT "ID" FROM "Metadataset" """), Is.EqualTo(new[] { $"{shared}" }));
    }

    [Test]
    [Contract("A 8.1 FilesetsWithBackupVersionAsync")]
    [Contract("A 8.1 GetFilesetIdByTimeAsync")]
    public async Task Versions_are_counted_from_the_newest()
    {
        using var sample = new SampleDatabase();
        sample.Fileset(1000);
        sample.EmptyFileset(3000, sample.Volume("partial", "Files"), isFull: false);
        sample.Fileset(2000);
        await using var db = await LocalDeleteDatabase.CreateAsync(sample.Close(), "Delete", null, default);

        var versions = await db.FilesetsWithBackupVersionAsync(default).ToListAsync();

        Assert.That(
            versions.Select(x => (x.Version, x.IsFullBackup, x.FileCount, x.FileSizes)),
            Is.EqualTo(new[] { (0L, 0, -1L, -1L), (1L, 1, -1L, -1L), (2L, 1, -1L, -1L) })
        );
        Assert.That(versions[0].Time, Is.EqualTo(DateTime.UnixEpoch.AddSeconds(3000).ToLocalTime()));
        Assert.That(versions[0].Time.Kind, Is.EqualTo(DateTimeKind.Local));
        Assert.That(await db.GetFilesetIdByTimeAsync(versions[2].Time, default), Is.EqualTo(1));
        Assert.That(await db.GetFilesetIdByTimeAsync(versions[2].Time.AddSeconds(1), default), Is.EqualTo(-1));
    }

    [Test]
    [Contract("A 8.1 HasAnyLockedFilesAsync")]
    [Contract("A 12 row 7")]
    public async Task A_version_is_locked_while_any_volume_it_needs_is()
    {
        using var sample = new SampleDatabase();
        var (needed, other) = (sample.Volume("needed"), sample.Volume("other"));
        sample.Fileset(1000, sample.File("/d/a", sample.Blockset("a", 1, sample.Block("x", 1, needed))));
        sample.Insert("""UPDATE "Remotevolume" SET "LockExpirationTime" = 5000 WHERE "ID" = ?1""", needed);
        sample.Insert("""UPDATE "Remotevolume" SET "LockExpirationTime" = 9000 WHERE "ID" = ?1""", other);
        await using var db = await LocalDeleteDatabase.CreateAsync(sample.Close(), "Delete", null, default);

        Assert.That(await db.HasAnyLockedFilesAsync(1, DateTime.UnixEpoch.AddSeconds(4999), default), Is.True);
        Assert.That(await db.HasAnyLockedFilesAsync(1, DateTime.UnixEpoch.AddSeconds(5000), default), Is.False);
    }

    private static async Task AssertUnusedBlocksGoAsync(int widest, Func<LocalDeleteDatabase, Task> delete, bool isTooFarApart = false)
    {
        using var sample = new SampleDatabase();
        AddBlocksWithHoles(sample, new Random(LongRun.Seed()), widest);
        // Then there is no set of those in use.
        if (isTooFarApart)
            sample.Insert(
                """INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES (?1, ?2, 5, 1)""",
                2 * BlockIdSet.WidestRange,
                SampleDatabase.Hash("far away")
            );
        using var folder = new TestFolder();
        var copy = folder.File("copy.sqlite");
        File.Copy(sample.Close(), copy);

        await using (var db = await LocalDeleteDatabase.CreateAsync(sample.Path, "Delete", null, default))
        {
            await delete(db);
            await db.Transaction.CommitAsync();
        }

        using var plain = Databases.Open(copy);
        PlainLayer.DeleteFilesets(plain, []);
        Assert.That(AllRows.Of(sample.Path, AllRows.DeletedBlockIds), Is.EqualTo(AllRows.Of(plain, AllRows.DeletedBlockIds)));
    }

    // Used blocks, unused ones, blocklists and ids that do not exist follow each other in runs of random length.
    private static void AddBlocksWithHoles(SampleDatabase sample, Random random, int widest)
    {
        var set = sample.Blockset("set", 0);
        sample.Fileset(1000, sample.File("/d/a", set));
        var (id, index) = (random.Next(-5, 5), 0L);
        for (var run = 0; run < 60; run++)
        {
            var kind = random.Next(4);
            for (var length = random.Next(widest + 1) + 1; length > 0; length--, id++)
            {
                if (kind == 0)
                    continue;

                sample.Insert(
                    """INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES (?1, ?2, 5, 1)""",
                    (long)id,
                    SampleDatabase.Hash($"{id}")
                );
                if (kind == 1)
                    sample.Blocklist(set, index++, $"{id}");
                if (kind == 2)
                    sample.Insert(
                        """INSERT INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") VALUES (?1, ?2, ?3)""",
                        set,
                        index++,
                        (long)id
                    );
            }
        }
    }
}
