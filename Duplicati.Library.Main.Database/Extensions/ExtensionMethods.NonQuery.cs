// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database;

public static partial class ExtensionMethods
{
    /// <summary>Runs a statement and writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="cmdtext">The statement; null runs the text the command has.</param>
    /// <param name="cancellationToken">Interrupts the statement.</param>
    /// <returns>The number of changed rows, summed over a batch; -1 for a query.</returns>
    public static Task<int> ExecuteNonQueryAsync(this SqliteCommand self, string? cmdtext, CancellationToken cancellationToken) =>
        self.ExecuteNonQueryAsync(true, cmdtext, null, cancellationToken);

    /// <summary>Runs a statement with values and writes profiling messages.</summary>
    /// <param name="self">The command.</param>
    /// <param name="cmd">The statement.</param>
    /// <param name="values">Values by parameter.</param>
    /// <param name="cancellationToken">Interrupts the statement.</param>
    /// <returns>The number of changed rows, summed over a batch; -1 for a query.</returns>
    public static Task<int> ExecuteNonQueryAsync(
        this SqliteCommand self,
        string cmd,
        Dictionary<string, object?> values,
        CancellationToken cancellationToken
    ) => self.ExecuteNonQueryAsync(true, cmd, values, cancellationToken);

    /// <summary>Runs the command as it is.</summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages.</param>
    /// <param name="cancellationToken">Interrupts the statement.</param>
    /// <returns>The number of changed rows, summed over a batch; -1 for a query.</returns>
    public static Task<int> ExecuteNonQueryAsync(this SqliteCommand self, bool writeLog, CancellationToken cancellationToken) =>
        self.ExecuteNonQueryAsync(writeLog, null, null, cancellationToken);

    /// <summary>Runs a statement.</summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages.</param>
    /// <param name="cmd">The statement; null runs the text the command has.</param>
    /// <param name="values">Values by parameter, or null.</param>
    /// <param name="cancellationToken">Interrupts the statement.</param>
    /// <returns>The number of changed rows, summed over a batch; -1 for a query.</returns>
    public static Task<int> ExecuteNonQueryAsync(
        this SqliteCommand self,
        bool writeLog,
        string? cmd,
        Dictionary<string, object?>? values,
        CancellationToken cancellationToken
    ) =>
        CommandCalls.RunAsync(
            With(self, cmd, values),
            nameof(ExecuteNonQueryAsync),
            writeLog,
            static x => x.ExecuteNonQuery(),
            cancellationToken
        );

    /// <summary>
    /// Runs the command as it is; without messages it goes straight to the provider, so a token that is cancelled later does not interrupt
    /// it.
    /// </summary>
    /// <param name="self">The command.</param>
    /// <param name="writeLog">Write profiling messages, watch the statement and let the token interrupt it.</param>
    /// <param name="cancellationToken">Looked at before the statement.</param>
    /// <returns>The number of changed rows, summed over a batch; -1 for a query.</returns>
    public static Task<int> ExecuteNonQueryPerformanceSensitiveAsync(
        this SqliteCommand self,
        bool writeLog,
        CancellationToken cancellationToken
    ) =>
        writeLog
            ? self.ExecuteNonQueryAsync(true, cancellationToken)
            : CommandCalls.RunBareAsync(self, static x => x.ExecuteNonQuery(), cancellationToken);
}
