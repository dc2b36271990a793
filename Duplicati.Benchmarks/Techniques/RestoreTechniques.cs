// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using Duplicati.Benchmarks.Micro;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Data;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Restore;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Operation.Restore;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>
/// What makes a restore fast: its questions on files of a hundred blocks, and the blocks of a real backup into the files.
/// </summary>
internal static class RestoreTechniques
{
    private const int BlocksPerFile = 100;

    public static IEnumerable<Technique> All =>
        [
            new(
                "restore volume by volume",
                "file after file, the four volumes used last kept open",
                "block",
                (setup, with) => Restore(setup, with ? BlockCache.DefaultBytes : null)
            )
            {
                Entries = EngineBackup.Entries,
            },
            new(
                "bounded cache of blocks in a restore",
                "each block written by itself",
                "block",
                (setup, with) => Restore(setup, with ? BlockCache.DefaultBytes : 0)
            )
            {
                Entries = EngineBackup.Entries,
            },
            new("block list of a restore on demand", "built first, as for a restore that marks blocks", "block", ListOnDemand),
            new("pooled read connections", "a connection opened and closed a file", "file of 100 blocks", PoolReaders)
            {
                Entries = blocks => (blocks + BlocksPerFile - 1) / BlocksPerFile,
            },
        ];

    // A restore's preparation that needs no list of blocks, against one that builds it because a marker is asked for.
    private static Trial ListOnDemand(TrialSetup setup, bool with)
    {
        var database = Open(setup);
        var sum = 0L;
        return new Trial(
            () =>
            {
                database.FindMissingBlocksAsync(false, default).Await();
                if (!with)
                {
                    database.CreateProgressTrackerAsync(false, default).Await();
                    database.CreateBlockMarkerAsync(default).Await().Dispose();
                }

                foreach (var (block, volume) in database.GetBlocksAndVolumeIDsAsync(false, default).ToBlockingEnumerable())
                    sum += block + volume;
            },
            () => sum,
            database
        );
    }

    // The blocks of each file by readers that stay open, or by one that is opened for it.
    private static Trial PoolReaders(TrialSetup setup, bool with)
    {
        var database = Open(setup);
        var files = database.GetFilesAndSymlinksToRestoreAsync(default).ToBlockingEnumerable().Select(file => file.BlocksetID).ToList();
        var sum = 0L;
        return new Trial(
            () =>
            {
                foreach (var blockset in files)
                {
                    foreach (var block in database.GetBlocksFromFileAsync(blockset, default).ToBlockingEnumerable())
                        sum = BlockTable.Fold(sum, block.BlockID);
                    if (!with)
                        database.DisposePoolAsync().Await();
                }
            },
            () => sum,
            database
        );
    }

    private static LocalRestoreDatabase Open(TrialSetup setup)
    {
        var database = LocalRestoreDatabase
            .CreateAsync(setup.Copy(RebuildTrial.Template(setup.Blocks, BlocksPerFile)), null, default)
            .Await();
        database.PrepareRestoreFilelistAsync(new DateTime(0, DateTimeKind.Utc), null, null, true, default).Await();
        database.SetTargetPathsAsync("/data/", "/target/", default).Await();
        return database;
    }

    // The blocks of the newest version from the remote folder into the files, which have been made: volume by volume with a cache of so
    // many bytes, or file after file.
    private static Trial Restore(TrialSetup setup, int? cacheBytes)
    {
        var backup = EngineBackup.Get(setup.Blocks);
        var database = LocalRestoreDatabase.CreateAsync(setup.Copy(backup.DatabasePath), null, default).Await();
        var plan = PrepareAsync(database, new RestoreTarget(Path.Combine(setup.Folder, "target"))).Await();
        var spool = new MetadataSpool(setup.Folder);
        var downloader = backup.Downloader(setup.Folder);
        return new Trial(() => RestoreAsync().Await(), () => Content(plan), spool, database);

        async Task RestoreAsync()
        {
            if (cacheBytes is not { } bytes)
            {
                await new FileByFileRestore(database, downloader, plan, spool).RunAsync();
                return;
            }

            var restorer = new VolumeRestorer(downloader, EngineBackup.Format, plan.Paths, spool, bytes);
            await foreach (var volume in database.GetNeedsByVolumeAsync(false, default))
                await restorer.RestoreAsync(volume, default);
        }
    }

