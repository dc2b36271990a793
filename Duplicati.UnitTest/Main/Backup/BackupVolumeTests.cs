// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.UnitTest.Main.Blocks;

namespace Duplicati.UnitTest.Main.Backup;

[TestFixture]
public class BackupVolumeTests : BackupTestBase
{
    [Test]
    [Contract("A 7.6 GetTemporaryFilelistVolumeNamesAsync")]
    public async Task Lists_of_incomplete_filesets_come_oldest_first()
    {
        Assert.That(await Db.GetTemporaryFilelistVolumeNamesAsync(false, default), Is.Empty);
        Assert.That(await Db.GetTemporaryFilelistVolumeNamesAsync(true, default), Is.Empty);
        foreach (
            var (name, state, day) in new[]
            {
                ("b", RemoteVolumeState.Uploading, 12),
                ("a", RemoteVolumeState.Temporary, 11),
                ("done", RemoteVolumeState.Verified, 13),
            }
        )
        {
            var volume = await Backup.AddVolumeAsync(name, RemoteVolumeType.Files, state);
            await Db.CreateFilesetAsync(volume, new DateTime(2024, 1, day, 0, 0, 0, DateTimeKind.Utc), default);
            await Db.AddKnownFileAsync(1, DateTime.UtcNow, default);
        }

        Assert.That(await Db.GetTemporaryFilelistVolumeNamesAsync(false, default), Is.EqualTo(["a", "b"]));
        Assert.That(await Db.GetTemporaryFilelistVolumeNamesAsync(true, default), Is.EqualTo(["b"]));
    }

    [Test]
    [Contract("A 1.3 case 2")]
    [Contract("A 1.4 row 6")]
    [Contract("A 7.6 GetMissingIndexFilesAsync")]
    public async Task Block_volumes_without_an_index_are_listed_while_links_are_added()
    {
        await Backup.AddVolumeAsync("block-2", RemoteVolumeType.Blocks, RemoteVolumeState.Verified);
        await Backup.AddVolumeAsync("block-3", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary);
        var index = await Backup.AddVolumeAsync("index-1", RemoteVolumeType.Index);

        var seen = new List<string>();
        await foreach (var name in Db.GetMissingIndexFilesAsync(default))
        {
            seen.Add(name);
            await Db.AddIndexBlockLinkAsync(index, await Db.GetRemoteVolumeIDAsync(name, default), default);
            await Db.CommitAsync(default);
        }

        Assert.That(seen, Is.EqualTo(["block-1", "block-2"]));
        Assert.That(Db.GetMissingIndexFilesAsync(default).ToBlockingEnumerable(), Is.Empty);
    }

    [Test]
    [Contract("A 7.6 SafeDeleteRemoteVolumeAsync")]
    public async Task A_volume_with_live_blocks_is_not_removed()
    {
        await Db.AddBlockAsync(BlockFixture.Hash(1), 10, Backup.VolumeId, default);
        Assert.That(() => Db.SafeDeleteRemoteVolumeAsync("block-1", default), Throws.Exception.TypeOf<Exception>());
        Assert.That(await Db.GetRemoteVolumeIDAsync("block-1", default), Is.EqualTo(Backup.VolumeId));

        await Db.MoveBlockToVolumeAsync(BlockFixture.Hash(1), 10, Backup.VolumeId, 77, default);
        await Db.SafeDeleteRemoteVolumeAsync("block-1", default);
        Assert.That(await Db.GetRemoteVolumeIDAsync("block-1", default), Is.EqualTo(-1));
    }

    [Test]
    [Contract("A 7.6 GetLastWrittenDBlockVolumeSizeAsync")]
    public async Task The_size_of_the_newest_uploaded_block_volume_is_found()
    {
        Assert.That(await Db.GetLastWrittenDBlockVolumeSizeAsync(default), Is.EqualTo(-1));
        await Db.RegisterRemoteVolumeAsync("a", RemoteVolumeType.Blocks, 100, RemoteVolumeState.Uploaded, default);
        await Db.RegisterRemoteVolumeAsync("b", RemoteVolumeType.Blocks, 200, RemoteVolumeState.Verified, default);
        await Db.RegisterRemoteVolumeAsync("c", RemoteVolumeType.Index, 300, RemoteVolumeState.Uploaded, default);
        Assert.That(await Db.GetLastWrittenDBlockVolumeSizeAsync(default), Is.EqualTo(100));
    }
}
