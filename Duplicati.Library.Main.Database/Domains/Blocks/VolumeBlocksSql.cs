// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>What is physically in one volume.</summary>
internal static class VolumeBlocksSql
{
    // Block_IndexByVolumeId; reads DeletedBlock and DuplicateBlock, which have no index on VolumeID.
    internal const string InVolume = """
        SELECT "Hash", "Size" FROM "Block" WHERE "VolumeID" = ?1
        UNION
        SELECT "Hash", "Size" FROM "DeletedBlock" WHERE "VolumeID" = ?1
        UNION
        SELECT "Block"."Hash", "Block"."Size" FROM "DuplicateBlock" CROSS JOIN "Block" ON "Block"."ID" = "DuplicateBlock"."BlockID"
        WHERE "DuplicateBlock"."VolumeID" = ?1
        """;

    // Reads BlocklistHash, which has no index on Hash, in the order of BlocklistHashBlocksetIDIndex; Block_IndexByVolumeId; reads
    // DuplicateBlock, which has no index on VolumeID.
    internal const string BlocklistsInVolume = """
        SELECT "Hash", "BlocksetID", "Index" FROM "BlocklistHash"
        WHERE "Hash" IN (
            SELECT "Hash" FROM "Block" WHERE "VolumeID" = ?1
            UNION
            SELECT "Block"."Hash" FROM "DuplicateBlock" CROSS JOIN "Block" ON "Block"."ID" = "DuplicateBlock"."BlockID"
            WHERE "DuplicateBlock"."VolumeID" = ?1)
        ORDER BY "BlocksetID", "Index"
        """;

    // Primary key of BlocksetEntry, row id of Block.
    internal const string BlocklistItems = """
        SELECT "Block"."Hash" FROM "BlocksetEntry" LEFT JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
        WHERE "BlocksetEntry"."BlocksetID" = ?1 AND "BlocksetEntry"."Index" >= ?2 AND "BlocksetEntry"."Index" < ?3
        ORDER BY "BlocksetEntry"."Index"
        """;

    // Index BlockSize.
    internal const string CountLarger = """SELECT COUNT(*) FROM "Block" WHERE "Size" > ?1""";
}
