// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.FileLists;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Verify;

namespace Duplicati.Library.Main.Database.Local;

internal partial class LocalDatabase
{
    /// <summary>Adds a partial fileset of this operation and returns its id; the time is cut to whole seconds. Does not commit.</summary>
    public virtual Task<long> CreateFilesetAsync(long volumeid, DateTime timestamp, CancellationToken token) =>
        Session.ShortAsync(session => FilesetWrites.Create(session, OperationId, volumeid, timestamp), token);

    /// <summary>Makes a volume the list of a fileset. Does not commit.</summary>
    /// <exception cref="Exception">There is no such fileset.</exception>
    public Task LinkFilesetToVolumeAsync(long filesetid, long volumeid, CancellationToken token) =>
        Session.ShortAsync(session => FilesetWrites.LinkToVolume(session, filesetid, volumeid), token);

    /// <summary>Marks a fileset as full or partial. Does not commit.</summary>
    public Task UpdateFullBackupStateInFilesetAsync(long fileSetId, bool isFullBackup, CancellationToken token) =>
        Session.ShortAsync(session => FilesetWrites.SetFull(session, fileSetId, isFullBackup), token);

    /// <summary>Sets the time of a fileset, cut to whole seconds; several may have one time. Does not commit.</summary>
    public Task UpdateFilesetTimestampAsync(long fileSetId, DateTime timestamp, CancellationToken token) =>
        Session.ShortAsync(session => FilesetWrites.SetTime(session, fileSetId, timestamp), token);

    /// <summary>Sets the label of a fileset; a blank one removes it. Does not commit.</summary>
    /// <exception cref="InvalidOperationException">The schema is below 20, and the label is not blank.</exception>
    public Task UpdateFilesetLabelAsync(long filesetId, string? label, CancellationToken token) =>
        Session.ShortAsync(session => FilesetLabels.Set(session, filesetId, label), token);

    /// <summary>Time (UTC) and label of the filesets that have one, each time once. None below schema 20. A stable copy.</summary>
    public IAsyncEnumerable<KeyValuePair<DateTime, string>> GetFilesetLabelsAsync(CancellationToken token) =>
        Session.SnapshotAsync(FilesetLabels.ByTime, token);

    /// <summary>Removes all entries of a fileset. Does not commit.</summary>
    public Task ClearFilesetEntriesAsync(long filesetId, CancellationToken token) =>
        Session.LongAsync(session => FilesetWrites.ClearEntries(session, filesetId), token);

    /// <summary>The newest other fileset takes over the times of change of the files that both have. Does not commit.</summary>
    public Task PushTimestampChangesToPreviousVersionAsync(long filesetId, CancellationToken token) =>
        Session.LongAsync(session => FilesetWrites.PushTimestamps(session, filesetId), token);

    /// <summary>Id and local time of all filesets, newest first: the position is the version number. A stable copy.</summary>
    public IAsyncEnumerable<KeyValuePair<long, DateTime>> FilesetTimesAsync(CancellationToken token) =>
        Session.SnapshotAsync(FilesetReads.LocalTimes, token, tellsMore: false);

    /// <summary>
    /// The choice of filesets by time and version as text for a query over a table with the columns Timestamp and ID, with its parameters;
    /// empty without a criterion.
    /// </summary>
    /// <exception cref="Exception">The time has ticks but its kind is unspecified.</exception>
    public Task<(string Query, Dictionary<string, object?> Values)> GetFilelistWhereClauseAsync(
        DateTime time,
        long[]? versions,
        IEnumerable<KeyValuePair<long, DateTime>>? filesetslist,
        bool singleTimeMatch,
        CancellationToken token
    )
    {
        // They may ask this database.
        var given = filesetslist?.Select(x => x.Key).ToList();
        return Session.ShortAsync(
            session =>
                FilesetSelection.WhereClause(given ?? FilesetReads.Times(session).ConvertAll(x => x.Id), time, versions, singleTimeMatch),
            token,
            tellsMore: false
        );
    }

    /// <summary>
    /// Ids of the filesets that match a time or version, newest first; all of them, with a warning, if none match. A stable copy.
    /// </summary>
    /// <exception cref="Interface.UserInformationException">Help id NoBackupAtDate: there is no fileset at all.</exception>
    /// <exception cref="Exception">The kind of the time is unspecified.</exception>
    public IAsyncEnumerable<long> GetFilesetIDsAsync(
        DateTime restoretime,
        long[]? versions,
        bool singleTimeMatch,
        CancellationToken token
    ) =>
        Session.SnapshotAsync(
            session => FilesetSelection.MatchingOrAll(session, restoretime, versions, singleTimeMatch),
            token,
            tellsMore: false
        );

