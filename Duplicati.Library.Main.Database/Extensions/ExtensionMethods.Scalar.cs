// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database;

public static partial class ExtensionMethods
{
    /// <summary>Runs a query for one value and writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="cmdtext">The query.</param>
    /// <param name="cancellationToken">Interrupts the statement.</param>
    /// <returns>The first column of the first row; null without a row, <see cref="DBNull"/> for NULL.</returns>
    public static Task<object?> ExecuteScalarAsync(this SqliteCommand self, string cmdtext, CancellationToken cancellationToken) =>
        self.ExecuteScalarAsync(true, cmdtext, null, cancellationToken);

    /// <summary>Runs the command as it is, for one value.</summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages.</param>
    /// <param name="cancellationToken">Interrupts the statement.</param>
    /// <returns>The first column of the first row; null without a row, <see cref="DBNull"/> for NULL.</returns>
    public static Task<object?> ExecuteScalarAsync(this SqliteCommand self, bool writeLog, CancellationToken cancellationToken) =>
        self.ExecuteScalarAsync(writeLog, null, null, cancellationToken);

    /// <summary>Runs a query with values for one value and writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="cmdtext">The query.</param>
    /// <param name="values">Values by parameter, or null.</param>
    /// <param name="cancellationToken">Interrupts the statement.</param>
    /// <returns>The first column of the first row; null without a row, <see cref="DBNull"/> for NULL.</returns>
    public static Task<object?> ExecuteScalarAsync(
        this SqliteCommand self,
        string cmdtext,
        Dictionary<string, object?>? values,
        CancellationToken cancellationToken
    ) => self.ExecuteScalarAsync(true, cmdtext, values, cancellationToken);

    /// <summary>Runs a query for one value.</summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages.</param>
    /// <param name="cmd">The query; null runs the text the command has.</param>
    /// <param name="values">Values by parameter, or null.</param>
    /// <param name="cancellationToken">Interrupts the statement.</param>
    /// <returns>The first column of the first row; null without a row, <see cref="DBNull"/> for NULL.</returns>
    public static Task<object?> ExecuteScalarAsync(
        this SqliteCommand self,
        bool writeLog,
        string? cmd,
        Dictionary<string, object?>? values,
        CancellationToken cancellationToken
    ) =>
        CommandCalls.RunAsync(
            With(self, cmd, values),
            nameof(ExecuteScalarAsync),
            writeLog,
            static x => x.ExecuteScalar(),
            cancellationToken
        );

    /// <summary>Runs the command as it is, for one number, and writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="cancellationToken">Interrupts the statement.</param>
    /// <returns>The first column of the first row; -1 for NULL and without a row.</returns>
    public static Task<long> ExecuteScalarInt64Async(this SqliteCommand self, CancellationToken cancellationToken) =>
        self.ExecuteScalarInt64Async(true, null, null, DEFAULT_SCALAR, cancellationToken);

    /// <summary>Runs the command as it is, for one number, and writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="defaultvalue">Stands for NULL and for no row.</param>
    /// <param name="cancellationToken">Interrupts the statement.</param>
    /// <returns>The first column of the first row.</returns>
    public static Task<long> ExecuteScalarInt64Async(this SqliteCommand self, long defaultvalue, CancellationToken cancellationToken) =>
        self.ExecuteScalarInt64Async(true, null, null, defaultvalue, cancellationToken);

    /// <summary>Runs the command as it is, for one number.</summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages.</param>
    /// <param name="cancellationToken">Interrupts the statement.</param>
    /// <returns>The first column of the first row; -1 for NULL and without a row.</returns>
    public static Task<long> ExecuteScalarInt64Async(this SqliteCommand self, bool writeLog, CancellationToken cancellationToken) =>
        self.ExecuteScalarInt64Async(writeLog, null, null, DEFAULT_SCALAR, cancellationToken);

    /// <summary>Runs the command as it is, for one number.</summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages.</param>
    /// <param name="defaultvalue">Stands for NULL and for no row.</param>
    /// <param name="cancellationToken">Interrupts the statement.</param>
    /// <returns>The first column of the first row.</returns>
    public static Task<long> ExecuteScalarInt64Async(
        this SqliteCommand self,
        bool writeLog,
        long defaultvalue,
        CancellationToken cancellationToken
    ) => self.ExecuteScalarInt64Async(writeLog, null, null, defaultvalue, cancellationToken);

