#nullable enable

using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Session;

/// <summary>
/// What all database objects on one connection share: the prepared statements, the write buffers and their barriers, the
/// in-memory maps, and the gate that lets one flow at a time work on the connection.
/// </summary>
/// <remarks>
/// Rules for code behind the door:
/// <list type="bullet">
/// <item>Work runs inside <see cref="Do{T}"/>, <see cref="LongAsync{T}(Func{DatabaseSession, T}, CancellationToken, string)"/> or <see cref="SnapshotAsync{T}(Func{DatabaseSession, IReadOnlyList{T}}, CancellationToken, string)"/>, or holds <see cref="Gate"/> itself (hot paths).</item>
/// <item><see cref="Take"/> writes pending buffers first, so whatever it reads is complete; <see cref="TakeDirect"/> does not and is
/// for the buffers and for tables no buffer writes to.</item>
/// <item>The gate is re-entrant and is never held while a consumer's code runs; sequences that a caller hands in are such code.</item>
/// </list>
/// </remarks>
internal sealed partial class DatabaseSession : IDisposable
{
    // By connection, so that commands made from a connection that somebody kept find what is pending on it.
    private static readonly ConditionalWeakTable<SqliteConnection, DatabaseSession> s_sessions = [];

    private readonly List<IWriteBuffer> m_buffers = [];
    private readonly Dictionary<Type, object> m_services = [];
    private StatementCache? m_statements;
    private CommandInterrupt? m_interrupt;
    private bool m_pending;
    private bool m_flushing;
    private bool m_disposed;

    internal DatabaseSession(SqliteConnection connection)
    {
        Connection = connection;
        connection.StateChange += OnStateChange;
        s_sessions.AddOrUpdate(connection, this);
        if (connection.State == System.Data.ConnectionState.Open)
            Watch();
    }

    /// <summary>The session of a connection; a new one if it has none.</summary>
    internal static DatabaseSession Of(SqliteConnection connection) =>
        s_sessions.TryGetValue(connection, out var session) && !session.m_disposed ? session : new DatabaseSession(connection);

    /// <summary>The connection, used directly only where the provider's own objects are needed.</summary>
    internal SqliteConnection Connection { get; }

    /// <summary>One flow at a time. Re-entrant on the same thread.</summary>
    internal object Gate { get; } = new();

    /// <summary>Number of commits and rollbacks so far: a snapshot taken at one value is unaffected by other connections' commits only while it stays the same.</summary>
    internal long TransactionCount { get; private set; }

    /// <summary>Set by the owning transaction: ends the transaction object after the engine rolled back by itself, and begins a new one.</summary>
    internal Action? RestartTransaction { get; set; }

    /// <summary>Set by the owning transaction: ends the transaction object, which has only read so far, and begins a new one on the present content.</summary>
    internal Func<bool>? RenewTransaction { get; set; }

    /// <summary>The operation that began on this connection, inserted at the latest when something is committed.</summary>
    internal OperationRow? Operation { get; set; }

    /// <summary>The prepared statements, for counters and for statements that neither read nor write buffered tables.</summary>
    internal StatementCache Statements => m_statements ?? MakeStatements();

    private StatementCache MakeStatements()
    {
        m_statements = new StatementCache(Connection) { RenewTransaction = RenewsTransaction };
        Watch();
        return m_statements;
    }

    /// <summary>Takes a prepared statement after everything pending has been written.</summary>
    internal Statement Take(string sql)
    {
        Flush();
        return Statements.Take(sql);
    }

    /// <summary>Takes a prepared statement without writing what is pending.</summary>
    internal Statement TakeDirect(string sql) => Statements.Take(sql);

    /// <summary>Runs one constant statement without parameters, prepared once.</summary>
    /// <returns>Number of rows inserted, updated or deleted.</returns>
    internal int Run(string sql)
    {
        using var statement = Take(sql);
        return statement.Execute();
    }

    /// <summary>Runs one or more constant statements without parameters or results.</summary>
    internal void Execute(string sql)
    {
        Flush();
        Statements.Execute(sql);
    }

    /// <summary>The one instance of a service on this connection, made on first use. A service that is a write buffer is registered as such.</summary>
    internal T Service<T>(Func<DatabaseSession, T> create)
        where T : class
    {
        lock (Gate)
            return FindOrMake(create);
    }

    private T FindOrMake<T>(Func<DatabaseSession, T> create)
        where T : class
    {
        if (m_services.TryGetValue(typeof(T), out var service))
            return (T)service;

        var made = create(this);
        m_services.Add(typeof(T), made);
        if (made is IWriteBuffer buffer)
            m_buffers.Add(buffer);
        return made;
    }