    /// <summary>
    /// Ids of the filesets of exactly that second or with those versions, newest first; all of them without a criterion, possibly none.
    /// </summary>
    /// <exception cref="Exception">The kind of the time is unspecified.</exception>
    public Task<IEnumerable<long>> FindMatchingFilesetsAsync(DateTime restoretime, long[]? versions, CancellationToken token) =>
        Session.ShortAsync<IEnumerable<long>>(
            session => FilesetSelection.Matching(session, restoretime, versions, true),
            token,
            tellsMore: false
        );

    /// <summary>Whether the fileset of that second is a full backup; false if there is none.</summary>
    public Task<bool> IsFilesetFullBackupAsync(DateTime filesetTime, CancellationToken token) =>
        Session.ShortAsync(session => FilesetReads.IsFull(session, filesetTime), token, tellsMore: false);

    /// <summary>The same by id: several filesets may have one time.</summary>
    internal Task<bool> IsFilesetFullBackupAsync(long filesetId, CancellationToken token) =>
        Session.ShortAsync(session => FilesetReads.IsFull(session, filesetId), token, tellsMore: false);

    /// <summary>Id and local time of the filesets that have entries but whose list was not uploaded. A stable copy.</summary>
    public IAsyncEnumerable<KeyValuePair<long, DateTime>> GetIncompleteFilesetsAsync(CancellationToken token) =>
        Session.SnapshotAsync(FilesetReads.LocalIncomplete, token, tellsMore: false);

    /// <summary>The list volume of the newest incomplete fileset, times in local time; the default value if there is none.</summary>
    public Task<RemoteVolumeEntry> GetLastIncompleteFilesetVolumeAsync(CancellationToken token) =>
        Session.ShortAsync(FilesetReads.LastIncompleteVolume, token, tellsMore: false);

    /// <summary>
    /// The files of a fileset (parameter FilesetId): one row for each pair of a blocklist of the data and one of the metadata.
    /// </summary>
    public const string LIST_FILESETS = FileListReads.Files;

    /// <summary>
    /// The folders and links of a fileset (parameters FilesetId, FolderBlocksetId, SymlinkBlocksetId): one row for each blocklist of the
    /// metadata.
    /// </summary>
    public const string LIST_FOLDERS_AND_SYMLINKS = FileListReads.FoldersAndSymlinks;

    /// <summary>
    /// Gives all entries of a fileset to the writer of a list volume: folders and links by path, then files by path. Reads only, in pages.
    /// </summary>
    /// <exception cref="ArgumentNullException">An entry has no metadata; thrown by the writer.</exception>
    public Task WriteFilesetAsync(Main.Volumes.FilesetVolumeWriter filesetvolume, long filesetId, CancellationToken token) =>
        FileListOutput.WriteAsync(Session, filesetvolume, filesetId, token);

    /// <summary>
    /// Checks that the tables fit together. Reads only; linear. A repeated check of an unchanged database returns at once.
    /// </summary>
    /// <param name="blocksize">Size of a full block in bytes.</param>
    /// <param name="hashsize">Size of a block digest in bytes.</param>
    /// <param name="verifyfilelists">Whether every entry of a fileset must come out in a list volume.</param>
    /// <param name="token">Stops the check.</param>
    /// <exception cref="Interface.DatabaseInconsistencyException">The first check that failed; help id FilesetDifferences for file
    /// lists.</exception>
    public Task VerifyConsistencyAsync(long blocksize, long hashsize, bool verifyfilelists, CancellationToken token) =>
        VerifyAsync(new ConsistencyScope(blocksize, hashsize, Volumes: true, verifyfilelists), token);

    /// <summary>
    /// As <see cref="VerifyConsistencyAsync"/>, but filesets without a list volume and list volumes without a fileset are no error.
    /// </summary>
    public Task VerifyConsistencyForRepairAsync(long blocksize, long hashsize, bool verifyfilelists, CancellationToken token) =>
        VerifyAsync(new ConsistencyScope(blocksize, hashsize, Volumes: false, verifyfilelists), token);

    private Task VerifyAsync(ConsistencyScope scope, CancellationToken token) =>
        Session.LongAsync(session => ConsistencyCheck.Run(session, scope, token), token);
}
