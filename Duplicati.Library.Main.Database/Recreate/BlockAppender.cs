#nullable enable

using System;
using System.Text;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>Appends rows to table Block, 32 at a time, with ids in sequence.</summary>
/// <remarks>Call with the session's gate held. Up to 31 rows wait for <see cref="Flush"/>, which the session's barriers call.</remarks>
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
        if (Encoding.UTF8.TryGetBytes(hash, NextText, out var length))
            return Keep(new Row(length, size, volumeId));

        // Longer than any digest's text.
        Flush();
        using var insert = m_session.TakeDirect(RecreateBlocksSql.Insert);
        insert.Bind(1, m_firstId).Bind(2, hash).Bind(3, size).Bind(4, volumeId).Execute();
        RowsWritten++;
        return m_firstId++;
    }

    /// <summary>Adds a block given by its digest and returns its id.</summary>
    internal long Add(ReadOnlySpan<byte> digest, long size, long volumeId) =>
        Keep(new Row(HashText.Encode(digest, NextText), size, volumeId));

    /// <summary>Writes what waits.</summary>
    internal void Flush()
    {
        var rows = m_used;
        m_used = 0;
        for (var i = 0; i < rows; i++)
            Write(i, 1, RecreateBlocksSql.Insert);
        m_firstId += rows;
    }

    private long Keep(Row row)
    {
        if (m_used == 0)
            m_session.MarkPending();

        var id = m_firstId + m_used;
        m_rows[m_used++] = row;
        if (m_used == RowsAtOnce)
        {
            m_used = 0;
            Write(0, RowsAtOnce, RecreateBlocksSql.InsertRows);
            m_firstId += RowsAtOnce;
        }

        return id;
    }

    private void Write(int first, int count, string sql)
    {
        using var insert = m_session.TakeDirect(sql);
        for (int i = first, parameter = 1; i < first + count; i++)
        {
            var row = m_rows[i];
            insert.Bind(parameter++, m_firstId + i)
                .BindUtf8(parameter++, m_texts.AsSpan(i * TextBytes, row.TextLength))
                .Bind(parameter++, row.Size)
                .Bind(parameter++, row.VolumeId);
        }

        insert.Execute();
        RowsWritten += count;
    }

    private readonly record struct Row(int TextLength, long Size, long VolumeId);
}
