// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Dump;
using Duplicati.UnitTest.Engine.Operations;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Tool.Pages;

/// <summary>
/// A small backup whose database has labels, logs, test counts, locks and settings, in pages of 1024 bytes; and which of its rows must be
/// there after a page was damaged.
/// </summary>
internal sealed class DamagedPageCase : ToolCase
{
    /// <summary>The table of the schema.</summary>
    internal const string Schema = "sqlite_schema";

    private const int Restored = 4;

    // What only the database has: the columns that tell a row, and the others, which are compared.
    private static readonly string[] s_own =
    [
        """SELECT 'Operation', "ID", "Description" || '|' || "Timestamp" FROM "Operation" """,
        """SELECT 'LogData', "ID", "OperationID" || '|' || "Timestamp" || '|' || "Type" || '|' || "Message" || '|' || COALESCE("Exception", 'null') FROM "LogData" """,
        """SELECT 'RemoteOperation', "ID", "OperationID" || '|' || "Timestamp" || '|' || "Operation" || '|' || "Path" || '|' || COALESCE("Data", 'null') FROM "RemoteOperation" """,
        """SELECT 'RestoreTestHistory', "ID", "Path" || '|' || "LastVerified" || '|' || "LastResult" FROM "RestoreTestHistory" """,
        """SELECT 'Configuration', "Key", "Value" FROM "Configuration" """,
        """SELECT 'Remotevolume', "Name", "VerificationCount" || '|' || "ArchiveTime" || '|' || "LockExpirationTime" FROM "Remotevolume" """,
        """SELECT 'Fileset', "Timestamp", COALESCE("Label", 'null') FROM "Fileset" """,
        """SELECT 'ChangeJournalData', "ChangeJournalData"."ID", "Timestamp" || '|' || "VolumeName" || '|' || "JournalID" || '|' || "NextUsn" || '|' || "ConfigHash" FROM "ChangeJournalData" JOIN "Fileset" ON "Fileset"."ID" = "FilesetID" """,
    ];

    // The keys of the rows by their ids.
    private const string KEYS = """
        SELECT 'Configuration', rowid, "Key" FROM "Configuration"
        UNION ALL SELECT 'Remotevolume', rowid, "Name" FROM "Remotevolume"
        UNION ALL SELECT 'Fileset', rowid, "Timestamp" FROM "Fileset"
        """;

    private const string NEUTRAL = """
        UPDATE "Remotevolume" SET "ArchiveTime" = 0, "LockExpirationTime" = 0;
        DELETE FROM "ChangeJournalData";
        DELETE FROM "Configuration" WHERE "Key" LIKE 'own-%'
        """;

    private Dictionary<(string Table, long Id), string> m_keys = [];
    private Dictionary<long, string> m_names = [];

    private DamagedPageCase() { }

    /// <summary>The file before it is damaged.</summary>
    internal byte[] Whole { get; private set; } = [];

    /// <summary>What is on its pages.</summary>
    internal PageMap Map { get; private set; } = null!;

    /// <summary>Its rows that only the database has.</summary>
    internal IReadOnlyDictionary<(string Table, string Key), string> Own { get; private set; } = null!;

    /// <summary>The words of a check that finds everything.</summary>
    internal string[] Check => Words("check", "--deep");

    internal static async Task<DamagedPageCase> CreateAsync()
    {
        var result = new DamagedPageCase();
        await result.MakeAsync();
        return result;
    }

    /// <summary>Makes the database a damaged one, with nothing beside it.</summary>
    internal void Begin(byte[] damaged)
    {
        foreach (var file in Directory.GetFiles(Path.GetDirectoryName(Database)!, Path.GetFileName(Database) + "*"))
            File.Delete(file);
        File.WriteAllBytes(Database, damaged);
    }

    /// <summary>The damaged file is there under another name.</summary>
    internal void AssertKept(byte[] damaged) =>
        Assert.That(
            Directory.GetFiles(Path.GetDirectoryName(Database)!, Path.GetFileName(Database) + ".backup*").Select(File.ReadAllBytes),
            Has.Some.EqualTo(damaged),
            "the damaged file is kept"
        );

    /// <summary>
    /// What comes from the remote folder is what a clean recreate makes, and, for some pages, can be restored. Changes the database.
    /// </summary>
    internal async Task AssertEqualsCleanAsync(int page)
    {
        Neutralize(Database);
        var options = DumpComparisonOptions.Logical with { IgnoreSchema = Map.Owner(page).Table == Schema };
        Databases.AssertEqual(Clean, Database, options: options);
        if (page % Restored != 0)
            return;
        var target = this["restored"];
        await ToolRun.OkAsync(RestoreAsync("restored"));
        Assert.That(SourceTree.Describe(target), Is.EqualTo(SourceTree.Describe(Source)));
        Directory.Delete(target, recursive: true);
    }

    private string Clean => this["clean.sqlite"];

    private async Task MakeAsync()
    {
        foreach (var file in Directory.GetFiles(Path.Combine(Source, "folder")).Skip(2))
            File.Delete(file);
        for (var i = 0; i < 3; i++)
        {
            SourceTree.Write(Source, $"folder/{i}", 9000, new Random(i + 30));
            Assert.That((await BackUpAsync("--schema", "21", "--version-name", $"version {i}")).Code, Is.Zero);
        }

        Assert.That((await RunAsync("test", "--samples", "all")).Code, Is.Zero);
        Fill(Database);
        Whole = await File.ReadAllBytesAsync(Database);
        Map = new PageMap(Database);
        Own = Rows(Database);
        m_keys = Query(Database, KEYS).ToDictionary(x => (x[0], long.Parse(x[1], null)), x => x[2]);
        m_names = Query(Database, "SELECT rowid, name FROM sqlite_master").ToDictionary(x => long.Parse(x[0], null), x => x[1]);
        File.Delete(Database);
        Assert.That((await RunAsync("recreate", "--schema", "21")).Code, Is.Zero);
        File.Move(Database, Clean);
        Neutralize(Clean);
    }

