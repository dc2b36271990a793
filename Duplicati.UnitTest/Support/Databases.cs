// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.UnitTest.Golden;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Support;

/// <summary>What tests do with database files, beside whatever else has them open.</summary>
internal static class Databases
{
    /// <summary>Opens a file without any pragma, so that opening changes nothing.</summary>
    public static SqliteConnection Open(string path) => PlainConnection.Open(path);

    /// <summary>Opens a file, creates or upgrades it and closes it.</summary>
    public static void Upgrade(string path) => Upgrade(path, typeof(DatabaseSchemaMarker));

    /// <summary>As above, with another schema.</summary>
    public static void Upgrade(string path, Type marker)
    {
        using var connection = Open(path);
        DatabaseUpgrader.UpgradeDatabase(connection, path, marker);
    }

    /// <summary>The version in the version table.</summary>
    public static int VersionOf(string path) => int.Parse(Query(path, """SELECT MAX("Version") FROM "Version" """)!);

    /// <summary>First value of a statement.</summary>
    public static string? Query(string path, string sql)
    {
        using var connection = Open(path);
        return connection.Scalar(sql);
    }

    /// <summary>Runs a statement.</summary>
    public static void Execute(string path, string sql)
    {
        using var connection = Open(path);
        connection.Execute(sql);
    }

    /// <summary>Makes one of version 18 of one of version 19.</summary>
    public static void Downgrade(string path) =>
        Execute(path, """ALTER TABLE "Metadataset" DROP COLUMN "Content"; UPDATE "Version" SET "Version" = 18""");

    /// <summary>Overwrites the first page of a table or an index with zeros.</summary>
    public static void ZeroPage(string path, string tree)
    {
        var root = long.Parse(Query(path, $"SELECT \"rootpage\" FROM \"sqlite_master\" WHERE \"name\" = '{tree}'")!, null);
        using var file = new FileStream(path, FileMode.Open);
        file.Position = (root - 1) * 4096;
        file.Write(new byte[4096]);
    }

    /// <summary>Every page and every index is as it has to be.</summary>
    public static void AssertSound(string path, string when = "") =>
        Assert.That(Query(path, "PRAGMA integrity_check"), Is.EqualTo("ok"), when);

    /// <summary>Compares two files of any schema version; neither is changed.</summary>
    public static IReadOnlyList<DumpDifference> Compare(string one, string other, DumpComparisonOptions? options = null) =>
        DatabaseComparison.Compare(DatabaseDump.Load(one), DatabaseDump.Load(other), options);

    /// <summary>Both hold the same, but for what a recreate cannot know, unless options say otherwise.</summary>
    public static void AssertEqual(string one, string other, string when = "", DumpComparisonOptions? options = null) =>
        Assert.That(Databases.Compare(one, other, options ?? DumpComparisonOptions.Logical).Select(x => x.ToString()), Is.Empty, when);

    /// <summary>Makes indexes that are left out look like those of a process that is gone.</summary>
    public static void ForgetOwner(string path)
    {
        using var connection = Open(path);
        Assert.That(connection.Execute("""UPDATE "DeferredIndex" SET "Sql" = '1 5' WHERE "Name" = ''"""), Is.EqualTo(1));
    }

    /// <summary>Copies a file that a killed process has left, with its log: whoever opens the file itself completes it.</summary>
    public static void CopyKilled(string from, string to)
    {
        foreach (var beside in new[] { "", "-wal", "-journal" }.Where(x => File.Exists(from + x)))
            File.Copy(from + beside, to + beside);
    }

    /// <summary>The bytes of a file that others may have open.</summary>
    public static byte[] Read(string path)
    {
        using var stream = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        var content = new byte[stream.Length];
        stream.ReadExactly(content);
        return content;
    }

    /// <summary>Unpacks a database at an old version.</summary>
    /// <param name="name">E.g. "handmade-v05".</param>
    /// <param name="folder">Where to, as <c>old.sqlite</c>.</param>
    public static string UnpackOld(string name, string folder) => GoldenData.Unpack("old-schema", name + ".sqlite", folder, "old.sqlite");

    /// <summary>The version in the name of a database at an old version.</summary>
    public static int VersionIn(string name) => int.Parse(name[^2..]);

    /// <summary>
    /// The differences between a file and what real Duplicati makes of a database at an old version; no row of history may be lost either.
    /// </summary>
    public static IReadOnlyList<DumpDifference> DifferencesFromExpected(string path, string name)
    {
        // The command that upgraded the expected database also wrote a line to the log, so history is compared with what was there before.
        var actual = DatabaseDump.Load(path);
        var lost = GoldenData
            .Dump("old-schema", name + ".before.dump.json")
            .RowCounts.Where(x => x.Key is "operation" or "remoteoperation" or "logdata")
            .Where(x => actual.RowCounts[x.Key] != x.Value)
            .Select(x => new DumpDifference(DumpNames.RowCounts, $"{x.Key}={x.Value}", null));
        return [.. DatabaseComparison.Compare(GoldenData.Dump("old-schema", name + ".after-upgrade.dump.json"), actual), .. lost];
    }

    /// <summary>The copies beside a database.</summary>
    public static string[] SafetyCopies(TestFolder folder) =>
        [
            .. folder
                .Files()
                .Where(x => x.StartsWith("backup ", StringComparison.Ordinal) && x.EndsWith(".sqlite", StringComparison.Ordinal)),
        ];
}

/// <summary>An open connection to a new database file, with both removed at the end.</summary>
internal sealed class TestConnection : IDisposable
{
    private readonly TestFolder m_folder = new();

    internal TestConnection(string? schema = null)
    {
        Connection = Databases.Open(Path);
        if (schema != null)
            Run(schema);
    }

