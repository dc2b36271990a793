using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>Prepared commands of Microsoft.Data.Sqlite with parameters by name: what the layer is compared with.</summary>
internal sealed class ProviderStatements(SqliteConnection connection)
{
    private readonly Dictionary<string, SqliteCommand> m_commands = [];

    /// <summary>Runs a command of the cache.</summary>
    public int Execute(string sql, params ReadOnlySpan<(string Name, object Value)> values) => Prepared(sql, values).ExecuteNonQuery();

    /// <summary>First column of the first row, or -1.</summary>
    public long Scalar(string sql, params ReadOnlySpan<(string Name, object Value)> values) =>
        Prepared(sql, values).ExecuteScalar() is long value ? value : -1;

    /// <summary>The same with a command made for this call.</summary>
    public long ScalarUnprepared(string sql, params ReadOnlySpan<(string Name, object Value)> values)
    {
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        foreach (var (name, value) in values)
            command.Parameters.AddWithValue(name, value);
        return command.ExecuteScalar() is long result ? result : -1;
    }

    private SqliteCommand Prepared(string sql, ReadOnlySpan<(string Name, object Value)> values)
    {
        if (!m_commands.TryGetValue(sql, out var command))
        {
            command = connection.CreateCommand();
            command.CommandText = sql;
            foreach (var (name, value) in values)
                command.Parameters.AddWithValue(name, value);
            command.Prepare();
            m_commands.Add(sql, command);
            return command;
        }

        foreach (var (name, value) in values)
            command.Parameters[name].Value = value;
        return command;
    }
}
