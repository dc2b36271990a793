// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Sync;

/// <summary>
/// What a synchronization knows of its destination: the files it found there, the transfers it began, and a log of both.
/// </summary>
/// <remarks>
/// Every call is durable when its task is complete, except inside <see cref="ExecuteInTransactionAsync"/>. One call chain at a time.
/// Sequences are copies: rows may be written while they are read, and they may be left early.
/// </remarks>
public partial class LocalSyncDatabase : IDisposable, IBackendManagerDatabase
{
    private readonly SqliteConnection m_connection;
    private readonly DatabaseSession m_session;
    private DateTime m_lastAuditPurgeUtc = DateTime.MinValue;

    /// <summary>Opens, creates or upgrades the database at a path; its folder is created if missing.</summary>
    /// <exception cref="ArgumentNullException">The path is null or blank.</exception>
    /// <exception cref="Interface.UserInformationException">It is another kind of database, or of a later version.</exception>
    public LocalSyncDatabase(string path)
    {
        if (!string.IsNullOrWhiteSpace(path) && Path.GetDirectoryName(path) is { Length: > 0 } folder)
            Directory.CreateDirectory(folder);

        m_connection = SQLiteLoader.LoadConnection(path);
        try
        {
            PlannerStatistics.RefreshAtOpen(m_connection);
            DatabaseUpgrader.UpgradeDatabase(m_connection, path, typeof(DatabaseSchemaMarker));
            m_session = new DatabaseSession(m_connection);
        }
        catch
        {
            m_connection.Dispose();
            throw;
        }
    }

    /// <summary>Runs an action in one transaction: all calls of other members in it become durable together, or not at all.</summary>
    /// <param name="action">What to do; its exception, if any, is thrown on after a rollback.</param>
    /// <param name="cancellationToken">Handed to the action.</param>
    /// <exception cref="ArgumentNullException">There is no action.</exception>
    /// <exception cref="InvalidOperationException">A transaction is open already.</exception>
    public Task ExecuteInTransactionAsync(Func<CancellationToken, Task> action, CancellationToken cancellationToken) =>
        SyncTransaction.RunAsync(m_session, action, cancellationToken);

    /// <summary>Deletes entries of the log that are older than a time.</summary>
    public Task PurgeLogDataAsync(DateTime threshold, CancellationToken cancellationToken) =>
        m_session.ShortAsync(session => AuditLog.Purge(session, threshold), cancellationToken);

    /// <summary>Appends to the log. Once an hour, and the first time, entries older than 30 days are deleted.</summary>
    public Task LogRemoteOperationAsync(string operation, string path, string? data, CancellationToken cancellationToken) =>
        m_session.ShortAsync(
            session =>
            {
                var now = DateTime.UtcNow;
                AuditLog.Add(session, now, operation, path, data);
                if (now - m_lastAuditPurgeUtc < AuditLog.PurgeInterval)
                    return;

                AuditLog.Purge(session, now - AuditLog.Retention);
                m_lastAuditPurgeUtc = now;
            },
            cancellationToken
        );

    /// <summary>
    /// Records a transfer that begins: an upload for a volume in state Uploading, a deletion for one in state Deleting; nothing for others.
    /// </summary>
    public Task UpdateRemoteVolumeAsync(
        string name,
        RemoteVolumeState state,
        long size,
        string? hash,
        CancellationToken cancellationToken
    ) =>
        state is RemoteVolumeState.Uploading or RemoteVolumeState.Deleting
            ? UpsertPendingOperationAsync(
                name,
                state == RemoteVolumeState.Uploading ? SyncOperation.Upload : SyncOperation.Delete,
                size > 0 ? size : null,
                hash,
                cancellationToken
            )
            : Task.CompletedTask;

    /// <summary>
    /// As <see cref="UpdateRemoteVolumeAsync(string, RemoteVolumeState, long, string?, CancellationToken)"/>; the other arguments have no
    /// meaning here.
    /// </summary>
    public Task UpdateRemoteVolumeAsync(
        string name,
        RemoteVolumeState state,
        long size,
        string? hash,
        bool suppressCleanup,
        TimeSpan deleteGraceTime,
        bool? setArchived,
        CancellationToken cancellationToken
    ) => UpdateRemoteVolumeAsync(name, state, size, hash, cancellationToken);

    /// <summary>
    /// Moves what is known of a file to another path; a file that is not known is entered with size 0, the present time and no hash. All or
    /// nothing.
    /// </summary>
    public Task RenameRemoteFileAsync(string oldname, string newname, CancellationToken cancellationToken) =>
        m_session.ShortAsync(
            session =>
                SyncTransaction.Run(
                    session,
                    () =>
                    {
                        InventoryWrites.Rename(session, oldname, newname);
                        PendingOperations.Rename(session, oldname, newname);
                    }
                ),
            cancellationToken
        );

