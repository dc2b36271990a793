// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Replay;

/// <summary>Runs texts of one or several statements through the provider.</summary>
internal sealed class PlainStatements(SqliteConnection connection) : IDisposable
{
    private readonly Dictionary<string, SqliteCommand> m_prepared = new(ReferenceEqualityComparer.Instance);

    /// <summary>Runs all statements of a text.</summary>
    /// <param name="sql">The text.</param>
    /// <param name="values">Values of <c>@p0</c>, <c>@p1</c> and so on.</param>
    public void Execute(string sql, params ReadOnlySpan<object> values)
    {
        using var command = Command(sql, values);
        command.ExecuteNonQuery();
    }

    /// <summary>Runs a statement that is run often: it is prepared once.</summary>
    /// <returns>The first column of the first row; null if there is none.</returns>
    public object? Again(string sql, params ReadOnlySpan<object> values) => Prepared(sql, values).ExecuteScalar();

    /// <summary>The same for a statement of which the first row is read; the caller disposes the reader.</summary>
    public SqliteDataReader ReadAgain(string sql, params ReadOnlySpan<object> values) => Prepared(sql, values).ExecuteReader();

    /// <summary>The first column of the first row; 0 where that is NULL or nothing.</summary>
    public long Scalar(string sql, params ReadOnlySpan<object> values)
    {
        using var command = Command(sql, values);
        return command.ExecuteScalar() is long value ? value : 0;
    }

    /// <summary>Reads a whole result.</summary>
    /// <returns>The number of rows.</returns>
    public long Read(string sql, Action<SqliteDataReader> row, params ReadOnlySpan<object> values)
    {
        using var command = Command(sql, values);
        using var reader = command.ExecuteReader();
        long rows = 0;
        for (; reader.Read(); rows++)
            row(reader);
        return rows;
    }

    /// <summary>Reads a whole result, and adds up what its rows give.</summary>
    public long Sum(string sql, Func<SqliteDataReader, long> row, params ReadOnlySpan<object> values)
    {
        var sum = 0L;
        Read(sql, reader => sum += row(reader), values);
        return sum;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (var command in m_prepared.Values)
            command.Dispose();
        m_prepared.Clear();
    }

    private SqliteCommand Prepared(string sql, ReadOnlySpan<object> values)
    {
        if (!m_prepared.TryGetValue(sql, out var command))
        {
            m_prepared.Add(sql, command = Command(sql, values));
            command.Prepare();
            return command;
        }

        for (var i = 0; i < values.Length; i++)
            command.Parameters[i].Value = values[i];
        return command;
    }

    private SqliteCommand Command(string sql, ReadOnlySpan<object> values)
    {
        var command = connection.CreateCommand();
        command.CommandText = sql;
        command.CommandTimeout = 0;
        for (var i = 0; i < values.Length; i++)
            command.Parameters.AddWithValue($"@p{i}", values[i]);
        return command;
    }
}
