// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>
/// Adds live blocks: gives each its row id at once and writes them at the session's barriers, or when
/// <see cref="BlockOptions.PendingRows"/> are pending: larger batches in the order of the hash indexes, or, while a first backup leaves
/// these out, in the order of the ids, many a statement.
/// </summary>
/// <remarks>
/// Adding allocates nothing once the buffers have grown (64 + 44 bytes a row). If writing fails, what was not written stays pending:
/// the next barrier tries again, and a rollback forgets it. One instance a session; use with the session's gate held.
/// </remarks>
internal sealed class BlockWriter : IWriteBuffer, IDisposable
{
    private const int FirstCapacity = 256;

    /// <summary>Rows of <see cref="BlockSql.InsertMany"/>.</summary>
    internal const int RowsPerStatement = 16;

    // Below this many rows the order makes no difference that can be measured.
    private const int FewestToSort = 1024;

    private readonly DatabaseSession m_session;
    private readonly BlockMap m_map;
    private readonly BlockOptions m_options;
    private readonly BlockIndexes m_indexes;
    private readonly TableChanges m_changes;
    private readonly BlockKeyTable m_index = new();

    private PendingBlock[] m_pending = new PendingBlock[FirstCapacity];
    private byte[] m_text = new byte[FirstCapacity * 44];
    private ulong[] m_sortKeys = [];
    private int[] m_order = [];
    private int m_count;
    private int m_textLength;
    private long m_firstId;
    private long m_nextId = -1;

    private BlockWriter(DatabaseSession session)
    {
        m_session = session;
        m_options = BlockOptions.Of(session);
        m_map = BlockMap.Of(session);
        m_indexes = BlockIndexes.Of(session);
        m_changes = TableWatch.Of(session.Connection).Table("Block");
        m_map.Writer = this;
    }

    /// <summary>The writer of a connection.</summary>
    internal static BlockWriter Of(DatabaseSession session) => session.Service(static s => new BlockWriter(s));

    /// <summary>True while blocks are waiting to be written.</summary>
    internal bool HasPending => m_count > 0;

    /// <inheritdoc/>
    public long PendingRows => m_count;

    /// <summary>True if a block has been added since the map last saw a transaction end.</summary>
    internal bool HasAdded { get; private set; }

    /// <summary>Adds a block that the map does not know.</summary>
    /// <param name="hash">Its hash.</param>
    /// <param name="size">Its size in bytes.</param>
    /// <param name="volumeId">The volume it is stored in.</param>
    /// <returns>Its row id.</returns>
    internal long Add(string hash, long size, long volumeId)
    {
        Span<byte> text = stackalloc byte[BlockKey.MaxTextLength];
        return BlockKey.TryParse(hash, size, text, out var length, out var key)
            ? Add(key, text[..length], volumeId)
            : AddText(hash, size, volumeId);
    }

    /// <summary>Adds a block that the map does not know.</summary>
    /// <param name="key">The block.</param>
    /// <param name="text">Its hash as UTF-8 Base64.</param>
    /// <param name="volumeId">The volume it is stored in.</param>
    /// <returns>Its row id.</returns>
    internal long Add(in BlockKey key, ReadOnlySpan<byte> text, long volumeId)
    {
        m_map.Refresh();
        if (m_count > 0 && m_count >= m_options.PendingRows)
            Flush();

        if (m_count == 0)
            m_session.BeginPending();
        var id = TakeId();
        if (m_count == 0)
            m_firstId = id;
        Append(key, text, volumeId);
        HasAdded = true;
        m_map.Added(key, id);
        // The map may just have written everything to make room; otherwise an incomplete map needs this row found here.
        if (!m_map.IsComplete && m_count > 0)
            m_index.Add(key, id);
        return id;
    }

    /// <summary>Adds a block whose hash or size has no <see cref="BlockKey"/>; written at once.</summary>
    internal long AddText(string hash, long size, long volumeId)
    {
        m_map.Refresh();
        Flush();
        var id = TakeId();
        using var insert = m_session.TakeDirect(BlockSql.Insert);
        insert.Bind(1, id).Bind(2, hash).Bind(3, size).Bind(4, volumeId).ExecuteNonQuery();
        HasAdded = true;
        m_map.AcceptOwn(1);
        return id;
    }

    /// <summary>The pending block of an id.</summary>
    internal bool TryGetPending(long id, out BlockKey key)
    {
        var index = id - m_firstId;
        var found = (ulong)index < (ulong)m_count;
        key = found ? m_pending[index].Key : default;
        return found;
    }

    /// <summary>The id of a pending block, or -1. Only while the map is not complete.</summary>
    internal long FindPending(in BlockKey key) => m_count == 0 ? -1 : m_index.Find(key);

