// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Backup;
using Duplicati.UnitTest.Main.Blocks;

namespace Duplicati.UnitTest.Reliability;

/// <summary>The rows of files as a backup writes them.</summary>
internal static class BackupRows
{
    /// <summary>Begins the version of a number, and returns its volume of blocks.</summary>
    internal static async Task<long> BeginAsync(LocalBackupDatabase database, int number)
    {
        var volume = await AddVolumeAsync("block", RemoteVolumeType.Blocks);
        var list = await AddVolumeAsync("list", RemoteVolumeType.Files);
        await database.CreateFilesetAsync(list, new DateTime(2024, 1, 1, 0, 0, 0, DateTimeKind.Utc).AddSeconds(number), default);
        return volume;

        Task<long> AddVolumeAsync(string kind, RemoteVolumeType type) =>
            database.RegisterRemoteVolumeAsync($"{kind}-{number}", type, RemoteVolumeState.Uploaded, default);
    }

    /// <summary>Adds a file of one block, whose content depends on a number only, with metadata.</summary>
    internal static async Task AddAsync(LocalBackupDatabase database, long volume, string path, int number)
    {
        var hash = BlockFixture.Hash(number);
        await database.AddBlockAsync(hash, BackupFixture.Blocksize, volume, default);
        var (_, blockset) = await database.AddBlocksetAsync(hash, BackupFixture.Blocksize, BackupFixture.Blocksize, [hash], null!, default);
        var (_, metadata) = await database.AddMetadatasetAsync(
            hash,
            BackupFixture.Blocksize,
            blockset,
            new BackupFixture.Metahash(hash),
            default
        );
        await database.AddFileAsync(path, DateTime.UnixEpoch, blockset, metadata, default);
    }
}
