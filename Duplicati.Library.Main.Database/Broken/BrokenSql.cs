// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Broken;

/// <summary>What cannot be rebuilt from known block volumes (contract C, section 2.1).</summary>
internal static class BrokenSql
{
    // Blocksets that cannot be rebuilt, by id.
    internal const string CreateBlocksets = """CREATE TEMP TABLE IF NOT EXISTS "BrokenBlockset" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearBlocksets = """DELETE FROM temp."BrokenBlockset" """;

    // FileLookup rows with such data or metadata, by id.
    internal const string CreateFiles = """CREATE TEMP TABLE IF NOT EXISTS "BrokenFile" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearFiles = """DELETE FROM temp."BrokenFile" """;

    // One pass over BlocksetEntry in BlockID order (BlocksetEntry_IndexIdsBackwards), Block and Remotevolume by id.
    internal const string BlocksetsByBlock = """
        INSERT OR IGNORE INTO temp."BrokenBlockset" ("ID")
        SELECT e."BlocksetID"
        FROM "BlocksetEntry" e
        WHERE NOT EXISTS (
            SELECT 1 FROM "Block" b
            CROSS JOIN "Remotevolume" v ON v."ID" = b."VolumeID"
            WHERE b."ID" = e."BlockID" AND v."Type" = 'Blocks')
        """;

    // One pass over BlocklistHash, BlockHashSize (Hash), Remotevolume by id.
    internal const string BlocksetsByBlocklist = """
        INSERT OR IGNORE INTO temp."BrokenBlockset" ("ID")
        SELECT h."BlocksetID"
        FROM "BlocklistHash" h
        WHERE NOT EXISTS (
            SELECT 1 FROM "Block" b
            CROSS JOIN "Remotevolume" v ON v."ID" = b."VolumeID"
            WHERE b."Hash" = h."Hash" AND v."Type" = 'Blocks')
        """;

    // One pass over Blockset, key of BlocksetEntry.
    internal const string BlocksetsWithoutEntries = """
        INSERT OR IGNORE INTO temp."BrokenBlockset" ("ID")
        SELECT s."ID"
        FROM "Blockset" s
        WHERE s."Length" > 0 AND NOT EXISTS (SELECT 1 FROM "BlocksetEntry" e WHERE e."BlocksetID" = s."ID")
        """;

    // Blockset by id, for the few that were found.
    internal const string KeepNonEmpty = """
        DELETE FROM temp."BrokenBlockset"
        WHERE (SELECT s."Length" FROM "Blockset" s WHERE s."ID" = temp."BrokenBlockset"."ID") = 0
        """;

    // nn_FileLookup_BlockMeta, for the few blocksets that were found. The ids of folders and links are never among them.
    internal const string FilesByData = """
        INSERT OR IGNORE INTO temp."BrokenFile" ("ID")
        SELECT l."ID"
        FROM temp."BrokenBlockset" s
        CROSS JOIN "FileLookup" l ON l."BlocksetID" = s."ID"
        """;

    // MetadatasetBlocksetID, FileLookupMetadataID, for the few blocksets that were found.
    internal const string FilesByMetadata = """
        INSERT OR IGNORE INTO temp."BrokenFile" ("ID")
        SELECT l."ID"
        FROM temp."BrokenBlockset" s
        CROSS JOIN "Metadataset" m ON m."BlocksetID" = s."ID"
        CROSS JOIN "FileLookup" l ON l."MetadataID" = m."ID"
        """;

    // MetadatasetBlocksetID, FileLookupMetadataID and FilesetentryFileIdIndex, for the few blocksets that were found.
    internal const string FilesetsWithReplaceableMetadata = """
        SELECT DISTINCT e."FilesetID"
        FROM temp."BrokenBlockset" s
        CROSS JOIN "Metadataset" m ON m."BlocksetID" = s."ID"
        CROSS JOIN "FileLookup" l ON l."MetadataID" = m."ID"
        CROSS JOIN "FilesetEntry" e ON e."FileID" = l."ID"
        """;

