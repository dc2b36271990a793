// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.Concurrent;
using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Indexes;
using Duplicati.Library.SQLiteHelper.Migrations;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Engine.Access;

/// <summary>
/// Which version of the schema a database says it has, and whether its tables are those of it. The versions that are known are those of the
/// data layer's scripts, with or without the mark of missing indexes.
/// </summary>
internal static class SchemaState
{
    private static readonly Lazy<long> s_newest = new(() => SchemaUpgrade.NewestVersion(typeof(DatabaseSchemaMarker)));
    private static readonly Lazy<long> s_known = new(() => SchemaUpgrade.NewestKnown(typeof(DatabaseSchemaMarker)));
    private static readonly ConcurrentDictionary<long, HashSet<(string Table, string Column)>> s_columns = new();

    /// <summary>The version that new databases have, and that older ones are upgraded to.</summary>
    internal static long Newest => s_newest.Value;

    /// <summary>The newest version that is known: from <see cref="Newest"/> to it, databases are used as they are.</summary>
    internal static long Known => s_known.Value;

    /// <summary>Makes a database of a version, unless there is a file.</summary>
    internal static void Make(string path, int version)
    {
        if (File.Exists(path))
            return;
        Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(path))!);
        using var connection = SQLiteLoader.LoadConnection(path);
        SchemaUpgrade.To(connection, path, typeof(DatabaseSchemaMarker), version);
    }

    /// <summary>The version of a database.</summary>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseFormatError</c>, <c>DatabaseIsDamaged</c>,
    /// <c>DatabaseVersionNotSupportedError</c>.</exception>
    internal static long Require(SqliteConnection connection, string path, bool acceptNewer = false)
    {
        if (Find(connection, path) is { } problem && !(acceptNewer && problem.IsNewer))
            throw problem.ToException();
        return LeftOutIndexes.SchemaOf(checked((int)(long)Rows(connection)[0]));
    }

    /// <summary>What is wrong with the version that a database tells; null if nothing.</summary>
    internal static SchemaProblem? Find(SqliteConnection connection, string path)
    {
        if (!DumpQuery.HasColumn(connection, "Version", "Version"))
        {
            if (IsEmpty(connection))
                return new SchemaProblem("DatabaseFormatError", $"The file {path} is empty", Advice.NotADatabase());
            return DumpQuery.HasColumn(connection, "Remotevolume", "Name")
                ? Damaged(path, "does not tell the version of its schema: there is no table Version")
                : new SchemaProblem("DatabaseFormatError", $"The file {path} is no database of a backup", "Check the path.");
        }

        return Rows(connection) switch
        {
            [] => Damaged(path, "does not tell the version of its schema: table Version has no row"),
            [long version] when version is < 0 or > int.MaxValue => Damaged(path, $"says that its schema has version {version}"),
            [long version] => IsKnown(version) ? null : Newer(path, version),
            [var value] => Damaged(path, $"says that its schema has version \"{value}\""),
            var values => Damaged(
                path,
                $"tells several versions of its schema: {string.Join(", ", values.Select(x => Convert.ToString(x, CultureInfo.InvariantCulture)))}"
            ),
        };
    }

    /// <summary>
    /// What the tables lack that the version has, one text each, or why they do not become those of the newest; the version must be known.
    /// </summary>
    /// <exception cref="SqliteException">The schema cannot be read.</exception>
    internal static List<string> Misfits(SqliteConnection connection, string path)
    {
        var version = LeftOutIndexes.SchemaOf(checked((int)(long)Rows(connection)[0]));
        return version >= Newest ? Missing(connection, path, version) : Upgraded(connection, path, version);
    }

    /// <summary>
    /// The version of a database if it is newer than the usual one and known; null if it is not, or cannot be told. It may be damaged.
    /// </summary>
    internal static int? NewerOf(string path)
    {
        if (!File.Exists(path))
            return null;
        try
        {
            using var reading = new ReadingConnection(path);
            var columns = Columns(reading.Connection).ToHashSet();
            return Enumerable
                .Range((int)Newest + 1, (int)(Known - Newest))
                .Select(x => (int?)x)
                .LastOrDefault(x => s_columns.GetOrAdd(x!.Value, ColumnsOf).IsSubsetOf(columns));
        }
        catch (SqliteException)
        {
            // Where what makes the tables cannot be read, the row may be.
            using var pages = DamagedDatabase.TryOpen(path, new HashSet<string> { "Version" });
            return
                pages?.Rows("Version").FirstOrDefault()?["Version"] is long and (>= 0 and <= int.MaxValue) and var version
                && LeftOutIndexes.SchemaOf((int)version) is var number
                && number > Newest
                && number <= Known
                ? number
                : null;
        }
    }

    /// <summary>What rows say that nothing can be, one text each: times that no calendar has, states and types that are none.</summary>
    /// <param name="connection">The database.</param>
    /// <param name="path">What it is called.</param>
    /// <param name="listsVolumes">Whether rows of volumes count.</param>
    /// <exception cref="SqliteException">A table cannot be read.</exception>
    internal static List<string> Impossible(SqliteConnection connection, string path, bool listsVolumes) =>
        [
            .. (DumpQuery.HasColumn(connection, "Fileset", "Timestamp") ? [SchemaStateSql.UNKNOWN_TIMES] : Array.Empty<string>())
                .Concat(listsVolumes && DumpQuery.HasColumn(connection, "Remotevolume", "State") ? [SchemaStateSql.UNKNOWN_VOLUMES] : [])
                .SelectMany(x => DumpQuery.Rows(connection, x, row => $"The database {path} is damaged: {row.GetString(0)}")),
        ];

    /// <summary>Whether a database has no tables yet.</summary>
    internal static bool IsEmpty(SqliteConnection connection) => !DumpQuery.Rows(connection, SchemaStateSql.DEFINITIONS, row => 0).Any();

    private static bool IsKnown(long version) =>
        version <= Known || (version >= LeftOutIndexes.VersionMark && version - LeftOutIndexes.VersionMark <= Known);

    private static SchemaProblem Newer(string path, long version) =>
        new(
            "DatabaseVersionNotSupportedError",
            $"The database {path} has version {(version > LeftOutIndexes.VersionMark ? version - LeftOutIndexes.VersionMark : version)} of the schema, this release knows version {Known} and older ones",
            Advice.NewerDatabase()
        );

    private static SchemaProblem Damaged(string path, string what) =>
        new("DatabaseIsDamaged", $"The database {path} is damaged: it {what}", Advice.RecreateDatabase());

    private static List<object> Rows(SqliteConnection connection) =>
        [.. DumpQuery.Rows(connection, SchemaStateSql.VERSIONS, row => row.GetValue(0))];

    private static List<string> Missing(SqliteConnection connection, string path, long version)
    {
        var columns = Columns(connection).ToHashSet();
        return
        [
            .. s_columns
                .GetOrAdd(version, ColumnsOf)
                .Where(x => !columns.Contains(x))
                .Select(x => $"The database {path} is damaged: {x.Table} has no column {x.Column}"),
        ];
    }

    // The tables without their rows: what their upgrade would do with the rows it does to them.
    private static List<string> Upgraded(SqliteConnection connection, string path, int version)
    {
        using var temporary = new TemporaryFolder();
        var file = Path.Combine(temporary.Path, "schema.sqlite");
        using var copy = PlainConnection.Open(file);
        try
        {
            DumpQuery.Execute(copy, SchemaStateSql.FAST);
            foreach (var definition in DumpQuery.Rows(connection, SchemaStateSql.DEFINITIONS, row => row.GetString(0)))
                DumpQuery.Execute(copy, definition);
            DumpQuery.Execute(copy, SchemaStateSql.SET_VERSION, ("$version", version));
            DatabaseUpgrader.UpgradeDatabase(copy, file, typeof(DatabaseSchemaMarker));
            if (Missing(copy, path, Newest) is { Count: > 0 } missing)
                return missing;
            return [];
        }
        catch (Exception ex) when (ex.GetBaseException() is SqliteException { SqliteErrorCode: raw.SQLITE_FULL or raw.SQLITE_IOERR })
        {
            // There is no room to try it: whoever upgrades the database meets that itself, and says so.
            return [];
        }
        catch (Exception ex) when (ex is SqliteException or DatabaseUpgradeException or UserInformationException)
        {
            return
            [
                $"The database {path} is damaged: it says that its schema has version {version}, but its tables are not those of it. {(ex.InnerException ?? ex).Message.TrimEnd('.')}",
            ];
        }
    }

    private static HashSet<(string, string)> ColumnsOf(long version)
    {
        using var fresh = new SqliteConnection("Data Source=:memory:");
        fresh.Open();
        SchemaUpgrade.To(fresh, "", typeof(DatabaseSchemaMarker), (int)version);
        return [.. Columns(fresh)];
    }

    private static IEnumerable<(string Table, string Column)> Columns(SqliteConnection connection) =>
        DumpQuery.Rows(connection, SchemaStateSql.COLUMNS, row => (row.GetString(0), row.GetString(1)));
}

