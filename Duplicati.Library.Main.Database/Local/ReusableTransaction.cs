// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Diagnostics;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database;

/// <summary>
/// The one open transaction of a database object and its children. Committing or rolling back ends the provider's transaction
/// and, unless told otherwise, begins the next one, so the instance behind <see cref="Transaction"/> changes each time.
/// </summary>
/// <remarks>Not thread-safe.</remarks>
internal class ReusableTransaction : IDisposable, IAsyncDisposable
{
    private const string CommitName = "COMMIT";

    private static readonly string LOGTAG = Log.LogTagFromType<ReusableTransaction>();

    private readonly SqliteConnection m_connection;
    private SqliteTransaction m_transaction;
    private bool m_disposed;

    /// <summary>Adopts the given transaction, or begins a deferred one.</summary>
    public ReusableTransaction(SqliteConnection con, SqliteTransaction? transaction = null)
        : this(con, DatabaseSession.Of(con), transaction) { }

    /// <summary>A transaction on the connection of a database object, sharing its statements.</summary>
    public ReusableTransaction(LocalDatabase db, SqliteTransaction? transaction = null)
        : this(db.Connection, db.Session, transaction) { }

    private ReusableTransaction(SqliteConnection con, DatabaseSession session, SqliteTransaction? transaction)
    {
        m_connection = con;
        m_transaction = transaction ?? con.BeginTransaction(deferred: true);
        Session = session;
        // Who adopts the transaction of another object is not the one to begin the next.
        if (transaction is null || Session.RestartTransaction is null)
        {
            Session.RestartTransaction = RestartAfterEngineRollback;
            Session.RenewTransaction = RenewSnapshot;
            Session.ThrowIfTransactionEnded = ThrowIfEnded;
        }
    }

    /// <summary>What all database objects on this connection share.</summary>
    internal DatabaseSession Session { get; }

    /// <summary>
    /// The provider's current transaction, for the caller's own commands.
    /// </summary>
    /// <exception cref="InvalidOperationException">The object was disposed, or ended without restart.</exception>
    public SqliteTransaction Transaction
    {
        get
        {
            ThrowIfEnded();
            Session.HandOut();
            return m_transaction;
        }
    }

    /// <summary>True after disposal, or after an end without restart.</summary>
    internal bool HasEnded => m_disposed;

    /// <summary>Commits and begins the next transaction. The token is not observed: a commit is never abandoned half-way.</summary>
    public Task CommitAsync(CancellationToken token) => CommitAsync(null, true, token);

    /// <summary>
    /// Commits, and begins a new deferred transaction or, without <paramref name="restart"/>, ends this object.
    /// </summary>
    /// <remarks>
    /// Without restart, members fail from then on, except <see cref="LocalDatabase.VacuumAsync"/>: they would commit by themselves.
    /// </remarks>
    /// <exception cref="InvalidOperationException">The object was disposed, or ended without restart.</exception>
    public Task CommitAsync(string? message = null, bool restart = true, CancellationToken token = default)
    {
        try
        {
            Commit(message, restart);
            return Task.CompletedTask;
        }
        catch (Exception ex)
        {
            return Task.FromException(ex);
        }
    }

    /// <summary>Rolls back and begins the next transaction.</summary>
    public Task RollBackAsync(CancellationToken token) => RollBackAsync(null, true, token);

    /// <summary>
    /// Rolls back, and begins a new deferred transaction or, without <paramref name="restart"/>, ends this object.
    /// </summary>
    /// <exception cref="InvalidOperationException">The object was disposed, or ended without restart.</exception>
    public Task RollBackAsync(string? message = null, bool restart = true, CancellationToken token = default)
    {
        try
        {
            RollBack(message, restart);
            return Task.CompletedTask;
        }
        catch (Exception ex)
        {
            return Task.FromException(ex);
        }
    }

    /// <summary>Commits synchronously; for code behind the API that holds the connection lock.</summary>
    /// <param name="message">What the profiling message is about.</param>
    /// <param name="restart">Whether the next transaction begins.</param>
    /// <param name="recordOperation">Whether the row of the operation must be in the table afterwards; not where only temporary tables were
    /// written.</param>
    internal void Commit(string? message = null, bool restart = true, bool recordOperation = true)
    {
        lock (Session.ConnectionLock)
        {
            ThrowIfEnded();
            Session.ThrowIfRolledBack();
            var watch = Session.StartWatch(CommitName);
            try
            {
                CommitNow(message, recordOperation);
                watch?.End();
            }
            catch (Exception ex)
            {
                watch?.Fail(ex);
                throw;
            }

            Session.ReportCommit();
            BeginNext(restart);
        }
    }

    private void CommitNow(string? message, bool recordOperation)
    {
        using var timer = new Logging.Timer(LOGTAG, message ?? "Unnamed commit", $"CommitTransaction: {message}");
        RecordOperation(recordOperation && Session.Operation is { IsRecorded: false });
        CommitProvider();
        Session.ForgetTold();
        Session.Committed();
        ProviderTransaction.End(m_transaction);
    }

