// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>Writes rows of BlocksetEntry, 64 at a time. A row whose (blockset, index) is taken is left out.</summary>
/// <remarks>Call with the connection lock held; <see cref="Flush"/> at the end.</remarks>
internal sealed class BlocksetEntryAppender
{
    // Primary key; rows come in ascending order, so the tree is appended to.
    private const string InsertEntry = """INSERT OR IGNORE INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") VALUES (?, ?, ?)""";

    // The same, 64 rows at once.
    private const string InsertEntries = InsertEntry + ", " + FifteenRows + ", " + SixteenRows + ", " + SixteenRows + ", " + SixteenRows;

    private const string FourRows = "(?, ?, ?), (?, ?, ?), (?, ?, ?), (?, ?, ?)";

    private const string FifteenRows = FourRows + ", " + FourRows + ", " + FourRows + ", (?, ?, ?), (?, ?, ?), (?, ?, ?)";

    private const string SixteenRows = FourRows + ", " + FourRows + ", " + FourRows + ", " + FourRows;

    private const int RowsAtOnce = 64;
    private const int Columns = 3;

    private readonly DatabaseSession m_session;
    private readonly long[] m_values = new long[RowsAtOnce * Columns];
    private int m_used;

    internal BlocksetEntryAppender(DatabaseSession session) => m_session = session;

    /// <summary>Adds a row.</summary>
    internal void Add(long blocksetId, long index, long blockId)
    {
        m_values[m_used++] = blocksetId;
        m_values[m_used++] = index;
        m_values[m_used++] = blockId;
        if (m_used < m_values.Length)
            return;

        m_used = 0;
        Write(InsertEntries, m_values);
    }

    /// <summary>Writes what is left.</summary>
    internal void Flush()
    {
        for (var i = 0; i < m_used; i += Columns)
            Write(InsertEntry, m_values.AsSpan(i, Columns));
        m_used = 0;
    }

    /// <summary>Forgets what has not been written.</summary>
    internal void Clear() => m_used = 0;

    private void Write(string sql, ReadOnlySpan<long> values)
    {
        using var insert = m_session.Take(sql);
        for (var i = 0; i < values.Length; i++)
            insert.Bind(i + 1, values[i]);
        insert.ExecuteNonQuery();
    }
}
