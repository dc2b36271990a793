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
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Main.Database.Volumes;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>A fileset in the making: its parent without the files in a temporary table of its own, which outlives commits.</summary>
internal sealed class TemporaryFileset : LocalPurgeDatabase.ITemporaryFileset
{
    // One row a file to leave out.
    private const string CountMarked = """SELECT COUNT(*) FROM temp."TempDeletedFilesTable-{0}" """;

    // Part of the key of FilesetEntry.
    private const string CountEntries = """SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = ?1""";

    // Part of the key of FilesetEntry; appends in key order.
    private const string CopyEntries = """
        INSERT INTO "FilesetEntry" ("FilesetID", "FileID", "Lastmodified")
        SELECT ?2, e."FileID", e."Lastmodified"
        FROM "FilesetEntry" e
        WHERE e."FilesetID" = ?1 AND NOT EXISTS (SELECT 1 FROM temp."TempDeletedFilesTable-{0}" d WHERE d."FileID" = e."FileID")
        """;

    // FileLookup, PathPrefix and Blockset by id.
    private const string MarkedFiles = """
        SELECT p."Prefix" || l."Path", s."Length"
        FROM temp."TempDeletedFilesTable-{0}" d
        CROSS JOIN "FileLookup" l ON l."ID" = d."FileID"
        CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        CROSS JOIN "Blockset" s ON s."ID" = l."BlocksetID"
        ORDER BY d."FileID"
        """;

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
            // The connection's command is in its present transaction; the connection lock stays open, as the caller uses the database
            // meanwhile.
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
                using var copy = session.Statements.Prepare(TempTableTemplate.Text(CopyEntries, m_digits));
                copy.Bind(1, ParentID).Bind(2, filesetId).ExecuteNonQuery();
                return Tuple.Create(volumeId, filesetId);
            },
            token
        );

    public IAsyncEnumerable<KeyValuePair<string, long>> ListAllDeletedFilesAsync(CancellationToken token) =>
        m_session.SnapshotAsync(
            session =>
            {
                using var rows = session.Statements.Prepare(TempTableTemplate.Text(MarkedFiles, m_digits));
                return rows.ReadAll(static row => KeyValuePair.Create(row.GetString(0)!, row.GetInt64(1)));
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
        using (var marked = session.Statements.Prepare(TempTableTemplate.Text(CountMarked, m_digits)))
            RemovedFileCount = marked.ExecuteInt64(0);
        RemovedFileSize = ReducedPurgeStatistics ? -1 : PurgedSize.Sum(session, m_digits, ParentID);

        // What is marked is told, also by a refusal, and where another transaction than this one made the list.
        session.TellMore();
        using var entries = session.Take(CountEntries);
        if (RemovedFileCount == entries.Bind(1, ParentID).ExecuteInt64(0))
            throw new UserInformationException(
                $"Refusing to purge all {RemovedFileCount} files of the fileset with id {ParentID}; delete the version instead.",
                "PurgeWouldRemoveEntireFileset"
            );
    }
}
