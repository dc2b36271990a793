// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>
/// The error of a write that rests on content which another connection has changed since: code 5, extended 517 (BUSY_SNAPSHOT), as the
/// engine gives it.
/// </summary>
internal static class OutdatedTransaction
{
    /// <summary>Makes it.</summary>
    /// <param name="message">What could not be written, and where.</param>
    public static SqliteException Error(string message) =>
        new(
            $"{message}. Another connection has committed since this was read: roll back, and begin again",
            raw.SQLITE_BUSY,
            raw.SQLITE_BUSY_SNAPSHOT
        );

    /// <summary>True for this error.</summary>
    public static bool Is(SqliteException error)
    {
        ArgumentNullException.ThrowIfNull(error);
        return error.SqliteExtendedErrorCode == raw.SQLITE_BUSY_SNAPSHOT;
    }
}
