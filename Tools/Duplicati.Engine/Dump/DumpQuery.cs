// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Engine.Dump;

/// <summary>Runs the statements of a dump on one connection.</summary>
internal static class DumpQuery
{
    private static readonly long s_firstTime = DateTimeOffset.MinValue.ToUnixTimeSeconds();
    private static readonly long s_lastTime = DateTimeOffset.MaxValue.ToUnixTimeSeconds();

    /// <summary>Streams the rows of a statement.</summary>
    /// <typeparam name="T">What a row becomes.</typeparam>
    /// <param name="connection">An open database.</param>
    /// <param name="sql">The statement.</param>
    /// <param name="read">Makes a row; the reader is on it.</param>
    /// <param name="parameters">Names and values of its parameters.</param>
    /// <returns>The rows; the statement runs each time they are enumerated.</returns>
    /// <exception cref="SqliteException">Also where a row has NULL in a column that is read as a value: its page is damaged.</exception>
    public static IEnumerable<T> Rows<T>(
        SqliteConnection connection,
        string sql,
        Func<SqliteDataReader, T> read,
        params (string Name, object Value)[] parameters
    )
    {
        using var command = Command(connection, sql, parameters);
        using var reader = command.ExecuteReader();
        while (reader.Read())
            yield return Row(reader, read);
    }

    // No column that is read as a value allows NULL, but a damaged page has anything.
    private static T Row<T>(SqliteDataReader reader, Func<SqliteDataReader, T> read)
    {
        try
        {
            return read(reader);
        }
        catch (InvalidOperationException ex) when (Enumerable.Range(0, reader.FieldCount).Any(reader.IsDBNull))
        {
            throw new SqliteException($"A row has no value where there must be one. {ex.Message}", raw.SQLITE_CORRUPT);
        }
    }

    /// <summary>The only value of a statement as a number.</summary>
    /// <param name="connection">An open database.</param>
    /// <param name="sql">The statement.</param>
    /// <param name="parameters">Names and values of its parameters.</param>
    /// <returns>The value.</returns>
    public static long Number(SqliteConnection connection, string sql, params (string Name, object Value)[] parameters)
    {
        using var command = Command(connection, sql, parameters);
        return Convert.ToInt64(command.ExecuteScalar(), CultureInfo.InvariantCulture);
    }

    /// <summary>Runs a statement, or several, that give no rows.</summary>
    /// <param name="connection">An open database.</param>
    /// <param name="sql">The statements.</param>
    /// <param name="parameters">Names and values of their parameters; not each of them needs all.</param>
    /// <returns>The number of rows that were changed.</returns>
    public static int Execute(SqliteConnection connection, string sql, params (string Name, object Value)[] parameters)
    {
        using var command = Command(connection, sql, parameters);
        return command.ExecuteNonQuery();
    }

    /// <summary>Whether a table has a column.</summary>
    /// <param name="connection">An open database.</param>
    /// <param name="table">The table, in any letter case.</param>
    /// <param name="column">The column, in any letter case.</param>
    /// <returns>False also if there is no such table.</returns>
    public static bool HasColumn(SqliteConnection connection, string table, string column) =>
        Number(connection, DatabaseDumpReader.HAS_COLUMN, ("$table", table), ("$column", column)) != 0;

    private static SqliteCommand Command(SqliteConnection connection, string sql, (string Name, object Value)[] parameters)
    {
        var command = connection.CreateCommand();
        command.CommandText = sql;
        foreach (var (name, value) in parameters)
            command.Parameters.AddWithValue(name, value);
        return command;
    }

    /// <summary>A time of a row, as UTC.</summary>
    /// <param name="seconds">Seconds since 1970. What no calendar has becomes the first or last time that there is.</param>
    public static DateTime Time(long seconds) =>
        DateTimeOffset.FromUnixTimeSeconds(Math.Clamp(seconds, s_firstTime, s_lastTime)).UtcDateTime;

    /// <summary>A number that may be NULL.</summary>
    public static long? NumberOrNull(this SqliteDataReader row, int column) => row.IsDBNull(column) ? null : row.GetInt64(column);

    /// <summary>A text that may be NULL.</summary>
    public static string? TextOrNull(this SqliteDataReader row, int column) => row.IsDBNull(column) ? null : row.GetString(column);
}
