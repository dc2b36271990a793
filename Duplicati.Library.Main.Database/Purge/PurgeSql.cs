// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Purge;

/// <summary>Rewriting a fileset without some of its files; <c>{0}</c> stands for the digits of the table that lists those.</summary>
internal static class PurgeSql
{
    // Files to leave out, by id. Callers rely on the name of the column.
    internal const string CreateDeletedFiles = """CREATE TEMP TABLE "TempDeletedFilesTable-{0}" ("FileID" INTEGER PRIMARY KEY)""";
    internal const string ClearDeletedFiles = """DELETE FROM temp."TempDeletedFilesTable-{0}" """;
    internal const string DropDeletedFiles = """DROP TABLE IF EXISTS temp."TempDeletedFilesTable-{0}" """;

    // Blocks of files to leave out, by id.
    internal const string CreateCandidate = """CREATE TEMP TABLE IF NOT EXISTS "PurgedCandidate" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearCandidate = """DELETE FROM temp."PurgedCandidate" """;

    // Those of them that the files that stay do not use, by id.
    internal const string CreateBlock = """CREATE TEMP TABLE IF NOT EXISTS "PurgedBlock" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearBlock = """DELETE FROM temp."PurgedBlock" """;

    // Row ids of Fileset and Remotevolume.
    internal const string ListVolume = """
        SELECT v."Name" FROM "Fileset" f CROSS JOIN "Remotevolume" v ON v."ID" = f."VolumeID" WHERE f."ID" = ?1
        """;

    // Reads FileLookup once, by id instead of a smaller index, so that FilesetentryFileIdIndex is met in the same order.
    internal const string CountOrphans = """
        SELECT COUNT(*) FROM "FileLookup" l NOT INDEXED WHERE NOT EXISTS (SELECT 1 FROM "FilesetEntry" e WHERE e."FileID" = l."ID")
        """;

    // PathPrefixPrefix, FileLookupPath, key of FilesetEntry.
    internal const string MarkPath = """
        INSERT OR IGNORE INTO temp."TempDeletedFilesTable-{0}" ("FileID")
        SELECT l."ID"
        FROM "PathPrefix" p
        CROSS JOIN "FileLookup" l ON l."PrefixID" = p."ID" AND l."Path" = ?2
        CROSS JOIN "FilesetEntry" e ON e."FilesetID" = ?3 AND e."FileID" = l."ID"
        WHERE p."Prefix" = ?1
        """;

    // Part of the key of FilesetEntry, FileLookup and PathPrefix by id.
    internal const string Paths = """
        SELECT l."ID", p."Prefix" || l."Path"
        FROM "FilesetEntry" e
        CROSS JOIN "FileLookup" l ON l."ID" = e."FileID"
        CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        WHERE e."FilesetID" = ?1
        """;

    // By id.
    internal const string Mark = """INSERT OR IGNORE INTO temp."TempDeletedFilesTable-{0}" ("FileID") VALUES (?1)""";

    // One row a file to leave out.
    internal const string CountMarked = """SELECT COUNT(*) FROM temp."TempDeletedFilesTable-{0}" """;

    // Part of the key of FilesetEntry.
    internal const string CountEntries = """SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = ?1""";

    // FileLookup by id, key of BlocksetEntry.
    internal const string DataCandidates = """
        INSERT OR IGNORE INTO temp."PurgedCandidate" ("ID")
        SELECT c."BlockID"
        FROM temp."TempDeletedFilesTable-{0}" d
        CROSS JOIN "FileLookup" l ON l."ID" = d."FileID"
        CROSS JOIN "BlocksetEntry" c ON c."BlocksetID" = l."BlocksetID"
        """;

    // FileLookup and Metadataset by id, key of BlocksetEntry.
    internal const string MetadataCandidates = """
        INSERT OR IGNORE INTO temp."PurgedCandidate" ("ID")
        SELECT c."BlockID"
        FROM temp."TempDeletedFilesTable-{0}" d
        CROSS JOIN "FileLookup" l ON l."ID" = d."FileID"
        CROSS JOIN "Metadataset" m ON m."ID" = l."MetadataID"
        CROSS JOIN "BlocksetEntry" c ON c."BlocksetID" = m."BlocksetID"
        """;

    // Part of the key of FilesetEntry, FileLookup by id.
    internal const string KeptData = """
        INSERT OR IGNORE INTO temp."SelectedBlockset" ("ID")
        SELECT l."BlocksetID"
        FROM "FilesetEntry" e
        CROSS JOIN "FileLookup" l ON l."ID" = e."FileID"
        WHERE e."FilesetID" = ?1 AND NOT EXISTS (SELECT 1 FROM temp."TempDeletedFilesTable-{0}" d WHERE d."FileID" = e."FileID")
        """;

    // Part of the key of FilesetEntry, FileLookup and Metadataset by id.
    internal const string KeptMetadata = """
        INSERT OR IGNORE INTO temp."SelectedBlockset" ("ID")
        SELECT m."BlocksetID"
        FROM "FilesetEntry" e
        CROSS JOIN "FileLookup" l ON l."ID" = e."FileID"
        CROSS JOIN "Metadataset" m ON m."ID" = l."MetadataID"
        WHERE e."FilesetID" = ?1 AND NOT EXISTS (SELECT 1 FROM temp."TempDeletedFilesTable-{0}" d WHERE d."FileID" = e."FileID")
        """;

    // BlocksetEntry_IndexIdsBackwards (BlockID): each use of a candidate is looked at once at most.
    internal const string KeepUnshared = """
        INSERT OR IGNORE INTO temp."PurgedBlock" ("ID")
        SELECT p."ID"
        FROM temp."PurgedCandidate" p
        WHERE NOT EXISTS (
            SELECT 1 FROM "BlocksetEntry" c
            CROSS JOIN temp."SelectedBlockset" s ON s."ID" = c."BlocksetID"
            WHERE c."BlockID" = p."ID")
        """;

    // Block by id.
    internal const string SumBlocks = """SELECT SUM(b."Size") FROM temp."PurgedBlock" p CROSS JOIN "Block" b ON b."ID" = p."ID" """;

    // Part of the key of FilesetEntry; appends in key order.
    internal const string CopyEntries = """
        INSERT INTO "FilesetEntry" ("FilesetID", "FileID", "Lastmodified")
        SELECT ?2, e."FileID", e."Lastmodified"
        FROM "FilesetEntry" e
        WHERE e."FilesetID" = ?1 AND NOT EXISTS (SELECT 1 FROM temp."TempDeletedFilesTable-{0}" d WHERE d."FileID" = e."FileID")
        """;

    // FileLookup, PathPrefix and Blockset by id.
    internal const string MarkedFiles = """
        SELECT p."Prefix" || l."Path", s."Length"
        FROM temp."TempDeletedFilesTable-{0}" d
        CROSS JOIN "FileLookup" l ON l."ID" = d."FileID"
        CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        CROSS JOIN "Blockset" s ON s."ID" = l."BlocksetID"
        ORDER BY d."FileID"
        """;
}
