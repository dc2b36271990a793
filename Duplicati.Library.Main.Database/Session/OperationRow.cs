#nullable enable

namespace Duplicati.Library.Main.Database.Session;

/// <summary>
/// The row of table Operation that the work of one database object belongs to. It is inserted when its id is first needed or
/// when something is committed, so that an object which only reads never asks for the write lock.
/// </summary>
internal sealed class OperationRow
{
    private readonly DatabaseSession m_session;
    private readonly string? m_description;
    private readonly long m_timestamp;
    private long m_id = -1;

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
    }

    /// <summary>The id, which inserts the row first if needed. Stays the same after a rollback, as it does for rows that refer to it.</summary>
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
        using var insert = m_session.TakeDirect(OperationSql.Insert);
        insert.Bind(1, m_description).Bind(2, m_timestamp).Execute();
        m_id = m_session.Statements.LastInsertRowId;
    }
}
