// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Diagnostics;
using System.Globalization;
using System.Threading;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Metrics;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>
/// The wait for locks of other connections, as long as the provider's commands wait: for the connection's command timeout (0 is for
/// ever), or for its busy timeout if that is longer, also where the engine does not wait by itself.
/// </summary>
/// <remarks>
/// The engine's own wait cannot be stopped, not even by an interrupt. So a statement that may meet a lock, in a call that can be
/// cancelled, is run without it, and the wait is done here. Whoever reads the busy timeout meanwhile sees what was set. One
/// instance a connection; not thread-safe, like the connection.
/// </remarks>
internal sealed unsafe class LockWait
{
    /// <summary>What a statement may need: the read lock.</summary>
    internal const int Reading = 1;

    /// <summary>What a statement may need: the write lock.</summary>
    internal const int Writing = 2;

    private const int Nothing = 0;
    private const int Everything = int.MaxValue;

    // Milliseconds; the last one is repeated.
    private static readonly int[] s_pauses = [1, 1, 2, 5, 10, 15, 20, 25];

    private readonly SqliteConnection m_connection;
    private readonly nint m_database;
    private CancellationToken m_token;

    internal LockWait(SqliteConnection connection, nint database)
    {
        m_connection = connection;
        m_database = database;
    }

    /// <summary>What stops waits at the moment.</summary>
    internal CancellationToken CancelledBy => m_token;

    /// <summary>
    /// The need that is met without a wait, or may be waited for by the engine itself: a hint that only decides who waits.
    /// </summary>
    internal int BusyTimeoutCovers { get; private set; } = Everything;

    /// <summary>Lets a token stop waits from now on, and returns the one that did so before, which is to be set again.</summary>
    internal CancellationToken CancelBy(CancellationToken token)
    {
        var before = m_token;
        m_token = token;
        // Waits of the engine itself cannot be measured either.
        if (!token.CanBeCanceled && !DatabaseInstruments.IsLockWaitWanted)
            BusyTimeoutCovers = Everything;
        else if (BusyTimeoutCovers == Everything)
            BusyTimeoutCovers = Nothing;
        return before;
    }

    /// <summary>A transaction has ended, and its locks with it.</summary>
    internal void Forget()
    {
        if (BusyTimeoutCovers != Everything)
            BusyTimeoutCovers = Nothing;
    }

    /// <summary>Steps a statement without the engine's own wait; busy at once if there is a lock.</summary>
    internal int Step(nint statement)
    {
        var rc = WithoutBusyTimeout(statement, null, BusyTimeout());
        BusyTimeoutCovers = raw.sqlite3_get_autocommit(m_connection.Handle) != 0 ? Nothing : TransactionState();
        return rc;
    }

    /// <summary>Tries again what has met a lock, until it gets through.</summary>
    /// <param name="attempt">Resets, and tries; returns the engine's result code.</param>
    /// <param name="error">What the first attempt ended with.</param>
    /// <param name="renew">Says what becomes of the transaction, which has only read; told whether its content is outdated, or a lock may
    /// come free.</param>
    /// <param name="reset">Undoes the attempt that failed, so that the transaction can end.</param>
    /// <returns>The last result code, which is not that of a lock.</returns>
    /// <exception cref="SqliteException">The time is over, or waiting does not help. Nothing has been done.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled. Nothing has been done.</exception>
    internal int Repeat(Func<int> attempt, SqliteException error, Func<bool, SnapshotRenewal>? renew, Action reset)
    {
        var watch = LockWaitWatch.Start(m_connection);
        try
        {
            var rc = RepeatUntilDone(attempt, error, renew, reset);
            watch.End(null);
            return rc;
        }
        catch (Exception ex)
        {
            watch.End(ex);
            throw;
        }
    }

    private int RepeatUntilDone(Func<int> attempt, SqliteException error, Func<bool, SnapshotRenewal>? renew, Action reset)
    {
        var busy = BusyTimeout();
        // Before a transaction holds any lock the engine waits by itself, unless it was told not to.
        var waited = BusyTimeoutCovers == Everything && TransactionState() == Nothing ? busy : 0;
        var start = Stopwatch.GetTimestamp();
        var stale = OutdatedTransaction.Is(error);
        for (var attempts = 0; ; attempts++)
        {
            reset();
            var renewal = Renew(renew, stale);
            if (renewal == SnapshotRenewal.Refused)
                throw stale ? OutdatedTransaction.Error(error.Message) : error;
            if (renewal == SnapshotRenewal.Kept)
                Pause(attempts, waited + (long)Stopwatch.GetElapsedTime(start).TotalMilliseconds, busy, error);

            var rc = WithoutBusyTimeout(0, attempt, busy);
            if ((rc & 0xff) != raw.SQLITE_BUSY)
                return rc;
            stale = raw.sqlite3_extended_errcode(m_connection.Handle) == raw.SQLITE_BUSY_SNAPSHOT;
        }
    }

