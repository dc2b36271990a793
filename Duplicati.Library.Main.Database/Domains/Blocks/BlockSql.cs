// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Blocks;

internal static class BlockSql
{
    // Covering: BlockHashSize.
    internal const string FindId = """SELECT "ID" FROM "Block" WHERE "Hash" = ?1 AND "Size" = ?2""";

    // By row id.
    internal const string KeyOfId = """SELECT "Hash", "Size" FROM "Block" WHERE "ID" = ?1""";

    // Row id.
    internal const string VolumeOf = """SELECT "VolumeID" FROM "Block" WHERE "ID" = ?1""";

    // Row id.
    internal const string SetVolume = """UPDATE "Block" SET "VolumeID" = ?2 WHERE "ID" = ?1""";

    // Row id.
    internal const string DeleteBlock = """DELETE FROM "Block" WHERE "ID" = ?1""";

    // Last row by row id.
    internal const string MaxId = """SELECT MAX("ID") FROM "Block" """;

    // Last row by row id; last row of BlocksetEntry_IndexIdsBackwards, or BlocksetEntry in full while that is deferred; last row of
    // UniqueBlockVolumeDuplicateBlock. Contents go on naming a block that was lost, and the copies of a deleted block stay: a new block
    // that got its id would be taken for it.
    internal const string LastId = """
        SELECT MAX(
            (SELECT IFNULL(MAX("ID"), 0) FROM "Block"),
            (SELECT IFNULL(MAX("BlockID"), 0) FROM "BlocksetEntry"),
            (SELECT IFNULL(MAX("BlockID"), 0) FROM "DuplicateBlock"))
        """;

    // First row by row id.
    internal const string Any = """SELECT 1 FROM "Block" LIMIT 1""";

    // Whole table in row id order, once for each time the map is filled.
    internal const string All = """SELECT "ID", "Hash", "Size" FROM "Block" """;

    // Appends by row id.
    internal const string Insert = """INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES (?1, ?2, ?3, ?4)""";

    // The same, as many rows as BlockAppender.RowsAtOnce.
    internal const string InsertMany =
        """INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES """
        + EightRows
        + ", "
        + EightRows
        + ", "
        + EightRows
        + ", "
        + EightRows;

    // By row id.
    internal const string MoveToVolume = """UPDATE "Block" SET "VolumeID" = ?1 WHERE "ID" = ?2 AND "VolumeID" = ?3""";

    // Covering: Block_IndexByVolumeId.
    internal const string AnyInVolume =
        """SELECT 1 FROM "Block" WHERE "VolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1) LIMIT 1""";

    private const string FourRows = "(?, ?, ?, ?), (?, ?, ?, ?), (?, ?, ?, ?), (?, ?, ?, ?)";

    private const string EightRows = FourRows + ", " + FourRows;
}

internal static class DeletedBlockSql
{
    // Covering DeletedBlockHashVolumeID or DeletedBlockHashSize; reads at most one row more than may be kept.
    internal const string Keys = """SELECT DISTINCT "Hash", "Size" FROM "DeletedBlock" LIMIT ?1""";

    // DeletedBlockHashSize, backwards; row id of Remotevolume.
    internal const string Find = """
        SELECT "DeletedBlock"."ID", "DeletedBlock"."VolumeID" FROM "DeletedBlock"
        WHERE "DeletedBlock"."Hash" = ?1 AND "DeletedBlock"."Size" = ?2
          AND (SELECT "Remotevolume"."State" FROM "Remotevolume" WHERE "Remotevolume"."ID" = "DeletedBlock"."VolumeID") NOT IN ('Deleting', 'Deleted')
        ORDER BY "DeletedBlock"."ID" DESC
        LIMIT 1
        """;

    // By row id.
    internal const string Delete = """DELETE FROM "DeletedBlock" WHERE "ID" = ?1""";
}
