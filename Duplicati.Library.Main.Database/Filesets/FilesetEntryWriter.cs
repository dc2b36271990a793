// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Filesets;

/// <summary>
/// Adds files to a fileset. Entries of a fileset that was made on this connection are held back and written in key order, many
/// rows a statement; a file that is there already still fails in <see cref="Add"/>. Entries of other filesets are written at once.
/// </summary>
/// <remarks>
/// 16 bytes a pending entry, one bit a file of the open fileset. If writing fails, what was not written stays pending: the next
/// barrier tries again, and a rollback forgets it. One instance a session; use with the session's gate held.
/// </remarks>
internal sealed class FilesetEntryWriter : IWriteBuffer
{
    /// <summary>Rows of <see cref="FilesetEntrySql.InsertMany"/>.</summary>
    internal const int RowsPerStatement = 32;

    private const int Capacity = 16 * 1024;

    private readonly DatabaseSession m_session;
    private readonly FileIdSet m_files = new();
    private long[] m_fileIds = new long[RowsPerStatement];
    private long[] m_ticks = new long[RowsPerStatement];
    private long m_filesetId = -1;
    private long m_foreignAccess;
    private int m_count;

    private FilesetEntryWriter(DatabaseSession session) => m_session = session;

    /// <summary>The writer of a connection.</summary>
    internal static FilesetEntryWriter Of(DatabaseSession session) => session.Service(static s => new FilesetEntryWriter(s));

    /// <inheritdoc/>
    public long PendingRows => m_count;

    /// <summary>A fileset was just made and has no entries: from now on its entries are known.</summary>
    internal void Begin(long filesetId)
    {
        Flush();
        m_files.Clear();
        m_filesetId = filesetId;
        m_foreignAccess = m_session.ForeignAccessCount;
    }

    /// <summary>Entries of the open fileset are added by other statements: from now on the table must be asked.</summary>
    internal void End()
    {
        Flush();
        Forget();
    }

    /// <summary>True while entries of a fileset are waiting to be written.</summary>
    internal bool HasPending(long filesetId) => m_count > 0 && filesetId == m_filesetId;

    /// <summary>Adds a file.</summary>
    /// <param name="filesetId">The fileset.</param>
    /// <param name="fileId">Row id in FileLookup.</param>
    /// <param name="ticks">Time of last change, 100 ns ticks, UTC.</param>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">Code 19: the file is in the fileset already.</exception>
    internal void Add(long filesetId, long fileId, long ticks)
    {
        var known = filesetId == m_filesetId && m_foreignAccess == m_session.ForeignAccessCount;
        if (known && m_count == 0)
            m_session.BeginPending();
        if (!known || !m_files.Add(fileId))
        {
            AddNow(filesetId, fileId, ticks);
            return;
        }

        if (m_count == Capacity)
            Flush();
        if (m_count == m_fileIds.Length)
            Grow();
        m_fileIds[m_count] = fileId;
        m_ticks[m_count] = ticks;
        m_count++;
    }

    /// <inheritdoc/>
    public void Flush()
    {
        if (m_count == 0)
            return;

        Array.Sort(m_fileIds, m_ticks, 0, m_count);
        var written = 0;
        try
        {
            while (m_count - written >= RowsPerStatement)
            {
                WriteMany(written);
                written += RowsPerStatement;
            }

            for (; written < m_count; written++)
                Write(m_filesetId, m_fileIds[written], m_ticks[written]);
        }
        finally
        {
            Drop(written);
        }
    }

    /// <inheritdoc/>
    public void Discard()
    {
        m_count = 0;
        Forget();
    }

    private void Forget()
    {
        m_files.Clear();
        m_filesetId = -1;
    }

    private void Grow()
    {
        Array.Resize(ref m_fileIds, Math.Min(Capacity, m_count * 2));
        Array.Resize(ref m_ticks, Math.Min(Capacity, m_count * 2));
    }

    // What the set knows may have left the table meanwhile, so the engine has the last word.
    private void AddNow(long filesetId, long fileId, long ticks)
    {
        m_session.ThrowIfRolledBack();
        Flush();
        Write(filesetId, fileId, ticks);
    }

    private void Write(long filesetId, long fileId, long ticks)
    {
        using var insert = m_session.TakeDirect(FilesetEntrySql.Insert);
        insert.Bind(1, filesetId).Bind(2, fileId).Bind(3, ticks).ExecuteNonQuery();
    }

    private void WriteMany(int first)
    {
        using var insert = m_session.TakeDirect(FilesetEntrySql.InsertMany);
        insert.Bind(1, m_filesetId);
        for (var i = 0; i < RowsPerStatement; i++)
            insert.Bind((2 * i) + 2, m_fileIds[first + i]).Bind((2 * i) + 3, m_ticks[first + i]);
        insert.ExecuteNonQuery();
    }

    private void Drop(int written)
    {
        m_count -= written;
        if (m_count == 0)
            return;

        // A row was refused. If the engine has ended the transaction, recovering forgets the rest.
        Array.Copy(m_fileIds, written, m_fileIds, 0, m_count);
        Array.Copy(m_ticks, written, m_ticks, 0, m_count);
        m_session.MarkPending();
        m_session.RecoverTransaction();
    }
}

/// <summary>A set of row ids as pages of bits: one bit an id where ids lie close together. Not thread-safe.</summary>
internal sealed class FileIdSet
{
    private const int PageBits = 15;
    private const int WordsPerPage = (1 << PageBits) / 64;

    private readonly Dictionary<long, ulong[]> m_pages = [];
    private ulong[]? m_lastPage;
    private long m_lastNumber;

    /// <summary>Adds an id. False if it is there already.</summary>
    internal bool Add(long id)
    {
        var page = Page(id >> PageBits);
        var bit = (int)id & ((1 << PageBits) - 1);
        var mask = 1UL << (bit & 63);
        if ((page[bit >> 6] & mask) != 0)
            return false;

        page[bit >> 6] |= mask;
        return true;
    }

    /// <summary>Forgets all ids.</summary>
    internal void Clear()
    {
        m_pages.Clear();
        m_lastPage = null;
    }

    private ulong[] Page(long number)
    {
        if (m_lastPage is not null && m_lastNumber == number)
            return m_lastPage;

        if (!m_pages.TryGetValue(number, out var page))
            m_pages.Add(number, page = new ulong[WordsPerPage]);
        m_lastNumber = number;
        return m_lastPage = page;
    }
}
