// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Blocksets;

/// <summary>
/// Writes the entries of one blockset after the other in key order, many rows a statement. Nothing stays behind between blocksets.
/// </summary>
/// <remarks>Allocates nothing an entry. One instance a session; use with the session's gate held.</remarks>
internal sealed class BlocksetEntryWriter
{
    /// <summary>Rows of <see cref="BlocksetSql.InsertEntries"/>.</summary>
    internal const int RowsPerStatement = 32;

    private readonly DatabaseSession m_session;
    private readonly long[] m_blockIds = new long[RowsPerStatement];
    private long m_blocksetId;
    private long m_firstIndex;
    private int m_count;

    private BlocksetEntryWriter(DatabaseSession session) => m_session = session;

    /// <summary>The writer of a connection.</summary>
    internal static BlocksetEntryWriter Of(DatabaseSession session) => session.Service(static s => new BlocksetEntryWriter(s));

    /// <summary>Starts the entries of a blockset at index 0; what an earlier, failed one left is forgotten.</summary>
    internal void Begin(long blocksetId)
    {
        m_blocksetId = blocksetId;
        m_firstIndex = 0;
        m_count = 0;
    }

    /// <summary>Adds the next entry.</summary>
    internal void Add(long blockId)
    {
        m_blockIds[m_count++] = blockId;
        if (m_count == RowsPerStatement)
            WriteMany();
    }

    /// <summary>Writes what is left.</summary>
    internal void End()
    {
        if (m_count == 0)
            return;

        using var insert = m_session.TakeDirect(BlocksetSql.InsertEntry);
        for (var i = 0; i < m_count; i++)
            insert.Bind(1, m_blocksetId).Bind(2, m_firstIndex + i).Bind(3, m_blockIds[i]).ExecuteNonQuery();
        m_firstIndex += m_count;
        m_count = 0;
    }

    private void WriteMany()
    {
        using var insert = m_session.TakeDirect(BlocksetSql.InsertEntries);
        insert.Bind(1, m_blocksetId).Bind(2, m_firstIndex);
        for (var i = 0; i < RowsPerStatement; i++)
            insert.Bind(i + 3, m_blockIds[i]);
        insert.ExecuteNonQuery();
        m_firstIndex += RowsPerStatement;
        m_count = 0;
    }
}
