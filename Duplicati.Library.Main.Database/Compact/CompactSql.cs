// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.Main.Database.Blocks;

namespace Duplicati.Library.Main.Database.Compact;

/// <summary>How much of each volume is in use, and booking what a compact has moved.</summary>
internal static class CompactSql
{
    // Small table, one row a volume.
    internal const string Volumes = """SELECT "ID", "Name", "Type", "State", "Size" FROM "Remotevolume" ORDER BY "ID" """;

    // One scan of the table; no index has both columns.
    internal const string LiveBlocks = """SELECT "VolumeID", "Size" FROM "Block" """;

    // One scan of DeletedBlock; BlockHashSize.
    internal const string DeletedBlocks = """
        SELECT d."VolumeID", d."Size", EXISTS (SELECT 1 FROM "Block" b WHERE b."Hash" = d."Hash" AND b."Size" = d."Size" AND b."VolumeID" = d."VolumeID")
        FROM "DeletedBlock" d
        """;

    // Small table, one row a version, by id.
    internal const string FilesetTimes = """SELECT "ID", "Timestamp" FROM "Fileset" ORDER BY "ID" DESC""";

    // Block_IndexByVolumeId, BlocksetEntry_IndexIdsBackwards (BlockID).
    internal const string BlocksetsOfVolume = """
        SELECT e."BlocksetID"
        FROM "Block" b
        CROSS JOIN "BlocksetEntry" e ON e."BlockID" = b."ID"
        WHERE b."VolumeID" = ?1
        """;

    // nn_FileLookup_BlockMeta (BlocksetID); the first of FilesetentryFileIdIndex, whose entries of a file are in the order of the versions.
    internal const string FilesOfData = """
        SELECT l."ID", (SELECT MIN(e."FilesetID") FROM "FilesetEntry" e WHERE e."FileID" = l."ID") FROM "FileLookup" l WHERE l."BlocksetID" = ?1
        """;

    // MetadatasetBlocksetID, FileLookupMetadataID; the first of FilesetentryFileIdIndex.
    internal const string FilesOfMetadata = """
        SELECT l."ID", (SELECT MIN(e."FilesetID") FROM "FilesetEntry" e WHERE e."FileID" = l."ID")
        FROM "Metadataset" m
        CROSS JOIN "FileLookup" l ON l."MetadataID" = m."ID"
        WHERE m."BlocksetID" = ?1
        """;

    // FilesetentryFileIdIndex.
    internal const string FilesetsOfFile = """SELECT "FilesetID" FROM "FilesetEntry" WHERE "FileID" = ?1""";

    // BlockHashSize.
    internal const string VolumeOfBlock = """SELECT "VolumeID" FROM "Block" WHERE "Hash" = ?1 AND "Size" = ?2""";

    // BlockHashSize; UniqueBlockVolumeDuplicateBlock keeps a repetition out.
    internal const string AddDuplicate = """
        INSERT OR IGNORE INTO "DuplicateBlock" ("BlockID", "VolumeID") SELECT "ID", ?3 FROM "Block" WHERE "Hash" = ?1 AND "Size" = ?2
        """;

    // RemotevolumeNameOnly.
    internal const string VolumeNamed = """SELECT "ID", "Type" FROM "Remotevolume" WHERE "Name" = ?1""";

    // Block_IndexByVolumeId, UniqueBlockVolumeDuplicateBlock (BlockID, VolumeID).
    internal const string CopiesOfVolume = """
        SELECT b."ID", d."VolumeID"
        FROM "Block" b
        LEFT JOIN "DuplicateBlock" d ON d."BlockID" = b."ID"
        WHERE b."VolumeID" = ?1
        """;

    // By id.
    internal const string MoveBlock = """UPDATE "Block" SET "VolumeID" = ?2 WHERE "ID" = ?1""";

    // UniqueBlockVolumeDuplicateBlock.
    internal const string DeleteDuplicate = """DELETE FROM "DuplicateBlock" WHERE "BlockID" = ?1 AND "VolumeID" = ?2""";

    // One scan of the table, only for volumes that have duplicates.
    internal const string DeleteDuplicatesOfVolume = """DELETE FROM "DuplicateBlock" WHERE "VolumeID" = ?1""";

    // One scan of the covering index; once, then followed in memory.
    internal const string DuplicateVolumes = """SELECT "VolumeID" FROM "DuplicateBlock" """;

    // Small table, one row an index volume; Remotevolume by id.
    internal const string Links = """
        SELECT i."ID", i."Name", i."Hash", i."Size", v."Name"
        FROM "IndexBlockLink" l
        CROSS JOIN "Remotevolume" i ON i."ID" = l."IndexVolumeID"
        CROSS JOIN "Remotevolume" v ON v."ID" = l."BlockVolumeID"
        WHERE i."Hash" IS NOT NULL AND i."Size" IS NOT NULL
        """;
}
