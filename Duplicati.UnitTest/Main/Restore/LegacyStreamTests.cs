// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Paths;
using Duplicati.Library.Main.Database.Restore;
using Duplicati.Library.Main.Volumes;

namespace Duplicati.UnitTest.Main.Restore;

/// <summary>The streams of the single-threaded restore, whose consumer marks, renames and commits while it reads.</summary>
[TestFixture]
public class LegacyStreamTests : SampleTestBase
{
    private const long BlockSize = RandomBackup.BlockSize;
    private const string FromData =
        """FROM "FilesetEntry" fe JOIN "FileLookup" l ON l."ID" = fe."FileID" JOIN "BlocksetEntry" e ON e."BlocksetID" = l."BlocksetID" JOIN "Block" b ON b."ID" = e."BlockID" WHERE fe."FilesetID" = 3""";

    [Test]
    [Contract("B 1.6 GetExistingFilesWithBlocksAsync")]
    [Contract("B 1.6 UpdateTargetPathAsync")]
    public async Task Existing_files_come_by_target_with_their_blocks_in_order()
    {
        using var backup = new RandomBackup(LongRun.Seed());
        await using var db = await RestoreFixture.PrepareBlocksAsync(backup.Path);
        await using var marker = await db.CreateBlockMarkerAsync(default);
        var seen = new List<string>();
        var targets = new List<string>();

        await foreach (var file in db.GetExistingFilesWithBlocksAsync(default))
        {
            targets.Add(file.TargetPath);
            var indexes = new List<long>();
            await foreach (var block in file.BlocksAsync(default))
            {
                seen.Add($"{file.TargetFileID}|{block.Index}|{block.Hash}|{block.Size}");
                indexes.Add(block.Index);
                await marker.SetBlockRestoredAsync(file.TargetFileID, block.Index, block.Hash, block.Size, false, default);
            }

            Assert.That(indexes, Is.Ordered);
            var blocks = file.BlocksAsync(default);
            foreach (var reading in new[] { "once", "twice" })
                Assert.That(await blocks.CountAsync(), Is.EqualTo(indexes.Count), reading);
            await db.UpdateTargetPathAsync(file.TargetFileID, "/0/" + file.TargetFileID, default);
        }

        Assert.That(targets, Is.Ordered.Using((IComparer<string>)BinaryOrder.Instance).And.Unique);
        Assert.That(targets, Is.All.StartsWith("/out/"));
        Assert.That(
            seen.Order(StringComparer.Ordinal),
            Is.EqualTo(backup.Database.Rows($"""SELECT l."ID", e."Index", b."Hash", b."Size" {FromData}"""))
        );
        Assert.That(
            await db.GetExistingFilesWithBlocksAsync(default).Select(x => x.TargetPath).ToListAsync(),
            Has.Count.EqualTo(targets.Count).And.Ordered.Using((IComparer<string>)BinaryOrder.Instance).And.All.StartsWith("/0/")
        );
        Assert.That(await db.GetMissingVolumesAsync(default).CountAsync(), Is.Positive, "metadata is still missing");
    }

    [Test]
    [Contract("B 1.6 GetFilesAndSourceBlocksAsync")]
    [Contract("B 10 Q6")]
    public async Task Missing_blocks_are_found_in_every_file_that_has_them()
    {
        using var backup = new RandomBackup(LongRun.Seed());
        await using var db = await RestoreFixture.PrepareBlocksAsync(backup.Path);
        await using var marker = await db.CreateBlockMarkerAsync(default);
        var done = (await db.GetExistingFilesWithBlocksAsync(default).FirstAsync()).TargetFileID;
        await marker.SetAllBlocksRestoredAsync(done, true, default);
        var seen = new List<string>();

        await foreach (var file in db.GetFilesAndSourceBlocksAsync(true, BlockSize, default))
        {
            Assert.That(file.TargetFileID, Is.Not.EqualTo(done));
            await foreach (var block in file.BlocksAsync(default))
            {
                Assert.That(block.Offset, Is.EqualTo(block.Index * BlockSize));
                await foreach (var source in block.BlockSourcesAsync(default))
                    seen.Add(
                        $"{file.TargetFileID}|{block.Index}|{block.Hash}|{block.Size}|{source.Path}|{source.Offset}|{source.IsMetadata}"
                    );
                await marker.SetBlockRestoredAsync(file.TargetFileID, block.Index, block.Hash, block.Size, block.IsMetadata, default);
            }

            await marker.CommitAsync(default);
        }

        var expected = backup.Database.Rows(
            $"""
            SELECT DISTINCT t."ID", t."Index", t."Hash", t."Size", p."Prefix" || o."Path", s."Index" * {BlockSize}, 'False'
            FROM (SELECT l."ID", e."Index", b."Hash", b."Size", b."ID" AS "Block" {FromData} AND l."ID" <> {done}) t
            JOIN "BlocksetEntry" s ON s."BlockID" = t."Block" JOIN "FileLookup" o ON o."BlocksetID" = s."BlocksetID" JOIN "PathPrefix" p ON p."ID" = o."PrefixID"
            """
        );
        Assert.That(seen.Order(StringComparer.Ordinal), Is.EqualTo(expected));
    }