/// <summary>Why a database cannot be used as it is.</summary>
/// <param name="HelpId">The help id of the error.</param>
/// <param name="What">What is wrong, without a full stop.</param>
/// <param name="Remedy">What to do.</param>
internal sealed record SchemaProblem(string HelpId, string What, string Remedy)
{
    /// <summary>Whether a newer release has made it.</summary>
    internal bool IsNewer => HelpId == "DatabaseVersionNotSupportedError";

    /// <summary>The same as an error.</summary>
    internal UserInformationException ToException() => new($"{What}. {Remedy}", HelpId);
}

/// <summary>The statements of <see cref="SchemaState"/>.</summary>
internal static class SchemaStateSql
{
    /// <summary>The table of one row, and those that it should not have.</summary>
    public const string VERSIONS = """SELECT "Version" FROM "Version" LIMIT 3""";

    /// <summary>Of a row of Fileset.</summary>
    public const string IS_UNKNOWN_TIME = """typeof("Timestamp") <> 'integer' OR "Timestamp" NOT BETWEEN -62135596800 AND 253402300799""";

    /// <summary>Of a row of Remotevolume.</summary>
    public const string IS_UNKNOWN_TYPE = """ "Type" NOT IN ('Blocks', 'Files', 'Index')""";

    /// <summary>Of a row of Remotevolume.</summary>
    public const string IS_UNKNOWN_STATE = """ "State" NOT IN ('Temporary', 'Uploading', 'Uploaded', 'Verified', 'Deleting', 'Deleted')""";

