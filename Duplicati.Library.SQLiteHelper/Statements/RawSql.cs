// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>
/// Runs small statements on the engine itself. The provider's commands are no use while a connection is being set up: they
/// repeat a locked statement until the command timeout, whatever the busy timeout is, and cost ten times as much.
/// </summary>
internal static class RawSql
{
    /// <summary>Runs one statement to its end.</summary>
    /// <param name="connection">An open connection.</param>
    /// <param name="sql">The statement; what follows its end is ignored.</param>
    /// <param name="first">First column of the first row as text; null without a row, or if it is NULL.</param>
    /// <param name="argument">Text bound to ?1, if the statement has it.</param>
    /// <returns>The engine's result code, 0 on success; the message is the connection's last one.</returns>
    internal static int Run(SqliteConnection connection, string sql, out string? first, string? argument = null)
    {
        first = null;
        var code = raw.sqlite3_prepare_v2(connection.Handle, sql, out var statement);
        using (statement)
        {
            if (code != raw.SQLITE_OK)
                return code;

            if (argument is not null)
                raw.sqlite3_bind_text(statement, 1, argument);

            code = raw.sqlite3_step(statement);
            if (code == raw.SQLITE_ROW)
                first = TextOf(statement, 0);
            while (code == raw.SQLITE_ROW)
                code = raw.sqlite3_step(statement);
            return code == raw.SQLITE_DONE ? raw.SQLITE_OK : code;
        }
    }

    /// <summary>Runs one statement to its end and returns the first column of its first row.</summary>
    /// <exception cref="SqliteException">The statement failed.</exception>
    internal static string? Run(SqliteConnection connection, string sql)
    {
        SqliteException.ThrowExceptionForRC(Run(connection, sql, out var first), connection.Handle);
        return first;
    }

    /// <summary>All rows of a statement, each column as text.</summary>
    /// <exception cref="SqliteException">The statement failed.</exception>
    internal static List<string?[]> Rows(SqliteConnection connection, string sql)
    {
        SqliteException.ThrowExceptionForRC(raw.sqlite3_prepare_v2(connection.Handle, sql, out var statement), connection.Handle);
        using (statement)
        {
            var rows = new List<string?[]>();
            int code;
            while ((code = raw.sqlite3_step(statement)) == raw.SQLITE_ROW)
                rows.Add(Enumerable.Range(0, raw.sqlite3_column_count(statement)).Select(column => TextOf(statement, column)).ToArray());
            if (code != raw.SQLITE_DONE)
                SqliteException.ThrowExceptionForRC(code, connection.Handle);
            return rows;
        }
    }

    /// <summary>Whether a result code says that another connection's lock is in the way.</summary>
    internal static bool IsLocked(int code) => (code & 0xff) is raw.SQLITE_BUSY or raw.SQLITE_LOCKED;

    /// <summary>The exception for a result code, with the connection's message.</summary>
    internal static SqliteException? ExceptionFor(SqliteConnection connection, int code)
    {
        try
        {
            SqliteException.ThrowExceptionForRC(code, connection.Handle);
            return null;
        }
        catch (SqliteException exception)
        {
            return exception;
        }
    }

    private static string? TextOf(sqlite3_stmt statement, int column) =>
        raw.sqlite3_column_type(statement, column) == raw.SQLITE_NULL ? null : raw.sqlite3_column_text(statement, column).utf8_to_string();
}

/// <summary>Names of tables, columns and indexes in SQL texts, where they cannot be bound.</summary>
internal static class SqlName
{
    /// <summary>A name in quotes, whatever is in it. Source: https://www.sqlite.org/lang_keywords.html.</summary>
    public static string Quote(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return $"\"{name.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";
    }
}
