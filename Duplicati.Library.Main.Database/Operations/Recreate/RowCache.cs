// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>
/// Ids of rows by the key of their content. On tables that were empty at the start it knows every row, so a miss needs no look-up;
/// otherwise, or when it would outgrow its bound, it only saves look-ups of what has been seen.
/// </summary>
/// <remarks>Not thread-safe. 21 to 25 bytes a row.</remarks>
internal sealed class RowCache
{
    private readonly DeferredIndexes m_indexes;
    private readonly string m_table;
    private readonly long m_maxBytes;
    private readonly TableChanges m_changes;
    private readonly KeyMap m_map;
    private long m_explained;

    /// <summary>An empty cache of a table's rows.</summary>
    internal RowCache(DatabaseSession session, string table, long maxBytes)
    {
        m_indexes = DeferredIndexes.Of(session);
        m_changes = TableWatch.Of(session.Connection).Table(table);
        m_table = table;
        m_maxBytes = maxBytes;
        m_map = new KeyMap(maxBytes);
    }

    /// <summary>True if a key that is not in the cache is not in the table either.</summary>
    internal bool IsComplete { get; private set; }

    /// <summary>Forgets all rows.</summary>
    /// <param name="tableIsEmpty">True if there is no row to know of.</param>
    internal void Start(bool tableIsEmpty)
    {
        m_map.Dispose();
        m_explained = m_changes.Count;
        IsComplete = tableIsEmpty;
    }

    /// <summary>
    /// Forgets all rows if somebody else has changed the table on this connection; to be called before something is asked.
    /// </summary>
    internal void Refresh()
    {
        if (m_changes.Count == m_explained)
            return;

        m_explained = m_changes.Count;
        StopKnowingAll();
    }

    /// <summary>Changes of the table on this connection so far.</summary>
    internal long Changes => m_changes.Count;

    /// <summary>Bytes in memory.</summary>
    internal long Bytes => m_map.Bytes;

    internal bool TryGet(UInt128 key, out long id) => m_map.TryGet(key, out id);

    /// <summary>Adds a row that has just been inserted.</summary>
    internal void Inserted(UInt128 key, long id)
    {
        m_explained++;
        Add(key, id);
    }

    /// <summary>Adds a row. Past the bound the cache is emptied, and the index of the table is built to look rows up with.</summary>
    internal void Add(UInt128 key, long id)
    {
        // Other ids only occur in tables written by hand.
        if (id is < 0 or > KeyMap.MaxValue)
        {
            StopKnowingAll();
            return;
        }

        m_map.Set(key, id);
        if (m_map.IsFull || m_map.Bytes > m_maxBytes)
            StopKnowingAll();
    }

    /// <summary>
    /// Adds a row that was found in the table; false, and the rows are to be looked up from now on, if there are too many.
    /// </summary>
    /// <remarks>To be called while a statement reads the table; <see cref="EndLoading"/> afterwards.</remarks>
    internal bool TryLoad(UInt128 key, long id)
    {
        if (id is < 0 or > KeyMap.MaxValue)
            return false;

        m_map.Set(key, id);
        return !m_map.IsFull && m_map.Bytes <= m_maxBytes;
    }

    /// <summary>Ends what <see cref="TryLoad"/> began.</summary>
    /// <param name="isComplete">False if a row was refused.</param>
    internal void EndLoading(bool isComplete)
    {
        if (!isComplete)
            StopKnowingAll();
    }

    private void StopKnowingAll()
    {
        m_map.Dispose();
        if (!IsComplete)
            return;

        IsComplete = false;
        m_indexes.Restore(m_table);
    }
}
