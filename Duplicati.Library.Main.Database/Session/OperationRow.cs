// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Session;

/// <summary>
/// The row of table Operation that the work of one database object belongs to. An operation that writes inserts it at its begin, and holds
/// the write lock with it; for others it is inserted when its id is first needed or when something is committed.
/// </summary>
internal sealed class OperationRow
{
    private readonly DatabaseSession m_session;
    private readonly string? m_description;
    private readonly long m_timestamp;
    private long m_id = -1;
    private bool m_isCommitted;

    /// <summary>A new operation, not yet inserted.</summary>
    /// <param name="session">The session of the connection.</param>
    /// <param name="description">Text for column Description.</param>
    /// <param name="timestamp">Epoch seconds.</param>
    internal OperationRow(DatabaseSession session, string description, long timestamp)
    {
        m_session = session;
        m_description = description;
        m_timestamp = timestamp;
    }

    /// <summary>An operation that is in the table already.</summary>
    internal OperationRow(DatabaseSession session, long id, long timestamp)
    {
        m_session = session;
        m_id = id;
        m_timestamp = timestamp;
        m_isCommitted = true;
    }

    /// <summary>The id, which inserts the row first if needed. Another one after a rollback of the row.</summary>
    internal long Id
    {
        get
        {
            if (m_id < 0)
                Flush();
            return m_id;
        }
    }

    /// <summary>False until the row has been inserted.</summary>
    internal bool IsRecorded => m_id >= 0;

    /// <summary>Inserts the row unless that has been done.</summary>
    internal void Flush()
    {
        if (m_id >= 0)
            return;

        m_session.ThrowIfRolledBack();
        var isFirst = !m_session.HasUncommittedChanges;
        using var insert = m_session.Take(OperationSql.Insert);
        insert.Bind(1, m_description).Bind(2, m_timestamp).ExecuteNonQuery();
        m_id = m_session.Statements.LastInsertRowId;
        if (isFirst)
            m_session.NoteBegin();
    }

    /// <summary>A transaction was committed.</summary>
    internal void Committed() => m_isCommitted = m_id >= 0;

    /// <summary>A transaction was rolled back: the row is gone with it, unless an earlier one has committed it.</summary>
    internal void RolledBack() => m_id = m_isCommitted ? m_id : -1;
}
