using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Micro.Recreate;

/// <summary>Numbers that differ when a rebuild went wrong.</summary>
internal static class RebuiltRows
{
    /// <summary>Rows of the tables that matter; see <see cref="SyntheticBackup.ExpectedRows"/>.</summary>
    internal static long Count(string path)
    {
        using var connection = Open(path);
        using var command = connection.CreateCommand();
        command.CommandText = PlainVariantSql.CountRows;
        return (long)command.ExecuteScalar()!;
    }

    /// <summary>A sum over the content of all blocks and all entries of blocksets, the same whatever the ids of the blocks are.</summary>
    internal static ulong Checksum(string path)
    {
        using var connection = Open(path);
        return Sum(connection, PlainVariantSql.ReadBlocks) + (3 * Sum(connection, PlainVariantSql.ReadEntries));
    }

    private static ulong Sum(SqliteConnection connection, string sql)
    {
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        command.CommandTimeout = 0;
        using var reader = command.ExecuteReader();
        var sum = 0UL;
        while (reader.Read())
            sum += RowOf(reader.GetString(0), reader.GetInt64(1), reader.GetInt64(2));
        return sum;
    }

    // FNV-1a.
    private static ulong RowOf(string hash, long first, long second)
    {
        const ulong prime = 1099511628211;
        var sum = (14695981039346656037 ^ (ulong)first) * prime;
        sum = (sum ^ (ulong)second) * prime;
        foreach (var letter in hash)
            sum = (sum ^ letter) * prime;
        return sum;
    }

    private static SqliteConnection Open(string path)
    {
        var connection = new SqliteConnection($"Data Source={path};Pooling=false");
        connection.Open();
        return connection;
    }
}
