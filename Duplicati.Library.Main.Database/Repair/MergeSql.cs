// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Repair;

/// <summary>Replaces rows of metadata and of files by others, wherever they are used.</summary>
internal static class MergeSql
{
    // Metadata to be replaced, by id.
    internal const string CreateMetadata =
        """CREATE TEMP TABLE IF NOT EXISTS "MetadataMerge" ("Old" INTEGER PRIMARY KEY, "New" INTEGER NOT NULL)""";
    internal const string ClearMetadata = """DELETE FROM temp."MetadataMerge" """;

    // Files to be replaced, by id.
    internal const string CreateFiles =
        """CREATE TEMP TABLE IF NOT EXISTS "FileMerge" ("Old" INTEGER PRIMARY KEY, "New" INTEGER NOT NULL)""";
    internal const string ClearFiles = """DELETE FROM temp."FileMerge" """;

    // MetadatasetBlocksetID, read in order.
    internal const string CountDuplicateMetadata = """SELECT COUNT(*) - COUNT(DISTINCT "BlocksetID") FROM "Metadataset" """;

    // MetadatasetBlocksetID, read in order: ids ascend within a blockset.
    internal const string FindDuplicateMetadata = """
        INSERT INTO temp."MetadataMerge" ("Old", "New")
        SELECT "ID", "First" FROM (
            SELECT "ID", MIN("ID") OVER (PARTITION BY "BlocksetID") AS "First" FROM "Metadataset")
        WHERE "ID" <> "First"
        """;

    // FileLookupMetadataID for the metadata concerned: files that will be equal are replaced by the one with the lowest id.
    internal const string FindFilesThatBecomeEqual = """
        INSERT INTO temp."FileMerge" ("Old", "New")
        SELECT "ID", "First" FROM (
            SELECT "ID", MIN("ID") OVER (PARTITION BY "PrefixID", "Path", "BlocksetID", "MetadataID") AS "First"
            FROM (
                SELECT l."ID" AS "ID", l."PrefixID" AS "PrefixID", l."Path" AS "Path", l."BlocksetID" AS "BlocksetID", m."New" AS "MetadataID"
                FROM temp."MetadataMerge" m CROSS JOIN "FileLookup" l ON l."MetadataID" = m."Old"
                UNION ALL
                SELECT l."ID", l."PrefixID", l."Path", l."BlocksetID", l."MetadataID"
                FROM (SELECT DISTINCT "New" FROM temp."MetadataMerge") n CROSS JOIN "FileLookup" l ON l."MetadataID" = n."New"))
        WHERE "ID" <> "First"
        """;

    // FileLookupPath, read in order.
    internal const string CountDuplicateFiles = """
        SELECT COUNT(*) FROM (SELECT 1 FROM "FileLookup" GROUP BY "PrefixID", "Path", "BlocksetID", "MetadataID" HAVING COUNT(*) > 1)
        """;

    // Reads FileLookup, only after duplicates were found.
    internal const string FindDuplicateFiles = """
        INSERT INTO temp."FileMerge" ("Old", "New")
        SELECT "ID", "First" FROM (
            SELECT "ID", MIN("ID") OVER (PARTITION BY "PrefixID", "Path", "BlocksetID", "MetadataID") AS "First" FROM "FileLookup")
        WHERE "ID" <> "First"
        """;

    // FilesetentryFileIdIndex for the files replaced; where a fileset has both, its entry stays and the other goes below.
    internal const string RedirectEntries = """
        UPDATE OR IGNORE "FilesetEntry"
        SET "FileID" = (SELECT f."New" FROM temp."FileMerge" f WHERE f."Old" = "FilesetEntry"."FileID")
        WHERE "FileID" IN (SELECT "Old" FROM temp."FileMerge")
        """;

    // FilesetentryFileIdIndex for the files replaced.
    internal const string DeleteEntries = """DELETE FROM "FilesetEntry" WHERE "FileID" IN (SELECT "Old" FROM temp."FileMerge")""";

    // By id.
    internal const string DeleteFiles = """DELETE FROM "FileLookup" WHERE "ID" IN (SELECT "Old" FROM temp."FileMerge")""";

    // FileLookupMetadataID for the metadata replaced.
    internal const string RedirectFiles = """
        UPDATE "FileLookup"
        SET "MetadataID" = (SELECT m."New" FROM temp."MetadataMerge" m WHERE m."Old" = "FileLookup"."MetadataID")
        WHERE "MetadataID" IN (SELECT "Old" FROM temp."MetadataMerge")
        """;

    // By id.
    internal const string DeleteMetadata = """DELETE FROM "Metadataset" WHERE "ID" IN (SELECT "Old" FROM temp."MetadataMerge")""";
}

internal static class DuplicatePathSql
{
    // Reads FileLookup in row order, PathPrefix by id. Once a repair.
    internal const string AllPaths = """
        SELECT l."ID", p."Prefix", l."Path"
        FROM "FileLookup" l CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        ORDER BY l."ID"
        """;

    // FileLookup and PathPrefix by id.
    internal const string Path = """
        SELECT p."Prefix" || l."Path"
        FROM "FileLookup" l CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        WHERE l."ID" = ?1
        """;

    // FilesetentryFileIdIndex.
    internal const string FilesetsOfFile = """SELECT "FilesetID" FROM "FilesetEntry" WHERE "FileID" = ?1""";

    // Key of FilesetEntry.
    internal const string DeleteEntry = """DELETE FROM "FilesetEntry" WHERE "FilesetID" = ?1 AND "FileID" = ?2""";
}
