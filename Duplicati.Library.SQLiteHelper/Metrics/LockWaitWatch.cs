// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Diagnostics;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Metrics;

/// <summary>One wait for a lock of another connection, for whoever listens.</summary>
internal readonly struct LockWaitWatch
{
    private readonly long m_start;
    private readonly KeyValuePair<string, object?> m_database;
    private readonly Activity? m_activity;

    private LockWaitWatch(KeyValuePair<string, object?> database, Activity? activity)
    {
        m_database = database;
        m_activity = activity;
        m_start = Stopwatch.GetTimestamp();
    }

    /// <summary>A lock has been met.</summary>
    internal static LockWaitWatch Start(SqliteConnection connection)
    {
        var database = DatabaseInstruments.NamespaceOf(connection);
        var activity = DatabaseInstruments.Activities.StartActivity("wait for a lock", ActivityKind.Client);
        activity?.SetTag(DatabaseInstruments.System.Key, DatabaseInstruments.System.Value);
        activity?.SetTag(database.Key, database.Value);
        return new LockWaitWatch(database, activity);
    }

    /// <summary>The wait is over.</summary>
    /// <param name="error">Why it was given up; null if the lock went away.</param>
    internal void End(Exception? error)
    {
        var seconds = Stopwatch.GetElapsedTime(m_start).TotalSeconds;
        if (error is null)
            DatabaseInstruments.LockWait.Record(seconds, m_database);
        else
            DatabaseInstruments.LockWait.Record(
                seconds,
                m_database,
                new KeyValuePair<string, object?>(DatabaseInstruments.ErrorType, error.GetType().FullName)
            );
        if (m_activity is null)
            return;

        if (error is not null)
        {
            m_activity.SetStatus(ActivityStatusCode.Error);
            m_activity.SetTag(DatabaseInstruments.ErrorType, error.GetType().FullName);
        }

        m_activity.Dispose();
    }
}
