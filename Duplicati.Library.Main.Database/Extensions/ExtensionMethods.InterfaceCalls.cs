// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Data;

namespace Duplicati.Library.Main.Database;

public static partial class ExtensionMethods
{
    /// <summary>Runs the command as it is.</summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages.</param>
    /// <returns>The provider's count of changed rows.</returns>
    public static int ExecuteNonQuery(this IDbCommand self, bool writeLog) => self.ExecuteNonQuery(writeLog, null);

    /// <summary>Runs a statement and writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="cmd">The statement.</param>
    /// <returns>The provider's count of changed rows.</returns>
    public static int ExecuteNonQuery(this IDbCommand self, string cmd) => self.ExecuteNonQuery(true, cmd);

    /// <summary>Runs a statement with values and writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="cmd">The statement.</param>
    /// <param name="values">Values by parameter.</param>
    /// <returns>The provider's count of changed rows.</returns>
    public static int ExecuteNonQuery(this IDbCommand self, string cmd, Dictionary<string, object?> values) =>
        self.ExecuteNonQuery(true, cmd, values);

    /// <summary>Runs a statement with values.</summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages.</param>
    /// <param name="cmd">The statement; null runs the text the command has.</param>
    /// <param name="values">Values by parameter.</param>
    /// <returns>The provider's count of changed rows.</returns>
    public static int ExecuteNonQuery(this IDbCommand self, bool writeLog, string? cmd, Dictionary<string, object?> values) =>
        CommandCalls.Run(With(self, cmd, values), nameof(ExecuteNonQuery), writeLog, static x => x.ExecuteNonQuery());

    /// <summary>Runs a statement.</summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages.</param>
    /// <param name="cmd">The statement; null runs the text the command has.</param>
    /// <returns>The provider's count of changed rows.</returns>
    public static int ExecuteNonQuery(this IDbCommand self, bool writeLog, string? cmd) =>
        CommandCalls.Run(With(self, cmd, null), nameof(ExecuteNonQuery), writeLog, static x => x.ExecuteNonQuery());

    /// <summary>Runs the command as it is in a transaction and writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="transaction">The transaction, or null.</param>
    /// <returns>The provider's count of changed rows.</returns>
    public static int ExecuteNonQuery(this IDbCommand self, IDbTransaction? transaction)
    {
        self.Transaction = transaction;
        return self.ExecuteNonQuery(true, null);
    }

    /// <summary>Runs a query for one value and writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="cmd">The query.</param>
    /// <returns>The first column of the first row; null without a row, <see cref="DBNull"/> for NULL.</returns>
    public static object? ExecuteScalar(this IDbCommand self, string cmd) => self.ExecuteScalar(true, cmd);

    /// <summary>Runs a query for one value.</summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages.</param>
    /// <param name="cmd">The query; null runs the text the command has.</param>
    /// <returns>The first column of the first row; null without a row, <see cref="DBNull"/> for NULL.</returns>
    public static object? ExecuteScalar(this IDbCommand self, bool writeLog, string? cmd) =>
        CommandCalls.Run(With(self, cmd, null), nameof(ExecuteScalar), writeLog, static x => x.ExecuteScalar());

    /// <summary>Runs the command as it is, for one number.</summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages.</param>
    /// <param name="defaultvalue">Stands for NULL and for no row.</param>
    /// <returns>The first column of the first row.</returns>
    public static long ExecuteScalarInt64(this IDbCommand self, bool writeLog, long defaultvalue = -1) =>
        self.ExecuteScalarInt64(writeLog, null, defaultvalue);

    /// <summary>Runs the command as it is, for one number, and writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="defaultvalue">Stands for NULL and for no row.</param>
    /// <returns>The first column of the first row.</returns>
    public static long ExecuteScalarInt64(this IDbCommand self, long defaultvalue = -1) =>
        self.ExecuteScalarInt64(true, null, defaultvalue);

