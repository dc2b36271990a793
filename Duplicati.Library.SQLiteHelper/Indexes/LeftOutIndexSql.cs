// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.SQLiteHelper.Indexes;

internal static class LeftOutIndexSql
{
    // The schema table is small and in memory.
    internal const string TableExists = """SELECT 1 FROM "sqlite_master" WHERE "type" = 'table' AND "name" = 'DeferredIndex'""";

    // A table of at most some twenty rows that exists only while indexes are missing.
    internal const string CreateTable =
        """CREATE TABLE "DeferredIndex" ("Name" TEXT PRIMARY KEY NOT NULL, "Table" TEXT NOT NULL, "Sql" TEXT NOT NULL)""";

    internal const string DropTable = """DROP TABLE IF EXISTS "DeferredIndex" """;

    // The version table has one row.
    internal const string MarkVersion = """UPDATE "Version" SET "Version" = "Version" + 1000 WHERE "Version" < 1000""";

    // The version table has one row.
    internal const string UnmarkVersion = """UPDATE "Version" SET "Version" = "Version" - 1000 WHERE "Version" >= 1000""";

    // Primary key.
    internal const string Remember = """INSERT OR REPLACE INTO "DeferredIndex" ("Name", "Table", "Sql") VALUES (?1, ?2, ?3)""";

    // Primary key.
    internal const string Definition = """SELECT "Sql" FROM "DeferredIndex" WHERE "Name" = ?1""";

    // Primary key.
    internal const string Forget = """DELETE FROM "DeferredIndex" WHERE "Name" = ?1""";

    // At most some twenty rows.
    internal const string ListRemembered = """
        SELECT "Name" FROM "DeferredIndex" WHERE "Name" <> '' AND (?1 IS NULL OR "Table" = ?1 COLLATE NOCASE) ORDER BY rowid
        """;

    // At most some twenty rows.
    internal const string AnyRemembered = """
        SELECT 1 FROM "DeferredIndex" WHERE "Name" <> '' AND (?1 IS NULL OR "Table" = ?1 COLLATE NOCASE) LIMIT 1
        """;

    // Primary key. The row without a name holds the mark of who leaves the indexes out.
    internal const string Owner = """SELECT "Sql" FROM "DeferredIndex" WHERE "Name" = ''""";

    // The schema table is small and in memory.
    internal const string IndexExists = """SELECT 1 FROM "sqlite_master" WHERE "type" = 'index' AND "name" = ?1 COLLATE NOCASE""";

    // Row id; the last row.
    internal const string LastBlock = """SELECT MAX("ID") FROM "Block" """;

    internal const string ReadTempStore = "PRAGMA temp_store";

    // The schema table of what is temporary is small and in memory.
    internal const string AnyTemporaryTable = """SELECT 1 FROM "sqlite_temp_master" LIMIT 1""";

    internal const string PageCount = "PRAGMA page_count";

    internal const string SortOnDisk = "PRAGMA temp_store = FILE";

    internal const string SortInMemory = "PRAGMA temp_store = MEMORY";

    internal const string Begin = "BEGIN IMMEDIATE";

    internal const string Commit = "COMMIT";

    internal const string Rollback = "ROLLBACK";
}
