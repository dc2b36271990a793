// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Session;

/// <summary>What is pending, the barrier that writes it, and what the end of a transaction does to it.</summary>
internal sealed partial class DatabaseSession
{
    /// <summary>
    /// To be called by a buffer before it accepts its first row after a flush. Takes the write lock, as writing the row would: else
    /// another connection could commit before the barrier, and the rows could never be written. What the row was made up from must have
    /// been asked after <see cref="HasToAskAgain"/>, or be sure to stay.
    /// </summary>
    /// <exception cref="SqliteException">Another connection is writing, and did not end in time; the row must not be accepted.</exception>
    internal void BeginPending()
    {
        if (!m_pending && !Statements.HasUncommittedWrites)
            TakeWriteLock();
        NoticeOthers();
        m_pending = true;
    }

    /// <summary>
    /// To be called once it is known that something is to be written that depends on what was read: takes the write lock. True if another
    /// connection may have committed since that was read: then it has to be asked again, and that answer stays right until the commit.
    /// </summary>
    /// <param name="token">Stops the wait for the lock.</param>
    /// <exception cref="SqliteException">Another connection is writing, and did not end in time.</exception>
    internal bool HasToAskAgain(CancellationToken token = default)
    {
        if (m_pending || Statements.HasUncommittedWrites)
        {
            NoticeOthers();
            return false;
        }

        var transactions = TransactionCount;
        var outer = token.CanBeCanceled ? Statements.CancelWaitsBy(token) : default;
        try
        {
            TakeWriteLock();
        }
        finally
        {
            if (token.CanBeCanceled)
                _ = Statements.CancelWaitsBy(outer);
        }

        NoticeOthers();
        return transactions != TransactionCount;
    }

    /// <summary>
    /// To be called by work of several statements before it reads what decides on its writes, or sets a savepoint: writes what is pending
    /// and takes the write lock. What another connection has committed since this transaction began to read is then seen from the start.
    /// </summary>
    /// <exception cref="SqliteException">Another connection is writing, and did not end in time.</exception>
    internal void BeginWriting()
    {
        Flush();
        if (!Statements.HasUncommittedWrites)
            TakeWriteLock();
        NoticeOthers();
    }

    private void TakeWriteLock()
    {
        ThrowIfRolledBack();
        using var nothing = Statements.Take(OperationSql.ChangeNothing);
        nothing.ExecuteNonQuery();
    }

    /// <summary>True if rows were changed in this transaction, other than that of the operation; with the lock alone nothing is.</summary>
    internal bool HasUncommittedChanges => Statements.HasUncommittedWrites && Statements.TotalChanges != m_changesAtBegin;

    /// <summary>What was changed so far does not count for <see cref="HasUncommittedChanges"/>.</summary>
    internal void NoteBegin() => m_changesAtBegin = m_disposed ? 0 : m_statements?.TotalChanges ?? 0;

    /// <summary>To be called by a buffer that could not write everything.</summary>
    internal void MarkPending() => m_pending = true;

    /// <summary>The barrier: writes what all buffers hold. Cheap when nothing is pending.</summary>
    internal void Flush()
    {
        if (!m_pending)
            return;

        lock (Gate)
        {
            ThrowIfRolledBack();
            // Cleared first: the buffers' own statements must not come back here.
            m_pending = false;
            ThrowIfLost();
            // An interrupted write takes the whole transaction with it, which a call that only asks must never do to what was accepted
            // before.
            using var uninterrupted = m_interrupt?.Pause();
            m_flushing = true;
            try
            {
                foreach (var buffer in m_buffers)
                    buffer.Flush();
            }
            finally
            {
                m_flushing = false;
            }
        }
    }

    /// <summary>
    /// To be called before members read or write. If a statement that was not theirs has made the engine roll back, what they accepted
    /// before is
    /// gone, and whoever ran it may have kept that to himself: this is told once, before anything is made up from lost rows or is durable
    /// alone. A new transaction begins. About 10 ns if nothing of the kind has happened.
    /// </summary>
    /// <param name="mayHaveEnded">Whether the transaction may have ended for good; else this throws, because nothing commits by
    /// itself.</param>
    /// <exception cref="InvalidOperationException">The engine has rolled back, and what could not be written then is not known; or the
    /// transaction has ended for good.</exception>
    internal void ThrowIfRolledBack(bool mayHaveEnded = false)
    {
        if (!IsOutsideTransaction())
            return;

        if (!mayHaveEnded)
            ThrowIfTransactionEnded?.Invoke();
        if (m_endedByStatement)
            return;

        var transactions = TransactionCount;
        var lost = m_lost;
        RecoverTransaction();
        if (transactions != TransactionCount)
            throw lost
                ?? new InvalidOperationException(
                    "A statement on this connection has failed in a way that made the engine roll the transaction back. What was not committed is lost. A new transaction has begun."
                );
    }

    /// <summary>True if no transaction is open, and nobody has ended it by a statement.</summary>
    internal bool HasEngineRolledBack() => IsOutsideTransaction() && !m_endedByStatement;

    private bool IsOutsideTransaction()
    {
        if (m_statements is { IsAutoCommit: true })
            return true;

        m_endedByStatement = false;
        return false;
    }

    /// <summary>Called by the transaction object after a commit.</summary>
    internal void Committed()
    {
        m_endedByStatement = false;
        TransactionCount++;
        Operation?.Committed();
        NoteBegin();
        m_statements?.TransactionEnded();
    }

    /// <summary>Called by the transaction object after a rollback: forgets what was pending and what was remembered.</summary>
    internal void RolledBack()
    {
        m_endedByStatement = false;
        TransactionCount++;
        NoteBegin();
        m_statements?.TransactionEnded();
        m_pending = false;
        m_lost = null;
        m_held.Clear();
        ForgetTold();
        Operation?.RolledBack();
        foreach (var buffer in m_buffers)
            buffer.Discard();
    }

    /// <summary>
    /// After an interrupted or failed write the engine may have rolled the transaction back: then a new one is begun and buffers are
    /// discarded.
    /// </summary>
    internal void RecoverTransaction()
    {
        if (!m_disposed && Connection.State == System.Data.ConnectionState.Open && m_statements is { IsAutoCommit: true })
            RestartTransaction?.Invoke();
    }
}
