using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>Runs texts of one or several statements through the provider.</summary>
internal sealed class PlainStatements(SqliteConnection connection)
{
    /// <summary>Runs all statements of a text.</summary>
    /// <param name="sql">The text.</param>
    /// <param name="values">Values of <c>@p0</c>, <c>@p1</c> and so on.</param>
    public void Execute(string sql, params ReadOnlySpan<object> values)
    {
        using var command = Command(sql, values);
        command.ExecuteNonQuery();
    }

    /// <summary>Runs a statement once for each value of <c>@p0</c>, prepared once.</summary>
    public void ExecuteEach(string sql, IEnumerable<long> values)
    {
        using var command = Prepare(sql, 1);
        foreach (var value in values)
        {
            command.Parameters[0].Value = value;
            command.ExecuteNonQuery();
        }
    }

    /// <summary>A statement for many runs, prepared once. The caller sets the values of its parameters, and disposes it.</summary>
    /// <param name="sql">One statement.</param>
    /// <param name="parameters">How many there are of <c>@p0</c>, <c>@p1</c> and so on.</param>
    public SqliteCommand Prepare(string sql, int parameters)
    {
        var values = new object[parameters];
        Array.Fill(values, 0L);
        var command = Command(sql, values);
        command.Prepare();
        return command;
    }

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
