// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>How many rows of one table have changed on a connection; see <see cref="TableWatch"/>.</summary>
internal sealed unsafe class TableChanges
{
    private long* m_count;
    private long m_last;

    internal TableChanges(long* count) => m_count = count;

    /// <summary>Rows changed since counting began. Keeps its last value when the connection is closed.</summary>
    public long Count => m_count is null ? m_last : *m_count;

    internal void Close()
    {
        m_last = Count;
        m_count = null;
    }
}
