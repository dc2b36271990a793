// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.SQLiteHelper.Diagnostics;
using Duplicati.Library.SQLiteHelper.Metrics;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Session;

/// <summary>
/// What all database objects on one connection share: the prepared statements, the in-memory maps, and the connection lock that lets one
/// call chain at a
/// time work on the connection.
/// </summary>
/// <remarks>
/// Rules for code behind the API:
/// <list type="bullet">
/// <item>Work runs inside <see cref="Do{T}"/>, <see cref="LongAsync{T}(Func{DatabaseSession, T}, CancellationToken, string, bool, bool)"/>
/// or <see cref="SnapshotAsync{T}(Func{DatabaseSession, IReadOnlyList{T}}, CancellationToken, string, bool)"/>, or holds
/// <see cref="ConnectionLock"/>
/// itself (hot paths).</item>
/// <item>The connection lock is re-entrant and is never held while a consumer's code runs; sequences that a caller hands in are such
/// code.</item>
/// </list>
/// </remarks>
internal sealed partial class DatabaseSession : IDisposable
{
    // By connection, so that commands made from a connection that somebody kept find its session.
    private static readonly ConditionalWeakTable<SqliteConnection, DatabaseSession> s_sessions = [];

    private readonly Dictionary<Type, object> m_services = [];

    private ITransactionCache[] m_caches = [];
    private StatementCache? m_statements;
    private int m_changesAtBegin;
    private readonly bool m_onlyReads;
    private bool m_disposed;

    internal DatabaseSession(SqliteConnection connection)
    {
        Connection = connection;
        m_onlyReads = new SqliteConnectionStringBuilder(connection.ConnectionString).Mode == SqliteOpenMode.ReadOnly;
        connection.StateChange += OnStateChange;
        s_sessions.AddOrUpdate(connection, this);
        (m_file, m_database) = (connection.DataSource, DatabaseInstruments.NamespaceOf(connection));
        SessionGauges.Begin();
        if (connection.State == System.Data.ConnectionState.Open)
            Watch();
    }

    /// <summary>The session of a connection; a new one if it has none.</summary>
    internal static DatabaseSession Of(SqliteConnection connection)
    {
        lock (s_sessions)
            return s_sessions.TryGetValue(connection, out var session) && !session.m_disposed ? session : new DatabaseSession(connection);
    }

    /// <summary>The connection, used directly only where the provider's own objects are needed.</summary>
    internal SqliteConnection Connection { get; }

    /// <summary>One call chain at a time. Re-entrant on the same thread.</summary>
    internal object ConnectionLock { get; } = new();

    /// <summary>
    /// Number of commits and rollbacks so far: a snapshot taken at one value is unaffected by other connections' commits only while it
    /// stays the same.
    /// </summary>
    internal long TransactionCount { get; private set; }

    /// <summary>
    /// Set by the owning transaction: ends the transaction object after the engine rolled back by itself, and begins a new one.
    /// </summary>
    internal Action? RestartTransaction { get; set; }

    /// <summary>Set by the owning transaction: throws if it was disposed, or has ended and does not begin again.</summary>
    internal Action? ThrowIfTransactionEnded { get; set; }

    /// <summary>
    /// Set by the owning transaction: ends the transaction object, which has only read so far, and begins a new one on the present content.
    /// </summary>
    internal Func<bool>? RenewTransaction { get; set; }

    /// <summary>The operation that began on this connection, inserted at the latest when something is committed.</summary>
    internal OperationRow? Operation { get; set; }

    /// <summary>The prepared statements, for counters.</summary>
    internal StatementCache Statements => m_statements ?? MakeStatements();

    private StatementCache MakeStatements()
    {
        ObjectDisposedException.ThrowIf(m_disposed, this);
        m_statements = new StatementCache(Connection) { RenewTransaction = RenewsTransaction };
        m_report = new ConnectionReport(m_statements);
        Watch();
        return m_statements;
    }

    /// <summary>Takes a prepared statement.</summary>
    internal Statement Take(string sql) => Statements.Take(sql);

    /// <inheritdoc cref="StatementCache.ReadNumber"/>
    internal long ReadNumber(string sql, long ifNone = 0) => Statements.ReadNumber(sql, ifNone);

    /// <inheritdoc cref="StatementCache.Run"/>
    internal int Run(string sql) => Statements.Run(sql);

    /// <summary>
    /// Removes all rows of a table at once, without going through them, and tells those who watch it: the engine does not.
    /// </summary>
    internal void Empty(string table)
    {
        using var deleteAll = Statements.Prepare($"DELETE FROM \"{table}\"");
        TableWatch.Of(Connection).Emptied(table, deleteAll.ExecuteNonQuery());
    }

    /// <summary>Runs one or more constant statements without parameters or results.</summary>
    internal void Execute(string sql) => Statements.Execute(sql);

    /// <summary>
    /// The one instance of a service on this connection, made on first use. A service that has to forget after a rollback is registered for
    /// that.
    /// </summary>
    internal T Service<T>(Func<DatabaseSession, T> create)
        where T : class
    {
        lock (ConnectionLock)
            return FindOrMake(create);
    }

    /// <summary>The service, if anybody has used it on this connection.</summary>
    internal T? ServiceInUse<T>()
        where T : class
    {
        lock (ConnectionLock)
            return m_services.TryGetValue(typeof(T), out var service) ? (T)service : null;
    }

    private T FindOrMake<T>(Func<DatabaseSession, T> create)
        where T : class
    {
        if (m_services.TryGetValue(typeof(T), out var service))
            return (T)service;

        var made = create(this);
        m_services.Add(typeof(T), made);
        if (made is ITransactionCache cache)
            m_caches = [.. m_caches, cache];
        return made;
    }

    /// <summary>Registers a cache that is not a service; it hears of rollbacks until <see cref="Unregister"/>.</summary>
    internal void Register(ITransactionCache cache)
    {
        lock (ConnectionLock)
            m_caches = [.. m_caches, cache];
    }

    /// <summary>Ends the part of a cache that was registered with <see cref="Register"/>.</summary>
    internal void Unregister(ITransactionCache cache)
    {
        lock (ConnectionLock)
            m_caches = [.. m_caches.Where(x => x != cache)];
    }

    /// <summary>
    /// Finalizes the statements that nobody uses: the caller keeps the connection and may close it at any time, or never.
    /// </summary>
    internal void ReleaseStatements()
    {
        lock (ConnectionLock)
            m_statements?.ReleaseIdle();
    }

    /// <summary>
    /// Finalizes all statements and forgets all maps, after the member that another call chain is in. May be called more than once.
    /// </summary>
    public void Dispose()
    {
        lock (ConnectionLock)
        {
            if (m_disposed)
                return;

            m_disposed = true;
            Connection.StateChange -= OnStateChange;
            ReportFigures();
            foreach (var service in m_services.Values)
                (service as IDisposable)?.Dispose();
            m_services.Clear();
            m_caches = [];
            if (m_statements is not null && Connection.State == System.Data.ConnectionState.Open)
                Unwatch();
            m_statements?.Dispose();
        }
    }

    // A connection closed behind the session's back would stay open in the engine as long as statements live.
    private void OnStateChange(object sender, System.Data.StateChangeEventArgs e)
    {
        if (e.CurrentState == System.Data.ConnectionState.Closed)
            Dispose();
    }
}

/// <summary>In-memory answers that rest on rows of the open transaction.</summary>
internal interface ITransactionCache
{
    /// <summary>Forgets every answer that rests on uncommitted rows. Called after a rollback, with the connection lock held.</summary>
    void Discard();
}
