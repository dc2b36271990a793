// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Data;
using Duplicati.Library.SQLiteHelper.Metrics;
using Duplicati.Library.SQLiteHelper.Statements;
using SQLitePCL;

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

/// <summary>What a connection has written to its write-ahead log.</summary>
internal sealed class LogPages
{
    // SQLITE_DBSTATUS_CACHE_WRITE of sqlite3.h.
    private const int PagesWritten = 9;

    // Before each page in the log; see https://www.sqlite.org/fileformat.html#wal_frame_format.
    private const int FrameHeaderBytes = 24;

    private readonly StatementCache m_statements;
    private int m_pages;
    private long m_bytesPerPage = -1;

    /// <summary>Begins with what the connection has written before, which does not count.</summary>
    internal LogPages(StatementCache statements)
    {
        m_statements = statements;
        m_pages = Written();
    }

    /// <summary>
    /// Bytes written since the last time, with the header of each page. With another journal, 0: its pages go to the database itself.
    /// </summary>
    internal long NewBytes()
    {
        var before = m_pages;
        m_pages = Written();
        return m_pages > before ? (m_pages - before) * BytesPerPage() : 0;
    }

    // Both are settled when the connection is opened.
    private long BytesPerPage()
    {
        if (m_bytesPerPage >= 0)
            return m_bytesPerPage;

        using var mode = m_statements.Take(PragmaSql.ReadJournalMode);
        using var size = m_statements.Take(PragmaSql.ReadPageBytes);
        var hasLog = string.Equals(mode.ExecuteString(), "wal", StringComparison.OrdinalIgnoreCase);
        return m_bytesPerPage = hasLog ? size.ExecuteInt64() + FrameHeaderBytes : 0;
    }

    private int Written()
    {
        _ = raw.sqlite3_db_status(m_statements.Connection.Handle, PagesWritten, out var pages, out _, 0);
        return pages;
    }
}
