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
}