    // With a rollback journal whoever writes waits for all who read, so to go on reading would be a deadlock; and with a write-ahead log
    // what was read is outdated as soon as the other one has committed. A reader that is still open keeps the old content.
    private SnapshotRenewal Renew(Func<bool, SnapshotRenewal>? renew, bool stale)
    {
        if (TransactionState() != Reading)
            return SnapshotRenewal.Kept;
        if (renew is not null && raw.sqlite3_get_autocommit(m_connection.Handle) == 0 && !HasOpenReader())
            return renew(stale);
        return stale ? SnapshotRenewal.Refused : SnapshotRenewal.Kept;
    }

    private bool HasOpenReader() => OpenReaders(m_database) > 0;

    /// <summary>Number of statements of a connection, whosever they are, that have begun and not ended.</summary>
    internal static int OpenReaders(nint database)
    {
        var count = 0;
        // Another thread may finalize statements meanwhile.
        var mutex = NativeSqlite.DatabaseMutex(database);
        NativeSqlite.EnterMutex(mutex);
        for (
            var statement = NativeSqlite.NextStatement(database, 0);
            statement != 0;
            statement = NativeSqlite.NextStatement(database, statement)
        )
            count += NativeSqlite.IsBusy(statement) != 0 ? 1 : 0;
        NativeSqlite.LeaveMutex(mutex);
        return count;
    }

    private void Pause(int attempts, long elapsed, int busy, SqliteException error)
    {
        m_token.ThrowIfCancellationRequested();
        var timeout = m_connection.DefaultTimeout;
        if (timeout != 0 && elapsed >= Math.Max(timeout * 1000L, busy))
            throw error;

        var pause = s_pauses[Math.Min(attempts, s_pauses.Length - 1)];
        if (m_token.WaitHandle.WaitOne(pause))
            m_token.ThrowIfCancellationRequested();
    }

    // The engine's own lock of the connection keeps the timeout from being read, or used by others, while it is not what was set.
    private int WithoutBusyTimeout(nint statement, Func<int>? attempt, int busy)
    {
        if (busy <= 0)
            return attempt?.Invoke() ?? NativeSqlite.Step(statement);

        var mutex = NativeSqlite.DatabaseMutex(m_database);
        NativeSqlite.EnterMutex(mutex);
        try
        {
            _ = raw.sqlite3_busy_timeout(m_connection.Handle, 0);
            return attempt?.Invoke() ?? NativeSqlite.Step(statement);
        }
        finally
        {
            _ = raw.sqlite3_busy_timeout(m_connection.Handle, busy);
            NativeSqlite.LeaveMutex(mutex);
        }
    }

    private int BusyTimeout() =>
        int.TryParse(RawSql.Run(m_connection, PragmaSql.ReadBusyTimeout), CultureInfo.InvariantCulture, out var milliseconds)
            ? milliseconds
            : 0;

    private int TransactionState()
    {
        fixed (byte* schema = "main\0"u8)
            return NativeSqlite.TransactionState(m_database, schema);
    }
}

/// <summary>
/// What becomes of a transaction that has read and cannot write, because another connection writes, or has committed since it began to
/// read.
/// </summary>
internal enum SnapshotRenewal
{
    /// <summary>It stays; the lock may come free.</summary>
    Kept,

    /// <summary>It has ended, and the next one has begun: the statement can be run again.</summary>
    Renewed,

    /// <summary>It stays and cannot write: what the caller was told in it may be outdated.</summary>
    Refused,
}

/// <summary>
/// The error of a write that rests on content which another connection has changed since: code 5, extended 517 (BUSY_SNAPSHOT), as the
/// engine gives it.
/// </summary>
internal static class OutdatedTransaction
{
    /// <summary>Makes it.</summary>
    /// <param name="message">What could not be written, and where.</param>
    public static SqliteException Error(string message) =>
        new(
            $"{message}. Another connection has committed since this was read: roll back, and begin again",
            raw.SQLITE_BUSY,
            raw.SQLITE_BUSY_SNAPSHOT
        );

    /// <summary>True for this error.</summary>
    public static bool Is(SqliteException error)
    {
        ArgumentNullException.ThrowIfNull(error);
        return error.SqliteExtendedErrorCode == raw.SQLITE_BUSY_SNAPSHOT;
    }
}
