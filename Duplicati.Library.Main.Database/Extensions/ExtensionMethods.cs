// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Data;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Utility;
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

    /// <summary>Replaces a parameter by one parameter for each value of a list, for use inside <c>IN ( )</c>.</summary>
    /// <typeparam name="T">The type of the values.</typeparam>
    /// <param name="cmd">The command.</param>
    /// <param name="originalParamName">The parameter with its <c>@</c>. It is replaced as plain text, so no other name may begin with
    /// it.</param>
    /// <param name="values">The values; none gives an empty list, which no value is in.</param>
    /// <returns>The command.</returns>
    /// <exception cref="ArgumentException">The name lacks its <c>@</c>.</exception>
    public static SqliteCommand ExpandInClauseParameterMssqlite<T>(this SqliteCommand cmd, string originalParamName, IEnumerable<T> values)
    {
        ((IDbCommand)cmd).ExpandInClauseParameter(originalParamName, values);
        return cmd;
    }

    /// <summary>Replaces a parameter by one parameter for each value of a list, for use inside <c>IN ( )</c>.</summary>
    /// <typeparam name="TValue">The type of the values.</typeparam>
    /// <param name="cmd">The command.</param>
    /// <param name="originalParamName">The parameter with its <c>@</c>. It is replaced as plain text, so no other name may begin with
    /// it.</param>
    /// <param name="values">The values; none gives an empty list, which no value is in.</param>
    /// <returns>The command.</returns>
    /// <exception cref="ArgumentException">The name lacks its <c>@</c>.</exception>
    public static IDbCommand ExpandInClauseParameter<TValue>(this IDbCommand cmd, string originalParamName, IEnumerable<TValue> values)
    {
        var items = values.ToArray();
        var names = CommandText.ItemNames(originalParamName, items.Length);
        cmd.CommandText = CommandText.ReplaceParameter(cmd.CommandText, originalParamName, string.Join(", ", names));
        if (cmd.Parameters.Contains(originalParamName))
            cmd.Parameters.RemoveAt(originalParamName);
        for (var i = 0; i < items.Length; i++)
            cmd.AddNamedParameter(names[i], items[i] as object ?? DBNull.Value);
        return cmd;
    }

    /// <summary>An empty command in the current transaction of a database object.</summary>
    /// <param name="self">The connection.</param>
    /// <param name="rtr">The transaction.</param>
    /// <returns>The command.</returns>
    internal static SqliteCommand CreateCommand(this SqliteConnection self, ReusableTransaction rtr) =>
        self.CreateCommand().SetTransaction(rtr);

    /// <summary>Binds a command to the current transaction of a database object, which is another one after every commit.</summary>
    /// <param name="self">The command.</param>
    /// <param name="rtr">The transaction.</param>
    /// <returns>The command.</returns>
    internal static SqliteCommand SetTransaction(this SqliteCommand self, ReusableTransaction rtr)
    {
        // A cancelled write makes the engine roll back. What follows must not run outside any transaction; the next member says it.
        lock (rtr.Session.ConnectionLock)
            rtr.Session.RecoverForCommand();
        return self.SetTransaction(rtr.Transaction);
    }

    /// <summary>Replaces a parameter by a list of values, or by a look-up in the list's temporary table.</summary>
    /// <param name="cmd">The command.</param>
    /// <param name="originalParamName">The parameter with its <c>@</c>. It is replaced as plain text, so no other name may begin with
    /// it.</param>
    /// <param name="values">The list; it must live until the command has run.</param>
    /// <param name="cancellationToken">Cancels.</param>
    /// <returns>The command.</returns>
    internal static async Task<SqliteCommand> ExpandInClauseParameterMssqliteAsync(
        this SqliteCommand cmd,
        string originalParamName,
        TemporaryDbValueList values,
        CancellationToken cancellationToken
    )
    {
        if (!values.IsTableCreated)
            return cmd.ExpandInClauseParameterMssqlite(originalParamName, values.Values);
        var table = await values.GetInClauseAsync(cancellationToken).ConfigureAwait(false);
        cmd.CommandText = CommandText.ReplaceParameter(cmd.CommandText, originalParamName, table);
        return cmd;
    }

    /// <summary>Replaces a parameter by a list of values, or by a look-up in the list's temporary table.</summary>
    /// <param name="cmd">The command.</param>
    /// <param name="originalParamName">The parameter with its <c>@</c>. It is replaced as plain text, so no other name may begin with
    /// it.</param>
    /// <param name="values">The list; it must live until the command has run.</param>
    /// <returns>The command.</returns>
    internal static IDbCommand ExpandInClauseParameter(this IDbCommand cmd, string originalParamName, TemporaryDbValueList values)
    {
        if (!values.IsTableCreated)
            return cmd.ExpandInClauseParameter(originalParamName, values.Values);
        cmd.CommandText = CommandText.ReplaceParameter(
            cmd.CommandText,
            originalParamName,
            values.GetInClauseAsync(CancellationToken.None).Await()
        );
        return cmd;
    }
}
