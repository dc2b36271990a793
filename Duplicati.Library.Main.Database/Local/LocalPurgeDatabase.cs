// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Purge;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>Rewrites versions without some of their files.</summary>
/// <remarks>Nothing here commits. One call chain at a time.</remarks>
internal class LocalPurgeDatabase : LocalDeleteDatabase
{
    private const string OperationName = "Purge";

    /// <summary>A version without some of its files, in the making. Disposing forgets which files; what was made permanent stays.</summary>
    public interface ITemporaryFileset : IDisposable, IAsyncDisposable
    {
        /// <summary>The fileset that is rewritten.</summary>
        long ParentID { get; }

        /// <summary>Number of entries left out.</summary>
        long RemovedFileCount { get; }

        /// <summary>
        /// Bytes of the blocks that only the entries left out use, among those of the fileset; -1 with
        /// <see cref="ReducedPurgeStatistics"/>.
        /// </summary>
        long RemovedFileSize { get; }

        /// <summary>Number of entries that the command of a filter changed.</summary>
        long UpdatedFileCount { get; }

        /// <summary>Whether the size, which is slow on large databases, is not wanted. To be set before a filter is applied.</summary>
        bool ReducedPurgeStatistics { get; set; }

        /// <summary>Leaves out the entries that match a filter.</summary>
        /// <exception cref="Duplicati.Library.Interface.UserInformationException">Help id PurgeWouldRemoveEntireFileset: nothing would be
        /// left.</exception>
        Task ApplyFilterAsync(IFilter filter, CancellationToken token);

        /// <summary>
        /// Leaves out the entries whose ids a command puts into the column FileID of a table; it gets a command, the fileset and the table,
        /// and returns the number of entries it changed.
        /// </summary>
        /// <exception cref="Duplicati.Library.Interface.UserInformationException">Help id PurgeWouldRemoveEntireFileset: nothing would be
        /// left.</exception>
        Task ApplyFilterAsync(Func<SqliteCommand, long, string, Task<int>> filtercommand, CancellationToken token);

        /// <summary>Adds the rewritten fileset, with a temporary list volume of that name. Returns the ids of volume and fileset.</summary>
        Task<Tuple<long, long>> ConvertToPermanentFilesetAsync(string name, DateTime timestamp, bool isFullBackup, CancellationToken token);

        /// <summary>Path and length of the files left out; folders and symbolic links are not listed.</summary>
        IAsyncEnumerable<KeyValuePair<string, long>> ListAllDeletedFilesAsync(CancellationToken token);
    }

    /// <summary>Id of this operation in table Operation.</summary>
    internal long PurgeOperationId => OperationId;

    /// <summary>Opens, creates or upgrades the database at a path; disposing closes the connection.</summary>
    public static Task<LocalPurgeDatabase> CreateAsync(string path, LocalPurgeDatabase? dbnew, CancellationToken token) =>
        OpenAsync(path, OperationName, dbnew ?? new LocalPurgeDatabase(), token);

    /// <summary>A child of another database object: same connection, transaction and operation.</summary>
    public static Task<LocalPurgeDatabase> CreateAsync(LocalDatabase dbparent, LocalPurgeDatabase? dbnew, CancellationToken token) =>
        ChildAsync(dbparent, dbnew ?? new LocalPurgeDatabase(), token);

    /// <summary>An empty choice of entries to leave out of a fileset.</summary>
    public Task<ITemporaryFileset> CreateTemporaryFilesetAsync(long parentid, CancellationToken token) =>
        Session.ShortAsync<ITemporaryFileset>(session => new TemporaryFileset(this, session, parentid), token);

    /// <summary>Name of the list volume of a fileset.</summary>
    /// <exception cref="Exception">There is no such fileset, or its volume is unknown.</exception>
    public Task<string> GetRemoteVolumeNameForFilesetAsync(long id, CancellationToken token) =>
        Session.ShortAsync(session => PurgeReads.ListVolume(session, id), token);

    /// <summary>Number of files that no fileset refers to. Linear in the number of files.</summary>
    internal Task<long> CountOrphanFilesAsync(CancellationToken token) => Session.LongAsync(PurgeReads.CountOrphans, token);
}