    /// <summary>The next id is to be taken from the table: rows may have come or gone. Nothing may be pending.</summary>
    internal void ForgetNextId() => m_nextId = -1;

    /// <summary>A transaction has ended: <see cref="HasAdded"/> begins anew.</summary>
    internal void ForgetAdded() => HasAdded = m_count > 0;

    /// <inheritdoc/>
    public void Flush()
    {
        if (m_count == 0)
            return;

        try
        {
            WriteAll();
        }
        catch
        {
            // In this order: if the engine has ended the transaction, recovering forgets what is pending.
            m_session.MarkPending();
            m_session.RecoverTransaction();
            throw;
        }

        Empty();
    }

    /// <inheritdoc/>
    public void Discard()
    {
        Empty();
        m_nextId = -1;
    }

    /// <summary>Gives the memory back; at the end of the session.</summary>
    public void Dispose() => m_index.Dispose();

    private void Empty()
    {
        m_count = 0;
        m_textLength = 0;
        m_index.Clear();
    }

    private long TakeId()
    {
        if (m_nextId < 0)
            m_nextId = Math.Max(0, m_session.ReadNumberDirect(BlockSql.LastId)) + 1;

        return m_nextId++;
    }

    private void Append(in BlockKey key, ReadOnlySpan<byte> text, long volumeId)
    {
        if (m_count == m_pending.Length)
            Array.Resize(ref m_pending, m_count * 2);
        if (m_textLength + text.Length > m_text.Length)
            Array.Resize(ref m_text, Math.Max(m_text.Length * 2, m_textLength + text.Length));

        text.CopyTo(m_text.AsSpan(m_textLength));
        m_pending[m_count++] = new PendingBlock
        {
            Key = key,
            VolumeId = volumeId,
            TextOffset = m_textLength,
        };
        m_textLength += text.Length;
    }

    private void WriteAll()
    {
        using var insert = m_session.TakeDirect(BlockSql.Insert);
        if (m_indexes.AreMissing || m_count < FewestToSort)
        {
            // Only where rows are appended and nothing else is done, several a statement are noticed.
            var next = m_indexes.AreMissing ? WriteMany() : 0;
            for (; next < m_count; next++)
                Write(insert, next);
            return;
        }

        Sort();
        for (var i = 0; i < m_count; i++)
            Write(insert, m_order[i]);
    }

    private void Write(Statement insert, int index)
    {
        if (m_pending[index].IsWritten)
            return;

        Bind(insert, 0, index);
        insert.ExecuteNonQuery();
        SetWritten(index, 1);
    }

    // Returns the index of the first row that is left over.
    private int WriteMany()
    {
        using var insert = m_session.TakeDirect(BlockSql.InsertMany);
        var first = 0;
        for (; first + RowsPerStatement <= m_count && !IsAnyWritten(first); first += RowsPerStatement)
        {
            for (var i = 0; i < RowsPerStatement; i++)
                Bind(insert, 4 * i, first + i);
            Execute(insert, first);
        }

        return first;
    }

    private void Execute(Statement insert, int first)
    {
        var before = m_changes.Count;
        try
        {
            insert.ExecuteNonQuery();
        }
        catch
        {
            SetWritten(first, (int)(m_changes.Count - before));
            throw;
        }

        SetWritten(first, RowsPerStatement);
    }

    // True after a failure, for some of the first rows.
    private bool IsAnyWritten(int first)
    {
        var written = false;
        foreach (ref readonly var row in m_pending.AsSpan(first, RowsPerStatement))
            written |= row.IsWritten;
        return written;
    }

    private void Bind(Statement insert, int parameter, int index)
    {
        ref readonly var row = ref m_pending[index];
        insert
            .Bind(parameter + 1, m_firstId + index)
            .BindUtf8(parameter + 2, Text(index))
            .Bind(parameter + 3, (long)row.Key.Size)
            .Bind(parameter + 4, row.VolumeId);
    }

    private void SetWritten(int first, int rows)
    {
        foreach (ref var row in m_pending.AsSpan(first, rows))
            row.IsWritten = true;
        m_map.AcceptOwn(rows);
    }

    private ReadOnlySpan<byte> Text(int index)
    {
        var start = m_pending[index].TextOffset;
        var end = index + 1 == m_count ? m_textLength : m_pending[index + 1].TextOffset;
        return m_text.AsSpan(start, end - start);
    }

    private void Sort()
    {
        if (m_order.Length < m_count)
        {
            m_order = new int[m_pending.Length];
            m_sortKeys = new ulong[m_pending.Length];
        }

        for (var i = 0; i < m_count; i++)
        {
            m_order[i] = i;
            m_sortKeys[i] = BlockKey.SortKey(Text(i));
        }

        Array.Sort(m_sortKeys, m_order, 0, m_count);
    }
}
