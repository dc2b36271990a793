// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>The list of files to restore: one row a file, symbolic link or folder, found by the id it has in FileLookup.</summary>
internal static class RestoreFileSql
{
    // Temporary; rows are appended in id order.
    internal const string Create = """
        CREATE TEMP TABLE IF NOT EXISTS "RestoreFile" (
            "ID" INTEGER PRIMARY KEY,
            "Path" TEXT NOT NULL,
            "BlocksetID" INTEGER NOT NULL,
            "MetadataID" INTEGER NOT NULL,
            "DataVerified" INTEGER NOT NULL,
            "LocalSourceExists" INTEGER NOT NULL,
            "LatestBlocksetID" INTEGER NULL)
        """;

    // Emptied, not dropped: a drop fails while any reader is open.
    internal const string Clear = """DELETE FROM temp."RestoreFile" """;

    // FilesetEntry by its key (FilesetID, FileID), FileLookup and PathPrefix by id; appends in id order.
    internal const string FillAll = """
        INSERT INTO temp."RestoreFile" ("ID", "Path", "BlocksetID", "MetadataID", "DataVerified", "LocalSourceExists")
        SELECT l."ID", p."Prefix" || l."Path", l."BlocksetID", l."MetadataID", 0, 0
        FROM "FilesetEntry" e
        CROSS JOIN "FileLookup" l ON l."ID" = e."FileID"
        CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        WHERE e."FilesetID" = ?1
        ORDER BY e."FileID"
        """;

    // As FillAll, as a reader.
    internal const string Entries = """
        SELECT l."ID", p."Prefix" || l."Path", l."BlocksetID", l."MetadataID"
        FROM "FilesetEntry" e
        CROSS JOIN "FileLookup" l ON l."ID" = e."FileID"
        CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        WHERE e."FilesetID" = ?1
        ORDER BY e."FileID"
        """;

    // By id; a row that is there already stays.
    internal const string Insert = """
        INSERT OR IGNORE INTO temp."RestoreFile" ("ID", "Path", "BlocksetID", "MetadataID", "DataVerified", "LocalSourceExists")
        VALUES (?1, ?2, ?3, ?4, 0, 0)
        """;

    // PathPrefixPrefix.
    internal const string PrefixId = """SELECT "ID" FROM "PathPrefix" WHERE "Prefix" = ?1""";

    // FileLookupPath (PrefixID, Path), then the key of FilesetEntry.
    internal const string EntriesOfPath = """
        SELECT l."ID", l."BlocksetID", l."MetadataID"
        FROM "FileLookup" l
        CROSS JOIN "FilesetEntry" e ON e."FilesetID" = ?1 AND e."FileID" = l."ID"
        WHERE l."PrefixID" = ?2 AND l."Path" = ?3
        """;

    // One scan of the list, Blockset by id.
    internal const string Count = """
        SELECT COUNT(DISTINCT r."Path"), SUM(b."Length")
        FROM temp."RestoreFile" r
        CROSS JOIN "Blockset" b ON b."ID" = r."BlocksetID"
        """;

    // One scan of the list.
    internal const string LongestPath = """SELECT "Path" FROM temp."RestoreFile" ORDER BY LENGTH("Path") DESC, "ID" LIMIT 1""";

    // One scan of the list.
    internal const string AllPaths = """SELECT "ID", "Path" FROM temp."RestoreFile" ORDER BY "ID" """;

    // One scan of the list and a sort; ?1 is where the part of the path begins that targets differ in.
    internal const string ByTarget = """SELECT "ID", "Path" FROM temp."RestoreFile" ORDER BY SUBSTR("Path", ?1), "ID" """;

    // One page of the list, by id.
    internal const string PageAfter = """SELECT "ID", "Path" FROM temp."RestoreFile" WHERE "ID" > ?1 ORDER BY "ID" LIMIT ?2""";

    // By id.
    internal const string Remove = """DELETE FROM temp."RestoreFile" WHERE "ID" = ?1""";

    // One scan of the list, Blockset by id.
    internal const string RemoveLargerThan = """
        DELETE FROM temp."RestoreFile"
        WHERE EXISTS (SELECT 1 FROM "Blockset" b WHERE b."ID" = "RestoreFile"."BlocksetID" AND b."Length" > ?1)
        """;

    // By id.
    internal const string SetDataVerified = """UPDATE temp."RestoreFile" SET "DataVerified" = 1 WHERE "ID" = ?1""";

    // Small table, one row a version; stops at the first.
    internal const string AnyFileset = """SELECT 1 FROM "Fileset" LIMIT 1""";

    // Scans the prefixes outside the folder; FileLookupPath below each, FilesetentryFileIdIndex for each file found outside.
    internal const string FilesetsOutsideFolder = """
        SELECT e."FilesetID"
        FROM "PathPrefix" p
        CROSS JOIN "FileLookup" l ON l."PrefixID" = p."ID"
        CROSS JOIN "FilesetEntry" e ON e."FileID" = l."ID"
        WHERE SUBSTR(p."Prefix", 1, LENGTH(?1)) <> ?1 AND SUBSTR(p."Prefix" || l."Path", 1, LENGTH(?1)) <> ?1
        """;
}
