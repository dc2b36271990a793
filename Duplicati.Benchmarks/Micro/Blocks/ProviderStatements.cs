using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>Commands of the provider, prepared once and with parameters by name, or made for each call: what the layer is compared with.</summary>
internal sealed class ProviderStatements(SqliteConnection connection, bool isPrepared = true)
{
    private readonly Dictionary<string, SqliteCommand> m_commands = [];

    /// <summary>Runs a command and returns the number of rows changed.</summary>
    public int Execute(string sql, params ReadOnlySpan<(string Name, object Value)> values)
    {
        var command = Take(sql, values);
        var rows = command.ExecuteNonQuery();
        GiveBack(command);
        return rows;
    }

    /// <summary>First column of the first row, or -1.</summary>
    public long Scalar(string sql, params ReadOnlySpan<(string Name, object Value)> values)
    {
        var command = Take(sql, values);
        var result = command.ExecuteScalar() is long value ? value : -1;
        GiveBack(command);
        return result;
    }

    /// <summary>Folds all rows into a number.</summary>
    public long Read(string sql, Func<SqliteDataReader, long, long> fold, params ReadOnlySpan<(string Name, object Value)> values)
    {
        var command = Take(sql, values);
        var sum = 0L;
        using (var reader = command.ExecuteReader())
        {
            while (reader.Read())
                sum = fold(reader, sum);
        }

        GiveBack(command);
        return sum;
    }

    /// <summary>A command with its values.</summary>
    public SqliteCommand Take(string sql, params ReadOnlySpan<(string Name, object Value)> values)
    {
        if (!isPrepared || !m_commands.TryGetValue(sql, out var command))
            return Make(sql, values);

        foreach (var (name, value) in values)
            command.Parameters[name].Value = value;
        return command;
    }

    private SqliteCommand Make(string sql, ReadOnlySpan<(string Name, object Value)> values)
    {
        var command = connection.CreateCommand();
        command.CommandText = sql;
        foreach (var (name, value) in values)
            command.Parameters.AddWithValue(name, value);
        if (!isPrepared)
            return command;

        command.Prepare();
        m_commands.Add(sql, command);
        return command;
    }

    private void GiveBack(SqliteCommand command)
    {
        if (!isPrepared)
            command.Dispose();
    }
}
