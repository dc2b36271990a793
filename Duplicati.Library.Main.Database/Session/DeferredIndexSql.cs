#nullable enable

namespace Duplicati.Library.Main.Database.Session;

internal static class DeferredIndexSql
{
    // The schema table is small and in memory.
    internal const string MarkerExists = """SELECT 1 FROM "sqlite_master" WHERE "type" = 'table' AND "name" = 'DeferredIndex'""";

    // A table of at most some twenty rows that exists only while indexes are missing.
    internal const string CreateMarker = """CREATE TABLE "DeferredIndex" ("Name" TEXT PRIMARY KEY NOT NULL, "Table" TEXT NOT NULL, "Sql" TEXT NOT NULL)""";

    internal const string DropMarker = """DROP TABLE "DeferredIndex" """;

    // Automatic indexes have no text; they belong to their table and stay. Upgraded files spell some table names differently.
    internal const string ListIndexes = """
        SELECT "name", "tbl_name", "sql" FROM "sqlite_master"
        WHERE "type" = 'index' AND "sql" IS NOT NULL
          AND "tbl_name" COLLATE NOCASE IN ('Block', 'Blockset', 'BlocksetEntry', 'BlocklistHash', 'FileLookup', 'FilesetEntry')
        ORDER BY "rootpage"
        """;

    // Each sub-select stops at the first row of its table.
    internal const string AnyRows = """
        SELECT EXISTS (SELECT 1 FROM "Block") OR EXISTS (SELECT 1 FROM "Blockset") OR EXISTS (SELECT 1 FROM "BlocksetEntry")
            OR EXISTS (SELECT 1 FROM "BlocklistHash") OR EXISTS (SELECT 1 FROM "FileLookup") OR EXISTS (SELECT 1 FROM "FilesetEntry")
        """;

    internal const string Remember = """INSERT INTO "DeferredIndex" ("Name", "Table", "Sql") VALUES (?1, ?2, ?3)""";

    // Primary key.
    internal const string Forget = """DELETE FROM "DeferredIndex" WHERE "Name" = ?1""";

    // At most some twenty rows.
    internal const string ListRemembered = """
        SELECT "Name", "Sql" FROM "DeferredIndex" WHERE "Name" <> '' AND (?1 IS NULL OR "Table" = ?1 COLLATE NOCASE) ORDER BY rowid
        """;

    // At most some twenty rows.
    internal const string AnyRemembered = """
        SELECT 1 FROM "DeferredIndex" WHERE "Name" <> '' AND (?1 IS NULL OR "Table" = ?1 COLLATE NOCASE) LIMIT 1
        """;

    // Primary key. The row without a name holds the mark of the process that leaves the indexes out.
    internal const string Owner = """SELECT "Sql" FROM "DeferredIndex" WHERE "Name" = ''""";

    // Row id; the last row.
    internal const string LastBlock = """SELECT MAX("ID") FROM "Block" """;

    internal const string ReadTempStore = "PRAGMA temp_store";

    internal const string SortOnDisk = "PRAGMA temp_store = FILE";

    internal const string SortInMemory = "PRAGMA temp_store = MEMORY";

    internal const string BusyTimeout = "PRAGMA busy_timeout";

    internal const string Begin = "BEGIN IMMEDIATE";

    internal const string Commit = "COMMIT";

    internal const string Rollback = "ROLLBACK";
}
