// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Support;

/// <summary>Plain statements on a connection, for setting up and looking at a database in tests.</summary>
internal static class SqlExtensions
{
    /// <summary>Runs one or more statements.</summary>
    public static int Execute(this SqliteConnection connection, string sql)
    {
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        return command.ExecuteNonQuery();
    }

    /// <summary>First column of the first row as text; null without a row, or if it is NULL.</summary>
    public static string? Scalar(this SqliteConnection connection, string sql)
    {
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        return
            Convert.ToString(command.ExecuteScalar() is { } value and not DBNull ? value : null, CultureInfo.InvariantCulture)
                is { Length: > 0 } text
            ? text
            : null;
    }

    /// <summary>The value of a pragma as SQLite reports it.</summary>
    public static string? Pragma(this SqliteConnection connection, string name) => connection.Scalar("PRAGMA " + name);

    /// <summary>The rows of a query, columns joined by a bar, in its order.</summary>
    public static string[] Lines(this SqliteConnection connection, string sql)
    {
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        using var reader = command.ExecuteReader();
        var lines = new List<string>();
        while (reader.Read())
            lines.Add(
                string.Join('|', Enumerable.Range(0, reader.FieldCount).Select(i => reader.IsDBNull(i) ? "null" : reader.GetString(i)))
            );
        return [.. lines];
    }
}
