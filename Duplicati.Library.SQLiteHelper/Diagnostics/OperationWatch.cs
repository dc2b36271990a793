// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using Duplicati.Library.SQLiteHelper.Metrics;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Diagnostics;

/// <summary>One operation, from its start to its end, for whoever listens when it starts.</summary>
/// <remarks>
/// Used on the thread that works on the connection. There is none while nobody listens, which is then all that an operation pays for.
/// </remarks>
internal sealed class OperationWatch
{
    private readonly string m_name;
    private readonly StatementCache m_statements;
    private readonly Activity? m_activity;
    private readonly long m_start;
    private readonly long m_rows;

    private OperationWatch(string name, StatementCache statements, bool isActivity)
    {
        m_name = name;
        m_statements = statements;
        m_rows = statements.Figures.RowsRead;
        m_activity = isActivity ? Begin(name, Database) : null;
        m_start = Stopwatch.GetTimestamp();
    }

    private KeyValuePair<string, object?> Operation => new(DatabaseInstruments.OperationName, m_name);

    private KeyValuePair<string, object?> Database => m_statements.Figures.Database;

    private static bool IsWanted =>
        DatabaseInstruments.OperationDuration.Enabled
        || DatabaseInstruments.Cancellations.Enabled
        || DatabaseInstruments.ReturnedRows.Enabled
        || DatabaseInstruments.Activities.HasListeners();

    /// <summary>Starts to watch.</summary>
    /// <param name="name">The operation: a member of the data layer, or a command of SQL.</param>
    /// <param name="statements">What it runs its statements with.</param>
    /// <param name="isActivity">Whether it is one to be followed by itself, not only to be counted.</param>
    /// <returns>To be ended; null if nobody listens.</returns>
    public static OperationWatch? Start(string name, StatementCache statements, bool isActivity) =>
        IsWanted ? new OperationWatch(name, statements, isActivity) : null;

    /// <summary>To be called once, when the operation has done what it should.</summary>
    public void End() => Record(null);

    /// <summary>To be called once, when the operation has failed or was cancelled.</summary>
    /// <param name="error">What it ended with.</param>
    public void Fail(Exception error)
    {
        if (error is OperationCanceledException)
            DatabaseInstruments.Cancellations.Add(1, Operation, Database);
        Record(error);
    }

    private static Activity? Begin(string name, KeyValuePair<string, object?> database)
    {
        var activity = DatabaseInstruments.Activities.StartActivity(name, ActivityKind.Client);
        if (activity is { IsAllDataRequested: true })
        {
            activity.SetTag(DatabaseInstruments.System.Key, DatabaseInstruments.System.Value);
            activity.SetTag(DatabaseInstruments.OperationName, name);
            activity.SetTag(database.Key, database.Value);
        }

        return activity;
    }

    private void Record(Exception? error)
    {
        var rows = m_statements.Figures.RowsRead - m_rows;
        var seconds = Stopwatch.GetElapsedTime(m_start).TotalSeconds;
        if (error is null)
            DatabaseInstruments.OperationDuration.Record(seconds, DatabaseInstruments.System, Operation, Database);
        else
            DatabaseInstruments.OperationDuration.Record(seconds, Tags(error));
        DatabaseInstruments.ReturnedRows.Record(rows, DatabaseInstruments.System, Operation, Database);
        Finish(rows, error);
    }

    private void Finish(long rows, Exception? error)
    {
        if (m_activity is null)
            return;

        m_activity.SetTag("db.response.returned_rows", rows);
        if (error is not null)
        {
            // Without its message, which may hold paths of the user.
            m_activity.SetStatus(ActivityStatusCode.Error);
            m_activity.SetTag(DatabaseInstruments.ErrorType, error.GetType().FullName);
            if (error is SqliteException failure)
                m_activity.SetTag("db.response.status_code", Code(failure));
        }

        m_activity.Dispose();
    }

    private TagList Tags(Exception error)
    {
        var tags = new TagList
        {
            DatabaseInstruments.System,
            Operation,
            Database,
            new(DatabaseInstruments.ErrorType, error.GetType().FullName),
        };
        if (error is SqliteException failure)
            tags.Add("db.response.status_code", Code(failure));
        return tags;
    }

    private static string Code(SqliteException failure) => failure.SqliteExtendedErrorCode.ToString(CultureInfo.InvariantCulture);
}