    private static async Task<RestorePlan> PrepareAsync(LocalRestoreDatabase database, RestoreTarget target)
    {
        await database.PrepareRestoreFilelistAsync(new DateTime(0, DateTimeKind.Utc), [0], null, true, default);
        await database.SetTargetPathsAsync(
            await database.GetLargestPrefixAsync(default),
            target.Root + Path.DirectorySeparatorChar,
            default
        );
        var plan = await RestorePlan.ReadAsync(database, target, isThere: false, SilentProgress.Instance, default);
        var folders = new TargetFolders(target.Root);
        var writer = new FileWriter(
            plan,
            folders,
            EngineBackup.Format,
            SilentProgress.Instance,
            database.RestoreTime,
            ExistingFileChoice.Keep
        );
        await writer.MakeFilesAsync(default);
        await database.Transaction.CommitAsync(default(CancellationToken));
        return plan;
    }

    // By the recorded hashes, so that a file of zeros is noticed even if both ways leave it.
    private static long Content(RestorePlan plan)
    {
        var sum = 0L;
        foreach (var (id, file) in plan.Files.OrderBy(x => x.Key))
        {
            using var content = File.OpenRead(plan.Paths[id]);
            if (Convert.ToBase64String(SHA256.HashData(content)) != file.Hash)
                throw new InvalidOperationException($"{plan.Paths[id]} has not the recorded content.");
            sum = BlockTable.Fold(sum, file.Length);
        }

        return sum;
    }

    /// <summary>
    /// A restore as the members of the replaced layer suggest it: the blocks of one file, of its metadata, then the next; the volumes used
    /// last stay open.
    /// </summary>
    private sealed class FileByFileRestore(
        LocalRestoreDatabase database,
        VolumeDownloader downloader,
        RestorePlan plan,
        MetadataSpool spool
    )
    {
        private const int OpenVolumes = 4;

        private readonly LinkedList<(long Id, VolumeDownloader.Download Download, BlockVolumeReader Reader)> m_open = new();
        private readonly byte[] m_buffer = new byte[EngineBackup.Format.Blocksize];

        /// <summary>Writes all blocks of all files.</summary>
        public async Task RunAsync()
        {
            foreach (var file in plan.Files.Values)
            {
                using var handle = File.OpenHandle(plan.Paths[file.ID], FileMode.Open, FileAccess.Write);
                await foreach (var block in database.GetBlocksFromFileAsync(file.BlocksetID, default))
                    RandomAccess.Write(handle, (await ReadAsync(block)).Span, block.BlockOffset * EngineBackup.Format.Blocksize);
                await foreach (var block in database.GetMetadataBlocksFromFileAsync(file.ID, default))
                    spool.Note(file.ID, block.BlockOffset, spool.Store((await ReadAsync(block)).Span));
            }

            while (m_open.Count > 0)
                CloseOldest();
        }

        private async Task<ReadOnlyMemory<byte>> ReadAsync(BlockRequest block)
        {
            var reader = await OpenAsync(block.VolumeID);
            var length = reader.ReadVerifiedBlock(block.BlockHash, EngineBackup.Format.BlockHash, m_buffer);
            return length == block.BlockSize
                ? m_buffer.AsMemory(0, length)
                : throw new InvalidOperationException($"Block {block.BlockHash} has {length} bytes.");
        }

        private async Task<BlockVolumeReader> OpenAsync(long id)
        {
            for (var node = m_open.First; node is not null; node = node.Next)
            {
                if (node.Value.Id != id)
                    continue;
                m_open.Remove(node);
                m_open.AddFirst(node);
                return node.Value.Reader;
            }

            if (m_open.Count == OpenVolumes)
                CloseOldest();
            var (name, size, hash) = await database.GetVolumeInfoAsync(id, default).SingleAsync();
            var download = await downloader.FetchAsync(name, hash, size, default);
            var reader = BlockVolumeReader.Open(download.Content, name);
            m_open.AddFirst((id, download, reader));
            return reader;
        }

        private void CloseOldest()
        {
            using (m_open.Last!.Value.Download)
                m_open.Last.Value.Reader.Dispose();
            m_open.RemoveLast();
        }
    }
}