    /// <summary>Scans Fileset, one row a version.</summary>
    public const string UNKNOWN_TIMES = $"""
        SELECT 'a version is recorded at the time ' || "Timestamp" || ', which no calendar has' FROM "Fileset"
        WHERE {IS_UNKNOWN_TIME}
        LIMIT 3
        """;

    /// <summary>Scans Remotevolume, one row a volume.</summary>
    public const string UNKNOWN_VOLUMES = $"""
        SELECT "Name" || ' is recorded as of type ' || "Type" || ' and ' || "State" || ', which is not known' FROM "Remotevolume"
        WHERE {IS_UNKNOWN_TYPE} OR {IS_UNKNOWN_STATE}
        LIMIT 3
        """;

    /// <summary>For a copy that nobody needs after a crash.</summary>
    public const string FAST = "PRAGMA synchronous = OFF";

    /// <summary>Into a copy of the schema without rows.</summary>
    public const string SET_VERSION = """INSERT INTO "Version" ("Version") VALUES ($version)""";

    /// <summary>Reads the schema: what makes tables, then the rest.</summary>
    public const string DEFINITIONS = """
        SELECT "sql" FROM "sqlite_master" WHERE "sql" IS NOT NULL AND "name" NOT GLOB 'sqlite_*' AND "sql" LIKE 'CREATE %'
        ORDER BY "type" <> 'table', "type" = 'view', "rowid"
        """;

    /// <summary>Reads the schema, one row a column, in lower case; fails on a view that no longer fits its tables.</summary>
    public const string COLUMNS = """
        SELECT lower("Object"."name"), lower("Column"."name") FROM "sqlite_master" AS "Object" CROSS JOIN pragma_table_info("Object"."name") AS "Column"
        WHERE "Object"."type" IN ('table', 'view') AND "Object"."name" NOT GLOB 'sqlite_*'
        """;
}

/// <summary>What users are told about indexes that an operation has left out while it fills a database.</summary>
internal static class LeftOutText
{
    /// <summary>What an operation left behind that did not end.</summary>
    internal static string Interrupted(string path, int missing) =>
        $"interrupted: {SizeText.Count(missing, "index")} missing; the next operation that writes, or `duplicati-db upgrade {path}`, completes them";

    /// <summary>What an operation has left out that is running.</summary>
    internal static string BeingFilled(int missing) =>
        $"{SizeText.Count(missing, "index")} left out by a running operation, which completes them";

    /// <summary>Refuses a database that lacks indexes after they should have been completed.</summary>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseIsBeingFilled</c>, <c>DatabaseLacksIndexes</c>.</exception>
    internal static void RequireComplete(string path)
    {
        using var reader = new DatabaseDumpReader(path);
        if (reader.LeftOut is not { } leftOut)
            return;

        throw leftOut.IsBeingFilled
            ? new UserInformationException(
                $"An operation that is running fills {path} and completes its {SizeText.Count(leftOut.Names.Count, "missing index")} at its end; wait for it.",
                "DatabaseIsBeingFilled"
            )
            : new UserInformationException(
                $"Indexes of {path} could not be built: {string.Join(", ", leftOut.Names)}. If no other program is writing to the file and the disk has space, its rows contradict each other. {Advice.RecreateDatabase()}",
                "DatabaseLacksIndexes"
            );
    }
}
