// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading;
using Duplicati.Library.SQLiteHelper.Metrics;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>
/// The prepared statements of one connection. A statement is taken out while it is in use and put back, reset and
/// unbound, when it is disposed; two users of the same text never share a live statement. Texts are compared by
/// reference: pass constants to <see cref="Take"/>, and use <see cref="Prepare"/> for text made at run time.
/// </summary>
/// <remarks>Not thread-safe, like the connection. Dispose before the connection is closed: SQLite keeps the file open while a
/// statement lives. Works with any provider that hands out <see cref="SqliteConnection.Handle"/>.</remarks>
public sealed unsafe class StatementCache : IDisposable
{
    private const uint PreparePersistent = 1;

    private readonly SqliteConnection m_connection;
    private readonly nint m_database;
    private volatile bool m_isInterrupted;
    private readonly Dictionary<string, Stack<Statement>> m_idle = new(ReferenceComparer.Instance);
    private readonly HashSet<Statement> m_open = [];

    // Beside the set, because the engine's callback looks into it on any thread, at any time.
    private readonly ConcurrentDictionary<nint, Statement> m_handles = new(concurrencyLevel: 1, capacity: 31);
    private bool m_disposed;

    /// <summary>Creates the cache of an open connection.</summary>
    /// <exception cref="InvalidOperationException">The connection is not open.</exception>
    public StatementCache(SqliteConnection connection)
    {
        ArgumentNullException.ThrowIfNull(connection);
        var handle =
            connection.Handle
            ?? throw new InvalidOperationException("The connection must be open before statements can be prepared on it.");
        m_connection = connection;
        m_database = handle.DangerousGetHandle();
        Locks = new LockWait(connection, m_database);
        Figures = new StatementFigures(connection);
    }

    /// <summary>The connection the statements belong to.</summary>
    public SqliteConnection Connection => m_connection;

    /// <summary>Whoever forgets to dispose must not keep the file open: the engine closes it only after its last statement.</summary>
    ~StatementCache() => FinalizeStatements();

    /// <summary>Rows changed by the most recently completed INSERT, UPDATE or DELETE of the connection.</summary>
    public int Changes => NativeSqlite.Changes(Database);

    /// <summary>Rows changed by all statements since the connection was opened (wraps around at 2^31).</summary>
    public int TotalChanges => NativeSqlite.TotalChanges(Database);

    /// <summary>Row id of the most recent successful insert of the connection.</summary>
    public long LastInsertRowId => NativeSqlite.LastInsertRowId(Database);

    /// <summary>True while no transaction is open; also after the engine rolled one back by itself.</summary>
    public bool IsAutoCommit => NativeSqlite.GetAutoCommit(Database) != 0;

    /// <summary>
    /// True while the open transaction holds the write lock of the main database: something may have been written that is not committed.
    /// </summary>
    internal bool HasUncommittedWrites
    {
        get
        {
            fixed (byte* schema = "main\0"u8)
                return NativeSqlite.TransactionState(Database, schema) == NativeSqlite.WriteTransaction;
        }
    }

    /// <summary>The engine's object. It is gone once the connection is closed, and the session disposes its cache then.</summary>
    internal nint Database
    {
        get
        {
            ObjectDisposedException.ThrowIf(m_disposed, this);
            return m_database;
        }
    }

    /// <summary>The text of the statement that was last stepped; null before the first. May be read from any thread.</summary>
    internal string? Running { get; set; }

    /// <summary>What the statements have done so far.</summary>
    internal StatementFigures Figures { get; }

    /// <summary>Statements prepared and not yet finalized, for leak checks.</summary>
    internal int OpenStatements => m_open.Count;

    /// <summary>
    /// Set by whoever owns the open transaction, which has only read so far: may end it and begin the next. Called when a statement wants
    /// to write and cannot, because another connection has committed since the transaction began to read (true, BUSY_SNAPSHOT), or writes
    /// (false); after a renewal the statement is run once more. Where it is null, the latter is waited for, and the former reported.
    /// </summary>
    internal Func<bool, SnapshotRenewal>? RenewTransaction { get; set; }

