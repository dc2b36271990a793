// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Metadata;

internal static class MetadatasetSql
{
    // BlocksetFullHash, MetadatasetBlocksetID.
    internal const string Find = """
        SELECT "Metadataset"."ID"
        FROM "Blockset" CROSS JOIN "Metadataset" ON "Metadataset"."BlocksetID" = "Blockset"."ID"
        WHERE "Blockset"."FullHash" = ?1 AND "Blockset"."Length" = ?2
        LIMIT 1
        """;

    // Appends by row id.
    internal const string Insert = """INSERT INTO "Metadataset" ("BlocksetID", "Content") VALUES (?1, ?2)""";
}

/// <summary>Searches for a substitute for lost metadata. The lost volumes are in the temporary table MissingVolume.</summary>
internal static class EmptyMetadataSql
{
    // Row id of the temporary table.
    internal const string InsertMissing = """INSERT OR IGNORE INTO temp."MissingVolume" ("ID") VALUES (?1)""";

    // BlocksetFullHash, primary key of BlocksetEntry, row id of Block.
    internal const string ByHash = """
        SELECT "Blockset"."ID" FROM "Blockset"
        WHERE "Blockset"."FullHash" = ?1 AND "Blockset"."Length" = ?2
          AND (?2 = 0 OR EXISTS (SELECT 1 FROM "BlocksetEntry" WHERE "BlocksetEntry"."BlocksetID" = "Blockset"."ID"))
          AND NOT EXISTS (
            SELECT 1 FROM "BlocksetEntry" CROSS JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
            WHERE "BlocksetEntry"."BlocksetID" = "Blockset"."ID" AND "Block"."VolumeID" IN (SELECT "ID" FROM temp."MissingVolume"))
        LIMIT 1
        """;

    // Reads Blockset through BlocksetFullHash once a repair: there is no index on Length.
    internal const string ByZeroLength = """
        SELECT "Blockset"."ID" FROM "Blockset"
        WHERE "Blockset"."Length" = 0
          AND NOT EXISTS (
            SELECT 1 FROM "BlocksetEntry" CROSS JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
            WHERE "BlocksetEntry"."BlocksetID" = "Blockset"."ID" AND "Block"."VolumeID" IN (SELECT "ID" FROM temp."MissingVolume"))
        LIMIT 1
        """;

    // Reads Metadataset once a repair; row id of Blockset, primary key of BlocksetEntry, row id of Block.
    internal const string Shortest = """
        SELECT "Blockset"."ID"
        FROM "Metadataset" CROSS JOIN "Blockset" ON "Blockset"."ID" = "Metadataset"."BlocksetID"
        WHERE "Blockset"."Length" > 0
          AND EXISTS (
            SELECT 1 FROM "BlocksetEntry" CROSS JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
            WHERE "BlocksetEntry"."BlocksetID" = "Blockset"."ID" AND "Block"."VolumeID" NOT IN (SELECT "ID" FROM temp."MissingVolume"))
        ORDER BY "Blockset"."Length", "Blockset"."ID" LIMIT 1
        """;
}

internal static class MetadataTablesSql
{
    // Volumes that are missing at the remote end, by id.
    internal const string CreateMissingVolume = """CREATE TEMP TABLE IF NOT EXISTS "MissingVolume" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearMissingVolume = """DELETE FROM temp."MissingVolume" """;
}