    [Test]
    [Contract("B 10 Q5")]
    public async Task Metadata_blocks_are_described_only_where_a_file_has_them()
    {
        var volume = Data.Volume("v");
        var (data, meta) = (Data.Block("data", 9, volume), Data.Block("meta", 8, volume));
        Data.Fileset(1000, Data.File("/d/a", Data.Blockset("a", 9, data), Data.Metadata(Data.Blockset("m1", 9, data, meta))));
        await using var db = await RestoreFixture.PrepareBlocksAsync(Data.Close());

        var file = await db.GetFilesAndSourceBlocksAsync(false, 10, default).SingleAsync();
        var blocks = await file.BlocksAsync(default).Select(x => (x.IsMetadata, x.Index, x.Size)).ToListAsync();

        Assert.That(blocks, Is.EqualTo(new[] { (false, 0L, 9L), (true, 0L, 9L) }));
        var skipped = await db.GetFilesAndSourceBlocksAsync(true, 10, default).SingleAsync();
        Assert.That(await skipped.BlocksAsync(default).CountAsync(), Is.EqualTo(1));
    }

    [Test]
    [Contract("B 1.6 GetFilesAndSourceBlocksAsync")]
    public async Task A_target_without_a_block_that_has_a_place_does_not_come()
    {
        var volume = Data.Volume("v");
        var metadata = Data.Metadata(Data.Blockset("meta", 8, Data.Block("meta", 8, volume)));
        var file = Data.File("/d/a", Data.Blockset("a", 9, Data.Block("data", 9, volume)), metadata);
        Data.Fileset(1000, file, Data.File("/d/", SampleDatabase.Folder, metadata), Data.File("/d/link", SampleDatabase.Symlink, metadata));
        await using var db = await RestoreFixture.PrepareBlocksAsync(Data.Close());
        await using var marker = await db.CreateBlockMarkerAsync(default);
        Assert.That(
            await db.GetFilesAndSourceBlocksAsync(false, 10, default).Select(x => x.TargetFileID).ToListAsync(),
            Is.EqualTo(new[] { file })
        );

        await marker.SetAllBlocksRestoredAsync(file, false, default);

        Assert.That(await db.GetFilesAndSourceBlocksAsync(false, 10, default).CountAsync(), Is.Zero);
    }

    [Test]
    [Contract("B 1.6 streams")]
    public async Task An_open_source_goes_on_after_a_rollback_that_takes_the_block_list_with_it([Values] bool isFast)
    {
        using var folder = new TestFolder();
        await File.WriteAllTextAsync(folder.File("here"), "x");
        var volume = Data.Volume("v");
        var metadata = Data.Metadata(Data.Blockset("meta", 8, Data.Block("meta", 8, volume)));
        Data.Fileset(
            1000,
            Data.File(folder.File("here"), Data.Blockset("s", 19, Data.Block("a", 10, volume), Data.Block("b", 9, volume)), metadata)
        );
        await using var db = await RestoreFixture.PrepareBlocksAsync(Data.Close());
        await db.Transaction.CommitAsync(default);

        Assert.That(
            await (
                isFast
                    ? ReadAsync(db.GetFilesAndSourceBlocksFastAsync(10, default), x => x.BlocksAsync(default).Select(y => y.Hash))
                    : ReadAsync(db.GetFilesAndSourceBlocksAsync(false, 10, default), x => x.BlocksAsync(default).Select(y => y.Hash))
            ),
            Is.EqualTo(new[] { SampleDatabase.Hash("a"), SampleDatabase.Hash("b") })
        );

        async Task<List<string>> ReadAsync<T>(IAsyncEnumerable<T> sources, Func<T, IAsyncEnumerable<string>> hashes)
        {
            await using var reader = sources.GetAsyncEnumerator();
            Assert.That(await reader.MoveNextAsync(), Is.True);
            await db.Transaction.RollBackAsync(default(CancellationToken));
            var found = await hashes(reader.Current).ToListAsync();
            Assert.That(await reader.MoveNextAsync(), Is.False);
            return found;
        }
    }

