// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.History;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.ResultSerialization;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Indexes;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Local;

internal partial class LocalDatabase
{
    /// <summary>Records what was done at the remote end. Does not commit.</summary>
    public Task LogRemoteOperationAsync(string operation, string path, string? data, CancellationToken token) =>
        Session.ShortAsync(session => LogRowWrites.AddRemoteOperation(session, () => OperationId, operation, path, data), token);

    /// <summary>Records a message. Does not commit.</summary>
    public Task LogMessageAsync(string type, string message, Exception? exception, CancellationToken token) =>
        Session.ShortAsync(session => LogRowWrites.AddMessage(session, () => OperationId, type, message, exception), token);

    /// <summary>Records the result of the operation and commits. Does nothing without a result or after disposal.</summary>
    public async Task WriteResultsAndCommitAsync(IBasicResults result, CancellationToken token)
    {
        if (IsDisposed || result is null)
            return;

        if (result is BasicResults basic)
        {
            await basic.FlushLogAsync(this, token).ConfigureAwait(false);
            if (basic.EndTime.Ticks == 0)
                basic.EndTime = DateTime.UtcNow;
        }

        await LogMessageAsync(LogRowWrites.RESULT, new JsonFormatSerializer().SerializeResults(result), null, token).ConfigureAwait(false);
        await m_rtr.CommitAsync("WriteResults", token: token).ConfigureAwait(false);
    }

    /// <summary>Deletes messages and remote operations older than a time. Commits.</summary>
    public Task PurgeLogDataAsync(DateTime threshold, CancellationToken token) =>
        Session.LongAsync(
            session =>
            {
                LogRowWrites.Purge(session, threshold);
                m_rtr.Commit("PurgeLogData");
            },
            token
        );

    /// <summary>
    /// Lets the engine analyse the tables whose sizes have changed tenfold since their statistics were made. Cheap if there are none.
    /// Does not commit.
    /// </summary>
    public Task RefreshQueryStatisticsAsync(CancellationToken token) =>
        Session.LongAsync(
            session =>
            {
                using var timer = new Logging.Timer(LOGTAG, "RefreshQueryStatistics", "Refreshing the statistics of the query planner");
                session.BeginWriting();
                PlannerStatistics.Analyse(m_connection);
            },
            token
        );

    /// <summary>
    /// Writes the whole file anew without unused space, and empties the write-ahead log. Makes a copy meanwhile: in memory if it is at
    /// most 64 MiB or the connection has temporary tables, else in a temporary file.
    /// </summary>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">A transaction is open: commit without restart before.</exception>
    public Task VacuumAsync(CancellationToken token) =>
        Session.LongAsync(
            session =>
            {
                m_hasExecutedVacuum = true;
                using (TemporaryStorage.ForVacuum(session.Statements))
                    session.Execute(HousekeepingSql.Vacuum);
                // What the vacuum left in the log goes into the file; a reader that prevents it is no error.
                session.Execute(PragmaSql.TruncateLog);
            },
            token,
            mayHaveEnded: true
        );
}
