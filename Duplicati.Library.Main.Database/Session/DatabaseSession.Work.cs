// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.SQLiteHelper.Diagnostics;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Session;

/// <summary>
/// The ways in which work runs: at once or on the thread pool, with a result or a stable copy of rows, one call chain at a time.
/// </summary>
internal sealed partial class DatabaseSession
{
    /// <summary>Runs work on the caller's thread; a cancelled token stops the running statement.</summary>
    /// <param name="work">It.</param>
    /// <param name="token">Stops it.</param>
    /// <param name="operation">Its name.</param>
    /// <param name="mayHaveEnded">For work outside of transactions: whether it runs after the end of the transaction, too.</param>
    /// <param name="tellsMore">False if the result is nothing that a caller may decide on, or the work itself has told it, see
    /// <see cref="Tell"/>.</param>
    /// <exception cref="OperationCanceledException">The token was cancelled before or while the work ran.</exception>
    /// <exception cref="InvalidOperationException">See <see cref="ThrowIfRolledBack"/>.</exception>
    internal T Do<T>(
        Func<DatabaseSession, T> work,
        CancellationToken token,
        [CallerMemberName] string operation = "",
        bool mayHaveEnded = false,
        bool tellsMore = true
    )
    {
        token.ThrowIfCancellationRequested();
        return Perform(work, token, operation, mayHaveEnded, tellsMore, isInterruptible: true);
    }

    /// <summary><see cref="Do{T}"/> without a result.</summary>
    internal void Do(Action<DatabaseSession> work, CancellationToken token, [CallerMemberName] string operation = "") =>
        Do(
            session =>
            {
                work(session);
                return true;
            },
            token,
            operation,
            tellsMore: false
        );

    /// <summary>
    /// Removes what only helps, as a temporary table does. Errors are ignored: a rollback or the end of the connection may have removed it
    /// already. That the engine has rolled back is left for the next member to tell.
    /// </summary>
    internal void TryRemove(Action<DatabaseSession> work)
    {
        try
        {
            lock (ConnectionLock)
                work(this);
        }
        catch (Exception ex) when (ex is SqliteException or ObjectDisposedException or InvalidOperationException)
        {
            return;
        }
    }

    /// <summary>
    /// Short work as a task: completed when it returns, faulted instead of throwing. A cancelled token is seen before it starts, and while
    /// it waits for a lock; else it is left to end, because interrupting a write would take the whole transaction with it.
    /// </summary>
    internal Task<T> ShortAsync<T>(
        Func<DatabaseSession, T> work,
        CancellationToken token,
        [CallerMemberName] string operation = "",
        bool tellsMore = true
    )
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled<T>(token);

