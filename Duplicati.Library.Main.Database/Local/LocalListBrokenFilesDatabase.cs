// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Broken;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>Finds files whose data or metadata cannot be rebuilt from known block volumes, and keeps the books for purging them.</summary>
internal class LocalListBrokenFilesDatabase : LocalDatabase
{
    // Part of the key of FilesetEntry.
    private const string CountEntries = """SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = ?1""";

    private const string OperationName = "ListBrokenFiles";

    /// <summary>Opens, creates or upgrades the database at a path; disposing closes the connection.</summary>
    public static Task<LocalListBrokenFilesDatabase> CreateAsync(
        string path,
        LocalListBrokenFilesDatabase? dbnew,
        CancellationToken token
    ) => OpenAsync(path, OperationName, dbnew ?? new LocalListBrokenFilesDatabase(), token);

    /// <summary>A child of another database object: same connection, transaction and operation.</summary>
    public static Task<LocalListBrokenFilesDatabase> CreateAsync(
        LocalDatabase dbparent,
        LocalListBrokenFilesDatabase? dbnew,
        CancellationToken token
    ) => ChildAsync(dbparent, dbnew ?? new LocalListBrokenFilesDatabase(), token);

    /// <summary>
    /// Filesets (chosen by time or version; all without either) that hold broken files: time (UTC), id, number of broken entries. Ascending
    /// id.
    /// </summary>
    public IAsyncEnumerable<(DateTime FilesetTime, long FilesetID, long RemoveFileCount)> GetBrokenFilesetsAsync(
        DateTime time,
        long[]? versions,
        CancellationToken token
    ) => GetBrokenFilesetsAsync(time, versions, false, token);

    /// <summary>The same; with the flag, files of which only the metadata are lost, and can be replaced, are not broken.</summary>
    public IAsyncEnumerable<(DateTime FilesetTime, long FilesetID, long RemoveFileCount)> GetBrokenFilesetsAsync(
        DateTime time,
        long[]? versions,
        bool ignoreReplaceableMetadata,
        CancellationToken token
    ) =>
        Session.SnapshotAsync(
            session =>
                BrokenFiles
                    .Of(session)
                    .Filesets(time, versions, ignoreReplaceableMetadata)
                    .ConvertAll(x => (ParseFromEpochSeconds(x.EpochSeconds), x.Id, x.Count)),
            token
        );

    /// <summary>Full path and length of each broken file of a fileset; length -1 where there is no blockset.</summary>
    public IAsyncEnumerable<Tuple<string, long>> GetBrokenFilenamesAsync(long filesetid, CancellationToken token) =>
        GetBrokenFilenamesAsync(filesetid, false, token);

    /// <summary>The same; with the flag, files of which only the metadata are lost, and can be replaced, are not broken.</summary>
    public IAsyncEnumerable<Tuple<string, long>> GetBrokenFilenamesAsync(
        long filesetid,
        bool ignoreReplaceableMetadata,
        CancellationToken token
    ) => Session.SnapshotAsync(session => BrokenFiles.Of(session).Names(filesetid, ignoreReplaceableMetadata), token);

    /// <summary>Ids of the filesets with an entry whose metadata are lost, and can be replaced.</summary>
    public Task<HashSet<long>> GetFilesetsWithReplaceableMetadataAsync(CancellationToken token) =>
        Session.LongAsync(session => BrokenFiles.Of(session).FilesetsWithReplaceableMetadata(), token);

    /// <summary>Volumes of type Index that no link mentions.</summary>
    public IAsyncEnumerable<RemoteVolume> GetOrphanedIndexFilesAsync(CancellationToken token) =>
        Session.SnapshotAsync(MissingBlocks.OrphanedIndexes, token);

    /// <summary>Adds the ids of the broken files of a fileset to a table of the caller's.</summary>
    public Task InsertBrokenFileIDsIntoTableAsync(long filesetid, string tablename, string IDfieldname, CancellationToken token) =>
        InsertBrokenFileIDsIntoTableAsync(filesetid, tablename, IDfieldname, false, token);

    /// <summary>The same; with the flag, files of which only the metadata are lost, and can be replaced, are not broken.</summary>
    public Task InsertBrokenFileIDsIntoTableAsync(
        long filesetid,
        string tablename,
        string IDfieldname,
        bool ignoreReplaceableMetadata,
        CancellationToken token
    ) =>
        Session.LongAsync(
            session => BrokenFiles.Of(session).InsertIds(filesetid, tablename, IDfieldname, ignoreReplaceableMetadata),
            token
        );

