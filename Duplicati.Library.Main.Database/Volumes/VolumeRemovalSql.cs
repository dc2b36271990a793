// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Volumes;

/// <summary>The steps of the removal of volumes. The volumes are in the temporary table RemovedVolume.</summary>
internal static class VolumeRemovalSql
{
    // Reads FilesetEntry once through FilesetentryFileIdIndex, so that the row ids of FileLookup are met in order.
    internal const string CountOrphans = """
        SELECT COUNT(*) FROM "FilesetEntry" WHERE NOT EXISTS (SELECT 1 FROM "FileLookup" WHERE "FileLookup"."ID" = "FilesetEntry"."FileID")
        """;

    // FilesetentryFileIdIndex from the deleted files; all other entries were checked before.
    internal const string CountNewOrphans = """
        SELECT COUNT(*) FROM temp."RemovedFile" CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FileID" = "RemovedFile"."ID"
        """;

    // Index RemotevolumeNameOnly.
    internal const string SelectVolume =
        """INSERT OR IGNORE INTO temp."RemovedVolume" ("ID") SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1""";

    // Block_IndexByVolumeId, BlocksetEntry_IndexIdsBackwards.
    internal const string SelectBlocksetsByBlock = """
        INSERT OR IGNORE INTO temp."RemovedBlockset" ("ID")
        SELECT "BlocksetEntry"."BlocksetID"
        FROM temp."RemovedVolume"
        CROSS JOIN "Block" ON "Block"."VolumeID" = "RemovedVolume"."ID"
        CROSS JOIN "BlocksetEntry" ON "BlocksetEntry"."BlockID" = "Block"."ID"
        """;

    // Block_IndexByVolumeId.
    internal const string HasBlocks = """
        SELECT 1 FROM temp."RemovedVolume" CROSS JOIN "Block" ON "Block"."VolumeID" = "RemovedVolume"."ID" LIMIT 1
        """;

    // Reads BlocklistHash, which has no index on Hash; BlockHashSize for each row.
    internal const string SelectBlocksetsByBlocklist = """
        INSERT OR IGNORE INTO temp."RemovedBlockset" ("ID")
        SELECT "BlocklistHash"."BlocksetID" FROM "BlocklistHash"
        WHERE EXISTS (
            SELECT 1 FROM "Block"
            WHERE "Block"."Hash" = "BlocklistHash"."Hash" AND "Block"."VolumeID" IN (SELECT "ID" FROM temp."RemovedVolume"))
        """;

    // MetadatasetBlocksetID, FileLookupMetadataID, FilesetentryFileIdIndex.
    internal const string SelectMetadata = """
        INSERT OR IGNORE INTO temp."RemovedMetadata" ("MetadataID", "FilesetID")
        SELECT "Metadataset"."ID", "FilesetEntry"."FilesetID"
        FROM temp."RemovedBlockset"
        CROSS JOIN "Metadataset" ON "Metadataset"."BlocksetID" = "RemovedBlockset"."ID"
        CROSS JOIN "FileLookup" ON "FileLookup"."MetadataID" = "Metadataset"."ID"
        CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FileID" = "FileLookup"."ID"
        """;

    // FileLookupMetadataID.
    internal const string SelectFilesByMetadata = """
        INSERT OR IGNORE INTO temp."RemovedFile" ("ID")
        SELECT "FileLookup"."ID"
        FROM (SELECT DISTINCT "MetadataID" FROM temp."RemovedMetadata") AS "Lost"
        CROSS JOIN "FileLookup" ON "FileLookup"."MetadataID" = "Lost"."MetadataID"
        """;

    // nn_FileLookup_BlockMeta.
    internal const string SelectFilesByData = """
        INSERT OR IGNORE INTO temp."RemovedFile" ("ID")
        SELECT "FileLookup"."ID"
        FROM temp."RemovedBlockset" CROSS JOIN "FileLookup" ON "FileLookup"."BlocksetID" = "RemovedBlockset"."ID"
        """;

    // FilesetentryFileIdIndex.
    internal const string DeleteEntries = """DELETE FROM "FilesetEntry" WHERE "FileID" IN (SELECT "ID" FROM temp."RemovedFile")""";

    // Row id.
    internal const string DeleteFiles = """DELETE FROM "FileLookup" WHERE "ID" IN (SELECT "ID" FROM temp."RemovedFile")""";

