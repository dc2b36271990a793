// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Session;

/// <summary>
/// The promise to the caller: what a member has told him in a transaction is still true when he writes, or the write fails as the
/// provider's does (code 5, extended 517), nothing is written, and the transaction stays as it was until he ends it.
/// </summary>
internal sealed partial class DatabaseSession
{
    private readonly ToldAnswers m_told = new();
    private readonly List<Action> m_held = [];
    private long m_lockedIn = -1;
    private long m_noticedIn = -1;
    private long m_dataVersion = -1;

    // The transaction in which it was noticed last that another connection has committed; -1 if that was never so.
    private long m_othersNoticedIn = -1;

    /// <summary>
    /// Raised with the write lock, once in the first transaction that writes after another connection has committed. Who has told ids in
    /// earlier ones throws <see cref="Outdated"/> if they are outdated; then nothing is written.
    /// </summary>
    internal event Action? OthersCommitted;

    /// <summary>
    /// Whether each transaction takes the write lock before a member or a command of the caller reads in it: for a caller that decides on
    /// everything that he is told, and rather waits than begins again.
    /// </summary>
    internal bool LocksFirst { get; set; }

    /// <summary>To be called, with the connection lock, by whoever asks that of transactions in which nothing is written.</summary>
    internal void BeginNoticingOthers()
    {
        if (m_dataVersion < 0)
            m_dataVersion = ReadNumber(HousekeepingSql.DataVersion);
    }

    /// <summary>
    /// To be asked with the write lock: whether another connection may have committed since something was told in a transaction, by
    /// <see cref="TransactionCount"/>. If so, what was told is compared before something is written that rests on it.
    /// </summary>
    internal bool OthersMayHaveChanged(long toldIn) => toldIn < m_othersNoticedIn;

    /// <summary>Makes the error for something that was told in an earlier transaction, and is not so any more.</summary>
    internal SqliteException Outdated(string what) =>
        OutdatedTransaction.Error($"SQLite Error {ResultCode.Busy}: 'database is locked' in {Connection.DataSource}: {what}");

    /// <summary>True if rows wait for the commit, see <see cref="WriteOrHold"/>.</summary>
    internal bool HoldsRows => m_held.Count > 0;

    /// <summary>
    /// To be called by whoever answers a caller from a small table: the answer is compared before the transaction is renewed.
    /// </summary>
    /// <param name="sql">The constant statement that gave the answer.</param>
    /// <param name="value">Its only parameter, a text or a number.</param>
    internal void Tell(string sql, object? value = null)
    {
        // Nobody else can change what is read with the lock.
        if (!Statements.HasUncommittedWrites)
            m_told.Add(sql, value);
    }

    /// <summary>To be called by whoever answers a caller anything else.</summary>
    internal void TellMore() => m_told.HasMore = true;

    /// <summary>
    /// To be called, with the connection lock, by members of an operation that writes, before they tell what it decides on for each block
    /// or file: takes the write lock once a transaction, so that the answer stays true. About 2 ns if that has been done.
    /// </summary>
    /// <param name="token">Stops the wait for the lock.</param>
    /// <exception cref="SqliteException">Another connection is writing, and did not end in time.</exception>
    internal void LockForAnswers(CancellationToken token)
    {
        if (m_lockedIn == TransactionCount)
            return;
        var isAutoCommit = Statements.IsAutoCommit;
        if (isAutoCommit)
        {
            ThrowIfTransactionEnded?.Invoke();
            // Behind the end by a statement each member is a transaction of its own, and others may have committed before it.
            if (m_endedByStatement)
                TransactionCount++;
        }

        if (m_onlyReads || isAutoCommit)
        {
            TellMore();
            return;
        }

        _ = HasToAskAgain(token);
        m_lockedIn = TransactionCount;
    }

    /// <summary>True if a rollback would take back nothing but the row of the operation, which is inserted again.</summary>
    internal bool HasNothingToCommit => !HoldsRows && !HasUncommittedChanges;

