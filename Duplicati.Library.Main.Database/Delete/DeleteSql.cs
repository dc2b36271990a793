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

    // One scan by id; FileLookupMetadataID in the same order.
    internal const string DeleteMetadata = """
        DELETE FROM "Metadataset" WHERE NOT EXISTS (SELECT 1 FROM "FileLookup" l WHERE l."MetadataID" = "Metadataset"."ID")
        """;

    // One scan by id; nn_FileLookup_BlockMeta and MetadatasetBlocksetID in the same order.
    internal const string DeleteBlocksets = """
        DELETE FROM "Blockset"
        WHERE NOT EXISTS (SELECT 1 FROM "FileLookup" l WHERE l."BlocksetID" = "Blockset"."ID")
            AND NOT EXISTS (SELECT 1 FROM "Metadataset" m WHERE m."BlocksetID" = "Blockset"."ID")
        """;

    // One scan by id.
    internal const string BlocksetIds = """SELECT "ID" FROM "Blockset" ORDER BY "ID" """;

    // The key of BlocksetEntry (BlocksetID, Index): a range between two blocksets that exist.
    internal const string DeleteBlocksetEntriesBetween = """DELETE FROM "BlocksetEntry" WHERE "BlocksetID" > ?1 AND "BlocksetID" < ?2""";

    // BlocklistHashBlocksetIDIndex: a range between two blocksets that exist.
    internal const string DeleteBlocklistsBetween = """DELETE FROM "BlocklistHash" WHERE "BlocksetID" > ?1 AND "BlocksetID" < ?2""";

    // Temporary; blocks that no blockset has, by id.
    internal const string CreateUnusedBlockId = """CREATE TEMP TABLE IF NOT EXISTS "UnusedBlockId" ("ID" INTEGER PRIMARY KEY)""";

    internal const string ClearUnusedBlockId = """DELETE FROM temp."UnusedBlockId" """;

    // Temporary; blocks that nothing refers to, in the order of BlockHashSize.
    internal const string CreateUnusedBlock = """
        CREATE TEMP TABLE IF NOT EXISTS "UnusedBlock" ("Hash" TEXT NOT NULL, "Size" INTEGER NOT NULL, "VolumeID" INTEGER NOT NULL, PRIMARY KEY ("Hash", "Size")) WITHOUT ROWID
        """;

    internal const string ClearUnusedBlock = """DELETE FROM temp."UnusedBlock" """;

    // Reads BlocksetEntry_IndexIdsBackwards (BlockID) alone, in its order.
    internal const string UsedBlockIds = """SELECT "BlockID" FROM "BlocksetEntry" ORDER BY "BlockID" """;

    // Block by id, a range; BlocksetEntry_IndexIdsBackwards (BlockID) in the same order.
    internal const string FindUnusedBetween = """
        INSERT INTO temp."UnusedBlockId" ("ID")
        SELECT b."ID" FROM "Block" b
        WHERE b."ID" > ?1 AND b."ID" < ?2 AND NOT EXISTS (SELECT 1 FROM "BlocksetEntry" e WHERE e."BlockID" = b."ID")
        ORDER BY b."ID"
        """;

    // One scan of the unused blocks, Block by id, and one scan of BlocklistHash, which has no index on Hash.
    internal const string ListUnusedBlocks = """
        INSERT INTO temp."UnusedBlock" ("Hash", "Size", "VolumeID")
        SELECT b."Hash", b."Size", b."VolumeID"
        FROM temp."UnusedBlockId" u CROSS JOIN "Block" b ON b."ID" = u."ID"
        WHERE b."Hash" NOT IN (SELECT h."Hash" FROM "BlocklistHash" h)
        ORDER BY b."Hash", b."Size"
        """;

    // One scan of the unused blocks, in the order of both indexes of DeletedBlock.
    internal const string RememberDeletedBlocks = """
        INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") SELECT "Hash", "Size", "VolumeID" FROM temp."UnusedBlock" ORDER BY "Hash", "Size"
        """;

    // One scan of the unused blocks and BlockHashSize in the same order, so that each page of the two indexes by hash is changed once.
    internal const string DeleteBlocks = """
        DELETE FROM "Block"
        WHERE ("Hash", "Size") IN (SELECT "Hash", "Size" FROM temp."UnusedBlock") AND +"ID" IN (SELECT "ID" FROM temp."UnusedBlockId")
        """;

    // Small tables, one row a volume and one a version.
    internal const string MarkVolumes = """
        UPDATE "Remotevolume" SET "State" = 'Deleting'
        WHERE "Type" = 'Files' AND "State" IN ('Uploaded', 'Verified', 'Temporary', 'Deleting') AND "ID" NOT IN (SELECT "VolumeID" FROM "Fileset")
        """;

    // Small table, one row a volume.
    internal const string MarkedVolumes = """SELECT "Name", "Size" FROM "Remotevolume" WHERE "Type" = 'Files' AND "State" = 'Deleting' ORDER BY "ID" """;

    // Small table, one row a version.
    internal const string FilesetsNewestFirst = """SELECT "IsFullBackup", "Timestamp" FROM "Fileset" ORDER BY "Timestamp" DESC, "ID" DESC""";

    // Small table, one row a version.
    internal const string FilesetAt = """SELECT "ID" FROM "Fileset" WHERE "Timestamp" = ?1 ORDER BY "ID" LIMIT 1""";
}
