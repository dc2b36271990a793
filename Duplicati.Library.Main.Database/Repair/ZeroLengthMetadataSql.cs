// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Repair;

internal static class ZeroLengthMetadataSql
{
    // Blocksets without content that metadata uses, by id.
    internal const string CreateBlocksets = """CREATE TEMP TABLE IF NOT EXISTS "ZeroLengthBlockset" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearBlocksets = """DELETE FROM temp."ZeroLengthBlockset" """;

    // Reads Blockset, which has no index on the length, once a repair; MetadatasetBlocksetID.
    internal const string Count = """
        SELECT COUNT(*) FROM "Blockset" s CROSS JOIN "Metadataset" m ON m."BlocksetID" = s."ID"
        WHERE s."Length" = 0
        """;

    // Reads Blockset, only after such metadata was found; MetadatasetBlocksetID.
    internal const string FindBlocksets = """
        INSERT OR IGNORE INTO temp."ZeroLengthBlockset" ("ID")
        SELECT s."ID" FROM "Blockset" s CROSS JOIN "Metadataset" m ON m."BlocksetID" = s."ID"
        WHERE s."Length" = 0
        """;

    // MetadatasetBlocksetID.
    internal const string FindMetadata = """
        INSERT INTO temp."MetadataMerge" ("Old", "New")
        SELECT m."ID", ?1 FROM temp."ZeroLengthBlockset" s CROSS JOIN "Metadataset" m ON m."BlocksetID" = s."ID"
        """;

    // MetadatasetBlocksetID.
    internal const string MetadataOfBlockset = """SELECT MIN("ID") FROM "Metadataset" WHERE "BlocksetID" = ?1""";

    // MetadatasetBlocksetID and nn_FileLookup_BlockMeta, for the few blocksets. EXISTS would be turned into a set of all rows, a scalar
    // with a limit is not.
    internal const string KeepUsedBlocksets = """
        DELETE FROM temp."ZeroLengthBlockset"
        WHERE (SELECT m."ID" FROM "Metadataset" m WHERE m."BlocksetID" = temp."ZeroLengthBlockset"."ID" LIMIT 1) IS NOT NULL
           OR (SELECT l."ID" FROM "FileLookup" l WHERE l."BlocksetID" = temp."ZeroLengthBlockset"."ID" LIMIT 1) IS NOT NULL
        """;

    // Key of BlocksetEntry.
    internal const string DeleteEntries =
        """DELETE FROM "BlocksetEntry" WHERE "BlocksetID" IN (SELECT "ID" FROM temp."ZeroLengthBlockset")""";

    // BlocklistHashBlocksetIDIndex.
    internal const string DeleteBlocklists =
        """DELETE FROM "BlocklistHash" WHERE "BlocksetID" IN (SELECT "ID" FROM temp."ZeroLengthBlockset")""";

    // By id.
    internal const string DeleteBlocksets = """DELETE FROM "Blockset" WHERE "ID" IN (SELECT "ID" FROM temp."ZeroLengthBlockset")""";
}
