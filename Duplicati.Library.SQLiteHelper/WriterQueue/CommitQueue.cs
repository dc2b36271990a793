// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.WriterQueue;

/// <summary>
/// Durable commits for many callers with small writes. One thread owns the only writing connection and commits everything that
/// waits as one transaction, so that callers share a flush of the disk instead of queueing for the write lock with one flush each.
/// </summary>
/// <remarks>
/// <para>Thread-safe. A work gets the connection's statements, on the queue's thread and for the time of its call alone. It must neither
/// begin, commit nor roll back a transaction (savepoints are free), nor wait for another work. It runs at most once, without the caller's
/// execution context.</para>
/// <para>Works run in the order they were handed in. A task completes when the work is committed; with the preset <c>durable</c> a power
/// loss takes nothing that was acknowledged, see <see cref="IsDurable"/>. A work that throws is undone alone, and only its caller gets the
/// exception; <see cref="CommitFailedException"/> reaches everyone in a group that could not be committed.</para>
/// <para>Nothing waits for a timer: a caller by itself gets its own commit at once. A work that runs long holds up those behind it.</para>
/// <para>An open database session that writes to the same file holds the write lock while its transaction lasts; works then fail with
/// <see cref="ResultCode.Busy"/> after the busy timeout or that of commands, whichever is longer. Use one queue a file, and no other
/// writer beside it.</para>
/// </remarks>
public sealed class CommitQueue : IDisposable, IAsyncDisposable
{
    private const string ReadSynchronous = "PRAGMA synchronous";

    private const int SynchronousFull = 2;
    private const int SynchronousExtra = 3;