    /// <summary>Runs the command as it is in a transaction, for one number, and writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="transaction">The transaction, or null.</param>
    /// <param name="defaultvalue">Stands for NULL and for no row.</param>
    /// <returns>The first column of the first row.</returns>
    public static long ExecuteScalarInt64(this IDbCommand self, IDbTransaction? transaction, long defaultvalue = -1)
    {
        self.Transaction = transaction;
        return self.ExecuteScalarInt64(true, null, defaultvalue);
    }

    /// <summary>Runs a query for one number and writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="cmd">The query; null runs the text the command has.</param>
    /// <param name="defaultvalue">Stands for NULL and for no row.</param>
    /// <returns>The first column of the first row.</returns>
    public static long ExecuteScalarInt64(this IDbCommand self, string? cmd, long defaultvalue = -1) =>
        self.ExecuteScalarInt64(true, cmd, defaultvalue);

    /// <summary>Runs a query for one number.</summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages.</param>
    /// <param name="cmd">The query; null runs the text the command has.</param>
    /// <param name="defaultvalue">Stands for NULL and for no row.</param>
    /// <returns>The first column of the first row.</returns>
    public static long ExecuteScalarInt64(this IDbCommand self, bool writeLog, string? cmd, long defaultvalue) =>
        CommandCalls.Run(
            With(self, cmd, null),
            nameof(ExecuteScalarInt64),
            writeLog,
            x => CommandCalls.ToInt64(x.ExecuteScalar(), defaultvalue)
        );

    /// <summary>Opens a query with values and writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="cmd">The query.</param>
    /// <param name="values">Values by parameter, or null.</param>
    /// <returns>A reader before its first row.</returns>
    public static IDataReader ExecuteReader(this IDbCommand self, string cmd, Dictionary<string, object?>? values) =>
        self.ExecuteReader(true, cmd, values);

    /// <summary>Opens a query and writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="cmd">The query.</param>
    /// <returns>A reader before its first row.</returns>
    public static IDataReader ExecuteReader(this IDbCommand self, string cmd) => self.ExecuteReader(true, cmd, null);

    /// <summary>Opens a query.</summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages.</param>
    /// <param name="cmd">The query; null runs the text the command has.</param>
    /// <returns>A reader before its first row.</returns>
    public static IDataReader ExecuteReader(this IDbCommand self, bool writeLog, string? cmd) => self.ExecuteReader(writeLog, cmd, null);

    /// <summary>Opens a query with values.</summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages.</param>
    /// <param name="cmd">The query; null runs the text the command has.</param>
    /// <param name="values">Values by parameter, or null.</param>
    /// <returns>A reader before its first row.</returns>
    public static IDataReader ExecuteReader(this IDbCommand self, bool writeLog, string? cmd, Dictionary<string, object?>? values) =>
        CommandCalls.Run(With(self, cmd, values), nameof(ExecuteReader), writeLog, static x => x.ExecuteReader());

    /// <summary>The rows of a query. Nothing happens before the first row is asked for.</summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages.</param>
    /// <param name="cmd">The query; null runs the text the command has.</param>
    /// <returns>The same reader once a row; it is disposed at the end.</returns>
    public static IEnumerable<IDataReader> ExecuteReaderEnumerable(this IDbCommand self, bool writeLog, string? cmd)
    {
        using var reader = self.ExecuteReader(writeLog, cmd);
        while (reader.Read())
            yield return reader;
    }

    /// <summary>The rows of a query; writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="cmd">The query.</param>
    /// <returns>The same reader once a row; it is disposed at the end.</returns>
    public static IEnumerable<IDataReader> ExecuteReaderEnumerable(this IDbCommand self, string cmd) =>
        self.ExecuteReaderEnumerable(true, cmd);

    /// <summary>The rows of the command as it is; writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <returns>The same reader once a row; it is disposed at the end.</returns>
    public static IEnumerable<IDataReader> ExecuteReaderEnumerable(this IDbCommand self) => self.ExecuteReaderEnumerable(true, null);

    /// <summary>A command with its text and values, where they are given.</summary>
    private static T With<T>(T command, string? text, Dictionary<string, object?>? values)
        where T : IDbCommand
    {
        if (text != null)
            command.SetCommandAndParameters(text);
        if (values != null)
            command.SetParameterValues(values);
        return command;
    }
}
