using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Micro.Recreate;

/// <summary>A number that differs when a rebuild went wrong.</summary>
internal static class RebuiltRows
{
    /// <summary>Rows of the tables that matter; see <see cref="SyntheticBackup.ExpectedRows"/>.</summary>
    internal static long Count(string path)
    {
        using var connection = new SqliteConnection($"Data Source={path};Pooling=false");
        connection.Open();
        using var command = connection.CreateCommand();
        command.CommandText = PlainVariantSql.CountRows;
        return (long)command.ExecuteScalar()!;
    }
}
