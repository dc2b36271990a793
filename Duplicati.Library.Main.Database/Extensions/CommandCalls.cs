// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Data;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database;

/// <summary>Runs commands with profiling, slow query monitoring and cancellation.</summary>
/// <remarks>
/// The provider works on the calling thread in any case, so a call runs there and its task is complete when it is returned.
/// </remarks>
internal static class CommandCalls
{
    /// <summary>Runs a call on a command.</summary>
    /// <typeparam name="T">Its result.</typeparam>
    /// <param name="command">The command.</param>
    /// <param name="operation">The name of the call, for messages.</param>
    /// <param name="writeLog">Write the profiling messages.</param>
    /// <param name="call">The call.</param>
    /// <param name="token">Interrupts the statement.</param>
    /// <returns>A completed task.</returns>
    internal static Task<T> RunAsync<T>(
        SqliteCommand command,
        string operation,
        bool writeLog,
        Func<SqliteCommand, T> call,
        CancellationToken token
    )
    {
        try
        {
            return Task.FromResult(Run(command, operation, writeLog, call, token));
        }
        catch (OperationCanceledException) when (token.IsCancellationRequested)
        {
            return Task.FromCanceled<T>(token);
        }
        catch (Exception ex)
        {
            return Task.FromException<T>(ex);
        }
    }

    /// <summary>Runs a call straight on the provider: no messages, no monitor, no interrupt.</summary>
    /// <typeparam name="T">Its result.</typeparam>
    /// <param name="command">The command.</param>
    /// <param name="call">The call.</param>
    /// <param name="token">Looked at before the call.</param>
    /// <returns>A completed task.</returns>
    internal static Task<T> RunBareAsync<T>(SqliteCommand command, Func<SqliteCommand, T> call, CancellationToken token)
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled<T>(token);
        try
        {
            DatabaseSession.BeforeExternalCommand(command.Connection);
            return Task.FromResult(call(command));
        }
        catch (Exception ex)
        {
            return Task.FromException<T>(ex);
        }
    }

    /// <summary>Runs a call on a command of any provider.</summary>
    /// <typeparam name="T">Its result.</typeparam>
    /// <param name="command">The command.</param>
    /// <param name="operation">The name of the call, for messages.</param>
    /// <param name="writeLog">Write the profiling messages.</param>
    /// <param name="call">The call.</param>
    /// <returns>The result of the call.</returns>
    internal static T Run<T>(IDbCommand command, string operation, bool writeLog, Func<IDbCommand, T> call)
    {
        DatabaseSession.BeforeExternalCommand(command.Connection);
        using var profile = writeLog ? CommandProfile.Start(command, operation) : null;
        using var monitor = SlowQueryMonitor.StartQuery(command, operation);
        return call(command);
    }

    /// <summary>Opens a command without messages.</summary>
    /// <param name="command">The command.</param>
    /// <param name="token">Interrupts the statement until the reader is returned.</param>
    /// <returns>A reader before its first row.</returns>
    internal static SqliteDataReader Open(SqliteCommand command, CancellationToken token)
    {
        using var interrupt = CommandInterrupt.Start(command.Connection, token);
        return OrCanceled(command, static x => x.ExecuteReader(), interrupt, token);
    }

    /// <summary>Moves a reader to its next row.</summary>
    /// <param name="reader">The reader.</param>
    /// <param name="connection">Its connection.</param>
    /// <param name="token">Interrupts the statement until this returns, and not what the consumer of the row runs.</param>
    /// <returns>False after the last row.</returns>
    internal static bool Read(SqliteDataReader reader, SqliteConnection? connection, CancellationToken token)
    {
        bool isRow;
        using (var interrupt = CommandInterrupt.Start(connection, token, ownReaders: 1))
            isRow = OrCanceled(reader, static x => x.Read(), interrupt, token);
        // An interrupt that came just after the row was found is in force as long as the reader is open.
        token.ThrowIfCancellationRequested();
        return isRow;
    }

    /// <summary>A scalar as a number, as SQLite itself would cast it.</summary>
    /// <param name="value">What the provider returned.</param>
    /// <param name="defaultvalue">Stands for NULL and for no row.</param>
    /// <returns>The number.</returns>
    internal static long ToInt64(object? value, long defaultvalue) =>
        value switch
        {
            long number => number,
            null or DBNull => defaultvalue,
            double real => (long)real,
            _ => Convert.ToInt64(value, CultureInfo.InvariantCulture),
        };

    private static T Run<T>(SqliteCommand command, string operation, bool writeLog, Func<SqliteCommand, T> call, CancellationToken token)
    {
        DatabaseSession.BeforeExternalCommand(command.Connection);
        using var profile = writeLog ? CommandProfile.Start(command, operation) : null;
        using var monitor = SlowQueryMonitor.StartQuery(command, operation);
        T result;
        using (var interrupt = CommandInterrupt.Start(command.Connection, token))
            result = OrCanceled(command, call, interrupt, token);
        // An interrupt that came just after the first row was found is in force as long as the reader is open.
        if (result is SqliteDataReader reader && token.IsCancellationRequested)
        {
            reader.Dispose();
            throw new OperationCanceledException(token);
        }

        return result;
    }

    private static TResult OrCanceled<T, TResult>(T target, Func<T, TResult> call, CommandInterrupt? interrupt, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        try
        {
            return call(target);
        }
        catch (SqliteException ex) when (CommandInterrupt.EndsCall(interrupt, ex, token))
        {
            throw new OperationCanceledException(ex.Message, ex, token);
        }
    }
}
