using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Library.Interface;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Operations;

/// <summary>Tells the state of a database file of any schema version, without changing it.</summary>
public static class InspectOperation
{
    private static readonly string[] s_flags = ["repair-in-progress", "partially-recreated", "terminated-with-active-uploads"];

    /// <summary>Reads sizes and counts and checks the file. Reads every page.</summary>
    /// <exception cref="UserInformationException">Help id <c>DatabaseDoesNotExist</c>.</exception>
    /// <exception cref="SqliteException">The file is no database of a backup.</exception>
    public static InspectReport Run(string path)
    {
        DatabaseFile.RequireExists(path);
        using var reader = new DatabaseDumpReader(path);
        using var connection = new SqliteConnection(new SqliteConnectionStringBuilder { DataSource = path, Mode = SqliteOpenMode.ReadOnly, Pooling = false }.ToString());
        connection.Open();
        var version = reader.SchemaVersion;
        var log = new FileInfo(path + "-wal");
        return new InspectReport(
            version,
            new FileInfo(path).Length,
            log.Exists ? log.Length : 0,
            DumpQuery.Number(connection, InspectSql.PAGE_SIZE),
            DumpQuery.Number(connection, InspectSql.PAGE_COUNT),
            DumpQuery.Number(connection, InspectSql.FREE_PAGES),
            Try(() => reader.RowCounts, new Dictionary<string, long>()),
            Objects(connection),
            Try(() => s_flags.Where(reader.Configuration.ContainsKey).ToList(), []),
            Problems(reader));
    }

    // Not every build of SQLite has the table that knows which page belongs to what.
    private static List<ObjectSize> Objects(SqliteConnection connection) => Try(
        () => DumpQuery.Rows(connection, InspectSql.OBJECT_SIZES, row => new ObjectSize(row.GetString(0), row.GetString(1), row.GetInt64(2), row.GetInt64(3))).ToList(),
        []);

    private static List<string> Problems(DatabaseDumpReader reader)
    {
        try
        {
            var result = reader.IntegrityCheck;
            return result == "ok" ? [] : [.. result.Split('\n')];
        }
        catch (SqliteException ex)
        {
            return [ex.Message];
        }
    }

    // A damaged table must not hide what the others tell; the check names it.
    private static T Try<T>(Func<T> read, T otherwise)
    {
        try
        {
            return read();
        }
        catch (SqliteException)
        {
            return otherwise;
        }
    }
}
