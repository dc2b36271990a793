// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Main.Restore;

[TestFixture]
public class EntryStreamTests : SampleTestBase
{
    [SetUp]
    public void SetUp()
    {
        var block = Data.Block("one", 10, Data.Volume("b1"));
        var metadata = Data.Metadata(Data.Blockset("meta", 10, block));
        Data.Fileset(
            1000,
            Data.File("/d/", SampleDatabase.Folder, metadata),
            Data.File("/d/bare/", SampleDatabase.Folder),
            Data.File("/d/link", SampleDatabase.Symlink, metadata),
            Data.File("/d/small", Data.Blockset("small", 10, block), metadata),
            Data.File("/d/large", Data.Blockset("large", 20, block, block), metadata),
            Data.File("/d/empty", Data.Blockset("empty", 0), metadata)
        );
        Data.Close();
    }

    [Test]
    [Contract("B 1.8 GetFilesAndSymlinksToRestoreAsync")]
    public async Task Files_and_links_come_largest_first()
    {
        await using var db = await RestoreFixture.PrepareAsync(Data.Path);

        var files = await db.GetFilesAndSymlinksToRestoreAsync(default).ToListAsync();

        Assert.That(files.Select(x => x.OriginalPath), Is.EqualTo(new[] { "/d/large", "/d/small", "/d/link", "/d/empty" }));
        Assert.That(files.Select(x => x.TargetPath), Is.EqualTo(new[] { "/out/large", "/out/small", "/out/link", "/out/empty" }));
        Assert.That(files.Select(x => x.Length), Is.EqualTo(new[] { 20L, 10L, 0L, 0L }));
        Assert.That(files[0].Hash, Is.EqualTo(SampleDatabase.Hash("large")));
        Assert.That(files[2].Hash, Is.Empty);
        Assert.That(files[2].BlocksetID, Is.EqualTo(LocalDatabase.SYMLINK_BLOCKSET_ID));
    }

    [Test]
    [Contract("B 1.8 GetFolderMetadataToRestoreAsync")]
    [Contract("B 1.6 GetTargetFoldersAsync")]
    public async Task Folders_come_with_their_metadata_if_they_have_any()
    {
        await using var db = await RestoreFixture.PrepareAsync(Data.Path);

        var folder = await db.GetFolderMetadataToRestoreAsync(default).SingleAsync();

        Assert.That(
            (folder.OriginalPath, folder.TargetPath, folder.Hash, folder.Length, folder.BlocksetID),
            Is.EqualTo(("", "/out/", "", 0L, LocalDatabase.FOLDER_BLOCKSET_ID))
        );
        Assert.That(await db.GetTargetFoldersAsync(default).ToListAsync(), Is.EqualTo(new[] { "/out/", "/out/bare/" }));
    }

    [Test]
    [Contract("B 1.6 GetFilesToRestoreAsync")]
    [Contract("B 1.8 MarkFileDataVerifiedAsync")]
    public async Task Files_that_are_verified_can_be_left_out()
    {
        await using var db = await RestoreFixture.PrepareAsync(Data.Path);
        var small = (await db.GetFilesAndSymlinksToRestoreAsync(default).ToListAsync()).Single(x => x.OriginalPath == "/d/small");

        await db.MarkFileDataVerifiedAsync(small.ID, default);

        Assert.That(
            await db.GetFilesToRestoreAsync(true, default).Select(x => x.Path).ToListAsync(),
            Is.EquivalentTo(new[] { "/out/large", "/out/empty" })
        );
        var file = (await db.GetFilesToRestoreAsync(false, default).ToListAsync()).Single(x => x.Path == "/out/small");
        Assert.That((file.Hash, file.Length), Is.EqualTo((SampleDatabase.Hash("small"), 10L)));
    }

