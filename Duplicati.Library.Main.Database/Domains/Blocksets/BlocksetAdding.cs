// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Buffers;
using System.Collections.Generic;
using System.Threading;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Blocksets;

/// <summary>
/// Adds a blockset that is not there, with its blocklists and the links to its blocks, which must be live. The sequences are the caller's
/// code, which may use this very database: they are read once, a page at a time, without the connection lock, and each page is written
/// with it. What fits into one page is written at once.
/// </summary>
internal sealed class BlocksetAdding(
    DatabaseSession session,
    string fullHash,
    long length,
    int blocksize,
    IEnumerable<string> hashes,
    IEnumerable<string>? blocklistHashes
) : IDisposable
{
    private const int HashesAtOnce = 1024;

    private readonly string[] m_page = ArrayPool<string>.Shared.Rent(HashesAtOnce);
    private readonly IEnumerator<string>? m_blocklists = blocklistHashes?.GetEnumerator();
    private readonly IEnumerator<string> m_hashes = hashes.GetEnumerator();
    private bool m_hasBlocklists = blocklistHashes is not null;
    private bool m_hasHashes = true;

    // In the page: hashes of blocklists, then hashes of blocks.
    private int m_blocklistsInPage;
    private int m_used;
    private int m_mostUsed;

    private long m_nextBlocklist;
    private long m_nextBlock;
    private long m_transaction;
    private long m_rollbacks;
    private long m_removals;

    /// <summary>The id of the blockset; -1 before <see cref="Write"/>.</summary>
    internal long Id { get; private set; } = -1;

    /// <summary>Reads the next page. To be called without the connection lock.</summary>
    internal void Read()
    {
        m_mostUsed = Math.Max(m_mostUsed, m_used);
        m_used = 0;
        while (m_hasBlocklists && m_used < HashesAtOnce)
        {
            if (m_hasBlocklists = m_blocklists!.MoveNext())
                m_page[m_used++] = m_blocklists.Current;
        }

        m_blocklistsInPage = m_used;
        // Whole statements, but for the last page.
        var end = HashesAtOnce - ((HashesAtOnce - m_used) % BlocksetEntryWriter.RowsPerStatement);
        while (m_hasHashes && m_used < end)
        {
            if (m_hasHashes = m_hashes.MoveNext())
                m_page[m_used++] = m_hashes.Current;
        }
    }

    /// <summary>Writes the page, and the row of the blockset before the first one. To be called with the connection lock.</summary>
    /// <param name="token">Stops filling the map of blocks.</param>
    /// <returns>False if there may be more.</returns>
    /// <exception cref="Exception">A block is not live, or the blockset has gone since the page before.</exception>
    internal bool Write(CancellationToken token)
    {
        if (Id < 0)
            (Id, m_rollbacks) = (BlocksetWrites.Insert(session, fullHash, length), session.RollbackCount);
        else
            ThrowIfGone(token);
        (m_transaction, m_removals) = (session.TransactionCount, session.RemovalCount);
        WriteBlocklists();
        WriteEntries(token);
        return !m_hasHashes;
    }

    /// <summary>After a failure: nothing of the blockset stays.</summary>
    internal void Undo()
    {
        lock (session.ConnectionLock)
        {
            session.RecoverTransaction();
            // After a rollback the id may belong to what another connection has added since.
            if (Id >= 0 && session.RollbackCount == m_rollbacks && BlocksetReads.Find(session, fullHash, length) == Id)
                BlocksetWrites.Remove(session, Id);
        }
    }

    public void Dispose()
    {
        Array.Clear(m_page, 0, Math.Max(m_mostUsed, m_used));
        ArrayPool<string>.Shared.Return(m_page);
        m_blocklists?.Dispose();
        m_hashes.Dispose();
    }

    // The caller's code may have ended the transaction, or removed contents.
    private void ThrowIfGone(CancellationToken token)
    {
        session.ThrowIfRolledBack();
        if ((m_transaction, m_removals) == (session.TransactionCount, session.RemovalCount))
            return;

        session.LockForAnswers(token);
        if (session.RollbackCount != m_rollbacks || BlocksetReads.Find(session, fullHash, length) != Id)
            throw new InvalidOperationException("The content was removed, or has gone with a rollback, while it was being added.");
    }

    private void WriteBlocklists()
    {
        if (m_blocklistsInPage == 0)
            return;

        using var insert = session.Take(BlocksetWrites.InsertBlocklist);
        for (var i = 0; i < m_blocklistsInPage; i++)
            insert.Bind(1, Id).Bind(2, m_nextBlocklist++).Bind(3, m_page[i]).ExecuteNonQuery();
    }

    private void WriteEntries(CancellationToken token)
    {
        var map = BlockMap.Of(session);
        var entries = BlocksetEntryWriter.Of(session);
        entries.Begin(Id, m_nextBlock);
        for (var i = m_blocklistsInPage; i < m_used; i++)
        {
            var offset = m_nextBlock++ * blocksize;
            var size = Math.Min(blocksize, length - offset);
            entries.Add(BlocksetWrites.FindBlock(session, map, Id, m_page[i], size, offset, token));
        }

        entries.End();
    }
}
