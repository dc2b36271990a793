// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Data;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database;

/// <summary>Short forms for commands and readers, of SQLite (asynchronous) and of any provider (synchronous).</summary>
/// <remarks>
/// Calls that take a token run on the calling thread and return a completed task; a cancelled token interrupts the running statement and
/// surfaces as <see cref="OperationCanceledException"/>. A command belongs to one call chain at a time.
/// </remarks>
public static partial class ExtensionMethods
{
    private const long DEFAULT_SCALAR = -1;

    /// <summary>A column as a number.</summary>
    /// <param name="reader">A reader on a row.</param>
    /// <param name="index">The column, from 0.</param>
    /// <param name="defaultvalue">Stands for NULL and for anything that cannot be read.</param>
    /// <returns>The number.</returns>
    public static long ConvertValueToInt64(this SqliteDataReader reader, int index, long defaultvalue = -1) =>
        ((IDataReader)reader).ConvertValueToInt64(index, defaultvalue);

    /// <summary>A column as text.</summary>
    /// <param name="reader">A reader on a row.</param>
    /// <param name="index">The column, from 0.</param>
    /// <returns>The text of the value; null for NULL.</returns>
    public static string? ConvertValueToString(this SqliteDataReader reader, int index) =>
        ((IDataReader)reader).ConvertValueToString(index);

    /// <summary>A prepared command; its transaction is the connection's present one.</summary>
    /// <param name="self">The connection.</param>
    /// <param name="cmdtext">The statement. Its tables must exist; its parameters are added without values.</param>
    /// <returns>The command.</returns>
    /// <exception cref="SqliteException">The statement cannot be prepared.</exception>
    public static SqliteCommand CreateCommand(this SqliteConnection self, string cmdtext)
    {
        var command = self.CreateCommand();
        try
        {
            command.SetCommandAndParameters(cmdtext).Prepare();
            return command;
        }
        catch
        {
            command.Dispose();
            throw;
        }
    }

    /// <summary>A prepared command; its transaction is the connection's present one.</summary>
    /// <param name="self">The connection.</param>
    /// <param name="cmdtext">The statement. Its tables must exist; its parameters are added without values.</param>
    /// <param name="cancellationToken">Looked at before the statement is prepared.</param>
    /// <returns>The command.</returns>
    /// <exception cref="SqliteException">The statement cannot be prepared.</exception>
    public static Task<SqliteCommand> CreateCommandAsync(this SqliteConnection self, string cmdtext, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
            return Task.FromCanceled<SqliteCommand>(cancellationToken);
        try
        {
            return Task.FromResult(self.CreateCommand(cmdtext));
        }
        catch (Exception ex)
        {
            return Task.FromException<SqliteCommand>(ex);
        }
    }

    /// <summary>An empty command in a transaction.</summary>
    /// <param name="self">The connection.</param>
    /// <param name="transaction">The transaction.</param>
    /// <returns>The command.</returns>
    public static SqliteCommand CreateCommand(this SqliteConnection self, SqliteTransaction transaction) =>
        self.CreateCommand().SetTransaction(transaction);

    /// <summary>Sets the text of a command and adds its parameters, without values; earlier parameters are removed.</summary>
    /// <param name="cmd">The command.</param>
    /// <param name="cmdtext">The statement; every distinct <c>@word</c> in it becomes a parameter.</param>
    /// <returns>The command.</returns>
    public static SqliteCommand SetCommandAndParameters(this SqliteCommand cmd, string cmdtext)
    {
        ((IDbCommand)cmd).SetCommandAndParameters(cmdtext);
        return cmd;
    }

    /// <summary>Gives a parameter its value.</summary>
    /// <param name="self">The command.</param>
    /// <param name="name">The parameter; it must be there.</param>
    /// <param name="value">The value; null becomes NULL, an enum its number.</param>
    /// <returns>The command.</returns>
    public static SqliteCommand SetParameterValue(this SqliteCommand self, string name, object? value)
    {
        ((IDbCommand)self).SetParameterValue(name, value);
        return self;
    }

    /// <summary>Gives a parameter a time, as epoch seconds.</summary>
    /// <param name="self">The command.</param>
    /// <param name="name">The parameter; it must be there.</param>
    /// <param name="value">The time, local or UTC.</param>
    /// <returns>The command.</returns>
    public static SqliteCommand SetParameterValue(this SqliteCommand self, string name, DateTime value)
    {
        self.Parameters[name].Value = Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(value);
        return self;
    }

    /// <summary>Gives several parameters their values.</summary>
    /// <param name="self">The command.</param>
    /// <param name="values">Values by parameter; every parameter must be there.</param>
    /// <returns>The command.</returns>
    public static SqliteCommand SetParameterValues(this SqliteCommand self, Dictionary<string, object?> values)
    {
        ((IDbCommand)self).SetParameterValues(values);
        return self;
    }

    /// <summary>Binds a command to a transaction.</summary>
    /// <param name="self">The command.</param>
    /// <param name="transaction">The transaction.</param>
    /// <returns>The command.</returns>
    public static SqliteCommand SetTransaction(this SqliteCommand self, SqliteTransaction transaction)
    {
        self.Transaction = transaction;
        return self;
    }

    /// <summary>Adds a parameter.</summary>
    /// <param name="self">The command.</param>
    /// <param name="name">The name with its <c>@</c>.</param>
    /// <param name="value">The value; null leaves the parameter without one, which is not NULL.</param>
    /// <returns>The command.</returns>
    public static SqliteCommand AddNamedParameter(this SqliteCommand self, string name, object? value = null)
    {
        ((IDbCommand)self).AddNamedParameter(name, value);
        return self;
    }
}
