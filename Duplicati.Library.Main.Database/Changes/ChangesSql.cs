// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Changes;

/// <summary>
/// The comparison of two lists of entries; <c>{0}</c> stands for the digits that end the names of both tables. Type: 0 folder, 1 symbolic
/// link, 2 file.
/// </summary>
internal static class ChangesSql
{
    // Indexed by path, which a damaged list may have twice.
    internal const string CreatePrevious = """
        CREATE TEMP TABLE "Previous-{0}" ("Path" TEXT NOT NULL, "FileHash" TEXT NULL, "MetaHash" TEXT NOT NULL, "Size" INTEGER NOT NULL, "Type" INTEGER NOT NULL);
        CREATE INDEX temp."Previous-{0}-Path" ON "Previous-{0}" ("Path")
        """;

    internal const string ClearPrevious = """DELETE FROM temp."Previous-{0}" """;
    internal const string DropPrevious = """DROP TABLE IF EXISTS temp."Previous-{0}" """;

    // Indexed by path, which a damaged list may have twice.
    internal const string CreateCurrent = """
        CREATE TEMP TABLE "Current-{0}" ("Path" TEXT NOT NULL, "FileHash" TEXT NULL, "MetaHash" TEXT NOT NULL, "Size" INTEGER NOT NULL, "Type" INTEGER NOT NULL);
        CREATE INDEX temp."Current-{0}-Path" ON "Current-{0}" ("Path")
        """;

    internal const string ClearCurrent = """DELETE FROM temp."Current-{0}" """;
    internal const string DropCurrent = """DROP TABLE IF EXISTS temp."Current-{0}" """;

    // Appends.
    internal const string InsertPrevious =
        """INSERT INTO temp."Previous-{0}" ("Path", "FileHash", "MetaHash", "Size", "Type") VALUES (?1, ?2, ?3, ?4, ?5)""";

    // Appends.
    internal const string InsertCurrent =
        """INSERT INTO temp."Current-{0}" ("Path", "FileHash", "MetaHash", "Size", "Type") VALUES (?1, ?2, ?3, ?4, ?5)""";

    // Primary key of FilesetEntry, row ids.
    internal const string Entries = """
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path", "FileLookup"."BlocksetID", "Data"."FullHash", "Data"."Length", "Meta"."FullHash"
        FROM "FilesetEntry"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        CROSS JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        CROSS JOIN "Blockset" AS "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
        LEFT JOIN "Blockset" AS "Data" ON "Data"."ID" = "FileLookup"."BlocksetID"
        WHERE "FilesetEntry"."FilesetID" = ?1 AND ("FileLookup"."BlocksetID" IN (-100, -200) OR "Data"."ID" IS NOT NULL)
        """;

    // The path index of the other table.
    internal const string Added = """
        SELECT "New"."Type", "New"."Path", "New"."Size" FROM temp."Current-{0}" AS "New"
        WHERE NOT EXISTS (SELECT 1 FROM temp."Previous-{0}" AS "Old" WHERE "Old"."Path" = "New"."Path")
        ORDER BY "New"."Type", "New".rowid
        """;

    // The path index of the other table.
    internal const string Deleted = """
        SELECT "Old"."Type", "Old"."Path", "Old"."Size" FROM temp."Previous-{0}" AS "Old"
        WHERE NOT EXISTS (SELECT 1 FROM temp."Current-{0}" AS "New" WHERE "New"."Path" = "Old"."Path")
        ORDER BY "Old"."Type", "Old".rowid
        """;

    // The path index of the other table. A hash that is missing on one side is no difference.
    internal const string Modified = """
        SELECT "New"."Type", "New"."Path", "New"."Size" FROM temp."Current-{0}" AS "New"
        WHERE EXISTS (
            SELECT 1 FROM temp."Previous-{0}" AS "Old"
            WHERE "Old"."Path" = "New"."Path"
                AND ("Old"."FileHash" <> "New"."FileHash" OR "Old"."MetaHash" <> "New"."MetaHash" OR "Old"."Type" <> "New"."Type"))
        ORDER BY "New"."Type", "New".rowid
        """;

    // Both tables from start to end; folders and links have no bytes.
    internal const string FileSizes = """
        SELECT COALESCE((SELECT SUM(MAX("Size", 0)) FROM temp."Previous-{0}"), 0), COALESCE((SELECT SUM(MAX("Size", 0)) FROM temp."Current-{0}"), 0)
        """;

    // Both tables from start to end.
    internal const string Sizes = """
        SELECT COALESCE((SELECT SUM("Size") FROM temp."Previous-{0}"), 0), COALESCE((SELECT SUM("Size") FROM temp."Current-{0}"), 0)
        """;
}