    // One pass over FileLookup, Metadataset by id.
    internal const string FilesWithoutMetadata = """
        INSERT OR IGNORE INTO temp."BrokenFile" ("ID")
        SELECT l."ID"
        FROM "FileLookup" l
        WHERE NOT EXISTS (SELECT 1 FROM "Metadataset" m WHERE m."ID" = l."MetadataID")
        """;

    // FilesetentryFileIdIndex, for the few files that were found.
    internal const string CountByFileset = """
        SELECT e."FilesetID", COUNT(*)
        FROM temp."BrokenFile" f
        CROSS JOIN "FilesetEntry" e ON e."FileID" = f."ID"
        GROUP BY e."FilesetID"
        """;

    // Key of FilesetEntry, FileLookup, PathPrefix and Blockset by id.
    internal const string FilesOfFileset = """
        SELECT p."Prefix" || l."Path", s."Length"
        FROM temp."BrokenFile" f
        CROSS JOIN "FilesetEntry" e ON e."FilesetID" = ?1 AND e."FileID" = f."ID"
        CROSS JOIN "FileLookup" l ON l."ID" = f."ID"
        CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        LEFT JOIN "Blockset" s ON s."ID" = l."BlocksetID"
        ORDER BY f."ID"
        """;

    // Key of FilesetEntry.
    internal const string FileIdsOfFileset = """
        SELECT f."ID"
        FROM temp."BrokenFile" f
        CROSS JOIN "FilesetEntry" e ON e."FilesetID" = ?1 AND e."FileID" = f."ID"
        ORDER BY f."ID"
        """;

    // Part of the key of FilesetEntry.
    internal const string CountEntries = """SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = ?1""";

    // Both tables have one row a volume.
    internal const string OrphanedIndexes = """
        SELECT "Name", IFNULL("Hash", ''), IFNULL("Size", -1)
        FROM "Remotevolume"
        WHERE "Type" = 'Index' AND "ID" NOT IN (SELECT "IndexVolumeID" FROM "IndexBlockLink")
        ORDER BY "ID"
        """;

    // Part of the key of FilesetEntry, FileLookup and Metadataset by id, key of BlocksetEntry, Block by id.
    internal const string ReplaceMetadata = """
        UPDATE "Metadataset" SET "BlocksetID" = ?2
        WHERE "ID" IN (
            SELECT l."MetadataID"
            FROM "FilesetEntry" e
            CROSS JOIN "FileLookup" l ON l."ID" = e."FileID"
            CROSS JOIN "Metadataset" m ON m."ID" = l."MetadataID"
            WHERE e."FilesetID" = ?1 AND NOT EXISTS (
                SELECT 1 FROM "BlocksetEntry" c
                CROSS JOIN "Block" b ON b."ID" = c."BlockID"
                WHERE c."BlocksetID" = m."BlocksetID"))
        """;

    // One row a volume.
    internal const string DeleteLinks = """DELETE FROM "IndexBlockLink" WHERE "IndexVolumeID" = ?1 OR "BlockVolumeID" = ?1""";

    // Block_IndexByVolumeId.
    internal const string DeleteBlocks = """DELETE FROM "Block" WHERE "VolumeID" = ?1""";

    // One pass over the table for all volumes together, through the list of removed volumes.
    internal const string DeleteDeletedBlocks =
        """DELETE FROM "DeletedBlock" WHERE "VolumeID" IN (SELECT "ID" FROM temp."RemovedVolume")""";

    // One pass over the table for all volumes together, through the list of removed volumes.
    internal const string DeleteDuplicates = """DELETE FROM "DuplicateBlock" WHERE "VolumeID" IN (SELECT "ID" FROM temp."RemovedVolume")""";

    // By id.
    internal const string SelectVolume = """INSERT OR IGNORE INTO temp."RemovedVolume" ("ID") VALUES (?1)""";
}
