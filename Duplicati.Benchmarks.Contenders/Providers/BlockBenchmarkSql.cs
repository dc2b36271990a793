// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Benchmarks.Contenders.Providers;

/// <summary>Statements with named parameters, as a user of the provider writes them, and by position.</summary>
internal static class BlockBenchmarkSql
{
    internal const string Find = """SELECT "ID" FROM "Block" WHERE "Hash" = @Hash AND "Size" = @Size""";

    internal const string Insert = """INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES (@Hash, @Size, @VolumeId)""";

    internal const string InsertOrIgnore =
        """INSERT OR IGNORE INTO "Block" ("Hash", "Size", "VolumeID") VALUES (@Hash, @Size, @VolumeId)""";

    internal const string InsertBlockset =
        """INSERT INTO "Blockset" ("Length", "FullHash") VALUES (@Length, @FullHash); SELECT last_insert_rowid()""";

    internal const string Link = """
        INSERT INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID")
        SELECT @BlocksetId, @Index, "ID" FROM "Block" WHERE "Hash" = @Hash AND "Size" = @Size
        """;

    internal const string JoinBlockset = """
        SELECT "Block"."ID", "Block"."Hash", "Block"."Size", "Block"."VolumeID"
        FROM "BlocksetEntry" INNER JOIN "Block" ON "BlocksetEntry"."BlockID" = "Block"."ID"
        WHERE "BlocksetEntry"."BlocksetID" = @BlocksetId ORDER BY "BlocksetEntry"."Index"
        """;

    /// <summary>Rows in the order of the table; every column counts.</summary>
    internal const string ReadBlocks = """SELECT "ID", "Hash", "Size", "VolumeID" FROM "Block" WHERE "ID" > ?1 ORDER BY "ID" """;

    internal const string LinkNative = """
        INSERT INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID")
        SELECT ?1, ?2, "ID" FROM "Block" WHERE "Hash" = ?3 AND "Size" = ?4
        """;

    internal const string JoinBlocksetNative = """
        SELECT "Block"."ID", "Block"."Hash", "Block"."Size", "Block"."VolumeID"
        FROM "BlocksetEntry" INNER JOIN "Block" ON "BlocksetEntry"."BlockID" = "Block"."ID"
        WHERE "BlocksetEntry"."BlocksetID" = ?1 ORDER BY "BlocksetEntry"."Index"
        """;

    internal const string InsertBlocksetNative = """INSERT INTO "Blockset" ("Length", "FullHash") VALUES (?1, ?2)""";

    internal const string InsertOrIgnoreNative = """INSERT OR IGNORE INTO "Block" ("Hash", "Size", "VolumeID") VALUES (?1, ?2, ?3)""";
}
