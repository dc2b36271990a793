// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.SQLiteHelper.Statements;
using SQLitePCL;

namespace Duplicati.Library.SQLiteHelper.Diagnostics;

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
