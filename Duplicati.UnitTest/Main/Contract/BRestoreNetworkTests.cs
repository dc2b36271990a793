// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.Concurrent;
using System.Threading.Channels;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Operation.Restore;
using Duplicati.UnitTest.Golden;
using Duplicati.UnitTest.Main.Restore;

namespace Duplicati.UnitTest.Main.Contract;

/// <summary>
/// The process network of a restore, with what each process asks of the database, all at once and in the order of the contract.
/// </summary>
[TestFixture]
internal sealed class BRestoreNetworkTests
{
    private const int Processors = 4;

    private readonly ConcurrentDictionary<long, long> m_blocks = [];
    private readonly ConcurrentDictionary<long, long> m_volumes = [];
    private int m_marked;

    private static IEnumerable<string> Undamaged =>
        GoldenData.SetsWithDatabase.Where(x =>
            !x.StartsWith("f-", StringComparison.Ordinal) && !x.StartsWith("old-", StringComparison.Ordinal)
        );

    [SetUp]
    public void Clear()
    {
        m_blocks.Clear();
        m_volumes.Clear();
        m_marked = 0;
    }

    [Test]
    [Contract("B 1.8 GetBlocksAndVolumeIDsAsync")]
    [Contract("B 2.3 row 1")]
    [Contract("B 2.3 row 2")]
    [Contract("B 2.3 row 3")]
    [Contract("B 2.3 row 4")]
    [Contract("B 2.3 row 5")]
    [Contract("B 2.3 row 6")]
    [Contract("B 2.3 row 9")]
    public async Task The_processes_use_every_block_exactly_as_often_as_was_announced([Values] bool skipMetadata)
    {
        using var backup = new RandomBackup(11, files: 400);
        await RestoreAsync(backup.Path, skipMetadata);
    }

    [TestCaseSource(nameof(Undamaged))]
    [Contract("B 7 row 15")]
    public async Task Every_real_backup_is_restored_by_the_network_to_the_last_use_of_its_blocks(string set)
    {
        using var folder = new TestFolder();
        await RestoreAsync(GoldenData.UnpackDatabase(set, folder.Path), skipMetadata: false);
    }

    private async Task RestoreAsync(string path, bool skipMetadata)
    {
        using var log = new LogCapture();
        var db = await LocalRestoreDatabase.CreateAsync(path, null, default);
        await using (db)
        {
            await PrepareAsync(db, skipMetadata);
            await db.Transaction.CommitAsync("CommitBeforeRestore", true, default);
            Assert.That(await db.GetLargestVolumeAsync(default), Is.Positive);

            var requests = Channel.CreateBounded<FileRequest>(1);
            var manager = AnnounceAsync(db, skipMetadata);
            var processors = Enumerable
                .Range(0, Processors)
                .Select(_ => Task.Run(() => ProcessAsync(db, requests.Reader, manager, skipMetadata)))
                .ToArray();
            var files = await ListAsync(db, requests.Writer, skipMetadata);
            await Task.WhenAll([manager, .. processors]);

            Assert.That(m_blocks.Values, Is.All.Zero, "a use that was announced and not made, or the other way round");
            Assert.That(m_volumes.Values, Is.All.Zero);
            Assert.That(m_marked, Is.EqualTo(files));
            Assert.That(await db.GetFilesToRestoreAsync(true, default).CountAsync(), Is.Zero, "all files are marked as verified");
            await db.Transaction.CommitAsync("CommitAfterRestore", true, default);
            await db.DisposePoolAsync();
            await db.DropRestoreTableAsync(default);
        }

        Assert.That(log.WarningsAndErrors, Is.Empty);
        Assert.That(File.Exists(path + "-wal"), Is.False, "no connection is left");
    }

    private static async Task PrepareAsync(LocalRestoreDatabase db, bool skipMetadata)
    {
        await db.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, null, null, false, default);
        await db.SetTargetPathsAsync(await db.GetLargestPrefixAsync(default), "/out/", default);
        await db.FindMissingBlocksAsync(skipMetadata, default);
        await db.CreateProgressTrackerAsync(false, default);
        await foreach (var folder in db.GetTargetFoldersAsync(default))
            Assert.That(folder, Does.StartWith("/out/"));
    }

    private static async Task<int> ListAsync(LocalRestoreDatabase db, ChannelWriter<FileRequest> requests, bool skipMetadata)
    {
        var files = await db.GetFilesAndSymlinksToRestoreAsync(default).ToArrayAsync();
        Assert.That(files.Select(x => x.Length), Is.Ordered.Descending);
        foreach (var file in files)
            await requests.WriteAsync(file);
        if (!skipMetadata)
        {
            await foreach (var folder in db.GetFolderMetadataToRestoreAsync(default))
                await requests.WriteAsync(folder);
        }

        requests.Complete();
        return files.Length;
    }

    private async Task AnnounceAsync(LocalRestoreDatabase db, bool skipMetadata)
    {
        await foreach (var (block, volume) in db.GetBlocksAndVolumeIDsAsync(skipMetadata, default))
            Count(block, volume, 1);
    }

    private void Count(long block, long volume, long change)
    {
        m_blocks.AddOrUpdate(block, change, (_, count) => count + change);
        m_volumes.AddOrUpdate(volume, change, (_, count) => count + change);
    }

    private async Task ProcessAsync(LocalRestoreDatabase db, ChannelReader<FileRequest> requests, Task announced, bool skipMetadata)
    {
        await foreach (var file in requests.ReadAllAsync())
        {
            var isFolder = file.BlocksetID == LocalDatabase.FOLDER_BLOCKSET_ID;
            if (!isFolder)
            {
                var blocks = await db.GetBlocksFromFileAsync(file.BlocksetID, default).ToArrayAsync();
                Assert.That(blocks.Select(x => x.BlockOffset), Is.EqualTo(Enumerable.Range(0, blocks.Length)));
                Assert.That(blocks.Sum(x => x.BlockSize), file.Length == 0 ? Is.Zero : Is.Positive);
                foreach (var block in blocks)
                    await UseAsync(db, block);
            }

            if (!skipMetadata)
                await ProcessMetadataAsync(db, file, announced);
            if (isFolder)
                continue;

            await db.MarkFileDataVerifiedAsync(file.ID, default);
            Interlocked.Increment(ref m_marked);
        }
    }

    // Slowly: between two blocks the processor waits for a download.
    private async Task ProcessMetadataAsync(LocalRestoreDatabase db, FileRequest file, Task announced)
    {
        await foreach (var block in db.GetMetadataBlocksFromFileAsync(file.ID, default))
        {
            await announced;
            await UseAsync(db, block);
        }
    }

    private async Task UseAsync(LocalRestoreDatabase db, BlockRequest block)
    {
        var (name, size, hash) = await db.GetVolumeInfoAsync(block.VolumeID, default).FirstAsync();
        Assert.That((name.Length > 0, size > 0, hash.Length > 0), Is.EqualTo((true, true, true)));
        Count(block.BlockID, block.VolumeID, -1);
    }
}
