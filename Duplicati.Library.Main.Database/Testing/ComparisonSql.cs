// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Testing;

/// <summary>What both kinds of block comparison need; valid while the gate is held, except where noted.</summary>
internal static class ComparisonSql
{
    // Blocks a volume should hold, by hash and size.
    internal const string CreateComparedBlock =
        """CREATE TEMP TABLE IF NOT EXISTS "ComparedBlock" ("Hash" TEXT NOT NULL, "Size" INTEGER NOT NULL, PRIMARY KEY ("Hash", "Size")) WITHOUT ROWID""";
    internal const string ClearComparedBlock = """DELETE FROM temp."ComparedBlock" """;

    // Files a list should hold, by path.
    internal const string CreateComparedFile = """
        CREATE TEMP TABLE IF NOT EXISTS "ComparedFile" (
            "Path" TEXT NOT NULL, "ID" INTEGER NOT NULL, "Size" INTEGER NOT NULL, "Hash" TEXT NULL, "Metasize" INTEGER NULL, "Metahash" TEXT NULL,
            PRIMARY KEY ("Path", "ID")) WITHOUT ROWID
        """;

    internal const string ClearComparedFile = """DELETE FROM temp."ComparedFile" """;

    // Deleted blocks and further copies, by the volume they lie in; kept from one comparison to the next.
    internal const string CreateStoredCopy = """
        CREATE TEMP TABLE IF NOT EXISTS "StoredCopy" ("VolumeID" INTEGER NOT NULL, "Hash" TEXT NOT NULL, "Size" INTEGER NOT NULL, PRIMARY KEY ("VolumeID", "Hash", "Size")) WITHOUT ROWID
        """;

    internal const string ClearStoredCopy = """DELETE FROM temp."StoredCopy" """;

    // Blocklists with the sizes they must have, by hash; kept from one comparison to the next.
    internal const string CreateExpectedBlocklist = """
        CREATE TEMP TABLE IF NOT EXISTS "ExpectedBlocklist" ("Hash" TEXT NOT NULL, "Size" INTEGER NOT NULL, PRIMARY KEY ("Hash", "Size")) WITHOUT ROWID
        """;

    internal const string ClearExpectedBlocklist = """DELETE FROM temp."ExpectedBlocklist" """;

    // Reads DeletedBlock, which has no index on VolumeID, once for all volumes.
    internal const string StoreDeleted = """
        INSERT OR IGNORE INTO temp."StoredCopy" ("VolumeID", "Hash", "Size") SELECT "VolumeID", "Hash", "Size" FROM "DeletedBlock"
        """;

    // Reads DuplicateBlock, which has no index on VolumeID, once for all volumes; Block by id.
    internal const string StoreDuplicates = """
        INSERT OR IGNORE INTO temp."StoredCopy" ("VolumeID", "Hash", "Size")
        SELECT d."VolumeID", b."Hash", b."Size"
        FROM "DuplicateBlock" d
        CROSS JOIN "Block" b ON b."ID" = d."BlockID"
        """;

    // Reads BlocklistHash, which has no index on Hash, once for all volumes; Blockset by id. Parameters: hashes in a full blocklist, bytes
    // of a hash, bytes of a block.
    internal const string ExpectBlocklists = """
        INSERT OR IGNORE INTO temp."ExpectedBlocklist" ("Hash", "Size")
        SELECT h."Hash", ?2 * CASE
            WHEN h."Index" = ((s."Length" + ?3 - 1) / ?3 - 1) / ?1 AND ((s."Length" + ?3 - 1) / ?3) % ?1 <> 0 THEN ((s."Length" + ?3 - 1) / ?3) % ?1
            ELSE ?1 END
        FROM "BlocklistHash" h
        CROSS JOIN "Blockset" s ON s."ID" = h."BlocksetID"
        """;

    // The last row of each table, by row id.
    internal const string LastRows = """
        SELECT (SELECT MAX(rowid) FROM "Block"), (SELECT MAX(rowid) FROM "DeletedBlock"), (SELECT MAX(rowid) FROM "DuplicateBlock"),
            (SELECT MAX(rowid) FROM "BlocklistHash"), (SELECT MAX(rowid) FROM "Blockset")
        """;

    // RemotevolumeNameOnly, Block_IndexByVolumeId.
    internal const string LiveBlocks = """
        INSERT OR IGNORE INTO temp."ComparedBlock" ("Hash", "Size")
        SELECT "Hash", "Size" FROM "Block" WHERE "VolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1)
        """;

    // RemotevolumeNameOnly, key of StoredCopy.
    internal const string StoredCopies = """
        INSERT OR IGNORE INTO temp."ComparedBlock" ("Hash", "Size")
        SELECT "Hash", "Size" FROM temp."StoredCopy" WHERE "VolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1)
        """;

    // LiveBlocks and StoredCopies.
    internal const string VolumeBlocks = """
        SELECT "Hash", "Size" FROM "Block" WHERE "VolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1)
        UNION ALL
        SELECT "Hash", "Size" FROM temp."StoredCopy" WHERE "VolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1)
        """;

    // RemotevolumeNameOnly; reads IndexBlockLink, one row a volume; Block_IndexByVolumeId, key of ExpectedBlocklist.
    internal const string Blocklists = """
        INSERT OR IGNORE INTO temp."ComparedBlock" ("Hash", "Size")
        SELECT b."Hash", b."Size"
        FROM "IndexBlockLink" k
        CROSS JOIN "Block" b ON b."VolumeID" = k."BlockVolumeID"
        CROSS JOIN temp."ExpectedBlocklist" x ON x."Hash" = b."Hash" AND x."Size" = b."Size"
        WHERE k."IndexVolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1)
        """;
}
