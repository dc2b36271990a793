// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Recreate;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Main.Database.Volumes;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>
/// Inserts filesets, blocks and blocklists read from remote volumes into a (usually empty) database, resolves which blocks make up
/// each blockset, and tells which block volumes must be downloaded to complete the picture.
/// </summary>
/// <remarks>A child of the object it is made from. Disposing it commits the shared transaction. One call chain at a time.</remarks>
internal class LocalRecreateDatabase : LocalRestoreDatabase
{
    private RecreateWork m_work = null!;

    /// <summary>The rebuild in progress, for its batch members.</summary>
    internal RecreateWork Work => m_work;

    /// <summary>A block of metadata whose text is not in the database.</summary>
    /// <param name="MetadataId">Id of the metadata.</param>
    /// <param name="MetaLength">Bytes of the whole metadata.</param>
    /// <param name="BlockIndex">Position of the block in it, from 0.</param>
    /// <param name="BlockHash">Base64 hash of the block.</param>
    /// <param name="BlockSize">Bytes of the block.</param>
    /// <param name="VolumeName">Name of the volume that holds it.</param>
    /// <param name="VolumeHash">Base64 hash of that volume, if known.</param>
    /// <param name="VolumeSize">Bytes of that volume; -1 if unknown.</param>
    public record MetadataBlockInfo(
        long MetadataId,
        long MetaLength,
        long BlockIndex,
        string BlockHash,
        long BlockSize,
        string VolumeName,
        string? VolumeHash,
        long VolumeSize
    );

    /// <summary>Makes the object on the connection and in the transaction of another one.</summary>
    /// <exception cref="Exception">The other object has no connection.</exception>
    public static async Task<LocalRecreateDatabase> CreateAsync(
        LocalDatabase parentdb,
        Options options,
        LocalRecreateDatabase? dbnew,
        CancellationToken token
    )
    {
        ArgumentNullException.ThrowIfNull(parentdb);
        if (parentdb.Transaction is null)
            throw new Exception("The parent database has no connection.");

        dbnew = (LocalRecreateDatabase)
            await LocalRestoreDatabase.CreateAsync(parentdb, dbnew ?? new LocalRecreateDatabase(), token).ConfigureAwait(false);
        dbnew.m_work = new RecreateWork(dbnew.Session, RecreateLimits.ForThisMachine());
        CheckpointPace.Slow(dbnew.Session);
        return dbnew;
    }

    /// <summary>The id of a blockset, which is added with its blocklist hashes if it is new; the sequence is not read otherwise.</summary>
    public Task<long> AddBlocksetAsync(
        string fullhash,
        long size,
        IEnumerable<string> blocklisthashes,
        long expectedblocklisthashes,
        CancellationToken token
    ) =>
        m_work.Try(
            token,
            () => Task.FromResult(m_work.Filelist.AddBlockset(fullhash, size, blocklisthashes, expectedblocklisthashes, token))
        );

    /// <summary>
    /// The id of a metadataset, which is added with its blockset if it is new; -1 if <paramref name="metahash"/> is null.
    /// </summary>
    public Task<long> AddMetadatasetAsync(
        string metahash,
        long metahashsize,
        IEnumerable<string> metablocklisthashes,
        long expectedmetablocklisthashes,
        CancellationToken token
    ) =>
        m_work.Try(
            token,
            () =>
                Task.FromResult(
                    m_work.Filelist.AddMetadataset(metahash, metahashsize, metablocklisthashes, expectedmetablocklisthashes, token)
                )
        );

    /// <summary>Adds a file to a fileset. The task fails with a SqliteException if the fileset has the entry already.</summary>
    public Task AddFileEntryAsync(
        long filesetid,
        long pathprefixid,
        string path,
        DateTime time,
        long blocksetid,
        long metadataid,
        CancellationToken token
    ) => m_work.AddEntryAsync(filesetid, pathprefixid, path, time, blocksetid, metadataid, token);

    /// <summary>Adds a folder to a fileset. The task fails with a SqliteException if the fileset has the entry already.</summary>
    public Task AddDirectoryEntryAsync(
        long filesetid,
        long pathprefixid,
        string path,
        DateTime time,
        long metadataid,
        CancellationToken token
    ) => m_work.AddEntryAsync(filesetid, pathprefixid, path, time, FOLDER_BLOCKSET_ID, metadataid, token);

