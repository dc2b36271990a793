// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Duplicati.Library.Main.Database.Sync;

public partial class LocalSyncDatabase
{
    // Reads the table.
    private const string CountRows = "SELECT COUNT(*) FROM {local}";

    // Reads the local files, unique index on RelativePath.
    private const string CountUploads = """
        SELECT COUNT(*) FROM {local} l
        WHERE NOT EXISTS (SELECT 1 FROM "RemoteInventory" r WHERE r."RelativePath" = l."RelativePath")
        """;

    // Reads the inventory; unique indexes on RelativePath of the local files and on Path.
    private const string CountDeletions = """
        SELECT COUNT(*) FROM "RemoteInventory" r
        WHERE NOT EXISTS (SELECT 1 FROM {local} l WHERE l."RelativePath" = r."RelativePath")
          AND NOT EXISTS (SELECT 1 FROM "PendingOperation" p WHERE p."Path" = r."RelativePath")
        """;

    private const int RowsOfGroup = 128;

    /// <summary>Makes a temporary table, which is removed when the result is disposed.</summary>
    /// <param name="columnDefinition">The columns, as in a statement that makes a table.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    public Task<TempTable> CreateTempTableAsync(string columnDefinition, CancellationToken cancellationToken) =>
        m_session.ShortAsync(session => new TempTable(m_connection, SyncPlan.CreateTable(session, columnDefinition)), cancellationToken);

    /// <summary>Adds local files to a table; of several with one relative path the first stays. Linear.</summary>
    /// <param name="tableName">A table with the columns RelativePath (unique), AbsolutePath, Size and LastModified.</param>
    /// <param name="values">The files; times are taken to be in UTC. Not read while the connection is held.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    public async Task InsertLocalFilesAsync(
        string tableName,
        IEnumerable<(string RelativePath, string AbsolutePath, long Size, DateTime ModifiedUtc)> values,
        CancellationToken cancellationToken
    )
    {
        foreach (var group in values.Chunk(RowsOfGroup))
            await m_session.ShortAsync(session => SyncPlan.Insert(session, tableName, group), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Local files that the destination does not have, by path.</summary>
    public IAsyncEnumerable<SyncPlanRow> GetUploadPlanAsync(string localFilesTable, CancellationToken cancellationToken) =>
        m_session.SnapshotAsync(session => SyncPlan.Uploads(session, localFilesTable), cancellationToken);

    /// <summary>Local files that are newer than, or not as long as, those of the destination, by path.</summary>
    /// <param name="localFilesTable">The table of local files.</param>
    /// <param name="verifyHash">Whether files that look equal are also wanted, where a hash is known.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    public IAsyncEnumerable<SyncPlanRow> GetUpdatePlanAsync(string localFilesTable, bool verifyHash, CancellationToken cancellationToken) =>
        m_session.SnapshotAsync(session => SyncPlan.Updates(session, localFilesTable, verifyHash), cancellationToken);

    /// <summary>Files of the destination that are not local and have no transfer, by path.</summary>
    public IAsyncEnumerable<SyncPlanRow> GetDeletePlanAsync(string localFilesTable, CancellationToken cancellationToken) =>
        m_session.SnapshotAsync(session => SyncPlan.Deletions(session, localFilesTable), cancellationToken);

    /// <summary>The number of rows of a table.</summary>
    public Task<long> CountRowsAsync(string tableName, CancellationToken cancellationToken) =>
        m_session.LongAsync(session => SyncPlan.Count(session, CountRows, tableName), cancellationToken);

    /// <summary>The number of rows of <see cref="GetUploadPlanAsync"/>.</summary>
    public Task<long> CountUploadPlanAsync(string localFilesTable, CancellationToken cancellationToken) =>
        m_session.LongAsync(session => SyncPlan.Count(session, CountUploads, localFilesTable), cancellationToken);

    /// <summary>The number of rows of <see cref="GetUpdatePlanAsync"/>.</summary>
    public Task<long> CountUpdatePlanAsync(string localFilesTable, bool verifyHash, CancellationToken cancellationToken) =>
        m_session.LongAsync(session => SyncPlan.CountUpdates(session, localFilesTable, verifyHash), cancellationToken);

    /// <summary>The number of rows of <see cref="GetDeletePlanAsync"/>.</summary>
    public Task<long> CountDeletePlanAsync(string localFilesTable, CancellationToken cancellationToken) =>
        m_session.LongAsync(session => SyncPlan.Count(session, CountDeletions, localFilesTable), cancellationToken);
}
