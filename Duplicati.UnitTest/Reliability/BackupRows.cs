// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Backup;
using Duplicati.UnitTest.Main.Blocks;

namespace Duplicati.UnitTest.Reliability;

/// <summary>The rows of files as a backup writes them.</summary>
internal static class BackupRows
{
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