    /// <summary>Points lost metadata of a fileset's files at a replacement; returns the number of metadata sets changed.</summary>
    public Task<int> ReplaceMetadataAsync(long filesetId, long emptyBlocksetId, CancellationToken token) =>
        Session.LongAsync(session => MissingBlocks.ReplaceMetadata(session, filesetId, emptyBlocksetId), token);

    /// <summary>Removes all blocks and index links of the named volumes; unknown names are ignored. Does not commit.</summary>
    public Task RemoveMissingBlocksAsync(IEnumerable<string> names, CancellationToken token) =>
        Session.LongAsync(names, MissingBlocks.Remove, token);

    /// <summary>Number of entries of a fileset.</summary>
    public Task<long> GetFilesetFileCountAsync(long filesetid, CancellationToken token) =>
        Session.ShortAsync(
            session =>
            {
                using var count = session.Take(CountEntries);
                return count.Bind(1, filesetid).ExecuteInt64(0);
            },
            token
        );

    // Content for metadata that are lost, in releases whose purge puts it into a volume.

    /// <summary>Id of content with this hash and length that is usable as metadata without the given volumes; -1 without.</summary>
    public Task<long> FindExactMetadataBlocksetIdAsync(
        IEnumerable<long> blockVolumeIds,
        string fullHash,
        long size,
        CancellationToken token
    ) => Session.LongAsync(blockVolumeIds, (session, ids) => ReplacementMetadata.FindExact(session, ids, fullHash, size), token);

    /// <summary>Id of the shortest content of metadata that is usable without the given volumes; -1 without.</summary>
    public Task<long> FindSmallestUsableMetadataBlocksetIdAsync(IEnumerable<long> blockVolumeIds, CancellationToken token) =>
        Session.LongAsync(blockVolumeIds, ReplacementMetadata.FindSmallest, token);

    /// <summary>Id of a block that is in a usable volume other than the given ones; -1 without.</summary>
    public Task<long> FindAvailableBlockIdAsync(string hash, long size, IEnumerable<long> blockVolumeIds, CancellationToken token) =>
        Session.LongAsync(blockVolumeIds, (session, ids) => ReplacementMetadata.FindBlock(session, ids, hash, size), token);

    /// <summary>Says that a volume holds a block, which is added if it is not known. Does not commit.</summary>
    public Task<BlockRegistration> RegisterBlockAsync(string hash, long size, long volumeId, CancellationToken token) =>
        Session.ShortAsync(session => ReplacementMetadata.Register(session, hash, size, volumeId), token);

    /// <summary>Takes a registration back, after a commit, too. Does not commit.</summary>
    /// <exception cref="InvalidOperationException">The block is not where the registration has put it.</exception>
    public Task RollbackBlockRegistrationAsync(BlockRegistration registration, CancellationToken token) =>
        Session.ShortAsync(session => ReplacementMetadata.RollBack(session, registration), token);

    /// <summary>Adds content of exactly one block, and returns its id. Does not commit.</summary>
    /// <exception cref="ArgumentException">There is not exactly one block, or it has another size.</exception>
    public Task<long> CreateMetadataBlocksetAsync(string fullHash, long size, IEnumerable<long> blockIds, CancellationToken token) =>
        Session.LongAsync(blockIds, (session, ids) => ReplacementMetadata.Create(session, fullHash, size, ids), token);

    /// <summary>Id of the metadata with this content, which are added if there are none. Does not commit.</summary>
    public Task<long> GetOrCreateMetadatasetIdAsync(long blocksetId, CancellationToken token) =>
        Session.ShortAsync(session => ReplacementMetadata.GetOrCreate(session, blocksetId), token);

    /// <summary>What <see cref="RegisterBlockAsync"/> has done.</summary>
    /// <param name="BlockId">The block.</param>
    /// <param name="Hash">Its hash.</param>
    /// <param name="Size">Its size in bytes.</param>
    /// <param name="VolumeId">The volume that holds it now.</param>
    /// <param name="PreviousVolumeId">The volume that held it before; null if it was not known.</param>
    /// <param name="Created">Whether it was added.</param>
    internal sealed record BlockRegistration(long BlockId, string Hash, long Size, long VolumeId, long? PreviousVolumeId, bool Created);
}
