// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Recreate;

internal static class CleanupSql
{
    // Remotevolume in full.
    internal const string CountVolumes = """SELECT COUNT(*) FROM "Remotevolume" WHERE "Type" = 'Blocks' AND "State" = 'Temporary'""";

    // DuplicateBlock in full, row ids of Block and Remotevolume.
    internal const string ListSwaps = """
        SELECT d."BlockID", MIN(d."VolumeID"), b."VolumeID"
        FROM "DuplicateBlock" d
        CROSS JOIN "Block" b ON b."ID" = d."BlockID"
        CROSS JOIN "Remotevolume" old ON old."ID" = b."VolumeID" AND old."State" = 'Temporary'
        CROSS JOIN "Remotevolume" new ON new."ID" = d."VolumeID" AND new."State" = 'Verified'
        GROUP BY d."BlockID"
        """;

    // Row id.
    internal const string SetVolume = """UPDATE "Block" SET "VolumeID" = ?2 WHERE "ID" = ?1""";

    // UniqueBlockVolumeDuplicateBlock.
    internal const string SetDuplicateVolume = """UPDATE "DuplicateBlock" SET "VolumeID" = ?3 WHERE "BlockID" = ?1 AND "VolumeID" = ?2""";

    // Remotevolume in full, a look-up in Block_IndexByVolumeId each (in a set made of Block while that is deferred).
    internal const string ListUnusedVolumes = """
        SELECT "ID" FROM "Remotevolume"
        WHERE "Type" = 'Blocks' AND "State" = 'Temporary' AND "ID" NOT IN (SELECT "VolumeID" FROM "Block")
        """;

    // IndexBlockLink in full, a row for each index file; ?1 = a list of ids as JSON.
    internal const string DeleteLinks = """DELETE FROM "IndexBlockLink" WHERE "BlockVolumeID" IN (SELECT "value" FROM json_each(?1))""";

    // DuplicateBlock in full; ?1 = a list of ids as JSON.
    internal const string DeleteDuplicates = """DELETE FROM "DuplicateBlock" WHERE "VolumeID" IN (SELECT "value" FROM json_each(?1))""";

    // Row id; ?1 = a list of ids as JSON.
    internal const string DeleteVolumes = """DELETE FROM "Remotevolume" WHERE "ID" IN (SELECT "value" FROM json_each(?1))""";

    // Block in full, a set of the volumes that are there: half the cost of asking for the volume of each block.
    internal const string DeleteLostBlocks = """
        DELETE FROM "Block" WHERE "VolumeID" NOT IN (SELECT "ID" FROM "Remotevolume" WHERE "State" <> 'Temporary')
        """;

    // Block in row id order beside BlocksetEntry_IndexIdsBackwards in full, one pass over both; a set of the blocklist hashes for the
    // few that are left. The limit, which is none, keeps newer engines from leaving the order out and collecting all blocks in a tree.
    internal const string ListUnusedBlocks = """
        SELECT b."ID"
        FROM (SELECT "ID" FROM "Block" EXCEPT SELECT "BlockID" FROM "BlocksetEntry" ORDER BY 1 LIMIT -1) unused
        CROSS JOIN "Block" b ON b."ID" = unused."ID"
        WHERE b."Hash" NOT IN (SELECT "Hash" FROM "BlocklistHash")
        """;

    // Row id, DeletedBlockHashVolumeID: a filled database may have booked the block in that volume before.
    internal const string CopyDeletedBlock = """
        INSERT OR IGNORE INTO "DeletedBlock" ("Hash", "Size", "VolumeID") SELECT "Hash", "Size", "VolumeID" FROM "Block" WHERE "ID" = ?1
        """;

    // Row id.
    internal const string DeleteBlock = """DELETE FROM "Block" WHERE "ID" = ?1""";

    // DuplicateBlock in full, the row id of Block for each.
    internal const string DeleteDuplicatesOfNothing = """
        DELETE FROM "DuplicateBlock" WHERE NOT EXISTS (SELECT 1 FROM "Block" b WHERE b."ID" = "DuplicateBlock"."BlockID")
        """;
}
