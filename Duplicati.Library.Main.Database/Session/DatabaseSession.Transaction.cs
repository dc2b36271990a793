// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Session;

/// <summary>The write lock, and what the end of a transaction does to what is remembered.</summary>
internal sealed partial class DatabaseSession
{
    /// <summary>
    /// To be called once it is known that something is to be written that depends on what was read: takes the write lock. True if another
    /// connection may have committed since that was read: then it has to be asked again, and that answer stays right until the commit.
    /// </summary>
    /// <param name="token">Stops the wait for the lock.</param>
    /// <exception cref="SqliteException">Another connection is writing, and did not end in time.</exception>
    internal bool HasToAskAgain(CancellationToken token = default)
    {
        if (Statements.HasUncommittedWrites)
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
    /// Asks what decides on whether something is written: once, and if something is to be written, again with the write lock if another
    /// connection may have committed since. About 2 ns beside the question; allocates nothing with static delegates.
    /// </summary>
    /// <param name="what">What is asked about.</param>
    /// <param name="ask">The question.</param>
    /// <param name="isToWrite">Whether something is to be written after this answer.</param>
    /// <param name="token">Stops the wait for the lock.</param>
    /// <exception cref="SqliteException">Another connection is writing, and did not end in time.</exception>
    internal T AskBeforeWriting<TWhat, T>(
        TWhat what,
        Func<DatabaseSession, TWhat, T> ask,
        Func<T, bool> isToWrite,
        CancellationToken token = default
    )
    {
        var answer = ask(this, what);
        return isToWrite(answer) && HasToAskAgain(token) ? ask(this, what) : answer;
    }

    /// <summary>The same for something that is inserted if it has no id, that is -1.</summary>
    internal long FindBeforeInserting<TWhat>(TWhat what, Func<DatabaseSession, TWhat, long> find, CancellationToken token = default) =>
        AskBeforeWriting(what, find, static id => id < 0, token);

    /// <summary>
    /// To be called by work of several statements before it reads what decides on its writes, or sets a savepoint: takes the write lock.
    /// What another connection has committed since this transaction began to read is then seen from the start.
    /// </summary>
    /// <exception cref="SqliteException">Another connection is writing, and did not end in time.</exception>
    internal void BeginWriting()
    {
        if (!Statements.HasUncommittedWrites)
            TakeWriteLock();
        NoticeOthers();
    }

    private void TakeWriteLock()
    {
        ThrowIfRolledBack();
        Statements.Run(OperationSql.ChangeNothing);
    }

    /// <summary>True if rows were changed in this transaction, other than that of the operation; with the lock alone nothing is.</summary>
    internal bool HasUncommittedChanges => Statements.HasUncommittedWrites && Statements.TotalChanges != m_changesAtBegin;

    /// <summary>Another one than before if rows were changed on this connection, or a transaction has ended, since then.</summary>
    internal (long Changes, long Transaction, long ExternalWrites) Stamp => (Statements.TotalChanges, TransactionCount, ExternalWriteCount);

    /// <summary>What was changed so far does not count for <see cref="HasUncommittedChanges"/>.</summary>
    internal void NoteBegin() => m_changesAtBegin = m_disposed ? 0 : m_statements?.TotalChanges ?? 0;

    /// <summary>
    /// To be called before members read or write. If a statement that was not theirs has made the engine roll back, what they accepted
    /// before is gone, and whoever ran it may have kept that to himself: this is told once, before anything is made up from lost rows or
    /// is durable alone. A new transaction begins. About 10 ns if nothing of the kind has happened.
    /// </summary>
    /// <param name="mayHaveEnded">Whether the transaction may have ended for good; else this throws, because nothing commits by
    /// itself.</param>
    /// <exception cref="InvalidOperationException">The engine has rolled back, and what could not be written then is not known; or the
    /// transaction has ended for good.</exception>
    internal void ThrowIfRolledBack(bool mayHaveEnded = false)
    {
        ThrowIfWatchFailed();
        if (IsOutsideTransaction())
        {
            if (!mayHaveEnded)
                ThrowIfTransactionEnded?.Invoke();
            if (m_endedByStatement)
                return;
            RecoverForCommand();
        }

        if (m_untold is { } untold)
        {
            m_untold = null;
            throw untold;
        }
    }

    /// <summary>
    /// Begins a transaction for a caller's command if the engine has rolled back. The next member says that, once: whoever ran what failed
    /// may have kept it to himself.
    /// </summary>
    internal void RecoverForCommand()
    {
        var (transactions, lost, isEndedByStatement) = (TransactionCount, m_lost, m_endedByStatement);
        RecoverTransaction();
        if (transactions != TransactionCount && !isEndedByStatement)
            m_untold =
                lost
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
        m_lost = null;
        Operation?.Committed();
        NoteBegin();
        m_statements?.TransactionEnded();
    }

    /// <summary>Number of rollbacks so far.</summary>
    internal long RollbackCount { get; private set; }

    /// <summary>Called by the transaction object after a rollback: forgets what was remembered.</summary>
    internal void RolledBack()
    {
        m_endedByStatement = false;
        TransactionCount++;
        RollbackCount++;
        NoteBegin();
        m_statements?.TransactionEnded();
        m_lost = null;
        m_untold = null;
        m_held.Clear();
        ForgetTold();
        Operation?.RolledBack();
        foreach (var cache in m_caches)
            cache.Discard();
    }

    /// <summary>
    /// After an interrupted or failed write the engine may have rolled the transaction back: then a new one is begun, and what is
    /// remembered of its rows is forgotten.
    /// </summary>
    internal void RecoverTransaction()
    {
        if (!m_disposed && Connection.State == System.Data.ConnectionState.Open && m_statements is { IsAutoCommit: true })
            RestartTransaction?.Invoke();
    }
}
