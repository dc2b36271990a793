// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Data.Common;

namespace Duplicati.Benchmarks.Contenders;

/// <summary>
/// Commands of a provider, prepared once and with parameters by name: what the layer is compared with.
/// </summary>
internal sealed class ProviderStatements(DbConnection connection)
{
    private readonly Dictionary<string, DbCommand> m_commands = [];

    /// <summary>Runs a command and returns the number of rows changed.</summary>
    public int Execute(string sql, params ReadOnlySpan<(string Name, object Value)> values) => Take(sql, values).ExecuteNonQuery();

    /// <summary>First column of the first row, or -1.</summary>
    public long Scalar(string sql, params ReadOnlySpan<(string Name, object Value)> values) =>
        Take(sql, values).ExecuteScalar() is long value ? value : -1;

    /// <summary>Folds all rows into a number.</summary>
    public long Read(string sql, Func<DbDataReader, long, long> fold, params ReadOnlySpan<(string Name, object Value)> values)
    {
        var sum = 0L;
        using var reader = Take(sql, values).ExecuteReader();
        while (reader.Read())
            sum = fold(reader, sum);
        return sum;
    }

    /// <summary>A command with its values.</summary>
    public DbCommand Take(string sql, params ReadOnlySpan<(string Name, object Value)> values)
    {
        if (!m_commands.TryGetValue(sql, out var command))
            return Make(sql, values);

        foreach (var (name, value) in values)
            command.Parameters[name].Value = value;
        return command;
    }

    /// <summary>To be called before the connection is closed, if its provider does not do that.</summary>
    public void Close()
    {
        foreach (var command in m_commands.Values)
            command.Dispose();
    }

    private DbCommand Make(string sql, ReadOnlySpan<(string Name, object Value)> values)
    {
        var command = connection.CreateCommand();
        command.CommandText = sql;
        foreach (var (name, value) in values)
        {
            var parameter = command.CreateParameter();
            (parameter.ParameterName, parameter.Value) = (name, value);
            command.Parameters.Add(parameter);
        }

        command.Prepare();
        m_commands.Add(sql, command);
        return command;
    }
}
