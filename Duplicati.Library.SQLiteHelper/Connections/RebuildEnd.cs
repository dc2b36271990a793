// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>The end of a rebuilding with the preset <c>rebuild</c>: from then on the file is as safe as any other.</summary>
internal static class RebuildEnd
{
    private const string EngineAutocheckpoint = "1000";

    /// <summary>
    /// Returns a connection to safe settings, and flushes everything written so far to the disk: the write-ahead log is
    /// copied into the database and emptied. Must be called before the database takes the place of another.
    /// </summary>
    /// <param name="connection">The open connection that rebuilt the database, without open transaction.</param>
    /// <param name="options">The options from now on; null for the preset <c>default</c>.</param>
    /// <exception cref="InvalidOperationException">A transaction is open, or the engine took a setting for another value without an
    /// error. What is set in the environment is refused only if the file's safety hangs on it.</exception>
    /// <exception cref="SqliteException">Another connection is in the way (error 5), or the disk failed or is gone. The file must not
    /// be used as a database yet.</exception>
    /// <remarks>
    /// May take seconds, in proportion to the log and to what the disk has not written yet. Uses the connection; same thread rules.
    /// </remarks>
    public static void RestoreNormalSettings(SqliteConnection connection, ConnectionOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(connection);
        if (connection.Handle is null || raw.sqlite3_get_autocommit(connection.Handle) == 0)
            throw new InvalidOperationException("A rebuild can end only on an open connection without a transaction.");

        var pragmas = NormalPragmas(connection, options ?? ConnectionOptions.Default).ToLookup(IsOnlyWished);
        PragmaApplier.Apply(connection, pragmas[true]);
        var failures = PragmaApplier.Apply(connection, pragmas[false], out var cause);
        if (failures.Count > 0)
            throw Refusal(
                $"The rebuild of {connection.DataSource} cannot end: its safe settings were refused: {string.Join("; ", failures)}.",
                cause
            );

        PlannerStatistics.Refresh(connection);
        FlushAll(connection);
    }

    // What the user has set and does not take is a warning, as when a database is opened, unless the file's safety hangs on it.
    private static bool IsOnlyWished(Pragma pragma) =>
        pragma.Reason == CustomPragmas.Reason
        && pragma.Name is not (PragmaCatalogue.JournalMode or PragmaCatalogue.Synchronous or PragmaCatalogue.FullFsync);

    private static Exception Refusal(string message, SqliteException? cause) =>
        cause is null
            ? new InvalidOperationException(message)
            : new SqliteException(message, cause.SqliteErrorCode, cause.SqliteExtendedErrorCode);

    private static IEnumerable<Pragma> NormalPragmas(SqliteConnection connection, ConnectionOptions options)
    {
        var pragmas = ConnectionOpener.Standard.Effective(connection.DataSource, options);
        return pragmas.Any(pragma => pragma.Name == PragmaCatalogue.WalAutocheckpoint)
            ? pragmas
            : pragmas.Append(
                new Pragma(PragmaCatalogue.WalAutocheckpoint, EngineAutocheckpoint, "the engine's own length of the write-ahead log")
            );
    }

    // A checkpoint flushes the database file only if it has something to copy, and what earlier checkpoints copied may
    // still be unflushed. Writing the header page, unchanged, makes sure that there is something.
    private static void FlushAll(SqliteConnection connection)
    {
        var version = RawSql.Run(connection, PragmaSql.ReadUserVersion) ?? "0";
        RawSql.Run(connection, PragmaSql.Set("user_version", version));

        var locked = RawSql.Run(connection, PragmaSql.TruncateLog);
        if (int.Parse(locked ?? "0", CultureInfo.InvariantCulture) != 0)
            throw new SqliteException("The write-ahead log could not be emptied: another connection uses the database.", raw.SQLITE_BUSY);
    }
}
