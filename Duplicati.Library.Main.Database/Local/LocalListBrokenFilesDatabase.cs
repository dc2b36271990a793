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
internal partial class LocalListBrokenFilesDatabase : LocalDatabase
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
}