    private readonly StatementCache m_statements;
    private readonly WorkQueue m_queue;
    private readonly GroupWriter m_writer;
    private readonly Thread m_thread;
    private readonly TaskCompletionSource m_ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Starts a queue on a connection, which belongs to it from now on and is closed with it.</summary>
    /// <param name="connection">An open connection without a transaction.</param>
    /// <param name="options">The bounds; null for the usual ones.</param>
    /// <exception cref="ArgumentOutOfRangeException">A bound is below 1.</exception>
    /// <exception cref="InvalidOperationException">The connection is not open, or has a transaction.</exception>
    public CommitQueue(SqliteConnection connection, CommitQueueOptions? options = null)
    {
        options ??= new CommitQueueOptions();
        ArgumentOutOfRangeException.ThrowIfLessThan(options.Capacity, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(options.MostWorksPerCommit, 1);
        m_statements = new StatementCache(connection);
        if (!m_statements.IsAutoCommit)
            throw new InvalidOperationException("The connection has a transaction, which the queue's would be part of.");

        IsDurable = ReadDurability(connection);
        m_queue = new WorkQueue(options.Capacity);
        m_writer = new GroupWriter(m_statements, m_queue, options.MostWorksPerCommit);
        m_thread = new Thread(Write) { IsBackground = true, Name = "SQLite commit queue" };
        m_thread.Start();
    }

    /// <summary>Opens a database, or makes an empty one, and starts its queue.</summary>
    /// <param name="path">The database file.</param>
    /// <param name="options">Bounds and connection options; null for the usual ones.</param>
    /// <exception cref="SqliteException">The file cannot be opened.</exception>
    public static CommitQueue Open(string path, CommitQueueOptions? options = null)
    {
        options ??= new CommitQueueOptions();
        var connection = ConnectionOpener.Standard.Open(path, options.Connection);
        try
        {
            return new CommitQueue(connection, options);
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Whether what was acknowledged survives a power loss, by the settings the connection really has. A killed process takes nothing
    /// either way.
    /// </summary>
    public bool IsDurable { get; }

    /// <summary>Transactions committed so far.</summary>
    public long Commits => m_writer.Commits;

    /// <summary>Works committed so far; divided by <see cref="Commits"/>, how many share a flush.</summary>
    public long CommittedWorks => m_writer.CommittedWorks;

    /// <summary>The statements of the writer, for fault tests.</summary>
    internal StatementCache Statements => m_statements;

    /// <summary>Queues a work item without a result; the task completes when it is committed.</summary>
    /// <param name="work">What to write.</param>
    /// <param name="cancellationToken">Cancels the work before it is started; a started one is committed or fails.</param>
    /// <returns>Completes when the work is durable. Fails with what the work threw, or with <see cref="CommitFailedException"/>.</returns>
    /// <exception cref="ObjectDisposedException">The queue takes no more works.</exception>
    /// <exception cref="InvalidOperationException">Called by a work.</exception>
    public Task RunAsync(Action<StatementCache> work, CancellationToken cancellationToken = default) =>
        RunAsync(WithoutResult(work), cancellationToken);

    /// <summary>Hands in a work with a result, such as the id of the row it inserted.</summary>
    /// <inheritdoc cref="RunAsync(Action{StatementCache}, CancellationToken)"/>
    /// <exception cref="ArgumentException">The result is a task: a work is synchronous.</exception>
    public Task<T> RunAsync<T>(Func<StatementCache, T> work, CancellationToken cancellationToken = default) =>
        HandIn(work, tellsWhenAccepted: false, cancellationToken).Task;

    /// <summary>Hands in a work without waiting for its commit, for callers that run ahead of the disk.</summary>
    /// <param name="work">What to write.</param>
    /// <param name="cancellationToken">As with <see cref="RunAsync(Action{StatementCache}, CancellationToken)"/>; also ends the waiting for
    /// room.</param>
    /// <returns>Completes when the queue has room for the work. What it holds completes when the work is durable, and is to be awaited as
    /// well.</returns>
    /// <inheritdoc cref="RunAsync(Action{StatementCache}, CancellationToken)" path="/exception"/>
    public async ValueTask<Task> EnqueueAsync(Action<StatementCache> work, CancellationToken cancellationToken = default) =>
        await EnqueueAsync(WithoutResult(work), cancellationToken).ConfigureAwait(false);

    /// <summary>As the other, for a work with a result.</summary>
    /// <inheritdoc cref="EnqueueAsync(Action{StatementCache}, CancellationToken)"/>
    public async ValueTask<Task<T>> EnqueueAsync<T>(Func<StatementCache, T> work, CancellationToken cancellationToken = default)
    {
        var queued = HandIn(work, tellsWhenAccepted: true, cancellationToken);
        await queued.Accepted.ConfigureAwait(false);
        return queued.Task;
    }

    /// <summary>Takes no more works, commits those that were handed in, and closes the connection. May be called more than once.</summary>
    /// <exception cref="InvalidOperationException">Called by a work.</exception>
    public void Dispose() => DisposeAsync().AsTask().GetAwaiter().GetResult();

    /// <inheritdoc cref="Dispose"/>
    public ValueTask DisposeAsync()
    {
        RefuseOwnThread();
        m_queue.Close();
        return new ValueTask(m_ended.Task);
    }

    private QueuedWork<T> HandIn<T>(Func<StatementCache, T> work, bool tellsWhenAccepted, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(work);
        RefuseAsynchronous<T>(nameof(work));
        RefuseOwnThread();
        var queued = new QueuedWork<T>(work, tellsWhenAccepted);
        queued.CancelWith(cancellationToken);
        if (m_queue.TryAdd(queued))
            return queued;

        queued.Forget();
        throw new ObjectDisposedException(nameof(CommitQueue));
    }

    /// <summary>Refuses what would go on after its transaction has ended.</summary>
    /// <typeparam name="T">The result of the work.</typeparam>
    /// <exception cref="ArgumentException">It is a task.</exception>
    internal static void RefuseAsynchronous<T>(string parameter)
    {
        if (
            typeof(Task).IsAssignableFrom(typeof(T))
            || typeof(T) == typeof(ValueTask)
            || (typeof(T).IsGenericType && typeof(T).GetGenericTypeDefinition() == typeof(ValueTask<>))
        )
            throw new ArgumentException(
                "A work is synchronous: what it did after its first await would not be part of the transaction.",
                parameter
            );
    }

    private static Func<StatementCache, bool> WithoutResult(Action<StatementCache> work)
    {
        ArgumentNullException.ThrowIfNull(work);
        return statements =>
        {
            work(statements);
            return true;
        };
    }

    private void RefuseOwnThread()
    {
        if (Thread.CurrentThread == m_thread)
            throw new InvalidOperationException("A work would wait for itself; hand in what follows when its task has completed.");
    }

    private void Write()
    {
        try
        {
            while (m_queue.Wait())
                m_writer.WriteGroup();
            Close();
            m_ended.SetResult();
        }
        catch (Exception ex)
        {
            m_ended.SetException(ex);
        }
    }

    private void Close()
    {
        m_statements.Dispose();
        m_statements.Connection.Dispose();
    }

    // In WAL a commit is flushed from FULL on. With a rollback journal FULL leaves out the folder, in which the journal's deletion is
    // recorded.
    private static bool ReadDurability(SqliteConnection connection)
    {
        var level = int.Parse(RawSql.Run(connection, ReadSynchronous) ?? "0", CultureInfo.InvariantCulture);
        return RawSql.Run(connection, PragmaSql.ReadJournalMode) switch
        {
            "wal" or "truncate" or "persist" => level >= SynchronousFull,
            "delete" => level >= SynchronousExtra,
            _ => false,
        };
    }
}

/// <summary>
/// A group of works was not committed, through no fault of this caller's work: the disk is full, another connection held the write
/// lock for longer than this one waits, the disk failed. Nothing of the group is in the database. The queue goes on: works handed
/// in later are tried.
/// </summary>
/// <remarks>
/// <see cref="SqliteException.SqliteErrorCode"/> is the engine's code, one of <see cref="ResultCode"/>. After an I/O error the disk may
/// still hold the complete group, and a crash before the next commit may bring it back, as with any commit that failed so.
/// </remarks>
public sealed class CommitFailedException : SqliteException
{
    internal CommitFailedException(Exception cause, int works)
        : base(
            string.Create(CultureInfo.InvariantCulture, $"A group of works ({works}) was not committed: {cause.Message}"),
            cause is SqliteException sqlite ? sqlite.SqliteErrorCode : ResultCode.Error,
            cause is SqliteException extended ? extended.SqliteExtendedErrorCode : ResultCode.Error
        )
    {
        Cause = cause;
        Works = works;
    }

    /// <summary>What happened, the same object for every caller of the group.</summary>
    public Exception Cause { get; }

    /// <summary>Number of works in the group.</summary>
    public int Works { get; }
}

/// <summary>The bounds of a <see cref="CommitQueue"/>.</summary>
public sealed record CommitQueueOptions
{
    /// <summary>Works that may wait before <see cref="CommitQueue.EnqueueAsync{T}"/> lets its caller wait; at least 1.</summary>
    public int Capacity { get; init; } = 1024;

    /// <summary>
    /// Works that one transaction takes at most; at least 1. Bounds how long the first caller of a group waits for the last, and how much
    /// one failed commit undoes.
    /// </summary>
    public int MostWorksPerCommit { get; init; } = 1024;

    /// <summary>
    /// How <see cref="CommitQueue.Open"/> opens the database. Other presets than <c>durable</c> acknowledge what a power loss may still
    /// take.
    /// </summary>
    internal ConnectionOptions Connection { get; init; } = ConnectionPreset.Durable.ToOptions();
}