    [Test]
    [Contract("B 1.6 GetFilesAndSourceBlocksAsync")]
    public async Task A_stream_of_several_pages_goes_on_after_a_rollback([Values] bool skipMetadata)
    {
        var volume = Data.Volume("v");
        var metadata = Data.Metadata(Data.Blockset("meta", 8, Data.Block("meta", 8, volume)));
        var content = Data.Blockset("content", 10, Data.Block("a", 10, volume));
        Data.Fileset(1000, [.. Enumerable.Range(0, 600).Select(i => Data.File($"/d/{i:0000}", content, metadata))]);
        await using var db = await RestoreFixture.PrepareBlocksAsync(Data.Close());

        var count = 0;
        await foreach (var _ in db.GetFilesAndSourceBlocksAsync(skipMetadata, 10, default))
        {
            if (count++ == 0)
                await db.Transaction.RollBackAsync();
        }

        Assert.That(count, Is.EqualTo(600));
    }

    [Test]
    [Contract("B 1.6 GetFilesAndSourceBlocksFastAsync")]
    public async Task A_source_that_still_exists_gives_the_blocks_of_its_newest_version()
    {
        using var folder = new TestFolder();
        await File.WriteAllTextAsync(folder.File("here"), "x");
        var volume = Data.Volume("v");
        var (a, b, c) = (Data.Block("a", 10, volume), Data.Block("b", 10, volume), Data.Block("c", 10, volume));
        var here = Data.File(folder.File("here"), Data.Blockset("old", 30, a, b, a));
        var gone = Data.File(folder.File("gone"), Data.Blockset("gone", 10, a));
        Data.Fileset(1000, here, gone);
        Data.Fileset(3000, Data.File(folder.File("here"), Data.Blockset("new", 30, a, c, a)));
        Data.Fileset(2000, here);
        using var log = new LogCapture();
        await using var db = await RestoreFixture.PrepareAsync(Data.Close(), versions: [2]);
        await db.FindMissingBlocksAsync(true, default);
        await db.CreateProgressTrackerAsync(false, default);
        await using var marker = await db.CreateBlockMarkerAsync(default);
        await marker.SetBlockRestoredAsync(here, 2, SampleDatabase.Hash("a"), 10, false, default);

        var source = await db.GetFilesAndSourceBlocksFastAsync(10, default).SingleAsync();

        Assert.That((source.SourcePath, source.TargetPath, source.TargetFileID), Is.EqualTo((folder.File("here"), "/out/here", here)));
        Assert.That(
            await source.BlocksAsync(default).Select(x => (x.Index, x.Offset, x.Size, x.Hash)).ToListAsync(),
            Is.EqualTo(new[] { (0L, 0L, 10L, SampleDatabase.Hash("a")) })
        );
        Assert.That(log.WithId("LocalSourceMissing").Single().FormattedMessage, Does.Contain(folder.File("gone")));
    }

    [Test]
    [Contract("B 1.6 GetFilesAndSourceBlocksFastAsync")]
    public async Task A_file_restored_to_its_own_place_is_no_source()
    {
        using var folder = new TestFolder();
        await File.WriteAllTextAsync(folder.File("here"), "x");
        Data.Fileset(1000, Data.File(folder.File("here"), Data.Blockset("s", 10, Data.Block("a", 10, Data.Volume("v")))));
        await using var db = await RestoreFixture.PrepareAsync(Data.Close(), destination: "");
        await db.FindMissingBlocksAsync(true, default);

        Assert.That(await db.GetFilesAndSourceBlocksFastAsync(10, default).CountAsync(), Is.Zero);
    }