    /// <summary>What stops waits for locks of other connections at the moment.</summary>
    internal CancellationToken WaitsAreCancelledBy => Locks.CancelledBy;

    /// <summary>Lets a token stop the statements' waits for locks of other connections from now on.</summary>
    /// <returns>The token that did so before, which is to be set again.</returns>
    internal CancellationToken CancelWaitsBy(CancellationToken token) => Locks.CancelBy(token);

    /// <summary>
    /// To be told of each end of a transaction that did not come by a statement of this cache: locks are to be waited for again.
    /// </summary>
    internal void TransactionEnded() => Locks.Forget();

    /// <summary>
    /// While true, only statements that end a transaction, remove what is temporary or set a pragma begin; others fail as if interrupted.
    /// Set from any thread.
    /// </summary>
    internal bool IsInterrupted
    {
        get => m_isInterrupted;
        set => m_isInterrupted = value;
    }

    /// <summary>
    /// A seam for fault tests: asked with the SQL text before each step; a result other than 0 is reported as if the engine
    /// had returned that code.
    /// </summary>
    internal Func<string, int>? Fault { get; set; }

    /// <summary>Takes the statement for a constant text out of the cache, preparing it on first use. Dispose it to put it back.</summary>
    /// <exception cref="SqliteException">The text does not compile against the current schema.</exception>
    public Statement Take(string sql)
    {
        if (m_idle.TryGetValue(sql, out var idle) && idle.TryPop(out var statement))
        {
            statement.IsTaken = true;
            Figures.Reused++;
            return statement;
        }

        return Open(sql, cached: true);
    }

    /// <summary>Prepares a statement that is finalized when it is disposed: for text that is not a constant.</summary>
    public Statement Prepare(string sql) => Open(sql, cached: false);

    /// <summary>Runs one constant statement without parameters, prepared once.</summary>
    /// <returns>Number of rows inserted, updated or deleted.</returns>
    internal int Run(string sql)
    {
        using var statement = Take(sql);
        return statement.ExecuteNonQuery();
    }

    /// <summary>The number that one constant statement without parameters gives, prepared once.</summary>
    /// <param name="sql">The statement.</param>
    /// <param name="ifNone">The answer if it gives no row, or NULL.</param>
    internal long ReadNumber(string sql, long ifNone = 0)
    {
        using var statement = Take(sql);
        return statement.ExecuteInt64(ifNone);
    }

    /// <summary>Runs a text of one or more statements, ignoring result rows. For schema and pragma statements, not for hot paths.</summary>
    public void Execute(string sql)
    {
        ArgumentNullException.ThrowIfNull(sql);
        var text = Encoding.UTF8.GetBytes(sql);
        var offset = 0;
        while (offset < text.Length)
        {
            using var statement = Open(sql, text, ref offset, cached: false);
            statement?.ExecuteNonQuery();
        }
    }

    /// <summary>Finalizes the statements that are not taken out; they are prepared again when they are next asked for.</summary>
    public void ReleaseIdle()
    {
        foreach (var statement in m_idle.Values.SelectMany(x => x))
            Close(statement);

        m_idle.Clear();
    }

    /// <summary>Finalizes all statements, also those still taken out. May be called more than once.</summary>
    public void Dispose()
    {
        if (m_disposed)
            return;

        m_disposed = true;
        FinalizeStatements();
        m_open.Clear();
        m_idle.Clear();
        GC.SuppressFinalize(this);
    }

    private void FinalizeStatements()
    {
        m_handles.Clear();
        foreach (var statement in m_open)
            statement.Close();
    }

    // Forgotten before it is finalized: the engine may give its address to the next statement that anybody prepares.
    private void Close(Statement statement)
    {
        m_handles.TryRemove(statement.Handle, out _);
        m_open.Remove(statement);
        statement.Close();
    }

    internal void Return(Statement statement)
    {
        if (!statement.IsTaken || m_disposed)
            return;

        statement.IsTaken = false;
        if (!statement.IsCached)
        {
            Close(statement);
            return;
        }

        statement.ResetAndClear();
        if (!m_idle.TryGetValue(statement.Sql, out var idle))
            m_idle.Add(statement.Sql, idle = new Stack<Statement>(1));
        idle.Push(statement);
    }