    // A commit that fails for want of space makes the engine roll back. The first error is the one to be told, and the object stays usable.
    private void CommitProvider()
    {
        try
        {
            ProviderTransaction.Commit(m_transaction);
        }
        catch (SqliteException) when (Session.Statements.IsAutoCommit)
        {
            RestartAfterEngineRollback();
            throw;
        }
    }

    private void RecordOperation(bool isMissing)
    {
        if (!isMissing && !Session.HoldsRows)
            return;

        // While only reading was done, the snapshot may be older than another connection's commit and refuse to be written to. These rows
        // rest on nothing that was read, and the transaction ends with them.
        if (!Session.Statements.HasUncommittedWrites)
        {
            Session.ForgetTold();
            RenewSnapshot();
        }

        if (isMissing)
            Session.Operation!.Flush();
        Session.WriteHeld();
    }

    private void RollBack(string? message, bool restart)
    {
        lock (Session.ConnectionLock)
        {
            ThrowIfEnded();
            using (new Logging.Timer(LOGTAG, message ?? "Unnamed rollback", $"RollbackTransaction: {message}"))
            {
                RollBackProvider();
                Session.RolledBack();
                ProviderTransaction.End(m_transaction);
            }

            Session.ReportRollback();
            BeginNext(restart);
        }
    }

    private void RollBackProvider()
    {
        if (Session.HasEngineRolledBack())
            EndProviderTransaction();
        else
            ProviderTransaction.RollBack(m_transaction);
    }

    private void BeginNext(bool restart)
    {
        if (restart)
            m_transaction = m_connection.BeginTransaction(deferred: true);
        else
            m_disposed = true;
    }

    // Before the first write of a transaction that has only read: another connection has committed meanwhile, be it statistics only, and
    // what was read may not be written to. Nothing is lost by going on with the present content: the session lets only those be renewed
    // that have told their caller nothing else than that, and whoever remembers rows notices the new transaction.
    private bool RenewSnapshot()
    {
        if (m_disposed)
            return false;

        ProviderTransaction.Commit(m_transaction);
        ProviderTransaction.End(m_transaction);
        BeginNext(restart: true);
        Session.Committed();
        return true;
    }

    // The engine has ended the transaction (interrupt, full disk, I/O error); the provider's object only needs to learn it.
    private void RestartAfterEngineRollback()
    {
        if (m_disposed)
            return;

        EndProviderTransaction();
        Session.RolledBack();
        Session.ReportRollback();
        m_transaction = m_connection.BeginTransaction(deferred: true);
    }

    // The engine has ended the transaction. Some versions of the provider know that and end nothing, others would roll back what is gone
    // and fail: an empty transaction satisfies the latter, and is ended here for the former.
    private void EndProviderTransaction()
    {
        Session.Statements.Execute(HousekeepingSql.Begin);
        ProviderTransaction.End(m_transaction);
        if (!Session.Statements.IsAutoCommit)
            Session.Statements.Execute(HousekeepingSql.Rollback);
    }

    private void ThrowIfEnded()
    {
        if (m_disposed)
            throw Ended();
    }

    private static InvalidOperationException Ended() => new("The transaction has been disposed or has ended without restart.");

    // The end without a commit.

    /// <summary>Rolls back what was not committed. May be called more than once.</summary>
    public void Dispose()
    {
        lock (Session.ConnectionLock)
        {
            if (m_disposed)
                return;

            m_disposed = true;
            using (new Logging.Timer(LOGTAG, "Dispose", "Rollback during transaction dispose"))
                RollBackForDispose();
            Session.RolledBack();
            DisposeTransaction();
        }
    }

    /// <summary>Rolls back what was not committed. May be called more than once.</summary>
    public ValueTask DisposeAsync()
    {
        try
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
        catch (Exception ex)
        {
            return ValueTask.FromException(ex);
        }
    }

    private void RollBackForDispose()
    {
        try
        {
            RollBackProvider();
        }
        catch (InvalidOperationException ex)
        {
            Log.WriteWarningMessage(
                LOGTAG,
                "ReusableTransactionAlreadyCompleted",
                ex,
                "The transaction had been completed by someone else"
            );
        }
        catch (Exception ex)
        {
            Log.WriteErrorMessage(LOGTAG, "ReusableTransaction dispose", ex, "Failed to roll back the transaction: {0}", ex.Message);
            throw;
        }
    }

    private void DisposeTransaction()
    {
        try
        {
            ProviderTransaction.End(m_transaction);
        }
        catch (InvalidOperationException ex)
        {
            Log.WriteWarningMessage(LOGTAG, "ReusableTransactionAlreadyDisposed", ex, "The transaction had been disposed by someone else");
        }
    }
}