    [Test]
    [Contract("B 1.6 streams")]
    public async Task A_stream_keeps_what_it_began_with_while_the_consumer_writes_and_commits()
    {
        await using var db = await RestoreFixture.PrepareAsync(Data.Path);
        var seen = new List<string>();

        await foreach (var file in db.GetFilesToRestoreAsync(true, default))
        {
            seen.Add(file.Path);
            await foreach (var request in db.GetFilesAndSymlinksToRestoreAsync(default))
            {
                await db.MarkFileDataVerifiedAsync(request.ID, default);
                await db.UpdateTargetPathAsync(request.ID, "/elsewhere/" + request.ID, default);
            }
        }

        Assert.That(seen, Is.EquivalentTo(new[] { "/out/small", "/out/large", "/out/empty" }));
        Assert.That(await db.GetFilesAndSymlinksToRestoreAsync(default).AllAsync(x => x.TargetPath == "/elsewhere/" + x.ID));
    }

    [Test]
    [Contract("B 1.8 GetFilesAndSymlinksToRestoreAsync")]
    public async Task Without_target_paths_a_stream_is_refused()
    {
        await using var db = await RestoreFixture.OpenAsync(Data.Path);
        await db.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, null, null, false, default);

        Assert.That(async () => await db.GetFilesAndSymlinksToRestoreAsync(default).CountAsync(), Throws.InvalidOperationException);
    }

    [TestCase(false)]
    [TestCase(true)]
    [Contract("B 1.8 GetBlocksAndVolumeIDsAsync")]
    public async Task Every_use_of_a_block_comes_once(bool skipMetadata)
    {
        using var backup = new RandomBackup(LongRun.Seed(), files: 300);
        await using var db = await RestoreFixture.PrepareAsync(backup.Path, versions: [1]);

        var pairs = await db.GetBlocksAndVolumeIDsAsync(skipMetadata, default).Select(x => $"{x.Item1}|{x.Item2}").ToListAsync();

        pairs.Sort(StringComparer.Ordinal);
        var uses = $"""
            SELECT b."ID", b."VolumeID" FROM "FilesetEntry" fe JOIN "FileLookup" l ON l."ID" = fe."FileID"
            JOIN "BlocksetEntry" e ON e."BlocksetID" = l."BlocksetID" JOIN "Block" b ON b."ID" = e."BlockID" WHERE fe."FilesetID" = 2
            UNION ALL
            SELECT b."ID", b."VolumeID" FROM "FilesetEntry" fe JOIN "FileLookup" l ON l."ID" = fe."FileID" JOIN "Metadataset" m ON m."ID" = l."MetadataID"
            JOIN "BlocksetEntry" e ON e."BlocksetID" = m."BlocksetID" JOIN "Block" b ON b."ID" = e."BlockID" WHERE fe."FilesetID" = 2 AND {(
                skipMetadata ? 0 : 1
            )}
            """;
        Assert.That(pairs, Is.Not.Empty);
        Assert.That(pairs, Is.EqualTo(backup.Database.Rows(uses)));
    }

    [Test]
    public async Task A_file_with_more_blocks_than_a_page_is_walked_in_full()
    {
        const int Blocks = 100_000;
        using var sample = new SampleDatabase();
        var volume = sample.Volume("b1");
        var block = sample.Block("one", 10, volume);
        var big = sample.Blockset("big", Blocks * 10L);
        sample.Insert(
            """WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?3) INSERT INTO "BlocksetEntry" SELECT ?1, i, ?2 FROM n""",
            big,
            block,
            (long)Blocks
        );
        sample.Fileset(1000, sample.File("/d/big", big), sample.File("/d/tail", sample.Blockset("tail", 10, block)));
        await using var db = await RestoreFixture.PrepareAsync(sample.Close());

        Assert.That(await db.GetBlocksAndVolumeIDsAsync(false, default).CountAsync(), Is.EqualTo(Blocks + 1));
        var blocks = await db.GetBlocksFromFileAsync(big, default).ToListAsync();
        Assert.That(blocks, Has.Count.EqualTo(Blocks));
        Assert.That(blocks[^1].BlockOffset, Is.EqualTo(Blocks - 1));
    }
}
