// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>Makes a cancelled token stop the statement that is running on a connection.</summary>
/// <remarks>
/// An interrupt only reaches a statement that has begun: one that comes a moment too early, or between two statements of one call, is
/// lost. So it is repeated until the call is over; and none is sent afterwards, because it would hit the next statement of the connection.
/// A loop of many short statements might go on for seconds without one being hit, so that those of a cache do not begin at all meanwhile.
/// </remarks>
internal sealed class CommandInterrupt : IDisposable
{
    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(20);

    private readonly Lock m_lock = new();
    private readonly SqliteConnection m_connection;
    private readonly StatementCache? m_statements;
    private readonly bool m_mayStop;
    private CancellationTokenRegistration m_registration;
    private Timer? m_timer;
    private bool m_over;

    private CommandInterrupt(SqliteConnection connection, StatementCache? statements, bool mayStop) =>
        (m_connection, m_statements, m_mayStop) = (connection, statements, mayStop);

    /// <summary>Watches a token for the duration of a call.</summary>
    /// <param name="connection">The connection the call runs on.</param>
    /// <param name="token">Interrupts when it is cancelled.</param>
    /// <param name="statements">Statements of the call that are not to begin any more then.</param>
    /// <param name="ownReaders">Number of open readers that belong to the call. While another one is open, a statement that runs is left to
    /// its end.</param>
    /// <returns>Ends the watch when disposed; null if the token can never be cancelled.</returns>
    /// <exception cref="OperationCanceledException">It is cancelled already: an interrupt would only hit other statements of the
    /// connection.</exception>
    internal static CommandInterrupt? Start(
        SqliteConnection? connection,
        CancellationToken token,
        StatementCache? statements = null,
        int ownReaders = 0
    )
    {
        if (!token.CanBeCanceled || connection?.Handle is not { } handle)
            return null;
        token.ThrowIfCancellationRequested();
        // An interrupt stays in force until no statement of the connection is open: it would stop what others run beside the reader.
        var mayStop = LockWait.OpenReaders(handle.DangerousGetHandle()) <= ownReaders;
        var interrupt = new CommandInterrupt(connection, statements, mayStop);
        interrupt.m_registration = token.UnsafeRegister(static x => ((CommandInterrupt)x!).Begin(), interrupt);
        return interrupt;
    }

    /// <summary>
    /// Whether an error means that a cancelled token has stopped the statement; then no further interrupt is sent. To be asked in an
    /// exception filter, which runs before what the call has to clean up, so that the cleaning up is not interrupted too.
    /// </summary>
    /// <param name="interrupt">The watch of the call.</param>
    /// <param name="error">The engine's error.</param>
    /// <param name="token">The token of the call.</param>
    /// <returns>True if the call is to end with <see cref="OperationCanceledException"/>.</returns>
    internal static bool EndsCall(CommandInterrupt? interrupt, SqliteException error, CancellationToken token)
    {
        if (error.SqliteErrorCode != ResultCode.Interrupt || !token.IsCancellationRequested)
            return false;
        interrupt?.Stop();
        return true;
    }

    /// <summary>
    /// To be asked in the filter for all other errors, likewise before what the call has to clean up: no further interrupt is sent.
    /// </summary>
    /// <param name="interrupt">The watch of the call.</param>
    /// <returns>True.</returns>
    internal static bool EndsCall(CommandInterrupt? interrupt)
    {
        interrupt?.Stop();
        return true;
    }

    public void Dispose()
    {
        Stop();
        m_registration.Dispose();
    }

    private void Begin()
    {
        lock (m_lock)
        {
            if (m_over)
                return;
            m_timer = new Timer(static x => ((CommandInterrupt)x!).Send(), this, s_period, s_period);
        }
        Send();
    }

    private void Stop()
    {
        lock (m_lock)
        {
            m_over = true;
            m_timer?.Dispose();
            LetBegin(true);
        }
    }

    private void Send()
    {
        lock (m_lock)
        {
            if (m_over)
                return;
            LetBegin(false);
            if (m_mayStop)
                EngineControl.Interrupt(m_connection);
        }
    }

    private void LetBegin(bool may)
    {
        if (m_statements is not null)
            m_statements.IsInterrupted = !may;
    }
}
