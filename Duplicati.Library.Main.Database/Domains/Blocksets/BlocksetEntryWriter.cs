// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Blocksets;

/// <summary>
/// Writes the entries of one blockset after the other in key order, many rows a statement. Nothing stays behind between blocksets.
/// </summary>
/// <remarks>Allocates nothing an entry. One instance a session; use with the connection lock held.</remarks>
internal sealed class BlocksetEntryWriter
{
    // Appends by primary key.
    internal const string InsertEntry = """INSERT INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") VALUES (?1, ?2, ?3)""";

    // Appends by primary key; as many rows as BlocksetEntryWriter.RowsPerStatement. FAIL, because ABORT would copy each page that the
    // statement changes first: with all indexes in place that costs more than the rows. Who fails removes the blockset.
    private const string InsertEntries = """
        INSERT OR FAIL INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") VALUES
        (?1, ?2 +  0, ?3),  (?1, ?2 +  1, ?4),  (?1, ?2 +  2, ?5),  (?1, ?2 +  3, ?6),
        (?1, ?2 +  4, ?7),  (?1, ?2 +  5, ?8),  (?1, ?2 +  6, ?9),  (?1, ?2 +  7, ?10),
        (?1, ?2 +  8, ?11), (?1, ?2 +  9, ?12), (?1, ?2 + 10, ?13), (?1, ?2 + 11, ?14),
        (?1, ?2 + 12, ?15), (?1, ?2 + 13, ?16), (?1, ?2 + 14, ?17), (?1, ?2 + 15, ?18),
        (?1, ?2 + 16, ?19), (?1, ?2 + 17, ?20), (?1, ?2 + 18, ?21), (?1, ?2 + 19, ?22),
        (?1, ?2 + 20, ?23), (?1, ?2 + 21, ?24), (?1, ?2 + 22, ?25), (?1, ?2 + 23, ?26),
        (?1, ?2 + 24, ?27), (?1, ?2 + 25, ?28), (?1, ?2 + 26, ?29), (?1, ?2 + 27, ?30),
        (?1, ?2 + 28, ?31), (?1, ?2 + 29, ?32), (?1, ?2 + 30, ?33), (?1, ?2 + 31, ?34)
        """;

    /// <summary>Rows of <see cref="InsertEntries"/>.</summary>
    internal const int RowsPerStatement = 32;

    private readonly DatabaseSession m_session;
    private readonly long[] m_blockIds = new long[RowsPerStatement];
    private long m_blocksetId;
    private long m_firstIndex;
    private int m_count;

    private BlocksetEntryWriter(DatabaseSession session) => m_session = session;

    /// <summary>The writer of a connection.</summary>
    internal static BlocksetEntryWriter Of(DatabaseSession session) => session.Service(static s => new BlocksetEntryWriter(s));

    /// <summary>
    /// Starts entries of a blockset; what an earlier, failed one left is forgotten. The connection lock is held until <see cref="End"/>.
    /// </summary>
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

        using var insert = m_session.Take(InsertEntry);
        for (var i = 0; i < m_count; i++)
            insert.Bind(1, m_blocksetId).Bind(2, m_firstIndex + i).Bind(3, m_blockIds[i]).ExecuteNonQuery();
        m_firstIndex += m_count;
        m_count = 0;
    }

    private void WriteMany()
    {
        using var insert = m_session.Take(InsertEntries);
        insert.Bind(1, m_blocksetId).Bind(2, m_firstIndex);
        for (var i = 0; i < RowsPerStatement; i++)
            insert.Bind(i + 3, m_blockIds[i]);
        insert.ExecuteNonQuery();
        m_firstIndex += RowsPerStatement;
        m_count = 0;
    }
}
