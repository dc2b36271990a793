// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Restore;

namespace Duplicati.UnitTest.Main.Restore;

[TestFixture]
public class VolumePassTests
{
    [TestCase(1 << 20, false)]
    [TestCase(1 << 20, true)]
    [TestCase(50, false)]
    [TestCase(1, false)]
    public async Task Each_volume_comes_once_with_every_use_of_its_blocks(int limit, bool skipMetadata)
    {
        using var backup = new RandomBackup(LongRun.Seed());
        await using var db = await RestoreFixture.PrepareAsync(backup.Path);

        var needs = await new VolumePass(db.Session, skipMetadata, limit).ReadAsync(default).ToListAsync();

        Assert.That(needs.Select(x => x.VolumeId), Is.Ordered.And.Unique);
        foreach (var need in needs)
        {
            Assert.That(need.Name, Is.EqualTo($"v{need.VolumeId - 1}.dblock.zip"));
            Assert.That(need.Size, Is.EqualTo(999 + need.VolumeId));
            Assert.That(need.Blocks.Select(x => x.BlockId), Is.Ordered.And.Unique);
        }

        var uses = needs
            .SelectMany(v =>
                v.Blocks.SelectMany(b =>
                    b.Uses.ToArray().Select(u => $"{v.VolumeId}|{b.Hash}|{b.Size}|{u.FileId}|{u.Index}|{(u.IsMetadata ? 1 : 0)}")
                )
            )
            .Order(StringComparer.Ordinal);
        Assert.That(uses, Is.EqualTo(backup.Database.Rows(ExpectedUses(skipMetadata))));
    }

    [Test]
    public async Task The_consumer_may_write_and_commit_between_volumes()
    {
        using var backup = new RandomBackup(LongRun.Seed());
        await using var db = await RestoreFixture.PrepareAsync(backup.Path);
        var volumes = 0;

        await foreach (var need in db.GetNeedsByVolumeAsync(false, default))
        {
            foreach (var place in need.Blocks[0].Uses.ToArray())
                await db.MarkFileDataVerifiedAsync(place.FileId, default);
            await db.Transaction.CommitAsync();
            volumes++;
        }

        Assert.That(volumes, Is.GreaterThan(1));
    }

    [Test]
    public async Task A_block_without_a_volume_is_listed_under_a_volume_without_a_name()
    {
        using var sample = new SampleDatabase();
        sample.Fileset(1000, sample.File("/d/a", sample.Blockset("a", 5, sample.Block("x", 5, -1))));
        await using var db = await RestoreFixture.PrepareAsync(sample.Close());

        var need = await db.GetNeedsByVolumeAsync(false, default).SingleAsync();

        Assert.That((need.VolumeId, need.Name, need.Size, need.Blocks.Count), Is.EqualTo((-1L, "", -1L, 1)));
    }

    private static string ExpectedUses(bool skipMetadata) =>
        $"""
            SELECT b."VolumeID", b."Hash", b."Size", l."ID", e."Index", 0 FROM "FilesetEntry" fe JOIN "FileLookup" l ON l."ID" = fe."FileID"
            JOIN "BlocksetEntry" e ON e."BlocksetID" = l."BlocksetID" JOIN "Block" b ON b."ID" = e."BlockID" WHERE fe."FilesetID" = {RandomBackup.Versions}
            UNION ALL
            SELECT b."VolumeID", b."Hash", b."Size", l."ID", e."Index", 1 FROM "FilesetEntry" fe JOIN "FileLookup" l ON l."ID" = fe."FileID" JOIN "Metadataset" m ON m."ID" = l."MetadataID"
            JOIN "BlocksetEntry" e ON e."BlocksetID" = m."BlocksetID" JOIN "Block" b ON b."ID" = e."BlockID" WHERE fe."FilesetID" = {RandomBackup.Versions} AND {(
                skipMetadata ? 0 : 1
            )}
            """;
}
