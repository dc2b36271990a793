// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Restore;

namespace Duplicati.UnitTest.Main.Contract;

/// <summary>The list of files of a restore between its selection and the first reader, step by step as the handler goes.</summary>
[TestFixture]
internal sealed class BSelectionTests : SampleTestBase
{
    [SetUp]
    public void Create()
    {
        var volume = Data.Volume("v");
        var (ten, eleven) = (
            Data.Blockset("ten", 10, Data.Block("ten", 10, volume)),
            Data.Blockset("eleven", 11, Data.Block("eleven", 11, volume))
        );
        Data.Fileset(
            1000,
            Data.File("/data/é😀/ten", ten),
            Data.File("/data/é😀/eleven", eleven),
            // Fewer characters than the one above, but more bytes.
            Data.File("/data/ééé/ééé", ten),
            Data.File("/data/", SampleDatabase.Folder),
            Data.File("/data/link", SampleDatabase.Symlink)
        );
    }

    [Test]
    [Contract("B 1.3 GetFirstPathAsync")]
    [Contract("B 1.3 GetLargestPrefixAsync")]
    [Contract("B 1.3 HasEntriesOutsideFolderAsync")]
    [Contract("B 2.2 step 6")]
    [Contract("B 2.2 step 8")]
    public async Task The_longest_path_counts_characters_and_the_prefix_is_a_folder()
    {
        await using var db = await OpenAsync();
        Assert.That(await db.GetFirstPathAsync(default), Is.EqualTo("/data/é😀/eleven"));
        Assert.That(await db.GetLargestPrefixAsync(default), Is.EqualTo("/data/"));
        Assert.That(await db.HasEntriesOutsideFolderAsync(RestoreFixture.AnyTime, null, "/data/", default), Is.False);
        Assert.That(await db.HasEntriesOutsideFolderAsync(RestoreFixture.AnyTime, null, "/data/é", default), Is.True);
        Assert.That(await db.HasEntriesOutsideFolderAsync(RestoreFixture.AnyTime, null, "", default), Is.False);
    }

    [TestCase(0, 0)]
    [TestCase(-1, 0)]
    [TestCase(long.MaxValue, 0)]
    [TestCase(11, 0)]
    [TestCase(10, 1)]
    [TestCase(1, 3)]
    [Contract("B 1.3 RemoveFilesLargerThanAsync")]
    [Contract("B 1.3 PrepareRestoreFilelistCountAsync")]
    [Contract("B 2.2 step 5")]
    public async Task Files_above_a_size_leave_the_list_and_folders_and_links_stay(long limit, long removed)
    {
        await using var db = await OpenAsync();
        Assert.That(await db.RemoveFilesLargerThanAsync(limit, default), Is.EqualTo(removed));
        Assert.That(
            await db.PrepareRestoreFilelistCountAsync(default),
            Is.EqualTo(
                Tuple.Create(
                    3 - removed,
                    removed switch
                    {
                        0 => 31L,
                        1 => 20L,
                        _ => 0L,
                    }
                )
            )
        );
        await db.SetTargetPathsAsync("", "", default);
        Assert.That(await db.GetFilesAndSymlinksToRestoreAsync(default).CountAsync(), Is.EqualTo(4 - removed));
        Assert.That(await db.GetTargetFoldersAsync(default).ToListAsync(), Is.EqualTo(new[] { "/data/" }));
    }

    [Test]
    [Contract("B 1.3 SetTargetPathsAsync")]
    [Contract("B 1.6 UpdateTargetPathAsync")]
    [Contract("B 1.8 MarkFileDataVerifiedAsync")]
    [Contract("B 1.3 commits")]
    public async Task Targets_commit_and_marks_and_removals_do_not()
    {
        await using var db = await OpenAsync();
        var key = 0;
        foreach (
            var (commits, step) in new (bool, Func<Task>)[]
            {
                (true, () => db.SetTargetPathsAsync("", "/out", default)),
                (true, () => db.UpdateTargetPathAsync(1, "/elsewhere", default)),
                (false, () => db.MarkFileDataVerifiedAsync(1, default)),
                (false, () => db.RemoveFilesLargerThanAsync(10, default)),
                (false, () => db.RemoveAlternateDataStreamsAsync(default)),
                (true, () => db.AddCurrentFilesToRestoredHashesAsync("RestoredHashes-1", default)),
                (false, () => db.RemoveFilesByRestoredHashesAsync("RestoredHashes-1", default)),
                (true, () => db.DropRestoredHashesTableAsync("RestoredHashes-1", default)),
                (true, () => db.DropRestoreTableAsync(default)),
            }
        )
        {
            if (key == 5)
                await db.CreateRestoredHashesTableAsync("RestoredHashes-1", default);
            db.Connection.Execute($"""INSERT INTO "Configuration" VALUES ('{++key}', '')""");
            await step();
            Assert.That(IsCommitted(key), Is.EqualTo(commits), $"step {key}");
            await db.CommitAsync(default);
        }

        using var connection = Databases.Open(Data.Path);
        Assert.That(connection.Scalar("SELECT COUNT(*) FROM sqlite_master WHERE name LIKE 'RestoredHashes-%'"), Is.EqualTo("0"));
    }

    [Test]
    [Contract("B 2.1")]
    [Contract("B 1.3 PrepareRestoreFilelistAsync")]
    public async Task The_sequence_may_run_twice_on_one_object_with_a_drop_between()
    {
        await using var db = await OpenAsync();
        foreach (var target in (string[])["/first", "/second"])
        {
            Assert.That((await db.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, null, null, false, default)).Item1, Is.EqualTo(3));
            await db.SetTargetPathsAsync("/data/", target, default);
            await db.FindMissingBlocksAsync(true, default);
            await db.CreateProgressTrackerAsync(false, default);
            Assert.That(
                await db.GetFilesToRestoreAsync(true, default).Select(x => x.Path).ToListAsync(),
                Is.All.StartsWith(target + "/").And.Exactly(3).Items
            );
            Assert.That(await db.GetMissingVolumesAsync(default).CountAsync(), Is.EqualTo(1));
            await using (var marker = await db.CreateBlockMarkerAsync(default))
                await marker.SetAllBlocksRestoredAsync(1, false, default);
            await db.DropRestoreTableAsync(default);
            Assert.That(() => db.CreateBlockMarkerAsync(default), Throws.InvalidOperationException);
            Assert.That(() => db.GetExistingFilesWithBlocksAsync(default), Throws.InvalidOperationException, "at the call");
        }
    }

    private async Task<LocalRestoreDatabase> OpenAsync()
    {
        var db = await RestoreFixture.OpenAsync(Data.Close());
        Assert.That(
            await db.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, null, null, false, default),
            Is.EqualTo(Tuple.Create(3L, 31L))
        );
        return db;
    }

    private bool IsCommitted(int key) =>
        Databases.Query(Data.Path, $"""SELECT COUNT(*) FROM "Configuration" WHERE "Key" = '{key}'""") == "1";
}