    // MetadatasetBlocksetID.
    internal const string DeleteMetadata = """DELETE FROM "Metadataset" WHERE "BlocksetID" IN (SELECT "ID" FROM temp."RemovedBlockset")""";

    // Row id.
    internal const string DeleteBlocksets = """DELETE FROM "Blockset" WHERE "ID" IN (SELECT "ID" FROM temp."RemovedBlockset")""";

    // Primary key.
    internal const string DeleteBlocksetEntries =
        """DELETE FROM "BlocksetEntry" WHERE "BlocksetID" IN (SELECT "ID" FROM temp."RemovedBlockset")""";

    // BlocklistHashBlocksetIDIndex.
    internal const string DeleteBlocklists =
        """DELETE FROM "BlocklistHash" WHERE "BlocksetID" IN (SELECT "ID" FROM temp."RemovedBlockset")""";

    // Reads IndexBlockLink, about one row a volume.
    internal const string DeleteLinks = """
        DELETE FROM "IndexBlockLink"
        WHERE "BlockVolumeID" IN (SELECT "ID" FROM temp."RemovedVolume") OR "IndexVolumeID" IN (SELECT "ID" FROM temp."RemovedVolume")
        """;

    // Block_IndexByVolumeId.
    internal const string DeleteBlocks = """DELETE FROM "Block" WHERE "VolumeID" IN (SELECT "ID" FROM temp."RemovedVolume")""";

    // Reads DeletedBlock up to the first row that stays; it has no index on VolumeID.
    internal const string AnyOtherDeletedBlock =
        """SELECT EXISTS (SELECT 1 FROM "DeletedBlock" WHERE "VolumeID" NOT IN (SELECT "ID" FROM temp."RemovedVolume"))""";

    // All rows: the engine gives the pages back without going through the rows.
    internal const string DeleteAllDeletedBlocks = """DELETE FROM "DeletedBlock" """;

    // Reads DeletedBlock, which has no index on VolumeID.
    internal const string DeleteDeletedBlocks =
        """DELETE FROM "DeletedBlock" WHERE "VolumeID" IN (SELECT "ID" FROM temp."RemovedVolume")""";

    // Reads Fileset, one row a version.
    internal const string SelectFilesetsByVolume = """
        INSERT OR IGNORE INTO temp."RemovedFileset" ("ID") SELECT "ID" FROM "Fileset" WHERE "VolumeID" IN (SELECT "ID" FROM temp."RemovedVolume")
        """;

    // Primary key of FilesetEntry.
    internal const string SelectEmptiedFilesets = """
        INSERT OR IGNORE INTO temp."RemovedFileset" ("ID")
        SELECT "FilesetID" FROM temp."RemovedMetadata"
        WHERE NOT EXISTS (SELECT 1 FROM "FilesetEntry" WHERE "FilesetEntry"."FilesetID" = "RemovedMetadata"."FilesetID")
        """;

    // Reads ChangeJournalData, a few rows a version.
    internal const string DeleteJournal =
        """DELETE FROM "ChangeJournalData" WHERE "FilesetID" IN (SELECT "ID" FROM temp."RemovedFileset")""";

    // Primary key.
    internal const string DeleteFilesetEntries =
        """DELETE FROM "FilesetEntry" WHERE "FilesetID" IN (SELECT "ID" FROM temp."RemovedFileset")""";

    // Row ids.
    internal const string MarkListsForDeletion = """
        UPDATE "Remotevolume" SET "State" = 'Deleting'
        WHERE "State" IN ('Uploading', 'Uploaded', 'Verified', 'Temporary')
          AND "ID" IN (SELECT "VolumeID" FROM "Fileset" WHERE "ID" IN (SELECT "ID" FROM temp."RemovedFileset"))
        """;

    // Row id.
    internal const string DeleteFilesets = """DELETE FROM "Fileset" WHERE "ID" IN (SELECT "ID" FROM temp."RemovedFileset")""";

    // Row id.
    internal const string DeleteVolumes = """
        DELETE FROM "Remotevolume"
        WHERE "ID" IN (SELECT "ID" FROM temp."RemovedVolume") AND ("DeleteGraceTime" < ?1 OR "State" <> 'Deleted')
        """;
}