    /// <summary>Every row that only the database has is there, unless the page has something of it.</summary>
    internal void AssertRows(int page, bool isSeen)
    {
        // Nothing is known of a file without its first page.
        if (page == 1)
            return;
        var table = Map.Owner(page).Table;
        var ids = Map.RowsOn(page, table);
        var touched = ids.Select(x => (table, m_keys.GetValueOrDefault((table, x), $"{x}"))).ToHashSet();
        // Nor of a table of which the page says that it is there. Without its version the new one has the usual schema.
        var tables = table == Schema ? m_names.Where(x => ids.Contains(x.Key)).Select(x => x.Value).ToHashSet() : [];
        if (tables.Contains("Version"))
            tables.UnionWith(["RestoreTestHistory", "Fileset"]);
        var rows = Rows(Database);
        var lost = Own.Where(x =>
            !touched.Contains(x.Key)
            && !tables.Contains(x.Key.Table)
            && !IsOfLostVersion(x.Key, tables, touched)
            && rows.GetValueOrDefault(x.Key) != x.Value
        );
        Assert.That(lost.Select(x => $"{x.Key}: {x.Value}"), Is.Empty, "rows of other pages");
        if (isSeen)
            return;
        var changed = Own.Where(x => touched.Contains(x.Key) && rows.GetValueOrDefault(x.Key) != x.Value).ToList();
        Assert.That(changed.Count == 0 || Map.IsOverflow(page), "what has no checksum is within a row alone");
    }

    // A position in a journal says by its id which version it is of.
    private static bool IsOfLostVersion(
        (string Table, string Key) row,
        HashSet<string> tables,
        HashSet<(string Table, string Key)> touched
    ) => row.Table == "ChangeJournalData" && (tables.Contains("Fileset") || touched.Any(x => x.Table == "Fileset"));

    private static Dictionary<(string Table, string Key), string> Rows(string path) =>
        Query(path, s_own).ToDictionary(x => (x[0], x[1]), x => string.Join('|', x[2..]));

    private static List<string[]> Query(string path, params string[] queries)
    {
        using var connection = Databases.Open(path);
        return [.. queries.SelectMany(x => Lines(connection, x)).Select(x => x.Split('|'))];
    }

    // None of a table or column that the schema has not.
    private static string[] Lines(SqliteConnection connection, string sql)
    {
        try
        {
            return connection.Lines(sql);
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode == SQLitePCL.raw.SQLITE_ERROR)
        {
            return [];
        }
    }

    private static void Neutralize(string path)
    {
        using var connection = Databases.Open(path);
        connection.Execute(NEUTRAL);
        if (DumpQuery.HasColumn(connection, "Fileset", "Label"))
            connection.Execute("""UPDATE "Fileset" SET "Label" = NULL""");
    }

    // Tables of several pages, rows that do not fit on one, and free pages.
    private static void Fill(string path)
    {
        Databases.Execute(
            path,
            """
            WITH RECURSIVE "N" ("i") AS (SELECT 1 UNION ALL SELECT "i" + 1 FROM "N" WHERE "i" < 40)
            INSERT INTO "LogData" ("OperationID", "Timestamp", "Type", "Message", "Exception")
            SELECT 1 + "i" % 3, 1700000000 + "i", CASE WHEN "i" % 2 THEN 'Result' ELSE 'Warning' END,
                'message ' || "i" || CASE WHEN "i" % 13 = 0 THEN printf('%.*c', 900 + 40 * "i", 'x') ELSE '' END, CASE WHEN "i" % 5 THEN NULL ELSE 'é' END FROM "N";
            INSERT INTO "RemoteOperation" ("OperationID", "Timestamp", "Operation", "Path", "Data")
            SELECT "OperationID", "Timestamp", 'put', "Message", "Exception" FROM "LogData" WHERE length("Message") < 100;
            INSERT INTO "RestoreTestHistory" ("Path", "LastVerified", "LastResult") SELECT "Message", "Timestamp", 'Passed' FROM "LogData" WHERE "ID" < 12;
            INSERT INTO "ChangeJournalData" ("FilesetID", "VolumeName", "JournalID", "NextUsn", "ConfigHash")
            SELECT "ID", 'C:\', 7 * "ID", 100000 * "ID", 'hash' FROM "Fileset";
            UPDATE "Remotevolume" SET "LockExpirationTime" = 1900000000 + "ID", "ArchiveTime" = CASE WHEN "ID" % 2 THEN 1700000000 ELSE 0 END;
            INSERT INTO "Configuration" ("Key", "Value") SELECT 'own-' || "ID", "Message" FROM "LogData" WHERE "ID" < 20 AND length("Message") < 100;
            """
        );
        using var plain = Databases.Open(path);
        plain.Execute("PRAGMA journal_mode = DELETE; PRAGMA page_size = 1024; VACUUM");
        plain.Execute("""CREATE TABLE "Filler" ("x"); INSERT INTO "Filler" VALUES (zeroblob(4000)); DROP TABLE "Filler" """);
    }
}