    [Test]
    [Contract("B 1.6 GetMissingVolumesAsync")]
    public async Task Missing_volumes_come_by_the_highest_index_needed()
    {
        var (late, early, none) = (Data.Volume("late"), Data.Volume("early", size: null), Data.Volume("none"));
        var (a, b, c, lost) = (Data.Block("a", 1, late), Data.Block("b", 1, early), Data.Block("c", 1, none), Data.Block("d", 1, 77));
        var file = Data.File("/d/a", Data.Blockset("s", 4, a, b, a, lost));
        var other = Data.File("/d/c", Data.Blockset("t", 1, c));
        Data.Fileset(1000, file, other);
        await using var db = await RestoreFixture.PrepareBlocksAsync(Data.Close());
        await using var marker = await db.CreateBlockMarkerAsync(default);
        await marker.SetAllBlocksRestoredAsync(other, false, default);

        var volumes = await db.GetMissingVolumesAsync(default).ToListAsync();

        Assert.That(
            volumes.Select(x => (x.Name, x.Hash, x.Size)),
            Is.EqualTo(new[] { ("early", "volume-hash", -1L), ("late", "volume-hash", 1000L) })
        );
    }

    [Test]
    [Contract("B 1.6 GetMissingBlockDataAsync")]
    [Contract("B 10 Q26")]
    public async Task A_volume_patches_everything_its_listing_has_wherever_the_database_thinks_it_is()
    {
        using var backup = new RandomBackup(LongRun.Seed());
        await using var db = await RestoreFixture.PrepareBlocksAsync(backup.Path);
        await using var marker = await db.CreateBlockMarkerAsync(default);
        var listing = backup
            .Database.Rows("""SELECT "Hash", "Size" FROM "Block" WHERE "ID" % 3 = 0""")
            .Select(x => x.Split('|'))
            .Select(x => KeyValuePair.Create(x[0], long.Parse(x[1])))
            .Append(KeyValuePair.Create(SampleDatabase.Hash("unknown"), 5L))
            .ToList();
        var (files, metadata) = (new List<string>(), new List<string>());

        await using (var patches = await db.GetMissingBlockDataAsync(new Listing(listing), BlockSize, default))
        {
            await CollectAsync(patches.FilesWithMissingBlocksAsync(default), false, files);
            await CollectAsync(patches.MetadataWithMissingBlocksAsync(default), true, metadata);
            Assert.That(await patches.FilesWithMissingBlocksAsync(default).CountAsync(), Is.Zero, "all were marked");
        }

        Assert.That(
            files.Order(StringComparer.Ordinal),
            Is.EqualTo(
                backup.Database.Rows($"""SELECT l."ID", e."Index" * {BlockSize}, b."Size", b."Hash" {FromData} AND b."ID" % 3 = 0""")
            )
        );
        Assert.That(
            metadata.Order(StringComparer.Ordinal),
            Is.EqualTo(
                backup.Database.Rows(
                    $"""SELECT l."ID", e."Index" * {BlockSize}, b."Size", b."Hash" {FromData.Replace("l.\"BlocksetID\"", "(SELECT m.\"BlocksetID\" FROM \"Metadataset\" m WHERE m.\"ID\" = l.\"MetadataID\")", StringComparison.Ordinal)} AND b."ID" % 3 = 0"""
                )
            )
        );

        async Task CollectAsync(IAsyncEnumerable<LocalRestoreDatabase.IVolumePatch> stream, bool isMetadata, List<string> seen)
        {
            var targets = new List<string>();
            await foreach (var patch in stream)
            {
                targets.Add(patch.Path);
                var offsets = new List<long>();
                await foreach (var block in patch.BlocksAsync(default))
                {
                    offsets.Add(block.Offset);
                    seen.Add($"{patch.FileID}|{block.Offset}|{block.Size}|{block.Key}");
                    await marker.SetBlockRestoredAsync(patch.FileID, block.Offset / BlockSize, block.Key, block.Size, isMetadata, default);
                }

                Assert.That(offsets, Is.Ordered);
                await marker.CommitAsync(default);
            }

            Assert.That(targets, Is.Ordered.Using((IComparer<string>)BinaryOrder.Instance).And.Unique);
        }
    }

    [Test]
    [Contract("B 1.6 streams")]
    public async Task A_consumer_may_leave_a_stream_in_the_middle()
    {
        using var backup = new RandomBackup(3);
        await using var db = await RestoreFixture.PrepareBlocksAsync(backup.Path);
        await foreach (var file in db.GetExistingFilesWithBlocksAsync(default))
        {
            await file.BlocksAsync(default).FirstAsync();
            break;
        }

        await db.DropRestoreTableAsync(default);
        await db.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, null, null, false, default);

        Assert.That((await db.PrepareRestoreFilelistCountAsync(default)).Item1, Is.Positive);
    }

    private sealed class Listing(IEnumerable<KeyValuePair<string, long>> blocks) : BlockVolumeReader
    {
        public override IEnumerable<KeyValuePair<string, long>> Blocks { get; } = blocks;
    }
}
