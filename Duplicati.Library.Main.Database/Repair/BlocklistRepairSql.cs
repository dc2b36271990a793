// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Repair;

internal static class BlocklistRepairSql
{
    // BlocklistHashBlocksetIDIndex, read in order: rows, and pairs of blockset and position.
    internal const string Count = """
        SELECT IFNULL(SUM("Rows"), 0), COUNT(*) FROM (SELECT COUNT(*) AS "Rows" FROM "BlocklistHash" GROUP BY "BlocksetID", "Index")
        """;

    // Reads BlocklistHash, only after duplicates were found; a set of the rows that stay.
    internal const string DeleteDuplicates = """
        DELETE FROM "BlocklistHash"
        WHERE rowid NOT IN (SELECT MIN(rowid) FROM "BlocklistHash" GROUP BY "BlocksetID", "Index")
        """;

    // One pass over BlocksetEntry_BlocksetID; BlocklistHashBlocksetIDIndex for the blocksets of several blocks.
    internal const string Incomplete = """
        SELECT c."BlocksetID", c."Blocks"
        FROM (SELECT "BlocksetID", COUNT(*) AS "Blocks" FROM "BlocksetEntry" GROUP BY "BlocksetID" HAVING COUNT(*) > 1) c
        WHERE (c."Blocks" + ?1 - 1) / ?1 <> (SELECT COUNT(*) FROM "BlocklistHash" h WHERE h."BlocksetID" = c."BlocksetID")
        ORDER BY c."BlocksetID"
        """;

    // Key of BlocksetEntry, Block by id.
    internal const string BlocksOfBlockset = """
        SELECT e."Index", b."Hash"
        FROM "BlocksetEntry" e CROSS JOIN "Block" b ON b."ID" = e."BlockID"
        WHERE e."BlocksetID" = ?1
        ORDER BY e."Index"
        """;

    // DeletedBlockHashSize, Remotevolume by id; the newest first.
    internal const string FindDeletedBlock = """
        SELECT d."ID", d."VolumeID"
        FROM "DeletedBlock" d CROSS JOIN "Remotevolume" v ON v."ID" = d."VolumeID"
        WHERE d."Hash" = ?1 AND d."Size" = ?2 AND v."Type" = 'Blocks' AND v."State" IN ('Uploaded', 'Verified')
        ORDER BY d."ID" DESC LIMIT 1
        """;

    // By id.
    internal const string DeleteDeletedBlock = """DELETE FROM "DeletedBlock" WHERE "ID" = ?1""";
}