    /// <summary>Adds a symbolic link to a fileset. The task fails with a SqliteException if the fileset has the entry already.</summary>
    public Task AddSymlinkEntryAsync(
        long filesetid,
        long pathprefixid,
        string path,
        DateTime time,
        long metadataid,
        CancellationToken token
    ) => m_work.AddEntryAsync(filesetid, pathprefixid, path, time, SYMLINK_BLOCKSET_ID, metadataid, token);

    /// <summary>
    /// Stages that the blockset with this full hash and length is a single block. Repetitions and missing hashes are ignored.
    /// </summary>
    public Task AddSmallBlocksetLinkAsync(string filehash, string blockhash, long blocksize, CancellationToken token) =>
        m_work.AddLinkAsync(filehash, blockhash, blocksize, token);

    /// <summary>Records that a volume holds a block.</summary>
    /// <returns>First: something changed (true also for a duplicate that is recorded already). Second: the block was new, or had no
    /// volume.</returns>
    public Task<(bool, bool)> UpdateBlockAsync(string hash, long size, long volumeID, CancellationToken token) =>
        m_work.UpdateBlockAsync(hash, size, volumeID, token);

    /// <summary>Stages the content of a blocklist; false, without reading the sequence, if it is staged already.</summary>
    public Task<bool> AddTempBlockListHashAsync(string hash, IEnumerable<string> blocklisthashes, CancellationToken token) =>
        m_work.AddBlocklistAsync(hash, blocklisthashes, token);

    /// <summary>The distinct hashes of the blocks of a volume that filelists name as blocklists; a stable copy, in no order.</summary>
    public IAsyncEnumerable<string> GetBlockListsAsync(long volumeid, CancellationToken token) => m_work.BlocklistsInAsync(volumeid, token);

    /// <summary>
    /// Writes the entries of every blockset whose blocks can be told by now, adds the blocks that nobody has with volume -1, and commits.
    /// </summary>
    public Task FindMissingBlocklistHashesAsync(long hashsize, long blocksize, CancellationToken token) =>
        m_work.ResolveAsync(message => m_rtr.Commit(message), hashsize, blocksize, token);

    /// <summary>
    /// <see cref="FindMissingBlocklistHashesAsync"/> without the commit, and with <paramref name="hashOnly"/> without the single-block
    /// blocksets.
    /// </summary>
    public Task AddBlockAndBlockSetEntryFromTempAsync(long hashsize, long blocksize, bool hashOnly, CancellationToken token) =>
        m_work.ResolveOnlyAsync(hashsize, blocksize, !hashOnly, token);

    /// <summary>
    /// The volumes to fetch in a pass: 0 those that hold missing blocklists, 1 those of which nothing is known, 2 all; each at most once
    /// since pass 0.
    /// </summary>
    public IAsyncEnumerable<IRemoteVolume> GetMissingBlockListVolumesAsync(
        int passNo,
        long blocksize,
        long hashsize,
        bool forceBlockUse,
        CancellationToken token
    ) => m_work.PassAsync(passNo, blocksize, hashsize, forceBlockUse, countUnknown: false, token);

    /// <summary>
    /// Swaps blocks of volumes that are not there for their duplicates, and removes such volumes when nothing refers to them; warns if
    /// there are any.
    /// </summary>
    public async Task CleanupMissingVolumesAsync(CancellationToken token)
    {
        await m_work.RemoveMissingVolumesAsync(token).ConfigureAwait(false);
        Session.Do(session => ToldStates.Of(session).Forget(), token);
    }

    /// <summary>
    /// Removes blocks that no volume holds, books unused ones as deleted, and commits. To be called after the last resolve.
    /// </summary>
    public Task CleanupDeletedBlocksAsync(CancellationToken token) =>
        m_work.RemoveUnusedBlocksAsync(message => m_rtr.Commit(message), token);

    /// <summary>The blocks of all metadata without text, ordered by volume name, metadata id and position; a stable copy.</summary>
    public IAsyncEnumerable<MetadataBlockInfo> GetMissingMetadataBlocksAsync(CancellationToken token) => m_work.MissingMetadataAsync(token);

    /// <summary>Stores the text of metadata unless it has one.</summary>
    public Task SetMetadataContentAsync(long metadataId, string content, CancellationToken token) =>
        Session.ShortAsync(session => MetadataContent.Set(session, metadataId, content), token);

    /// <inheritdoc/>
    public override void Dispose()
    {
        try
        {
            m_work?.Dispose();
        }
        finally
        {
            base.Dispose();
        }

        GC.SuppressFinalize(this);
    }

    /// <inheritdoc/>
    public override ValueTask DisposeAsync() => base.DisposeAsync();
}
