// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>Deleting filesets and everything that nothing refers to any more.</summary>
internal static class DeleteSql
{
    // Small table, one row a version.
    internal const string DeleteFileset = """DELETE FROM "Fileset" WHERE "Timestamp" = ?1""";

    // Small table, by id.
    internal const string FilesetIds = """SELECT "ID" FROM "Fileset" ORDER BY "ID" """;

    // The key of FilesetEntry (FilesetID, FileID): a range between two filesets that exist.
    internal const string DeleteEntriesBetween = """DELETE FROM "FilesetEntry" WHERE "FilesetID" > ?1 AND "FilesetID" < ?2""";

    // Small tables.
    internal const string DeleteJournals = """DELETE FROM "ChangeJournalData" WHERE "FilesetID" NOT IN (SELECT "ID" FROM "Fileset")""";

    // One scan by id; FilesetentryFileIdIndex in the same order.
    internal const string DeleteFiles = """
        DELETE FROM "FileLookup" WHERE NOT EXISTS (SELECT 1 FROM "FilesetEntry" e WHERE e."FileID" = "FileLookup"."ID")
        """;

    // FileLookup by id, a range; FilesetentryFileIdIndex in the same order.
    internal const string DeleteFilesBetween = """
        DELETE FROM "FileLookup"
        WHERE "ID" BETWEEN ?1 AND ?2 AND NOT EXISTS (SELECT 1 FROM "FilesetEntry" e WHERE e."FileID" = "FileLookup"."ID")
        """;

    // The key of FilesetEntry (FilesetID, FileID).
    internal const string FilesOfFileset = """SELECT "FileID" FROM "FilesetEntry" WHERE "FilesetID" = ?1""";

    // One scan by id; FileLookupMetadataID in the same order.
    internal const string DeleteMetadata = """
        DELETE FROM "Metadataset" WHERE NOT EXISTS (SELECT 1 FROM "FileLookup" l WHERE l."MetadataID" = "Metadataset"."ID")
        """;

    // Counts the pages of two indexes. A look-up in one takes as long as reading on for so many rows.
    internal const string ManyMetadata = """SELECT (SELECT COUNT(*) FROM "Metadataset") * 4 >= (SELECT COUNT(*) FROM "FileLookup")""";

    // From an id on, by id: Metadataset and FileLookupMetadataID are read side by side.
    internal const string UnusedMetadata = """
        SELECT "ID" FROM "Metadataset" WHERE "ID" >= ?1
        EXCEPT SELECT "MetadataID" FROM "FileLookup" WHERE "MetadataID" >= ?1
        ORDER BY "ID" LIMIT ?2
        """;

    // By id.
    internal const string DeleteMetadataset = """DELETE FROM "Metadataset" WHERE "ID" = ?1""";

    // One scan by id; nn_FileLookup_BlockMeta and MetadatasetBlocksetID in the same order.
    internal const string DeleteBlocksets = """
        DELETE FROM "Blockset"
        WHERE NOT EXISTS (SELECT 1 FROM "FileLookup" l WHERE l."BlocksetID" = "Blockset"."ID")
            AND NOT EXISTS (SELECT 1 FROM "Metadataset" m WHERE m."BlocksetID" = "Blockset"."ID")
        """;

    // From an id on, by id: Blockset, nn_FileLookup_BlockMeta and MetadatasetBlocksetID are read side by side.
    internal const string UnusedBlocksets = """
        SELECT "ID" FROM "Blockset" WHERE "ID" >= ?1
        EXCEPT SELECT "BlocksetID" FROM "FileLookup" WHERE "BlocksetID" >= ?1
        EXCEPT SELECT "BlocksetID" FROM "Metadataset" WHERE "BlocksetID" >= ?1
        ORDER BY "ID" LIMIT ?2
        """;

    // By id.
    internal const string DeleteBlockset = """DELETE FROM "Blockset" WHERE "ID" = ?1""";

    // One scan by id.
    internal const string BlocksetIds = """SELECT "ID" FROM "Blockset" ORDER BY "ID" """;

    // The key of BlocksetEntry (BlocksetID, Index): a range between two blocksets that exist.
    internal const string DeleteBlocksetEntriesBetween = """DELETE FROM "BlocksetEntry" WHERE "BlocksetID" > ?1 AND "BlocksetID" < ?2""";

    // BlocklistHashBlocksetIDIndex: a range between two blocksets that exist.
    internal const string DeleteBlocklistsBetween = """DELETE FROM "BlocklistHash" WHERE "BlocksetID" > ?1 AND "BlocksetID" < ?2""";

    // Temporary; ranges of block ids between ids in use, by their start.
    internal const string CreateUnusedRange = """
        CREATE TEMP TABLE IF NOT EXISTS "UnusedRange" ("After" INTEGER PRIMARY KEY, "Before" INTEGER NOT NULL, "HasUsed" INTEGER NOT NULL)
        """;

    internal const string ClearUnusedRange = """DELETE FROM temp."UnusedRange" """;

    // Reads BlocksetEntry_IndexIdsBackwards (BlockID) alone, in its order.
    internal const string UsedBlockIds = """SELECT "BlockID" FROM "BlocksetEntry" ORDER BY "BlockID" """;

    internal const string AddUnusedRange = """INSERT INTO temp."UnusedRange" ("After", "Before", "HasUsed") VALUES (?1, ?2, ?3)""";

    // One scan of the ranges, Block by id; BlocksetEntry_IndexIdsBackwards (BlockID) in the same order for ranges with ids in use.
    // BlocklistHash,
    // which has no index on Hash, is read once.
    internal const string BlocksInUnusedRanges = """
        SELECT b."ID"
        FROM temp."UnusedRange" r CROSS JOIN "Block" b ON b."ID" > r."After" AND b."ID" < r."Before"
        WHERE (r."HasUsed" = 0 OR NOT EXISTS (SELECT 1 FROM "BlocksetEntry" e WHERE e."BlockID" = b."ID"))
            AND b."Hash" NOT IN (SELECT "Hash" FROM "BlocklistHash")
        ORDER BY b."Hash", b."Size"
        """;

    // Block by id.
    internal const string RememberBlock = """
        INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") SELECT "Hash", "Size", "VolumeID" FROM "Block" WHERE "ID" = ?1
        """;

    // Block by id.
    internal const string DeleteBlock = """DELETE FROM "Block" WHERE "ID" = ?1""";

    // Small tables, one row a volume and one a version.
    internal const string MarkVolumes = """
        UPDATE "Remotevolume" SET "State" = 'Deleting'
        WHERE "Type" = 'Files' AND "State" IN ('Uploaded', 'Verified', 'Temporary', 'Deleting') AND "ID" NOT IN (SELECT "VolumeID" FROM "Fileset")
        """;

    // Small table, one row a volume.
    internal const string MarkedVolumes =
        """SELECT "Name", "Size" FROM "Remotevolume" WHERE "Type" = 'Files' AND "State" = 'Deleting' ORDER BY "ID" """;

    // Small table, one row a version.
    internal const string FilesetsNewestFirst =
        """SELECT "IsFullBackup", "Timestamp", "ID" FROM "Fileset" ORDER BY "Timestamp" DESC, "ID" DESC""";

    // Small table, one row a version.
    internal const string FilesetAt = """SELECT "ID" FROM "Fileset" WHERE "Timestamp" = ?1 ORDER BY "ID" LIMIT 1""";
}
