// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>
/// Inserts rows of table Block with ids in sequence: one at once, or several of one call, 32 a statement.
/// </summary>
/// <remarks>
/// Call with the connection lock held. Rows of a call that adds several wait for <see cref="Flush"/>, which ends that call; if it fails,
/// <see cref="Forget"/> drops them.
/// </remarks>
internal sealed class BlockAppender(DatabaseSession session)
{
    private const int RowsAtOnce = 32;
    private const int TextBytes = HashText.MaxTextLength;

    private readonly byte[] m_texts = new byte[RowsAtOnce * TextBytes];
    private readonly Row[] m_rows = new Row[RowsAtOnce];
    private long m_nextId = -1;
    private int m_used;

    /// <summary>Number of rows written since the object was made.</summary>
    internal long RowsWritten { get; private set; }

    private long FirstWaiting => m_nextId - m_used;

    /// <summary>Rows may have come or gone: the next id is read from the table. Drops rows that wait.</summary>
    internal void Forget()
    {
        m_used = 0;
        m_nextId = -1;
    }

    /// <summary>Inserts a block.</summary>
    /// <param name="hash">Its hash, in any form.</param>
    /// <param name="size">Its size in bytes.</param>
    /// <param name="volumeId">The volume it is stored in.</param>
    /// <returns>Its row id.</returns>
    internal long Add(string hash, long size, long volumeId)
    {
        var id = NextId();
        using var insert = session.Take(BlockSql.Insert);
        insert.Bind(1, id).Bind(2, hash).Bind(3, size).Bind(4, volumeId).ExecuteNonQuery();
        return Inserted();
    }

    /// <summary>Adds one of several blocks of a call, given by its digest, and returns its id.</summary>
    internal long AddOneOfMany(ReadOnlySpan<byte> digest, long size, long volumeId)
    {
        if (m_used == RowsAtOnce)
            WriteMany();

        var id = NextId();
        m_rows[m_used] = new Row(HashText.Encode(digest, m_texts.AsSpan(m_used * TextBytes, TextBytes)), size, volumeId);
        m_used++;
        m_nextId++;
        return id;
    }

    /// <summary>True if the row of an id has not been written yet.</summary>
    internal bool IsWaiting(long id) => m_used > 0 && id >= FirstWaiting && id < m_nextId;

    /// <summary>Writes what waits.</summary>
    internal void Flush()
    {
        if (m_used == RowsAtOnce)
            WriteMany();
        else if (m_used > 0)
            Write(m_used, BlockSql.Insert, 1);
    }

    private long NextId()
    {
        if (m_nextId < 0)
            m_nextId = Math.Max(0, session.ReadNumber(BlockSql.LastId)) + 1;
        return m_nextId;
    }

    private long Inserted()
    {
        RowsWritten++;
        return m_nextId++;
    }

    private void WriteMany() => Write(RowsAtOnce, BlockSql.InsertMany, RowsAtOnce);

    private void Write(int count, string sql, int rowsPerStatement)
    {
        var first = FirstWaiting;
        using var insert = session.Take(sql);
        for (var i = 0; i < count; i++)
        {
            var row = m_rows[i];
            var parameter = 4 * (i % rowsPerStatement);
            insert
                .Bind(parameter + 1, first + i)
                .BindUtf8(parameter + 2, m_texts.AsSpan(i * TextBytes, row.TextLength))
                .Bind(parameter + 3, row.Size)
                .Bind(parameter + 4, row.VolumeId);
            if ((i + 1) % rowsPerStatement == 0)
                insert.ExecuteNonQuery();
        }

        m_used = 0;
        RowsWritten += count;
    }

    private readonly record struct Row(int TextLength, long Size, long VolumeId);
}
