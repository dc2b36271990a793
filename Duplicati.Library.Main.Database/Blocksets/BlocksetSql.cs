// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Blocksets;

internal static class BlocksetSql
{
    // Covering: BlocksetFullHash.
    internal const string Find = """SELECT "ID" FROM "Blockset" WHERE "FullHash" = ?1 AND "Length" = ?2""";

    // Appends by row id.
    internal const string Insert = """INSERT INTO "Blockset" ("Length", "FullHash") VALUES (?1, ?2)""";

    // Appends by row id; one blocklist each.
    internal const string InsertBlocklist = """INSERT INTO "BlocklistHash" ("BlocksetID", "Index", "Hash") VALUES (?1, ?2, ?3)""";

    // Appends by primary key.
    internal const string InsertEntry = """INSERT INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") VALUES (?1, ?2, ?3)""";

    // Appends by primary key; as many rows as BlocksetEntryWriter.RowsPerStatement. FAIL, because ABORT would copy each page that the
    // statement changes first: with all indexes in place that costs more than the rows. Who fails removes the blockset.
    internal const string InsertEntries = """
        INSERT OR FAIL INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") VALUES
        (?1, ?2 +  0, ?3),  (?1, ?2 +  1, ?4),  (?1, ?2 +  2, ?5),  (?1, ?2 +  3, ?6),
        (?1, ?2 +  4, ?7),  (?1, ?2 +  5, ?8),  (?1, ?2 +  6, ?9),  (?1, ?2 +  7, ?10),
        (?1, ?2 +  8, ?11), (?1, ?2 +  9, ?12), (?1, ?2 + 10, ?13), (?1, ?2 + 11, ?14),
        (?1, ?2 + 12, ?15), (?1, ?2 + 13, ?16), (?1, ?2 + 14, ?17), (?1, ?2 + 15, ?18),
        (?1, ?2 + 16, ?19), (?1, ?2 + 17, ?20), (?1, ?2 + 18, ?21), (?1, ?2 + 19, ?22),
        (?1, ?2 + 20, ?23), (?1, ?2 + 21, ?24), (?1, ?2 + 22, ?25), (?1, ?2 + 23, ?26),
        (?1, ?2 + 24, ?27), (?1, ?2 + 25, ?28), (?1, ?2 + 26, ?29), (?1, ?2 + 27, ?30),
        (?1, ?2 + 28, ?31), (?1, ?2 + 29, ?32), (?1, ?2 + 30, ?33), (?1, ?2 + 31, ?34)
        """;

    // Primary key of BlocksetEntry, row ids of Block; all blocks but the last have the full size.
    internal const string CountFittingEntries = """
        SELECT count(*) FROM "BlocksetEntry" CROSS JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
        WHERE "BlocksetEntry"."BlocksetID" = ?1 AND "Block"."Size" = MIN(?2, ?3 - ("BlocksetEntry"."Index" * ?2))
        """;

    // Primary key of BlocksetEntry.
    internal const string DeleteEntries = """DELETE FROM "BlocksetEntry" WHERE "BlocksetID" = ?1""";

    // BlocklistHashBlocksetIDIndex.
    internal const string DeleteBlocklists = """DELETE FROM "BlocklistHash" WHERE "BlocksetID" = ?1""";

    // By row id.
    internal const string Delete = """DELETE FROM "Blockset" WHERE "ID" = ?1""";

    // BlockHashSize; only after a block was not found.
    internal const string SizesOfHash = """SELECT "Size" FROM "Block" WHERE "Hash" = ?1""";

    // Whole table, once an instance that asks for blocklists.
    internal const string AllBlocklists = """SELECT rowid, "Hash" FROM "BlocklistHash" """;

    // By row id.
    internal const string BlocksetOfBlocklist = """SELECT "BlocksetID" FROM "BlocklistHash" WHERE rowid = ?1 AND "Hash" = ?2""";

    // nn_FileLookup_BlockMeta, FilesetentryFileIdIndex.
    internal const string FirstFileset = """
        SELECT MIN("FilesetEntry"."FilesetID")
        FROM "FileLookup" CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FileID" = "FileLookup"."ID"
        WHERE "FileLookup"."BlocksetID" = ?1
        """;

    // Reads BlocklistHash, which has no index on the hash; only for hashes that have no binary key.
    internal const string FirstFilesetOfHash = """
        SELECT MIN("FilesetEntry"."FilesetID")
        FROM "BlocklistHash"
        CROSS JOIN "FileLookup" ON "FileLookup"."BlocksetID" = "BlocklistHash"."BlocksetID"
        CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FileID" = "FileLookup"."ID"
        WHERE "BlocklistHash"."Hash" = ?1
        """;

    // Reads BlocklistHash; RemotevolumeName, BlockHashSize.
    internal const string BlocklistsInVolume = """
        SELECT DISTINCT "BlocklistHash"."Hash" FROM "BlocklistHash"
        WHERE EXISTS (
            SELECT 1 FROM "Block"
            WHERE "Block"."Hash" = "BlocklistHash"."Hash"
              AND "Block"."VolumeID" = (SELECT "Remotevolume"."ID" FROM "Remotevolume" WHERE "Remotevolume"."Name" = ?1))
        ORDER BY "BlocklistHash"."Hash"
        """;
}