    internal SqliteConnection Connection { get; }

    /// <summary>The path of the database file.</summary>
    internal string Path => m_folder.File("test.sqlite");

    /// <summary>Runs statements, in the transaction that is open if there is one.</summary>
    internal void Run(string sql) => Connection.Execute(sql);

    /// <summary>The one value of a query.</summary>
    internal object? Scalar(string sql)
    {
        using var command = Connection.CreateCommand();
        command.CommandText = sql;
        return command.ExecuteScalar();
    }

    public void Dispose()
    {
        Connection.Dispose();
        m_folder.Dispose();
    }
}

/// <summary>Options of connections that differ from a preset.</summary>
internal static class TestOptions
{
    /// <summary>A preset with other values of some pragmas.</summary>
    internal static ConnectionOptions Of(string preset, params (string Name, object Value)[] others)
    {
        var found = ConnectionPreset.Find(preset);
        return new ConnectionOptions(
            found.Name,
            [
                .. found.Pragmas.ExceptBy(others.Select(x => x.Name), x => x.Name),
                .. others.Select(x => new Pragma(x.Name, $"{x.Value}", "asked for by a test")),
            ],
            found.RefreshesStatistics
        );
    }

    /// <summary>The preset <c>default</c>, of which the planner's statistics are not refreshed.</summary>
    internal static ConnectionOptions WithoutStatistics() =>
        new(ConnectionPreset.Default.Name, ConnectionPreset.Default.Pragmas, refreshesStatistics: false);

    /// <summary>A preset that waits for locks for a time of its own.</summary>
    /// <param name="commandTimeout">Seconds.</param>
    /// <param name="busyTimeout">Milliseconds.</param>
    /// <param name="preset">Its name.</param>
    internal static ConnectionOptions Waiting(int commandTimeout, int? busyTimeout = null, string preset = "default")
    {
        var options = busyTimeout is { } milliseconds ? Of(preset, ("busy_timeout", milliseconds)) : Of(preset);
        return new ConnectionOptions(options.PresetName, options.Pragmas, options.RefreshesStatistics) { CommandTimeout = commandTimeout };
    }
}

/// <summary>Plain statements on a connection, for setting up and looking at a database in tests.</summary>
internal static class SqlExtensions
{
    /// <summary>Runs one or more statements.</summary>
    public static int Execute(this SqliteConnection connection, string sql)
    {
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        return command.ExecuteNonQuery();
    }

    /// <summary>First column of the first row as text; null without a row, or if it is NULL.</summary>
    public static string? Scalar(this SqliteConnection connection, string sql)
    {
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        return
            Convert.ToString(command.ExecuteScalar() is { } value and not DBNull ? value : null, CultureInfo.InvariantCulture)
                is { Length: > 0 } text
            ? text
            : null;
    }

    /// <summary>The value of a pragma as SQLite reports it.</summary>
    public static string? Pragma(this SqliteConnection connection, string name) => connection.Scalar("PRAGMA " + name);

    /// <summary>The rows of a query, columns joined by a bar, in its order.</summary>
    public static string[] Lines(this SqliteConnection connection, string sql)
    {
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        using var reader = command.ExecuteReader();
        var lines = new List<string>();
        while (reader.Read())
            lines.Add(
                string.Join('|', Enumerable.Range(0, reader.FieldCount).Select(i => reader.IsDBNull(i) ? "null" : reader.GetString(i)))
            );
        return [.. lines];
    }
}

/// <summary>What two databases are compared by that have to hold the same rows, ids included.</summary>
internal static class AllRows
{
    /// <summary>The ids of deleted blocks, which those of one deletion get in any order.</summary>
    internal const string DeletedBlockIds = "DeletedBlock.ID";

    private static readonly string[] s_tables =
    [
        "Remotevolume",
        "IndexBlockLink",
        "Fileset",
        "FilesetEntry",
        "PathPrefix",
        "FileLookup",
        "BlocklistHash",
        "Blockset",
        "BlocksetEntry",
        "Block",
        "DeletedBlock",
        "DuplicateBlock",
        "Metadataset",
        "ChangeJournalData",
    ];

    /// <summary>The contents of all tables, one line a row, sorted.</summary>
    /// <param name="connection">Of the database.</param>
    /// <param name="without">Columns that do not count, each with its table and a dot before it.</param>
    internal static string Of(SqliteConnection connection, params string[] without) =>
        string.Join("\n", s_tables.SelectMany(table => Of(connection, table, without)).Order(StringComparer.Ordinal));

    /// <summary>As above, of a file.</summary>
    internal static string Of(string path, params string[] without)
    {
        using var connection = Databases.Open(path);
        return Of(connection, without);
    }

    private static IEnumerable<string> Of(SqliteConnection connection, string table, string[] without)
    {
        var columns = connection.Lines($"SELECT name FROM pragma_table_info('{table}')").Where(x => !without.Contains($"{table}.{x}"));
        return connection.Lines($"SELECT \"{string.Join("\", \"", columns)}\" FROM {table}").Select(line => $"{table}: {line}");
    }
}

/// <summary>A file that cannot grow, as on a full disk.</summary>
internal static class FullDisk
{
    /// <summary>Lets the file of a session grow by some pages and no further, or without a limit again.</summary>
    internal static void LimitPages(this DatabaseSession session, bool isFull, int spare = 0)
    {
        lock (session.ConnectionLock)
        {
            using var count = session.Statements.Prepare("PRAGMA page_count");
            var pages = isFull ? count.ExecuteInt64() + spare : int.MaxValue - 1;
            using var limit = session.Statements.Prepare($"PRAGMA max_page_count={pages}");
            limit.ExecuteInt64();
        }
    }
}
