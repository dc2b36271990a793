// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.Main.Restore;

/// <summary>Lists made from databases that Duplicati wrote.</summary>
[TestFixture]
public class GoldenRestoreTests
{
    [TestCase("a-plain-1k")]
    [TestCase("e-keep2-autocompact")]
    [TestCase("j-purge")]
    [TestCase("k-small")]
    [TestCase("l-duplicate-blocks")]
    public async Task Every_file_of_every_version_is_covered_by_its_blocks(string set)
    {
        using var folder = new TestFolder();
        using var log = new LogCapture();
        var path = GoldenData.UnpackDatabase(set, folder.Path);
        var versions = int.Parse(SampleDatabase.Rows(path, """SELECT COUNT(*) FROM "Fileset" """)[0]);
        for (var version = 0; version < versions; version++)
        {
            await using var db = await RestoreFixture.PrepareAsync(path, versions: [version]);
            var found = await db.PrepareRestoreFilelistCountAsync(default);
            var files = await db.GetFilesAndSymlinksToRestoreAsync(default).ToListAsync();
            Assert.That(files.Sum(x => x.Length), Is.EqualTo(found.Item2));
            foreach (var file in files.Where(x => x.BlocksetID >= 0))
                Assert.That(
                    await db.GetBlocksFromFileAsync(file.BlocksetID, default).Select(x => x.BlockSize).SumAsync(),
                    Is.EqualTo(file.Length),
                    file.OriginalPath
                );

            var uses = 0L;
            var bytes = 0L;
            await foreach (var volume in db.GetNeedsByVolumeAsync(false, default))
            {
                Assert.That(volume.Name, Does.EndWith(".dblock.zip"));
                uses += volume.Blocks.Sum(x => x.Uses.Length);
                bytes += volume.Blocks.Sum(x => x.Size * x.Uses.ToArray().Count(use => !use.IsMetadata));
            }

            Assert.That(uses, Is.EqualTo(await db.GetBlocksAndVolumeIDsAsync(false, default).CountAsync()));
            Assert.That(bytes, Is.EqualTo(found.Item2));
        }

        Assert.That(log.WarningsAndErrors, Is.Empty);
    }
}
