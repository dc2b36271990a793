// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>The list of blocks to restore, for a restore that marks what it has.</summary>
internal static class RestoreBlockSql
{
    // Temporary; rows are appended in key order, data first. About 25 bytes a row: hashes stay in Block.
    internal const string Create = """
        CREATE TEMP TABLE IF NOT EXISTS "RestoreBlock" (
            "Metadata" INTEGER NOT NULL,
            "FileID" INTEGER NOT NULL,
            "Index" INTEGER NOT NULL,
            "BlockID" INTEGER NOT NULL,
            "VolumeID" INTEGER NOT NULL,
            "Size" INTEGER NOT NULL,
            "Restored" INTEGER NOT NULL,
            PRIMARY KEY ("Metadata", "FileID", "Index")) WITHOUT ROWID
        """;

    // Temporary; made after filling, shrinks as blocks are marked.
    internal const string CreateMissingIndex =
        """CREATE INDEX temp."RestoreBlockMissing" ON "RestoreBlock" ("BlockID") WHERE "Restored" = 0""";

    internal const string DropMissingIndex = """DROP INDEX IF EXISTS temp."RestoreBlockMissing" """;

    // Temporary; files whose last missing block has been marked.
    internal const string CreateNewlyDone = """CREATE TEMP TABLE IF NOT EXISTS "RestoreNewlyDone" ("ID" INTEGER PRIMARY KEY)""";

    internal const string InsertNewlyDone = """INSERT OR IGNORE INTO temp."RestoreNewlyDone" ("ID") VALUES (?1)""";

    internal const string ClearNewlyDone = """DELETE FROM temp."RestoreNewlyDone" """;

    internal const string Clear = """DELETE FROM temp."RestoreBlock" """;

    // One scan of the list; key of BlocksetEntry (BlocksetID, Index), Block by id. Appends in key order.
    internal const string FillData = """
        INSERT INTO temp."RestoreBlock" ("Metadata", "FileID", "Index", "BlockID", "VolumeID", "Size", "Restored")
        SELECT 0, r."ID", e."Index", e."BlockID", b."VolumeID", b."Size", 0
        FROM temp."RestoreFile" r
        CROSS JOIN "BlocksetEntry" e ON e."BlocksetID" = r."BlocksetID"
        CROSS JOIN "Block" b ON b."ID" = e."BlockID"
        ORDER BY r."ID", e."Index"
        """;

    // One scan of the list; Metadataset by id, then as FillData.
    internal const string FillMetadata = """
        INSERT INTO temp."RestoreBlock" ("Metadata", "FileID", "Index", "BlockID", "VolumeID", "Size", "Restored")
        SELECT 1, r."ID", e."Index", e."BlockID", b."VolumeID", b."Size", 0
        FROM temp."RestoreFile" r
        CROSS JOIN "Metadataset" m ON m."ID" = r."MetadataID"
        CROSS JOIN "BlocksetEntry" e ON e."BlocksetID" = m."BlocksetID"
        CROSS JOIN "Block" b ON b."ID" = e."BlockID"
        ORDER BY r."ID", e."Index"
        """;

    // One scan of the block list.
    internal const string TotalSize = """SELECT SUM("Size") FROM temp."RestoreBlock" """;

    // The key of the block list, Block by id.
    internal const string SetRestored = """
        UPDATE temp."RestoreBlock" SET "Restored" = 1
        WHERE "Metadata" = ?1 AND "FileID" = ?2 AND "Index" = ?3 AND "Restored" = 0 AND "Size" = ?4
            AND (SELECT b."Hash" FROM "Block" b WHERE b."ID" = "RestoreBlock"."BlockID") = ?5
        """;

    // The key of the block list.
    internal const string CountOfFile = """
        SELECT COUNT(*), SUM("Restored"), SUM(CASE WHEN "Restored" = 1 THEN "Size" ELSE 0 END), SUM("Size")
        FROM temp."RestoreBlock" WHERE "Metadata" = ?1 AND "FileID" = ?2
        """;

    // The key of the block list; rows that have the value already are not written.
    internal const string SetAllOfFile = """
        UPDATE temp."RestoreBlock" SET "Restored" = ?3 WHERE "Metadata" = ?1 AND "FileID" = ?2 AND "Restored" <> ?3
        """;

    // One scan of the data rows, which lie in the order of the groups.
    internal const string CountRestored = """
        SELECT SUM("Done"), SUM("Bytes") FROM (
            SELECT MIN("Restored") AS "Done", SUM(CASE WHEN "Restored" = 1 THEN "Size" ELSE 0 END) AS "Bytes"
            FROM temp."RestoreBlock" WHERE "Metadata" = 0 GROUP BY "FileID")
        """;

    // One scan of the block list.
    internal const string Missing = """
        SELECT "Metadata", "FileID", "Index" FROM temp."RestoreBlock" WHERE "Restored" = 0 ORDER BY "Metadata", "FileID", "Index"
        """;

    // One scan of the list; keys of the block list and of BlocksetEntry.
    internal const string MissingWithSource = """
        SELECT 0, k."FileID", k."Index"
        FROM temp."RestoreFile" r
        CROSS JOIN temp."RestoreBlock" k ON k."Metadata" = 0 AND k."FileID" = r."ID"
        CROSS JOIN "BlocksetEntry" e ON e."BlocksetID" = r."LatestBlocksetID" AND e."Index" = k."Index" AND e."BlockID" = k."BlockID"
        WHERE r."LatestBlocksetID" IS NOT NULL AND k."Restored" = 0
        ORDER BY r."ID", k."Index"
        """;

    // The key of the block list, Block by id.
    internal const string BlocksOfRange = """
        SELECT k."Index", k."BlockID", b."Hash", b."Size"
        FROM temp."RestoreBlock" k
        CROSS JOIN "Block" b ON b."ID" = k."BlockID"
        WHERE k."Metadata" = ?1 AND k."FileID" = ?2 AND k."Index" BETWEEN ?3 AND ?4
        ORDER BY k."Index" LIMIT ?5
        """;

    // RestoreBlockMissing.
    internal const string MissingUsesOfBlock = """
        SELECT "FileID", "Index" FROM temp."RestoreBlock" WHERE "BlockID" = ?1 AND "Restored" = 0 AND "Metadata" = ?2
        """;

    // BlockHashSize.
    internal const string BlockId = """SELECT "ID" FROM "Block" WHERE "Hash" = ?1 AND "Size" = ?2""";

    // One scan of the block list.
    internal const string MissingOfVolumes = """SELECT "VolumeID", "Index" FROM temp."RestoreBlock" WHERE "Restored" = 0""";

    // By id.
    internal const string Volume = """SELECT "Name", "Hash", "Size" FROM "Remotevolume" WHERE "ID" = ?1""";
}