    /// <summary>Runs a query for one number and writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="cmd">The query; null runs the text the command has.</param>
    /// <param name="cancellationToken">Interrupts the statement.</param>
    /// <returns>The first column of the first row; -1 for NULL and without a row.</returns>
    public static Task<long> ExecuteScalarInt64Async(this SqliteCommand self, string? cmd, CancellationToken cancellationToken) =>
        self.ExecuteScalarInt64Async(true, cmd, null, DEFAULT_SCALAR, cancellationToken);

    /// <summary>Runs a query for one number and writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="cmd">The query; null runs the text the command has.</param>
    /// <param name="defaultvalue">Stands for NULL and for no row.</param>
    /// <param name="cancellationToken">Interrupts the statement.</param>
    /// <returns>The first column of the first row.</returns>
    public static Task<long> ExecuteScalarInt64Async(
        this SqliteCommand self,
        string? cmd,
        long defaultvalue,
        CancellationToken cancellationToken
    ) => self.ExecuteScalarInt64Async(true, cmd, null, defaultvalue, cancellationToken);

    /// <summary>Runs a query with values for one number and writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="cmd">The query; null runs the text the command has.</param>
    /// <param name="values">Values by parameter, or null.</param>
    /// <param name="cancellationToken">Interrupts the statement.</param>
    /// <returns>The first column of the first row; -1 for NULL and without a row.</returns>
    public static Task<long> ExecuteScalarInt64Async(
        this SqliteCommand self,
        string? cmd,
        Dictionary<string, object?>? values,
        CancellationToken cancellationToken
    ) => self.ExecuteScalarInt64Async(true, cmd, values, DEFAULT_SCALAR, cancellationToken);

    /// <summary>Runs a query with values for one number and writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="cmd">The query; null runs the text the command has.</param>
    /// <param name="values">Values by parameter, or null.</param>
    /// <param name="defaultvalue">Stands for NULL and for no row.</param>
    /// <param name="cancellationToken">Interrupts the statement.</param>
    /// <returns>The first column of the first row.</returns>
    public static Task<long> ExecuteScalarInt64Async(
        this SqliteCommand self,
        string? cmd,
        Dictionary<string, object?>? values,
        long defaultvalue,
        CancellationToken cancellationToken
    ) => self.ExecuteScalarInt64Async(true, cmd, values, defaultvalue, cancellationToken);

    /// <summary>Runs a query for one number.</summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages.</param>
    /// <param name="cmd">The query; null runs the text the command has.</param>
    /// <param name="values">Values by parameter, or null.</param>
    /// <param name="cancellationToken">Interrupts the statement.</param>
    /// <returns>The first column of the first row; -1 for NULL and without a row.</returns>
    public static Task<long> ExecuteScalarInt64Async(
        this SqliteCommand self,
        bool writeLog,
        string? cmd,
        Dictionary<string, object?>? values,
        CancellationToken cancellationToken
    ) => self.ExecuteScalarInt64Async(writeLog, cmd, values, DEFAULT_SCALAR, cancellationToken);

    /// <summary>Runs a query for one number.</summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages.</param>
    /// <param name="cmd">The query; null runs the text the command has.</param>
    /// <param name="values">Values by parameter, or null.</param>
    /// <param name="defaultvalue">Stands for NULL and for no row.</param>
    /// <param name="cancellationToken">Interrupts the statement.</param>
    /// <returns>The first column of the first row.</returns>
    public static Task<long> ExecuteScalarInt64Async(
        this SqliteCommand self,
        bool writeLog,
        string? cmd,
        Dictionary<string, object?>? values,
        long defaultvalue,
        CancellationToken cancellationToken
    ) =>
        CommandCalls.RunAsync(
            With(self, cmd, values),
            nameof(ExecuteScalarInt64Async),
            writeLog,
            x => CommandCalls.ToInt64(x.ExecuteScalar(), defaultvalue),
            cancellationToken
        );

    /// <summary>
    /// Runs the command as it is, for one number; without messages it goes straight to the provider, so a token that is cancelled later
    /// does not interrupt it.
    /// </summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages, watch the statement and let the token interrupt it.</param>
    /// <param name="cancellationToken">Looked at before the statement.</param>
    /// <returns>The first column of the first row; -1 for NULL and without a row.</returns>
    public static Task<long> ExecuteScalarInt64PerformanceSensitiveAsync(
        this SqliteCommand self,
        bool writeLog,
        CancellationToken cancellationToken
    ) =>
        writeLog
            ? self.ExecuteScalarInt64Async(true, cancellationToken)
            : CommandCalls.RunBareAsync(self, static x => CommandCalls.ToInt64(x.ExecuteScalar(), DEFAULT_SCALAR), cancellationToken);
}
