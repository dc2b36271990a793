// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Repair;

/// <summary>Statements about the blocks of lost volumes. Each list has a number, so that several can share the table.</summary>
internal static class MissingBlockSql
{
    // The blocks of all lists, found in a list by hash and size.
    internal const string Create = """
        CREATE TEMP TABLE IF NOT EXISTS "MissingBlock" (
            "List" INTEGER NOT NULL, "Hash" TEXT NOT NULL, "Size" INTEGER NOT NULL, "Restored" INTEGER NOT NULL, "BlockID" INTEGER NOT NULL,
            PRIMARY KEY ("List", "Hash", "Size")) WITHOUT ROWID
        """;

    internal const string Clear = """DELETE FROM temp."MissingBlock" """;

    // End of the key of the temporary table.
    internal const string NextList = """SELECT IFNULL(MAX("List"), 0) + 1 FROM temp."MissingBlock" """;

    // RemotevolumeNameOnly, Block_IndexByVolumeId.
    internal const string Fill = """
        INSERT INTO temp."MissingBlock" ("List", "Hash", "Size", "Restored", "BlockID")
        SELECT ?1, "Hash", "Size", 0, "ID" FROM "Block"
        WHERE "VolumeID" = (SELECT "Remotevolume"."ID" FROM "Remotevolume" WHERE "Remotevolume"."Name" = ?2)
        """;

    // Part of the key of the temporary table.
    internal const string Remove = """DELETE FROM temp."MissingBlock" WHERE "List" = ?1""";

    // Key of the temporary table.
    internal const string Find =
        """SELECT "BlockID" FROM temp."MissingBlock" WHERE "List" = ?1 AND "Hash" = ?2 AND "Size" = ?3 AND "Restored" = 0""";

    // Key of the temporary table.
    internal const string SetRestored =
        """UPDATE temp."MissingBlock" SET "Restored" = 1 WHERE "List" = ?1 AND "Hash" = ?2 AND "Size" = ?3""";

    // Block by id.
    internal const string AddDuplicate =
        """INSERT OR IGNORE INTO "DuplicateBlock" ("BlockID", "VolumeID") SELECT "ID", "VolumeID" FROM "Block" WHERE "ID" = ?1""";

    // By id.
    internal const string SetVolume = """UPDATE "Block" SET "VolumeID" = ?2 WHERE "ID" = ?1""";

    // Part of the key of the temporary table.
    internal const string CountMissing = """SELECT COUNT(*) FROM temp."MissingBlock" WHERE "List" = ?1 AND "Restored" = 0""";

    // Part of the key of the temporary table, BlocksetEntry_IndexIdsBackwards, nn_FileLookup_BlockMeta, PathPrefix by id.
    internal const string SourceFiles = """
        SELECT m."Hash", m."Size", p."Prefix" || l."Path" AS "FullPath", e."Index" * ?2 AS "Offset"
        FROM temp."MissingBlock" m
        CROSS JOIN "BlocksetEntry" e ON e."BlockID" = m."BlockID"
        CROSS JOIN "FileLookup" l ON l."BlocksetID" = e."BlocksetID"
        CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        WHERE m."List" = ?1 AND m."Restored" = 0
        ORDER BY m."Hash", m."Size", "FullPath", "Offset"
        """;

    // Part of the key of the temporary table, BlocksetEntry_IndexIdsBackwards, MetadatasetBlocksetID, FileLookupMetadataID, PathPrefix by
    // id.
    internal const string MetadataSources = """
        SELECT m."Hash", m."Size", p."Prefix" || l."Path" AS "FullPath"
        FROM temp."MissingBlock" m
        CROSS JOIN "BlocksetEntry" e ON e."BlockID" = m."BlockID"
        CROSS JOIN "Metadataset" s ON s."BlocksetID" = e."BlocksetID"
        CROSS JOIN "FileLookup" l ON l."MetadataID" = s."ID"
        CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        WHERE m."List" = ?1 AND m."Restored" = 0
        ORDER BY m."Hash", m."Size", "FullPath"
        """;

    // Reads BlocklistHash, which has no index on the hash, once; a set of the missing hashes.
    internal const string BlocksetsOfMissingBlocklists = """
        SELECT DISTINCT h."BlocksetID" FROM "BlocklistHash" h
        WHERE h."Hash" IN (SELECT m."Hash" FROM temp."MissingBlock" m WHERE m."List" = ?1 AND m."Restored" = 0)
        ORDER BY h."BlocksetID"
        """;

    // Key of BlocksetEntry, Block and Blockset by id, BlocklistHashBlocksetIDIndex.
    internal const string EntriesOfBlockset = """
        SELECT h."Hash", s."Length", e."Index", b."Hash"
        FROM "Blockset" s
        CROSS JOIN "BlocksetEntry" e ON e."BlocksetID" = s."ID"
        CROSS JOIN "Block" b ON b."ID" = e."BlockID"
        LEFT JOIN "BlocklistHash" h ON h."BlocksetID" = e."BlocksetID" AND h."Index" = e."Index" / ?2
        WHERE s."ID" = ?1 AND e."Index" >= ?3
        ORDER BY e."Index"
        LIMIT ?4
        """;

    // BlocksetEntry_IndexIdsBackwards for each block, one pass over BlocklistHash; nn_FileLookup_BlockMeta, FilesetentryFileIdIndex,
    // Fileset and Remotevolume by id.
    internal const string ListsUsing = """
        SELECT v."Name", v."Hash", v."Size" FROM "Remotevolume" v
        WHERE v."Type" = 'Files' AND v."ID" IN (
            SELECT f."VolumeID"
            FROM (
                SELECT e."BlocksetID" AS "BlocksetID"
                FROM temp."MissingBlock" m CROSS JOIN "BlocksetEntry" e ON e."BlockID" = m."BlockID"
                WHERE m."List" = ?1
                UNION
                SELECT h."BlocksetID"
                FROM "BlocklistHash" h
                WHERE h."Hash" IN (SELECT m."Hash" FROM temp."MissingBlock" m WHERE m."List" = ?1)) s
            CROSS JOIN "FileLookup" l ON l."BlocksetID" = s."BlocksetID"
            CROSS JOIN "FilesetEntry" n ON n."FileID" = l."ID"
            CROSS JOIN "Fileset" f ON f."ID" = n."FilesetID")
        ORDER BY v."ID"
        """;

    // Part of the key of the temporary table, Block by id, one row a volume.
    internal const string OtherVolumes = """
        SELECT v."Name", v."Hash", v."Size" FROM "Remotevolume" v
        WHERE v."Name" <> ?2 AND v."ID" IN (
            SELECT b."VolumeID"
            FROM temp."MissingBlock" m CROSS JOIN "Block" b ON b."ID" = m."BlockID"
            WHERE m."List" = ?1 AND m."Restored" = 0)
        ORDER BY v."ID"
        """;
}
