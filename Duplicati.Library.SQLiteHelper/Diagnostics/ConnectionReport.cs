// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Data;
using Duplicati.Library.SQLiteHelper.Metrics;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.SQLiteHelper.Diagnostics;

/// <summary>Hands on what the statements of a connection have done since the last time, mostly at the end of a transaction.</summary>
/// <remarks>One instance a cache of statements; not thread-safe, like the connection.</remarks>
internal sealed class ConnectionReport
{
    private const string StatementsName = "statements";

    private readonly StatementCache m_statements;
    private readonly LogPages m_log;
    private long m_rowsRead;
    private long m_reused;
    private long m_prepared;
    private int m_changes;

    /// <summary>Begins with what the connection has done before, which nobody hears of.</summary>
    /// <exception cref="ObjectDisposedException">The cache has been disposed.</exception>
    public ConnectionReport(StatementCache statements)
    {
        ArgumentNullException.ThrowIfNull(statements);
        m_statements = statements;
        m_changes = statements.TotalChanges;
        m_log = new LogPages(statements);
    }

    /// <summary>A transaction has been committed.</summary>
    public void Committed()
    {
        DatabaseInstruments.Commits.Add(1, m_statements.Figures.Database);
        Update();
    }

    /// <summary>A transaction has been rolled back.</summary>
    public void RolledBack()
    {
        DatabaseInstruments.Rollbacks.Add(1, m_statements.Figures.Database);
        Update();
    }

    /// <summary>Hands on what has happened, without an end of a transaction.</summary>
    public void Update()
    {
        var figures = m_statements.Figures;
        var rows = figures.RowsRead - m_rowsRead;
        if (rows > 0)
            DatabaseInstruments.RowsRead.Add(rows, figures.Database);
        DatabaseInstruments.CountCache(figures.Database, StatementsName, figures.Reused - m_reused, figures.Prepared - m_prepared);
        (m_rowsRead, m_reused, m_prepared) = (figures.RowsRead, figures.Reused, figures.Prepared);
        // The engine's own counters go with the connection.
        if (m_statements.Connection.State == ConnectionState.Open)
            UpdateFromEngine();
    }

    private void UpdateFromEngine()
    {
        // The engine's counter wraps around, and so does the difference.
        var before = m_changes;
        m_changes = m_statements.TotalChanges;
        var changes = unchecked(m_changes - before);
        if (changes > 0)
            DatabaseInstruments.RowsChanged.Add(changes, m_statements.Figures.Database);
        if (DatabaseInstruments.LogBytes.Enabled && m_log.NewBytes() is > 0 and var bytes)
            DatabaseInstruments.LogBytes.Add(bytes, m_statements.Figures.Database);
    }
}
