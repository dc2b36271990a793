using Duplicati.Engine.Dump;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Indexes;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Access;

/// <summary>Compares tables and views of a database with what a new database has: damage within the text of the schema is none to the engine.</summary>
internal static class DatabaseShape
{
    /// <summary>What is missing, one text each; empty for a database of an older version, which an upgrade changes first, and for one of another kind, which cannot be opened.</summary>
    /// <param name="connection">The open database.</param>
    /// <param name="path">Its name, for the texts.</param>
    /// <exception cref="SqliteException">The schema cannot be read.</exception>
    internal static List<string> Findings(SqliteConnection connection, string path)
    {
        if (!DumpQuery.HasColumn(connection, "Version", "Version"))
            return [];

        using var fresh = new SqliteConnection("Data Source=:memory:");
        fresh.Open();
        DatabaseUpgrader.UpgradeDatabase(fresh, "", typeof(DatabaseSchemaMarker));
        if (Version(connection) != Version(fresh))
            return [];

        var columns = Columns(connection).ToHashSet();
        return [.. Columns(fresh).Where(x => !columns.Contains(x)).Select(x => $"The database {path} is damaged: {x.Table} has no column {x.Column}")];
    }

    private static int Version(SqliteConnection connection) => LeftOutIndexes.SchemaOf(checked((int)DumpQuery.Number(connection, DatabaseIntegritySql.VERSION)));

    private static IEnumerable<(string Table, string Column)> Columns(SqliteConnection connection) =>
        DumpQuery.Rows(connection, DatabaseIntegritySql.COLUMNS, row => (row.GetString(0), row.GetString(1)));
}
