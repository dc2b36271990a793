// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>
/// Walks over every use of a block by the entries of a file list: each entry's data in index order, then its metadata. Reads a
/// page at a time and remembers the place, so that neither a reader nor memory is held between pages.
/// </summary>
/// <remarks>Must be called with the connection lock held.</remarks>
internal sealed class UseCursor
{
    // One page of the list by id, Metadataset by id.
    private const string BlocksetsOfEntries = """
        SELECT r."ID", r."BlocksetID", m."BlocksetID"
        FROM temp."RestoreFile" r
        LEFT JOIN "Metadataset" m ON m."ID" = r."MetadataID"
        WHERE r."ID" > ?1
        ORDER BY r."ID" LIMIT ?2
        """;

    // Part of the key of BlocksetEntry, Block by id.
    private const string VolumesFrom = """
        SELECT e."Index", e."BlockID", b."VolumeID"
        FROM "BlocksetEntry" e
        CROSS JOIN "Block" b ON b."ID" = e."BlockID"
        WHERE e."BlocksetID" = ?1 AND e."Index" >= ?2
        ORDER BY e."Index"
        """;

    private const int EntriesOfPage = 1024;
    private const int UsesOfPage = 1 << 15;

    private readonly bool m_skipMetadata;
    private readonly Queue<(long File, long Blockset, bool IsMetadata)> m_blocksets = new();
    private readonly List<BlockUse> m_page = [];
    private long m_lastEntry = long.MinValue;
    private long m_nextIndex;

    internal UseCursor(bool skipMetadata) => m_skipMetadata = skipMetadata;

    /// <summary>The next uses, valid until the next call; empty at the end.</summary>
    internal List<BlockUse> Next(DatabaseSession session)
    {
        m_page.Clear();
        using var rows = session.Take(VolumesFrom);
        while (m_page.Count < UsesOfPage && (m_blocksets.Count > 0 || ReadEntries(session)))
        {
            var current = m_blocksets.Peek();
            rows.Bind(1, current.Blockset).Bind(2, m_nextIndex);
            if (ReadUses(rows, current.File, current.IsMetadata))
                continue;

            m_blocksets.Dequeue();
            m_nextIndex = 0;
        }

        return m_page;
    }

    // True if the page was full before the blockset was at its end.
    private bool ReadUses(SQLiteHelper.Statements.Statement rows, long file, bool isMetadata)
    {
        while (rows.Read())
        {
            m_page.Add(new BlockUse(file, isMetadata, rows.GetInt64(0), rows.GetInt64(1), rows.GetInt64(2)));
            if (m_page.Count < UsesOfPage)
                continue;

            m_nextIndex = rows.GetInt64(0) + 1;
            rows.Reset();
            return true;
        }

        return false;
    }

    // False at the end of the list. A page may hold folders only, which have no blocks.
    private bool ReadEntries(DatabaseSession session)
    {
        while (m_blocksets.Count == 0)
        {
            if (!ReadPageOfEntries(session))
                return false;
        }

        return true;
    }

    private bool ReadPageOfEntries(DatabaseSession session)
    {
        var any = false;
        using var rows = session.Take(BlocksetsOfEntries);
        rows.Bind(1, m_lastEntry).Bind(2, EntriesOfPage);
        while (rows.Read())
        {
            any = true;
            m_lastEntry = rows.GetInt64(0);
            if (rows.GetInt64(1) >= 0)
                m_blocksets.Enqueue((m_lastEntry, rows.GetInt64(1), false));
            if (!m_skipMetadata && !rows.IsDBNull(2))
                m_blocksets.Enqueue((m_lastEntry, rows.GetInt64(2), true));
        }

        return any;
    }
}

/// <summary>One use of a block by an entry of a file list.</summary>
/// <param name="FileId">Id of the entry.</param>
/// <param name="IsMetadata">Whether it is part of the metadata.</param>
/// <param name="Index">Position in the file or the metadata, from 0.</param>
/// <param name="BlockId">The block.</param>
/// <param name="VolumeId">The volume that holds it.</param>
internal readonly record struct BlockUse(long FileId, bool IsMetadata, long Index, long BlockId, long VolumeId);
