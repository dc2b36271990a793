// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Backup;

internal static class PreviousFilesetSql
{
    // Reads Fileset, one row a version.
    internal const string Previous =
        """SELECT "ID" FROM "Fileset" WHERE "Timestamp" < ?1 AND "ID" <> ?2 ORDER BY "Timestamp" DESC, "ID" DESC LIMIT 1""";

    // Primary key of FilesetEntry from the end, row id of FileLookup, then per path FileLookupPath and FilesetentryFileIdIndex.
    internal const string Append = """
        INSERT OR IGNORE INTO "FilesetEntry" ("FilesetID", "FileID", "Lastmodified")
        SELECT
            ?1,
            (SELECT MAX("Newest"."ID") FROM "FileLookup" AS "Newest"
             WHERE "Newest"."PrefixID" = "FileLookup"."PrefixID" AND "Newest"."Path" = "FileLookup"."Path"
               AND EXISTS (SELECT 1 FROM "FilesetEntry" AS "Used" WHERE "Used"."FileID" = "Newest"."ID")),
            "Previous"."Lastmodified"
        FROM "FilesetEntry" AS "Previous" CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "Previous"."FileID"
        WHERE "Previous"."FilesetID" = ?2
          AND NOT EXISTS (
            SELECT 1 FROM "FileLookup" AS "Other"
            CROSS JOIN "FilesetEntry" AS "Present" ON "Present"."FilesetID" = ?1 AND "Present"."FileID" = "Other"."ID"
            WHERE "Other"."PrefixID" = "FileLookup"."PrefixID" AND "Other"."Path" = "FileLookup"."Path")
        ORDER BY "Previous"."FileID" DESC
        """;

    // Primary key of the temporary table.
    internal const string InsertDeletedPath = """INSERT OR IGNORE INTO temp."DeletedPath" ("Path") VALUES (?1)""";

    // Primary key of FilesetEntry, row ids, primary key of the temporary table.
    internal const string RemoveDeletedPaths = """
        DELETE FROM "FilesetEntry"
        WHERE "FilesetID" = ?1 AND "FileID" IN (
            SELECT "Entry"."FileID" FROM "FilesetEntry" AS "Entry"
            CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "Entry"."FileID"
            CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
            CROSS JOIN temp."DeletedPath" ON "DeletedPath"."Path" = "PathPrefix"."Prefix" || "FileLookup"."Path"
            WHERE "Entry"."FilesetID" = ?1)
        """;

    // Primary key of FilesetEntry from the last entry seen, row ids.
    internal const string Page = """
        SELECT "Entry"."FileID", "Entry"."Lastmodified", "PathPrefix"."Prefix" || "FileLookup"."Path", "Blockset"."Length"
        FROM "FilesetEntry" AS "Entry"
        LEFT JOIN "FileLookup" ON "FileLookup"."ID" = "Entry"."FileID"
        LEFT JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "Entry"."FilesetID" = ?1 AND "Entry"."FileID" > ?2
          AND NOT EXISTS (SELECT 1 FROM "FilesetEntry" AS "Present" WHERE "Present"."FilesetID" = ?3 AND "Present"."FileID" = "Entry"."FileID")
        ORDER BY "Entry"."FileID"
        LIMIT ?4
        """;

    // Primary key of FilesetEntry, row ids; sorts the paths of the fileset once.
    internal const string RemoveDuplicatePaths = """
        DELETE FROM "FilesetEntry"
        WHERE "FilesetID" = ?1 AND "FileID" IN (
            SELECT "FileID" FROM (
                SELECT "Entry"."FileID", ROW_NUMBER() OVER (PARTITION BY "PathPrefix"."Prefix" || "FileLookup"."Path" ORDER BY "Entry"."FileID" DESC) AS "Position"
                FROM "FilesetEntry" AS "Entry"
                CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "Entry"."FileID"
                CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
                WHERE "Entry"."FilesetID" = ?1)
            WHERE "Position" > 1)
        """;

    // Reads Fileset, one row a version; primary key of FilesetEntry, row ids.
    internal const string NewestFiles = """
        SELECT COUNT(*), SUM("Blockset"."Length")
        FROM "FilesetEntry"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "FilesetEntry"."FilesetID" = (SELECT "ID" FROM "Fileset" ORDER BY "Timestamp" DESC, "ID" DESC LIMIT 1)
          AND "FileLookup"."BlocksetID" >= 0
        """;
}

internal static class PreviousTablesSql
{
    // Full paths to be taken out of a fileset.
    internal const string CreateDeletedPath =
        """CREATE TEMP TABLE IF NOT EXISTS "DeletedPath" ("Path" TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID""";
    internal const string ClearDeletedPath = """DELETE FROM temp."DeletedPath" """;
}