        try
        {
            return Task.FromResult(Perform(work, token, operation, mayHaveEnded: false, tellsMore, isInterruptible: false));
        }
        catch (OperationCanceledException ex) when (ex.CancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled<T>(ex.CancellationToken);
        }
        catch (Exception ex)
        {
            return Task.FromException<T>(ex);
        }
    }

    /// <summary>
    /// The outcome of a member that takes the connection lock itself and has failed, to be asked for without the connection lock. After a
    /// full disk or an
    /// I/O error the engine may have rolled back by itself: what is remembered of its rows is forgotten with them.
    /// </summary>
    internal Task<T> Failed<T>(Exception error)
    {
        lock (ConnectionLock)
            RecoverTransaction();

        return error is OperationCanceledException { CancellationToken.IsCancellationRequested: true } canceled
            ? Task.FromCanceled<T>(canceled.CancellationToken)
            : Task.FromException<T>(error);
    }

    private T Perform<T>(
        Func<DatabaseSession, T> work,
        CancellationToken token,
        string operation,
        bool mayHaveEnded,
        bool tellsMore,
        bool isInterruptible
    )
    {
        lock (ConnectionLock)
        {
            ThrowIfRolledBack(mayHaveEnded);
            using var interrupt = isInterruptible ? CommandInterrupt.Start(Connection, token, Statements) : null;
            var outerToken = Statements.CancelWaitsBy(token);
            var watch = StartWatch(operation, isActivity: isInterruptible);
            var transactions = TransactionCount;
            try
            {
                BeginReading(token);
                var result = work(this);
                watch?.End();
                m_told.HasMore |= tellsMore && transactions == TransactionCount;
                return result;
            }
            catch (SqliteException ex) when (isInterruptible && CommandInterrupt.EndsCall(interrupt, ex, token))
            {
                var cancelled = new OperationCanceledException(ex.Message, ex, token);
                watch?.Fail(cancelled);
                RecoverTransaction();
                throw cancelled;
            }
            catch (Exception ex) when (CommandInterrupt.EndsCall(interrupt))
            {
                watch?.Fail(ex);
                // After a full disk or an I/O error, which may be inside another exception, the engine may have rolled back: nothing may
                // run outside a transaction, and no map may keep the lost rows.
                RecoverTransaction();
                throw;
            }
            finally
            {
                m_statements!.CancelWaitsBy(outerToken);
            }
        }
    }

    /// <summary>Short work without a result as a task.</summary>
    internal Task ShortAsync(Action<DatabaseSession> work, CancellationToken token, [CallerMemberName] string operation = "") =>
        ShortAsync(
            session =>
            {
                work(session);
                return true;
            },
            token,
            operation,
            tellsMore: false
        );

    /// <summary>
    /// Work that may run for long: on the thread pool, so that the caller's thread is free. The monitor of slow queries watches it.
    /// </summary>
    internal Task<T> LongAsync<T>(
        Func<DatabaseSession, T> work,
        CancellationToken token,
        [CallerMemberName] string operation = "",
        bool mayHaveEnded = false,
        bool tellsMore = true
    ) =>
        Task.Run(
            () =>
            {
                using var monitor = SlowQueryMonitor.StartWork(operation, () => m_statements?.Running ?? "");
                return Do(work, token, operation, mayHaveEnded, tellsMore);
            },
            token
        );

    /// <summary>Work without a result that may run for long: on the thread pool, so that the caller's thread is free.</summary>
    /// <param name="work">It.</param>
    /// <param name="token">Stops the running statement.</param>
    /// <param name="operation">Its name.</param>
    /// <param name="mayHaveEnded">For work outside of transactions: whether it runs after the end of the transaction, too.</param>
    internal Task LongAsync(
        Action<DatabaseSession> work,
        CancellationToken token,
        [CallerMemberName] string operation = "",
        bool mayHaveEnded = false
    ) =>
        LongAsync(
            session =>
            {
                work(session);
                return true;
            },
            token,
            operation,
            mayHaveEnded,
            tellsMore: false
        );

    /// <summary>
    /// Long work on a sequence of the caller's. The sequence is read first, on the caller's thread and without the connection lock: it may
    /// be one that asks this very database while it is read.
    /// </summary>
    internal async Task<T> LongAsync<TItem, T>(
        IEnumerable<TItem>? items,
        Func<DatabaseSession, List<TItem>, T> work,
        CancellationToken token,
        [CallerMemberName] string operation = ""
    )
    {
        var list = Read(items);
        return await LongAsync(session => work(session, list), token, operation).ConfigureAwait(false);
    }

    /// <summary>Long work without a result on a sequence of the caller's, which is read first.</summary>
    internal async Task LongAsync<TItem>(
        IEnumerable<TItem>? items,
        Action<DatabaseSession, List<TItem>> work,
        CancellationToken token,
        [CallerMemberName] string operation = ""
    )
    {
        var list = Read(items);
        await LongAsync(session => work(session, list), token, operation).ConfigureAwait(false);
    }

    /// <summary>
    /// A lazily read, stable copy of a result: nothing happens before the first row is asked for; then everything is read into
    /// memory, so that the consumer may write, commit, stop early or enumerate something else meanwhile.
    /// </summary>
    internal async IAsyncEnumerable<T> SnapshotAsync<T>(
        Func<DatabaseSession, IReadOnlyList<T>> read,
        [EnumeratorCancellation] CancellationToken token,
        [CallerMemberName] string operation = "",
        bool tellsMore = true
    )
    {
        var rows = await LongAsync(read, token, operation, tellsMore: tellsMore).ConfigureAwait(false);
        for (var i = 0; i < rows.Count; i++)
        {
            token.ThrowIfCancellationRequested();
            yield return rows[i];
        }
    }

    /// <summary>
    /// A lazily read, stable copy of an answer about a sequence of the caller's, which is read when the first row is asked for, without the
    /// connection lock.
    /// </summary>
    internal async IAsyncEnumerable<T> SnapshotAsync<TItem, T>(
        IEnumerable<TItem>? items,
        Func<DatabaseSession, List<TItem>, IReadOnlyList<T>> read,
        [EnumeratorCancellation] CancellationToken token,
        [CallerMemberName] string operation = "",
        bool tellsMore = true
    )
    {
        var list = Read(items);
        await foreach (var row in SnapshotAsync(session => read(session, list), token, operation, tellsMore).ConfigureAwait(false))
            yield return row;
    }

    private static List<TItem> Read<TItem>(IEnumerable<TItem>? items) => items is null ? [] : [.. items];
}