    /// <summary>Forgets the transfers of files.</summary>
    public Task RemoveRemoteVolumesAsync(IEnumerable<string> names, CancellationToken cancellationToken)
    {
        var list = names.ToList();
        return m_session.ShortAsync(
            session => SyncTransaction.Run(session, () => list.ForEach(name => PendingOperations.Remove(session, name))),
            cancellationToken
        );
    }

    /// <summary>Nothing: there is no transaction to commit.</summary>
    public Task CommitAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Closes the connection. May be called more than once.</summary>
    public void Dispose()
    {
        m_session.Dispose();
        m_connection.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>Enters a file of the destination, or replaces what is known of it.</summary>
    /// <param name="relativePath">Its path, with forward slashes.</param>
    /// <param name="size">Bytes.</param>
    /// <param name="lastModified">When it changed; stored in UTC.</param>
    /// <param name="contentHash">The hash of its content; null if not known.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    public Task UpsertInventoryAsync(
        string relativePath,
        long size,
        DateTime lastModified,
        string? contentHash,
        CancellationToken cancellationToken
    ) => m_session.ShortAsync(session => InventoryWrites.Upsert(session, relativePath, size, lastModified, contentHash), cancellationToken);

    /// <summary>Enters or replaces many files, such as those of one folder, in one transaction.</summary>
    internal Task UpsertInventoryAsync(IReadOnlyCollection<InventoryItem> items, CancellationToken cancellationToken) =>
        m_session.ShortAsync(
            session =>
                SyncTransaction.Run(
                    session,
                    () =>
                    {
                        foreach (var item in items)
                            InventoryWrites.Upsert(session, item.RelativePath, item.Size, item.LastModified, item.ContentHash);
                    }
                ),
            cancellationToken
        );

    /// <summary>Forgets a file of the destination, if it is known.</summary>
    public Task RemoveInventoryAsync(string relativePath, CancellationToken cancellationToken) =>
        m_session.ShortAsync(session => InventoryWrites.Remove(session, relativePath), cancellationToken);

    /// <summary>A file of the destination, or null.</summary>
    public Task<InventoryItem?> GetInventoryItemAsync(string relativePath, CancellationToken cancellationToken) =>
        m_session.ShortAsync(session => InventoryReads.Find(session, relativePath), cancellationToken);

    /// <summary>The files directly in a folder, compared exactly. A range of an index, except for the top folder.</summary>
    /// <param name="folder">The folder without a slash at its end; null or empty for the top.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    public IAsyncEnumerable<InventoryItem> GetInventoryItemsInFolderAsync(string? folder, CancellationToken cancellationToken) =>
        m_session.SnapshotAsync(session => InventoryReads.InFolder(session, folder), cancellationToken);

    /// <summary>All files of the destination.</summary>
    public IAsyncEnumerable<InventoryItem> GetInventoryAsync(CancellationToken cancellationToken) =>
        m_session.SnapshotAsync(InventoryReads.All, cancellationToken);

    /// <summary>Whether any file of the destination is known.</summary>
    public Task<bool> HasAnyInventoryAsync(CancellationToken cancellationToken) =>
        m_session.ShortAsync(InventoryReads.Any, cancellationToken);

    /// <summary>Records a transfer that begins; for a path with a transfer already, replaces it and counts one more attempt.</summary>
    public Task UpsertPendingOperationAsync(
        string path,
        SyncOperation operation,
        long? size,
        string? hash,
        CancellationToken cancellationToken
    ) => m_session.ShortAsync(session => PendingOperations.Upsert(session, path, operation, size, hash), cancellationToken);

    /// <summary>Forgets the transfer of a path, if there is one.</summary>
    public Task RemovePendingOperationAsync(string path, CancellationToken cancellationToken) =>
        m_session.ShortAsync(session => PendingOperations.Remove(session, path), cancellationToken);

    /// <summary>Forgets all transfers.</summary>
    public Task ClearPendingOperationsAsync(CancellationToken cancellationToken) =>
        m_session.ShortAsync(PendingOperations.Clear, cancellationToken);

    /// <summary>Whether there is any transfer.</summary>
    public Task<bool> HasAnyPendingOperationsAsync(CancellationToken cancellationToken) =>
        m_session.ShortAsync(PendingOperations.Any, cancellationToken);

    /// <summary>The transfer of a path, or null.</summary>
    public Task<PendingOperationEntry?> GetPendingOperationAsync(string path, CancellationToken cancellationToken) =>
        m_session.ShortAsync(session => PendingOperations.Find(session, path), cancellationToken);

    /// <summary>All transfers.</summary>
    public IAsyncEnumerable<PendingOperationEntry> GetPendingOperationsAsync(CancellationToken cancellationToken) =>
        m_session.SnapshotAsync(PendingOperations.All, cancellationToken);

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
