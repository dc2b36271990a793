// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Session;

/// <summary>
/// Others on the same connection: callers with their own commands, and child objects. Whatever they run sees what members have
/// accepted, and what they change is noticed, however they came by the connection.
/// </summary>
internal sealed partial class DatabaseSession
{
    private Exception? m_lost;

    // A rollback that nobody has been told of, and that a new transaction has come after.
    private Exception? m_untold;
    private Exception? m_watchError;
    private long m_externalAccesses;
    private long m_externalWrites;
    private volatile bool m_endedByStatement;

    /// <summary>
    /// Number of times the caller was handed the raw connection, or changed something with it: rows may have changed without the session's
    /// knowledge since an earlier value.
    /// </summary>
    internal long ExternalAccessCount => Volatile.Read(ref m_externalAccesses);

    /// <summary>
    /// Number of statements that were not the session's own and could change rows, tables or the course of the transaction.
    /// </summary>
    internal long ExternalWriteCount => Volatile.Read(ref m_externalWrites);

    /// <summary>
    /// A command that is not the session's own is about to run on a connection: see <see cref="HandOut"/>. About 20 ns without a session.
    /// </summary>
    internal static void BeforeExternalCommand(System.Data.IDbConnection? connection)
    {
        if (connection is SqliteConnection sqlite && s_sessions.TryGetValue(sqlite, out var session))
            session.HandOut();
    }

    /// <summary>
    /// Raised when somebody else is about to work with the tables: the raw connection is handed out, or a child object is made.
    /// Who relies on knowing all rows, or on missing indexes, ends that here.
    /// </summary>
    internal event Action? ExternalUse;

    /// <summary>Raises <see cref="ExternalUse"/>.</summary>
    internal void AnnounceExternalUse()
    {
        lock (ConnectionLock)
            ExternalUse?.Invoke();
    }

    /// <summary>
    /// Raised, with the connection lock, when a member has removed versions or contents: their ids may be given again.
    /// </summary>
    internal event Action? ContentsRemoved;

    /// <summary>How often <see cref="ContentsRemoved"/> was raised.</summary>
    internal long RemovalCount { get; private set; }

    /// <summary>Raises <see cref="ContentsRemoved"/>.</summary>
    internal void AnnounceRemoval()
    {
        RemovalCount++;
        ContentsRemoved?.Invoke();
    }

    /// <summary>The caller is about to use the connection by itself: it must see all rows, and may change any.</summary>
    internal SqliteConnection HandOut()
    {
        lock (ConnectionLock)
        {
            ExternalUse?.Invoke();
            if (Connection.State == System.Data.ConnectionState.Open && !m_disposed)
            {
                BeginReading();
                // Outside a transaction the row would be durable alone.
                if (m_statements is { IsAutoCommit: false })
                    RecordOperationIfCurrent();
            }

            Interlocked.Increment(ref m_externalAccesses);
        }

        return Connection;
    }

    // Whatever is run on the connection, by whomever and on objects fetched whenever, must see what members have accepted, and what
    // it changes must be noticed. The engine calls this before such a statement runs; own work holds the connection lock and is not told.
    private void OnExternalStatement(StatementKind kind)
    {
        if (kind != StatementKind.Asks)
        {
            Interlocked.Increment(ref m_externalAccesses);
            Interlocked.Increment(ref m_externalWrites);
            m_statements?.TransactionEnded();
            m_endedByStatement |= kind is StatementKind.Commits or StatementKind.RollsBack;
        }
        else
        {
            TellMore();
        }

        // Another call chain is inside a member: which of the two comes first is open anyway, and waiting for it could wait for ever.
        if (!Monitor.TryEnter(ConnectionLock))
            return;

        try
        {
            Prepare(kind);
        }
        catch (Exception ex)
        {
            Refuse(ex);
        }
        finally
        {
            Monitor.Exit(ConnectionLock);
        }
    }

    private void Prepare(StatementKind kind)
    {
        // Outside a transaction every row would be durable alone.
        if (m_disposed || Statements.IsAutoCommit)
            return;

        // What was ended by an earlier statement has been begun again.
        m_endedByStatement = kind == StatementKind.Commits;
        if (kind == StatementKind.RollsBack)
        {
            RolledBack();
            m_endedByStatement = true;
            return;
        }

        ExternalUse?.Invoke();
        RecordOperationIfCurrent();
        if (kind == StatementKind.Commits)
        {
            TransactionCount++;
            ForgetTold();
            Operation?.Committed();
        }
    }

    // Nothing can be thrown through the engine: the statement fails as interrupted. If the transaction went with it, the next member
    // says so, and why.
    private void Refuse(Exception error)
    {
        m_lost = error;
        EngineControl.Interrupt(Connection);
    }

    // The watch itself has failed, on any thread: the next member says so.
    private void OnWatchFailed(Exception error) => Interlocked.CompareExchange(ref m_watchError, error, null);

    private void ThrowIfWatchFailed()
    {
        if (Volatile.Read(ref m_watchError) is not null && Interlocked.Exchange(ref m_watchError, null) is { } error)
            throw error;
    }

    private void Watch()
    {
        var watch = StatementWatch.Of(Connection);
        watch.OwnersLock = ConnectionLock;
        watch.OwnersStatements = m_statements;
        watch.Failed = OnWatchFailed;
        watch.Starting = OnExternalStatement;
    }

    // Another session may watch the connection by now.
    private void Unwatch()
    {
        var watch = StatementWatch.Of(Connection);
        if (watch.Starting == OnExternalStatement)
            watch.Starting = null;
    }
}
