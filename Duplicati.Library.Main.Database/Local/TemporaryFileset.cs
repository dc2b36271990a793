// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Purge;
using Duplicati.Library.Main.Database.Records;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Main.Database.Volumes;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>A fileset in the making: its parent without the files in a temporary table of its own, which outlives commits.</summary>
internal sealed class TemporaryFileset : LocalPurgeDatabase.ITemporaryFileset
{
    private static readonly string LOGTAG = Log.LogTagFromType<LocalPurgeDatabase>();

    private readonly LocalPurgeDatabase m_database;
    private readonly DatabaseSession m_session;
    private readonly string m_digits;
    private bool m_disposed;

    internal TemporaryFileset(LocalPurgeDatabase database, DatabaseSession session, long parentId)
    {
        m_database = database;
        m_session = session;
        ParentID = parentId;
        m_digits = PurgeTables.DeletedFiles.Make(session);
    }

    public long ParentID { get; }

    public long RemovedFileCount { get; private set; }

    public long RemovedFileSize { get; private set; }

    public long UpdatedFileCount { get; private set; }

    public bool ReducedPurgeStatistics { get; set; }

    public Task ApplyFilterAsync(IFilter filter, CancellationToken token) =>
        m_session.LongAsync(
            session =>
            {
                using (new Logging.Timer(LOGTAG, "ApplyFilter", $"Selecting the files that match {filter}"))
                    PurgeFilter.Mark(session, m_digits, ParentID, filter, token);
                UpdatedFileCount = 0;
                Measure(session);
            },
            token
        );

    public async Task ApplyFilterAsync(Func<SqliteCommand, long, string, Task<int>> filtercommand, CancellationToken token)
    {
        using (new Logging.Timer(LOGTAG, "ApplyFilter", "Selecting files by a command"))
        {
            // The connection's command is in its present transaction; the gate stays open, as the caller uses the database meanwhile.
            using var command = m_database.Connection.CreateCommand();
            UpdatedFileCount = await filtercommand(command, ParentID, PurgeTables.DeletedFiles.Name(m_digits)).ConfigureAwait(false);
        }

        await m_session.LongAsync(Measure, token).ConfigureAwait(false);
    }

    public Task<Tuple<long, long>> ConvertToPermanentFilesetAsync(
        string name,
        DateTime timestamp,
        bool isFullBackup,
        CancellationToken token
    ) =>
        m_session.LongAsync(
            session =>
            {
                var volumeId = VolumeWrites.Register(
                    session,
                    m_database.PurgeOperationId,
                    name,
                    RemoteVolumeType.Files,
                    RemoteVolumeState.Temporary,
                    -1,
                    TimeSpan.Zero
                );
                var filesetId = FilesetWrites.Create(session, m_database.PurgeOperationId, volumeId, timestamp);
                FilesetWrites.SetFull(session, filesetId, isFullBackup);
                FilesetLabels.Move(session, ParentID, filesetId);
                using var copy = session.Statements.Prepare(TempTableTemplate.Text(PurgeSql.CopyEntries, m_digits));
                copy.Bind(1, ParentID).Bind(2, filesetId).ExecuteNonQuery();
                return Tuple.Create(volumeId, filesetId);
            },
            token
        );

    public IAsyncEnumerable<KeyValuePair<string, long>> ListAllDeletedFilesAsync(CancellationToken token) =>
        m_session.SnapshotAsync(
            session =>
            {
                var files = new List<KeyValuePair<string, long>>();
                using var rows = session.Statements.Prepare(TempTableTemplate.Text(PurgeSql.MarkedFiles, m_digits));
                while (rows.Read())
                    files.Add(KeyValuePair.Create(rows.GetString(0)!, rows.GetInt64(1)));
                return files;
            },
            token
        );

    /// <summary>
    /// Removes the table; errors are ignored, since a rollback or the end of the connection may have removed it. May be called more than
    /// once.
    /// </summary>
    public void Dispose()
    {
        if (m_disposed)
            return;

        m_disposed = true;
        m_session.TryRemove(session => PurgeTables.DeletedFiles.Remove(session, m_digits));
    }

    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    private void Measure(DatabaseSession session)
    {
        using (var marked = session.Statements.Prepare(TempTableTemplate.Text(PurgeSql.CountMarked, m_digits)))
            RemovedFileCount = marked.ExecuteInt64(0);
        RemovedFileSize = ReducedPurgeStatistics ? -1 : PurgedSize.Sum(session, m_digits, ParentID);

        using var entries = session.TakeDirect(PurgeSql.CountEntries);
        if (RemovedFileCount == entries.Bind(1, ParentID).ExecuteInt64(0))
            throw new UserInformationException(
                $"Refusing to purge all {RemovedFileCount} files of the fileset with id {ParentID}; delete the version instead.",
                "PurgeWouldRemoveEntireFileset"
            );
    }
}