    /// <summary>
    /// Puts back every statement that is taken out: for the end of external code that may have forgotten one, which would keep the
    /// transaction from ending.
    /// </summary>
    internal void ReturnAll()
    {
        if (AnyTaken())
        {
            foreach (var statement in m_open.Where(statement => statement.IsTaken).ToList())
                Return(statement);
        }
    }

    /// <summary>True if a statement of the engine was prepared by this cache. From any thread, without a lock; about 5 ns.</summary>
    internal bool Owns(nint handle) => m_handles.ContainsKey(handle);

    /// <summary>The wait of the statements for locks of other connections.</summary>
    internal LockWait Locks { get; }

    internal int InjectedFault(string sql) => Fault is null ? NativeSqlite.Ok : Fault(sql);

    internal SqliteException CreateException(int rc, string sql)
    {
        var code = raw.sqlite3_errcode(m_connection.Handle);
        var known = code == (rc & 0xff);
        var message = known ? raw.sqlite3_errmsg(m_connection.Handle).utf8_to_string() : raw.sqlite3_errstr(rc).utf8_to_string();
        var extended = known ? raw.sqlite3_extended_errcode(m_connection.Handle) : rc;
        return new SqliteException(
            $"SQLite Error {rc & 0xff}: '{message}' in {m_connection.DataSource}, statement: {sql.Trim()}",
            rc & 0xff,
            extended
        );
    }

    // The rule; it allocates nothing.
    private bool AnyTaken()
    {
        foreach (var statement in m_open)
        {
            if (statement.IsTaken)
                return true;
        }

        return false;
    }

    private Statement Open(string sql, bool cached)
    {
        ArgumentNullException.ThrowIfNull(sql);
        var offset = 0;
        return Open(sql, Encoding.UTF8.GetBytes(sql), ref offset, cached)
            ?? throw new ArgumentException("The text holds no statement.", nameof(sql));
    }

    private Statement? Open(string sql, byte[] text, ref int offset, bool cached)
    {
        ObjectDisposedException.ThrowIf(m_disposed, this);
        var rc = TryPrepare(text, ref offset, cached, out var handle);
        if ((rc & 0xff) == ResultCode.Busy)
            rc = PrepareAfterWait(sql, rc, text, ref offset, cached, out handle);
        if (rc != NativeSqlite.Ok)
            throw CreateException(rc, sql);
        if (handle == 0)
            return null;

        var statement = new Statement(this, sql, handle, cached) { IsTaken = true };
        m_open.Add(statement);
        Figures.Prepared++;
        m_handles[handle] = statement;
        return statement;
    }

    private int TryPrepare(byte[] text, ref int offset, bool cached, out nint handle)
    {
        fixed (byte* start = text)
        fixed (nint* prepared = &handle)
        {
            byte* tail;
            var rc = NativeSqlite.Prepare(
                m_database,
                start + offset,
                text.Length - offset,
                cached ? PreparePersistent : 0,
                prepared,
                &tail
            );
            if (rc == NativeSqlite.Ok)
                offset = tail is null ? text.Length : (int)(tail - start);
            return rc;
        }
    }

    // The schema cannot be read while somebody else commits with a rollback journal.
    private int PrepareAfterWait(string sql, int rc, byte[] text, ref int offset, bool cached, out nint handle)
    {
        var end = offset;
        nint prepared = 0;
        rc = Locks.Repeat(
            () => TryPrepare(text, ref end, cached, out prepared),
            CreateException(rc, sql),
            RenewTransaction,
            static () => { }
        );
        (offset, handle) = (end, prepared);
        return rc;
    }

    private sealed class ReferenceComparer : IEqualityComparer<string>
    {
        internal static readonly ReferenceComparer Instance = new();

        public bool Equals(string? x, string? y) => ReferenceEquals(x, y);

        public int GetHashCode(string value) => RuntimeHelpers.GetHashCode(value);
    }
}
