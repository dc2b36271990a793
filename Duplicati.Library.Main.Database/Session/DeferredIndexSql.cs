// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Session;

internal static class DeferredIndexSql
{
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

    // Each sub-select stops at the row of that number.
    internal const string MoreRows = """
        SELECT EXISTS (SELECT 1 FROM "Block" LIMIT 1 OFFSET ?1) OR EXISTS (SELECT 1 FROM "Blockset" LIMIT 1 OFFSET ?1) OR EXISTS (SELECT 1 FROM "BlocksetEntry" LIMIT 1 OFFSET ?1)
            OR EXISTS (SELECT 1 FROM "BlocklistHash" LIMIT 1 OFFSET ?1) OR EXISTS (SELECT 1 FROM "FileLookup" LIMIT 1 OFFSET ?1) OR EXISTS (SELECT 1 FROM "FilesetEntry" LIMIT 1 OFFSET ?1)
        """;

    // Primary key. The row without a name holds the mark of who leaves the indexes out.
    internal const string Abandon = """UPDATE "DeferredIndex" SET "Sql" = '' WHERE "Name" = '' AND "Sql" = ?1""";
}
