// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Session;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database;

public static partial class ExtensionMethods
{
    /// <summary>Opens a query and writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="cmdtext">The query.</param>
    /// <param name="cancellationToken">Interrupts the statement until the reader is returned.</param>
    /// <returns>A reader before its first row.</returns>
    public static Task<SqliteDataReader> ExecuteReaderAsync(this SqliteCommand self, string cmdtext, CancellationToken cancellationToken) =>
        self.ExecuteReaderAsync(true, cmdtext, null, cancellationToken);

    /// <summary>Opens the command as it is.</summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages.</param>
    /// <param name="cancellationToken">Interrupts the statement until the reader is returned.</param>
    /// <returns>A reader before its first row.</returns>
    public static Task<SqliteDataReader> ExecuteReaderAsync(this SqliteCommand self, bool writeLog, CancellationToken cancellationToken) =>
        self.ExecuteReaderAsync(writeLog, null, null, cancellationToken);

    /// <summary>Opens a query with values and writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="cmdtext">The query.</param>
    /// <param name="values">Values by parameter, or null.</param>
    /// <param name="cancellationToken">Interrupts the statement until the reader is returned.</param>
    /// <returns>A reader before its first row.</returns>
    public static Task<SqliteDataReader> ExecuteReaderAsync(
        this SqliteCommand self,
        string cmdtext,
        Dictionary<string, object?>? values,
        CancellationToken cancellationToken
    ) => self.ExecuteReaderAsync(true, cmdtext, values, cancellationToken);

    /// <summary>Opens a query.</summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages.</param>
    /// <param name="cmdtext">The query; null runs the text the command has.</param>
    /// <param name="values">Values by parameter, or null.</param>
    /// <param name="cancellationToken">Interrupts the statement until the reader is returned.</param>
    /// <returns>A reader before its first row.</returns>
    public static Task<SqliteDataReader> ExecuteReaderAsync(
        this SqliteCommand self,
        bool writeLog,
        string? cmdtext,
        Dictionary<string, object?>? values,
        CancellationToken cancellationToken
    ) =>
        CommandCalls.RunAsync(
            With(self, cmdtext, values),
            nameof(ExecuteReader),
            writeLog,
            static x => x.ExecuteReader(),
            cancellationToken
        );

    /// <summary>The rows of the command as it is; writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="cancellationToken">Interrupts the statement while it looks for a row.</param>
    /// <returns>The same reader once a row; it is disposed at the end.</returns>
    public static IAsyncEnumerable<SqliteDataReader> ExecuteReaderEnumerableAsync(
        this SqliteCommand self,
        CancellationToken cancellationToken
    ) => self.ExecuteReaderEnumerableAsync(true, null, null, cancellationToken);

    /// <summary>The rows of a query; writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="cmdtext">The query.</param>
    /// <param name="cancellationToken">Interrupts the statement while it looks for a row.</param>
    /// <returns>The same reader once a row; it is disposed at the end.</returns>
    public static IAsyncEnumerable<SqliteDataReader> ExecuteReaderEnumerableAsync(
        this SqliteCommand self,
        string cmdtext,
        CancellationToken cancellationToken
    ) => self.ExecuteReaderEnumerableAsync(true, cmdtext, null, cancellationToken);

    /// <summary>The rows of a query with values; writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="cmdtext">The query.</param>
    /// <param name="values">Values by parameter, or null.</param>
    /// <param name="cancellationToken">Interrupts the statement while it looks for a row.</param>
    /// <returns>The same reader once a row; it is disposed at the end.</returns>
    public static IAsyncEnumerable<SqliteDataReader> ExecuteReaderEnumerableAsync(
        this SqliteCommand self,
        string cmdtext,
        Dictionary<string, object?>? values,
        CancellationToken cancellationToken
    ) => self.ExecuteReaderEnumerableAsync(true, cmdtext, values, cancellationToken);

    /// <summary>The rows of a query. Nothing happens before the first row is asked for.</summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages, which span the whole enumeration with the consumer's time in it.</param>
    /// <param name="cmdtext">The query; null runs the text the command has.</param>
    /// <param name="values">Values by parameter, or null.</param>
    /// <param name="cancellationToken">Interrupts the statement while it looks for a row.</param>
    /// <returns>The same reader once a row; it is disposed at the end.</returns>
    public static async IAsyncEnumerable<SqliteDataReader> ExecuteReaderEnumerableAsync(
        this SqliteCommand self,
        bool writeLog,
        string? cmdtext,
        Dictionary<string, object?>? values,
        [EnumeratorCancellation] CancellationToken cancellationToken
    )
    {
        With(self, cmdtext, values);
        DatabaseSession.BeforeExternalCommand(self.Connection);
        using var profile = writeLog ? CommandProfile.Start(self, nameof(ExecuteReaderEnumerableAsync)) : null;
        using var monitor = SlowQueryMonitor.StartQuery(self, nameof(ExecuteReaderEnumerableAsync));
        var reader = CommandCalls.Open(self, cancellationToken);
        await using (reader.ConfigureAwait(false))
            while (CommandCalls.Read(reader, self.Connection, cancellationToken))
                yield return reader;
    }
}
