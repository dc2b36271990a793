// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Repair;

/// <summary>The statements of a repair that no member of the data layer offers.</summary>
internal static class RepairSql
{
    /// <summary>
    /// The volumes with a further copy of a block of a volume. Block_IndexByVolumeId, key of DuplicateBlock, Remotevolume by id.
    /// </summary>
    internal const string COPY_HOLDERS = """
        SELECT DISTINCT "v"."Name"
        FROM "Block" "b"
        CROSS JOIN "DuplicateBlock" "d" ON "d"."BlockID" = "b"."ID"
        CROSS JOIN "Remotevolume" "v" ON "v"."ID" = "d"."VolumeID"
        WHERE "b"."VolumeID" = @volume AND "d"."VolumeID" <> @volume AND "v"."State" IN ('Uploaded', 'Verified')
        ORDER BY "v"."ID"
        """;

    /// <summary>
    /// Whether a volume has blocks of data, metadata or lists of blocks that an entry of a version needs. Block_IndexByVolumeId,
    /// BlocksetEntry_IndexIdsBackwards; all of BlocklistHash, which has no index on the hash, but only if no entry needs data of the
    /// volume,
    /// BlockHashVolumeID; nn_FileLookup_BlockMeta, MetadatasetBlocksetID, FileLookupMetadataID, FilesetentryFileIdIndex.
    /// </summary>
    internal const string HOLDS_NEEDED_BLOCKS = """
        SELECT EXISTS (
            SELECT 1
            FROM (
                SELECT "c"."BlocksetID"
                FROM "Block" "b"
                CROSS JOIN "BlocksetEntry" "c" ON "c"."BlockID" = "b"."ID"
                WHERE "b"."VolumeID" = @volume
                UNION ALL
                SELECT "h"."BlocksetID"
                FROM "BlocklistHash" "h"
                CROSS JOIN "Block" "b" ON "b"."Hash" = "h"."Hash" AND "b"."VolumeID" = @volume) "s"
            WHERE EXISTS (
                    SELECT 1
                    FROM "FileLookup" "l"
                    CROSS JOIN "FilesetEntry" "e" ON "e"."FileID" = "l"."ID"
                    WHERE "l"."BlocksetID" = "s"."BlocksetID")
                OR EXISTS (
                    SELECT 1
                    FROM "Metadataset" "m"
                    CROSS JOIN "FileLookup" "l" ON "l"."MetadataID" = "m"."ID"
                    CROSS JOIN "FilesetEntry" "e" ON "e"."FileID" = "l"."ID"
                    WHERE "m"."BlocksetID" = "s"."BlocksetID"))
        """;

    /// <summary>
    /// Forgets links of volumes that the database has lost; a new volume could get the id of one. One row a volume in both tables.
    /// </summary>
    internal const string FORGET_LOOSE_LINKS = """
        DELETE FROM "IndexBlockLink"
        WHERE "IndexVolumeID" NOT IN (SELECT "ID" FROM "Remotevolume") OR "BlockVolumeID" NOT IN (SELECT "ID" FROM "Remotevolume")
        """;

    /// <summary>Takes entries without a file out of a version. Part of the key of FilesetEntry; FileLookup by row id.</summary>
    internal const string DROP_ENTRIES_WITHOUT_FILE = """
        DELETE FROM "FilesetEntry"
        WHERE "FilesetID" = @fileset AND NOT EXISTS (SELECT 1 FROM "FileLookup" WHERE "FileLookup"."ID" = "FilesetEntry"."FileID")
        """;

    /// <summary>The versions and their lists, newest first. One row a version in Fileset; Remotevolume by id.</summary>
    internal const string VERSIONS = """
        SELECT "f"."ID", "f"."Timestamp", COALESCE("v"."Name", '')
        FROM "Fileset" "f"
        LEFT JOIN "Remotevolume" "v" ON "v"."ID" = "f"."VolumeID" AND "v"."Type" = 'Files'
        ORDER BY "f"."Timestamp" DESC, "f"."ID" DESC
        """;

    /// <summary>Gives a version its time. Row id.</summary>
    internal const string SET_TIME = """UPDATE "Fileset" SET "Timestamp" = @time WHERE "ID" = @fileset""";
}
