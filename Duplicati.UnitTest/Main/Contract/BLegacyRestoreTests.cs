// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Volumes;
using Duplicati.UnitTest.Main.Restore;

namespace Duplicati.UnitTest.Main.Contract;

/// <summary>The single-threaded restore: streams on the main connection while the consumer marks, renames and commits.</summary>
[TestFixture]
internal sealed class BLegacyRestoreTests
{
    private readonly Dictionary<long, string> m_renamed = [];

    [Test]
    [Contract("B 1.6 GetExistingFilesWithBlocksAsync")]
    [Contract("B 1.6 GetMissingVolumesAsync")]
    [Contract("B 1.6 GetMissingBlockDataAsync")]
    [Contract("B 1.6 UpdateTargetPathAsync")]
    [Contract("B 2.4")]
    public async Task A_restore_that_marks_renames_and_commits_while_it_reads_ends_with_nothing_missing(
        [Range(1, 6)] int seed,
        [Values] bool skipMetadata
    )
    {
        using var backup = new RandomBackup(seed);
        var random = new Random(seed);
        m_renamed.Clear();
        await using var db = await RestoreFixture.PrepareBlocksAsync(backup.Path, skipMetadata);
        var files = await db.GetExistingFilesWithBlocksAsync(default).ToListAsync();
        await ScanTargetsAsync(db, random);
        await ScanSourcesAsync(db, random, skipMetadata);
        await PatchAllAsync(db, backup);

        Assert.That(await db.GetMissingVolumesAsync(default).ToListAsync(), Is.Empty);
        var progress = new ReportedProgress();
        await using (var marker = await db.CreateBlockMarkerAsync(default))
        {
            await marker.UpdateProcessedAsync(progress, default);
            Assert.That(progress.Reports, Is.Empty, "nothing was marked with this marker");
            await marker.SetAllBlocksRestoredAsync(files[0].TargetFileID, false, default);
            await marker.UpdateProcessedAsync(progress, default);
        }

        Assert.That(progress.Reports, Is.EqualTo(new[] { ((long)files.Count, await BytesAsync(db)) }));
        await foreach (var file in db.GetExistingFilesWithBlocksAsync(default))
        {
            if (m_renamed.TryGetValue(file.TargetFileID, out var name))
                Assert.That(file.TargetPath, Is.EqualTo(name));
        }
    }

    private async Task ScanTargetsAsync(LocalRestoreDatabase db, Random random)
    {
        await using var marker = await db.CreateBlockMarkerAsync(default);
        string? last = null;
        await foreach (var file in db.GetExistingFilesWithBlocksAsync(default))
        {
            Assert.That(PathOrder(last, file.TargetPath), Is.Negative, "by target, each once, whatever is renamed meanwhile");
            last = file.TargetPath;
            switch (random.Next(5))
            {
                case 0:
                    await marker.SetAllBlocksRestoredAsync(file.TargetFileID, false, default);
                    await marker.SetFileDataVerifiedAsync(file.TargetFileID, default);
                    break;
                case 1:
                    await MarkSomeAsync(marker, file, random);
                    break;
                case 2:
                    await MarkSomeAsync(marker, file, random);
                    await marker.SetAllBlocksMissingAsync(file.TargetFileID, default);
                    m_renamed[file.TargetFileID] = file.TargetPath + ".1970-01-12";
                    await db.UpdateTargetPathAsync(file.TargetFileID, m_renamed[file.TargetFileID], default);
                    break;
            }
        }

        await marker.CommitAsync(default);
    }

    private static int PathOrder(string? a, string b) => string.CompareOrdinal(a, b);

    private static async Task MarkSomeAsync(
        LocalRestoreDatabase.IBlockMarker marker,
        LocalRestoreDatabase.IExistingFile file,
        Random random
    )
    {
        await foreach (var block in file.BlocksAsync(default))
        {
            if (random.Next(2) == 0)
                await marker.SetBlockRestoredAsync(file.TargetFileID, block.Index, block.Hash, block.Size, false, default);
        }
    }

    private static async Task ScanSourcesAsync(LocalRestoreDatabase db, Random random, bool skipMetadata)
    {
        await using var marker = await db.CreateBlockMarkerAsync(default);
        await foreach (var source in db.GetFilesAndSourceBlocksAsync(skipMetadata, RandomBackup.BlockSize, default))
        {
            if (random.Next(3) == 0)
                continue;

            await foreach (var block in source.BlocksAsync(default))
            {
                Assert.That(block.Offset, Is.EqualTo(block.Index * RandomBackup.BlockSize));
                var places = await block.BlockSourcesAsync(default).ToListAsync();
                Assert.That(places, Is.Not.Empty);
                if (random.Next(4) == 0)
                    await marker.SetBlockRestoredAsync(source.TargetFileID, block.Index, block.Hash, block.Size, block.IsMetadata, default);
                if (random.Next(20) == 0)
                    break;
            }
        }

        await marker.CommitAsync(default);
    }

    private static async Task PatchAllAsync(LocalRestoreDatabase db, RandomBackup backup)
    {
        var volumes = await db.GetMissingVolumesAsync(default).ToListAsync();
        Assert.That(volumes.Select(x => x.Name), Is.Unique);
        foreach (var volume in volumes)
        {
            Assert.That(volume, Is.TypeOf<RemoteVolume>());
            await using var marker = await db.CreateBlockMarkerAsync(default);
            await using var needed = await db.GetMissingBlockDataAsync(
                new Listing(backup.Database, volume.Name),
                RandomBackup.BlockSize,
                default
            );
            await PatchAsync(marker, needed.FilesWithMissingBlocksAsync(default), false);
            await PatchAsync(marker, needed.MetadataWithMissingBlocksAsync(default), true);
            await marker.CommitAsync(default);
        }
    }

    private static async Task PatchAsync(
        LocalRestoreDatabase.IBlockMarker marker,
        IAsyncEnumerable<LocalRestoreDatabase.IVolumePatch> patches,
        bool isMetadata
    )
    {
        string? last = null;
        await foreach (var patch in patches)
        {
            Assert.That(PathOrder(last, patch.Path), Is.Negative);
            last = patch.Path;
            var offset = -1L;
            await foreach (var block in patch.BlocksAsync(default))
            {
                Assert.That(block.Offset, Is.GreaterThan(offset));
                offset = block.Offset;
                await marker.SetBlockRestoredAsync(
                    patch.FileID,
                    offset / RandomBackup.BlockSize,
                    block.Key,
                    block.Size,
                    isMetadata,
                    default
                );
            }
        }
    }

    private static async Task<long> BytesAsync(LocalRestoreDatabase db)
    {
        var bytes = 0L;
        await foreach (var file in db.GetExistingFilesWithBlocksAsync(default))
            bytes += await file.BlocksAsync(default).Select(x => x.Size).SumAsync();
        return bytes;
    }

    private sealed class Listing(SampleDatabase database, string volume) : BlockVolumeReader
    {
        public override IEnumerable<KeyValuePair<string, long>> Blocks =>
            database
                .Rows($"SELECT Block.Hash, Block.Size FROM Block JOIN Remotevolume ON Remotevolume.ID = VolumeID WHERE Name = '{volume}'")
                .Select(x => x.Split('|'))
                .Select(x => KeyValuePair.Create(x[0], long.Parse(x[1])));
    }
}
