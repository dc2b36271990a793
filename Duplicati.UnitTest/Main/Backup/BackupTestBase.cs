// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Blocks;

namespace Duplicati.UnitTest.Main.Backup;

/// <summary>A new backup in progress for each test.</summary>
public abstract class BackupTestBase
{
    private protected BackupFixture Backup { get; private set; } = null!;

    private protected LocalBackupDatabase Db => Backup.Database;

    [SetUp]
    public async Task MakeBackup() => Backup = await BackupFixture.CreateAsync();

    [TearDown]
    public async Task RemoveBackup() => await Backup.DisposeAsync();

    /// <summary>The hashes of so many blocks.</summary>
    private protected static string[] Numbered(int count) => [.. Enumerable.Range(0, count).Select(i => BlockFixture.Hash(i))];

    /// <summary>Adds those that are not there and commits.</summary>
    private protected async Task AddBlocksAsync(int count)
    {
        foreach (var hash in Numbered(count))
            await Db.AddBlockAsync(hash, 1024, Backup.VolumeId, default);
        await Db.CommitAsync(default);
    }

    /// <summary>The hashes of the blocks of a content, in order.</summary>
    private protected string[] Hashes(long blockset) =>
        Db.Connection.Lines(
            $"""
            SELECT "Block"."Hash" FROM "BlocksetEntry" JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
            WHERE "BlocksetID" = {blockset} ORDER BY "BlocksetEntry"."Index"
            """
        );
}