    /// <summary>Registers a buffer that is not a service; it takes part in barriers until <see cref="Unregister"/>.</summary>
    internal void Register(IWriteBuffer buffer)
    {
        lock (Gate)
            m_buffers.Add(buffer);
    }

    /// <summary>Ends the part of a buffer registered with <see cref="Register"/>. What it holds must have been flushed or discarded.</summary>
    internal void Unregister(IWriteBuffer buffer)
    {
        lock (Gate)
            m_buffers.Remove(buffer);
    }

    /// <summary>
    /// To be called by a buffer before it accepts its first row after a flush. Takes the write lock, as writing the row would: else
    /// another connection could commit before the barrier, and the rows could never be written.
    /// </summary>
    /// <exception cref="SqliteException">Another connection is writing, or has written since this transaction began to read; the row must not be accepted.</exception>
    internal void BeginPending()
    {
        if (!m_pending && !Statements.HasUncommittedWrites)
        {
            // The row was made up from the present content, so the transaction is not to be renewed for it.
            m_flushing = true;
            try
            {
                using var nothing = Statements.Take(OperationSql.ChangeNothing);
                nothing.Execute();
            }
            finally
            {
                m_flushing = false;
            }
        }

        m_pending = true;
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

    /// <summary>Called by the transaction object after a commit.</summary>
    internal void Committed() => TransactionCount++;

    /// <summary>Called by the transaction object after a rollback: forgets what was pending and what was remembered.</summary>
    internal void RolledBack()
    {
        TransactionCount++;
        m_pending = false;
        m_lost = null;
        foreach (var buffer in m_buffers)
            buffer.Discard();
    }

    /// <summary>Runs work on the caller's thread; a cancelled token stops the running statement.</summary>
    /// <exception cref="OperationCanceledException">The token was cancelled before or while the work ran.</exception>
    internal T Do<T>(Func<DatabaseSession, T> work, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        lock (Gate)
        {
            var outer = m_interrupt;
            using var interrupt = CommandInterrupt.Start(Connection, token);
            m_interrupt = interrupt;
            try
            {
                return work(this);
            }
            catch (SqliteException ex) when (CommandInterrupt.EndsCall(interrupt, ex, token))
            {
                RecoverTransaction();
                throw new OperationCanceledException(ex.Message, ex, token);
            }
            catch (Exception)
            {
                // After a full disk or an I/O error, which may be inside another exception, the engine may have rolled back: nothing may run
                // outside a transaction, and no map may keep the lost rows.
                RecoverTransaction();
                throw;
            }
            finally
            {
                m_interrupt = outer;
            }
        }
    }

    /// <summary><see cref="Do{T}"/> without a result.</summary>
    internal void Do(Action<DatabaseSession> work, CancellationToken token) => Do(
        session =>
        {
            work(session);
            return true;
        },
        token);

    /// <summary>
    /// Short work as a task: completed when it returns, faulted instead of throwing. A cancelled token is seen before it starts;
    /// later it is left to end, because interrupting a write would take the whole transaction with it.
    /// </summary>
    internal Task<T> ShortAsync<T>(Func<DatabaseSession, T> work, CancellationToken token)
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled<T>(token);

        try
        {
            return Task.FromResult(DoToEnd(work));
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
    /// The outcome of a member that takes the gate itself and has failed, to be asked for without the gate. After a full disk or an
    /// I/O error the engine may have rolled back by itself: what is remembered of its rows is forgotten with them.
    /// </summary>
    internal Task<T> Failed<T>(Exception error)
    {
        lock (Gate)
            RecoverTransaction();

        return error is OperationCanceledException { CancellationToken.IsCancellationRequested: true } canceled
            ? Task.FromCanceled<T>(canceled.CancellationToken)
            : Task.FromException<T>(error);
    }

    private T DoToEnd<T>(Func<DatabaseSession, T> work)
    {
        lock (Gate)
        {
            try
            {
                return work(this);
            }
            catch (Exception)
            {
                RecoverTransaction();
                throw;
            }
        }
    }

    /// <summary>Short work without a result as a task.</summary>
    internal Task ShortAsync(Action<DatabaseSession> work, CancellationToken token) => ShortAsync(
        session =>
        {
            work(session);
            return true;
        },
        token);

    /// <summary>Work that may run for long: on the thread pool, so that the caller's thread is free. The monitor of slow queries watches it.</summary>
    internal Task<T> LongAsync<T>(Func<DatabaseSession, T> work, CancellationToken token, [CallerMemberName] string operation = "") => Task.Run(
        () =>
        {
            using var monitor = SlowQueryMonitor.StartWork(operation, () => m_statements?.Running ?? "");
            return Do(work, token);
        },
        token);

    /// <summary>Work without a result that may run for long: on the thread pool, so that the caller's thread is free.</summary>
    internal Task LongAsync(Action<DatabaseSession> work, CancellationToken token, [CallerMemberName] string operation = "") => LongAsync(
        session =>
        {
            work(session);
            return true;
        },
        token,
        operation);

    /// <summary>
    /// Long work on a sequence of the caller's. The sequence is read first, on the caller's thread and without the gate: it may be one
    /// that asks this very database while it is read.
    /// </summary>
    internal async Task<T> LongAsync<TItem, T>(IEnumerable<TItem>? items, Func<DatabaseSession, List<TItem>, T> work, CancellationToken token, [CallerMemberName] string operation = "")
    {
        var list = Read(items);
        return await LongAsync(session => work(session, list), token, operation).ConfigureAwait(false);
    }

    /// <summary>Long work without a result on a sequence of the caller's, which is read first.</summary>
    internal async Task LongAsync<TItem>(IEnumerable<TItem>? items, Action<DatabaseSession, List<TItem>> work, CancellationToken token, [CallerMemberName] string operation = "")
    {
        var list = Read(items);
        await LongAsync(session => work(session, list), token, operation).ConfigureAwait(false);
    }

    /// <summary>
    /// A lazily read, stable copy of a result: nothing happens before the first row is asked for; then everything is read into
    /// memory, so that the consumer may write, commit, stop early or enumerate something else meanwhile.
    /// </summary>
    internal async IAsyncEnumerable<T> SnapshotAsync<T>(Func<DatabaseSession, IReadOnlyList<T>> read, [EnumeratorCancellation] CancellationToken token, [CallerMemberName] string operation = "")
    {
        var rows = await LongAsync(read, token, operation).ConfigureAwait(false);
        for (var i = 0; i < rows.Count; i++)
        {
            token.ThrowIfCancellationRequested();
            yield return rows[i];
        }
    }

    /// <summary>A lazily read, stable copy of an answer about a sequence of the caller's, which is read when the first row is asked for, without the gate.</summary>
    internal async IAsyncEnumerable<T> SnapshotAsync<TItem, T>(IEnumerable<TItem>? items, Func<DatabaseSession, List<TItem>, IReadOnlyList<T>> read, [EnumeratorCancellation] CancellationToken token, [CallerMemberName] string operation = "")
    {
        var list = Read(items);
        await foreach (var row in SnapshotAsync(session => read(session, list), token, operation).ConfigureAwait(false))
            yield return row;
    }

    private static List<TItem> Read<TItem>(IEnumerable<TItem>? items) => items is null ? [] : [.. items];

    // What is pending was made up from the old content, and may refer to rows that are gone.
    private bool RenewsTransaction() => !m_pending && !m_flushing && RenewTransaction?.Invoke() == true;

    /// <summary>After an interrupted or failed write the engine may have rolled the transaction back: then a new one is begun and buffers are discarded.</summary>
    internal void RecoverTransaction()
    {
        if (!m_disposed && Connection.State == System.Data.ConnectionState.Open && m_statements is { IsAutoCommit: true })
            RestartTransaction?.Invoke();
    }

    /// <summary>Finalizes the statements that nobody uses: the caller keeps the connection and may close it at any time, or never.</summary>
    internal void ReleaseStatements()
    {
        lock (Gate)
            m_statements?.ReleaseIdle();
    }

    /// <summary>Finalizes all statements and forgets all maps. May be called more than once.</summary>
    public void Dispose()
    {
        if (m_disposed)
            return;

        m_disposed = true;
        Connection.StateChange -= OnStateChange;
        foreach (var service in m_services.Values)
            (service as IDisposable)?.Dispose();
        m_services.Clear();
        m_buffers.Clear();
        if (m_statements is not null && Connection.State == System.Data.ConnectionState.Open)
            Unwatch();
        m_statements?.Dispose();
    }

    // A connection closed behind the session's back would stay open in the engine as long as statements live.
    private void OnStateChange(object sender, System.Data.StateChangeEventArgs e)
    {
        if (e.CurrentState == System.Data.ConnectionState.Closed)
            Dispose();
    }
}
