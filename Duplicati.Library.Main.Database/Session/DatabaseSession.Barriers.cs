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
        if (!m_pending)
        {
            RecoverTransaction();
            if (!Statements.HasUncommittedWrites)
                TakeWriteLock();
        }

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
            return false;

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
    }

    private void TakeWriteLock()
    {
        using var nothing = Statements.Take(OperationSql.ChangeNothing);
        nothing.Execute();
    }

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
            // An interrupted write takes the whole transaction with it, which a call that only asks must never do to what was accepted before.
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
    /// After a statement of the caller's own has made the engine roll back, or the caller has ended the provider's transaction: forgets what is
    /// pending, because it may refer to rows that are gone and each row would be durable alone, and begins a new transaction.
    /// </summary>
    /// <exception cref="InvalidOperationException">The transaction had ended, and what ended it is not known.</exception>
    internal void ThrowIfRolledBack()
    {
        var transactions = TransactionCount;
        var lost = m_lost;
        RecoverTransaction();
        if (transactions != TransactionCount)
            throw lost ?? new InvalidOperationException("The transaction has ended before its commit: a statement failed in a way that made the engine roll it back, or somebody else has ended it. What was not committed is lost. A new transaction has begun.");
    }

    /// <summary>Called by the transaction object after a commit.</summary>
    internal void Committed()
    {
        TransactionCount++;
        m_statements?.TransactionEnded();
    }

    /// <summary>Called by the transaction object after a rollback: forgets what was pending and what was remembered.</summary>
    internal void RolledBack()
    {
        TransactionCount++;
        m_statements?.TransactionEnded();
        m_pending = false;
        m_lost = null;
        foreach (var buffer in m_buffers)
            buffer.Discard();
    }

    // What is pending was made up from the old content, and may refer to rows that are gone.
    private bool RenewsTransaction() => !m_pending && !m_flushing && RenewTransaction?.Invoke() == true;

    /// <summary>
    /// After an interrupted or failed write, be it the caller's own, the engine may have rolled the transaction back: then a new one is begun
    /// and buffers are discarded. Else nothing happens, in about 10 ns.
    /// </summary>
    internal void RecoverTransaction()
    {
        if (!m_disposed && Connection.State == System.Data.ConnectionState.Open && m_statements is { IsAutoCommit: true })
            RestartTransaction?.Invoke();
    }
}
