// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Text;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>Appends rows to table Block, 32 at a time, with ids in sequence.</summary>
/// <remarks>
/// Call with the session's gate held. Up to 32 rows wait for <see cref="Flush"/>, which the session's barriers call. Rows that could
/// not be written go on waiting: their ids have been given away.
/// </remarks>
internal sealed class BlockAppender
{
    private const int RowsAtOnce = 32;
    private const int TextBytes = HashText.MaxTextLength;

    private readonly DatabaseSession m_session;
    private readonly byte[] m_texts = new byte[RowsAtOnce * TextBytes];
    private readonly Row[] m_rows = new Row[RowsAtOnce];
    private long m_firstId;
    private int m_used;

    internal BlockAppender(DatabaseSession session) => m_session = session;

    /// <summary>Number of rows written since the object was made.</summary>
    internal long RowsWritten { get; private set; }

    private Span<byte> NextText => m_texts.AsSpan(m_used * TextBytes, TextBytes);

    /// <summary>Begins after the last row of the table.</summary>
    internal void Start(long lastId)
    {
        m_used = 0;
        m_firstId = lastId + 1;
    }

    /// <summary>Adds a block and returns its id.</summary>
    internal long Add(string hash, long size, long volumeId)
    {
        WriteIfFull();
        if (Encoding.UTF8.TryGetBytes(hash, NextText, out var length))
            return Keep(new Row(length, size, volumeId));

        // Longer than any digest's text.
        Flush();
        using var insert = m_session.TakeDirect(RecreateBlocksSql.Insert);
        insert.Bind(1, m_firstId).Bind(2, hash).Bind(3, size).Bind(4, volumeId).ExecuteNonQuery();
        RowsWritten++;
        return m_firstId++;
    }

    /// <summary>Adds a block given by its digest and returns its id.</summary>
    internal long Add(ReadOnlySpan<byte> digest, long size, long volumeId)
    {
        WriteIfFull();
        return Keep(new Row(HashText.Encode(digest, NextText), size, volumeId));
    }

    /// <summary>True if the row of an id has not been written yet.</summary>
    internal bool IsWaiting(long id) => id >= m_firstId && id < m_firstId + m_used;

    /// <summary>Writes what waits.</summary>
    internal void Flush()
    {
        var written = 0;
        try
        {
            for (; written < m_used; written++)
                Write(written, 1, RecreateBlocksSql.Insert);
        }
        finally
        {
            Drop(written);
        }
    }

    private long Keep(Row row)
    {
        if (m_used == 0)
            m_session.BeginPending();

        m_rows[m_used] = row;
        return m_firstId + m_used++;
    }

    // Before a row is added, so that the row of a call that fails is not kept.
    private void WriteIfFull()
    {
        if (m_used < RowsAtOnce)
            return;

        Write(0, RowsAtOnce, RecreateBlocksSql.InsertRows);
        Drop(RowsAtOnce);
    }

    private void Drop(int written)
    {
        m_firstId += written;
        m_used -= written;
        if (m_used == 0)
            return;

        m_rows.AsSpan(written, m_used).CopyTo(m_rows);
        m_texts.AsSpan(written * TextBytes, m_used * TextBytes).CopyTo(m_texts);
        m_session.MarkPending();
    }

    private void Write(int first, int count, string sql)
    {
        using var insert = m_session.TakeDirect(sql);
        for (int i = first, parameter = 1; i < first + count; i++)
        {
            var row = m_rows[i];
            insert
                .Bind(parameter++, m_firstId + i)
                .BindUtf8(parameter++, m_texts.AsSpan(i * TextBytes, row.TextLength))
                .Bind(parameter++, row.Size)
                .Bind(parameter++, row.VolumeId);
        }

        insert.ExecuteNonQuery();
        RowsWritten += count;
    }

    private readonly record struct Row(int TextLength, long Size, long VolumeId);
}
