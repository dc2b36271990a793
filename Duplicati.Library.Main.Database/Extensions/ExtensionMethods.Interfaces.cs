// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Data;

namespace Duplicati.Library.Main.Database;

public static partial class ExtensionMethods
{
    /// <summary>A column as text.</summary>
    /// <param name="reader">A reader on a row.</param>
    /// <param name="index">The column, from 0.</param>
    /// <returns>The text of the value; null for NULL.</returns>
    public static string? ConvertValueToString(this IDataReader reader, int index) =>
        reader.GetValue(index) is { } value and not DBNull ? value.ToString() : null;

    /// <summary>A column as a number.</summary>
    /// <param name="reader">A reader on a row.</param>
    /// <param name="index">The column, from 0.</param>
    /// <param name="defaultvalue">Stands for NULL and for anything that cannot be read.</param>
    /// <returns>The number.</returns>
    public static long ConvertValueToInt64(this IDataReader reader, int index, long defaultvalue = -1)
    {
        try
        {
            return reader.IsDBNull(index) ? defaultvalue : reader.GetInt64(index);
        }
        catch (Exception)
        {
            return defaultvalue;
        }
    }

    /// <summary>A command in a transaction.</summary>
    /// <param name="self">The connection.</param>
    /// <param name="transaction">The transaction, or null.</param>
    /// <param name="cmdtext">The statement, or null for an empty command.</param>
    /// <returns>The command.</returns>
    public static IDbCommand CreateCommand(this IDbConnection self, IDbTransaction? transaction, string? cmdtext = null)
    {
        var command = self.CreateCommand();
        command.Transaction = transaction;
        return cmdtext == null ? command : command.SetCommandAndParameters(cmdtext);
    }

    /// <summary>A command with a text and its parameters, without values.</summary>
    /// <param name="self">The connection.</param>
    /// <param name="cmdtext">The statement.</param>
    /// <returns>The command.</returns>
    public static IDbCommand CreateCommand(this IDbConnection self, string cmdtext) =>
        self.CreateCommand().SetCommandAndParameters(cmdtext);

    /// <summary>Sets transaction and text of a command and adds its parameters, without values; earlier parameters are removed.</summary>
    /// <param name="cmd">The command.</param>
    /// <param name="transaction">The transaction.</param>
    /// <param name="cmdtext">The statement; every distinct <c>@word</c> in it becomes a parameter.</param>
    /// <returns>The command.</returns>
    public static IDbCommand SetCommandAndParameters(this IDbCommand cmd, IDbTransaction transaction, string cmdtext)
    {
        cmd.Transaction = transaction;
        return cmd.SetCommandAndParameters(cmdtext);
    }

    /// <summary>Sets the text of a command and adds its parameters, without values; earlier parameters are removed.</summary>
    /// <param name="cmd">The command.</param>
    /// <param name="cmdtext">The statement; every distinct <c>@word</c> in it becomes a parameter.</param>
    /// <returns>The command.</returns>
    public static IDbCommand SetCommandAndParameters(this IDbCommand cmd, string cmdtext)
    {
        cmd.CommandText = cmdtext;
        cmd.Parameters.Clear();
        foreach (var name in CommandText.ParameterNames(cmdtext))
            cmd.AddNamedParameter(name);
        return cmd;
    }

    /// <summary>Adds a parameter.</summary>
    /// <param name="self">The command.</param>
    /// <param name="name">The name with its <c>@</c>.</param>
    /// <param name="value">The value; null leaves the parameter without one, which is not NULL.</param>
    /// <returns>The command.</returns>
    public static IDbCommand AddNamedParameter(this IDbCommand self, string name, object? value = null)
    {
        var parameter = self.CreateParameter();
        parameter.ParameterName = name;
        if (value != null)
            parameter.Value = value;
        self.Parameters.Add(parameter);
        return self;
    }

    /// <summary>Gives several parameters their values.</summary>
    /// <typeparam name="T">The type of the command.</typeparam>
    /// <param name="self">The command.</param>
    /// <param name="values">Values by parameter; every parameter must be there.</param>
    /// <returns>The command.</returns>
    public static T SetParameterValues<T>(this T self, Dictionary<string, object?> values)
        where T : IDbCommand
    {
        foreach (var (name, value) in values)
            self.SetParameterValue(name, value);
        return self;
    }

    /// <summary>Gives a parameter its value; a time is stored as the provider stores times, not as epoch seconds.</summary>
    /// <typeparam name="T">The type of the command.</typeparam>
    /// <param name="self">The command.</param>
    /// <param name="name">The parameter; it must be there.</param>
    /// <param name="value">The value; null becomes NULL, an enum its number.</param>
    /// <returns>The command.</returns>
    public static T SetParameterValue<T>(this T self, string name, object? value)
        where T : IDbCommand
    {
        RejectList(name, value);
        ((IDataParameter)self.Parameters[name]!).Value = value ?? DBNull.Value;
        return self;
    }

    /// <summary>The text of a command with the values in place of the parameters. For logs only: nothing is escaped.</summary>
    /// <param name="self">The command.</param>
    /// <returns>The text.</returns>
    public static string GetPrintableCommandText(this IDbCommand self) => CommandText.Printable(self);

    [System.Diagnostics.Conditional("DEBUG")]
    private static void RejectList(string name, object? value)
    {
        if (value is System.Collections.IEnumerable and not string and not byte[])
            throw new ArgumentException($"{name} takes one value, not a list", nameof(value));
    }
}