    /// <summary>To be called, with the connection lock, before anybody reads.</summary>
    private void BeginReading(CancellationToken token = default)
    {
        if (LocksFirst && !Statements.IsAutoCommit)
            LockForAnswers(token);
    }

    /// <summary>
    /// Writes rows that rest on nothing that was told, as those of a history do. Where the transaction is outdated and must stay so, they
    /// wait for its commit; a rollback forgets them.
    /// </summary>
    internal void WriteOrHold(Action write)
    {
        if (!HoldsRows)
        {
            try
            {
                write();
                return;
            }
            catch (SqliteException ex) when (OutdatedTransaction.Is(ex))
            {
                // Written by the commit.
            }
        }

        m_held.Add(write);
    }

    /// <summary>
    /// Writes what waits for the commit; to be called with a renewed transaction. None is written twice; one that fails is tried again only
    /// if another connection held the lock.
    /// </summary>
    internal void WriteHeld()
    {
        while (m_held.Count > 0)
        {
            try
            {
                m_held[0]();
            }
            catch (Exception ex)
            {
                if (ex is not SqliteException { SqliteErrorCode: ResultCode.Busy })
                    m_held.RemoveAt(0);
                throw;
            }

            m_held.RemoveAt(0);
        }
    }

    /// <summary>The transaction ends by a commit, or has ended: the promise with it.</summary>
    internal void ForgetTold() => m_told.Forget();

    // With the write lock. Asked again after an exception: a session that has lost its rows must not go on.
    private void NoticeOthers()
    {
        if (m_noticedIn == TransactionCount)
            return;

        var version = ReadNumber(HousekeepingSql.DataVersion);
        if (m_dataVersion >= 0 && version != m_dataVersion)
        {
            OthersCommitted?.Invoke();
            m_othersNoticedIn = TransactionCount;
        }

        m_dataVersion = version;
        m_noticedIn = TransactionCount;
    }

    // The row of an operation that has not been recorded waits for the commit if it must.
    private void RecordOperationIfCurrent()
    {
        try
        {
            Operation?.Flush();
        }
        catch (SqliteException ex) when (OutdatedTransaction.Is(ex))
        {
            // Recorded by the commit.
        }
    }

    private SnapshotRenewal RenewsTransaction(bool isOutdated)
    {
        var otherwise = isOutdated ? SnapshotRenewal.Refused : SnapshotRenewal.Kept;
        if (RenewTransaction is not { } renew)
            return otherwise;
        if (m_told.IsNothing)
            return renew() ? SnapshotRenewal.Renewed : otherwise;
        // With a rollback journal the writer waits for this reader: it does not come free.
        if (!isOutdated)
            return HasLog() ? SnapshotRenewal.Kept : SnapshotRenewal.Refused;
        return !m_told.HasMore && RenewIfSame(renew) ? SnapshotRenewal.Renewed : SnapshotRenewal.Refused;
    }

    // The old content is read on this connection and the present one on another, which holds the write lock until the next transaction here
    // has begun to read: what that one sees is what was compared. If they differ, this transaction has not been touched.
    private bool RenewIfSame(Func<bool> renew)
    {
        // In the provider's pool it would keep its transaction, and with it the write lock.
        var unpooled = new SqliteConnectionStringBuilder(Connection.ConnectionString) { Pooling = false };
        using var other = new SqliteConnection(unpooled.ToString()) { DefaultTimeout = Connection.DefaultTimeout };
        other.Open();
        using var present = new StatementCache(other);
        present.CancelWaitsBy(Statements.WaitsAreCancelledBy);
        present.Execute(HousekeepingSql.BeginWriting);
        if (!m_told.AreSame(Statements, present) || !renew())
            return false;
        ReadNumber(HousekeepingSql.DataVersion);
        present.Execute(HousekeepingSql.Rollback);
        return true;
    }

    private bool HasLog()
    {
        using var mode = Take(PragmaSql.ReadJournalMode);
        return mode.ExecuteString() == "wal";
    }
}
