// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>Finding out how much of a table goes, and removing all of it.</summary>
internal static class MassDeletionSql
{
    // Small table; stops at the first row.
    internal const string AnyFileset = """SELECT 1 FROM "Fileset" LIMIT 1""";

    // Stops at the first row.
    internal const string AnyEntry = """SELECT EXISTS (SELECT 1 FROM "FilesetEntry")""";

    // Stops at the first row.
    internal const string AnyFile = """SELECT EXISTS (SELECT 1 FROM "FileLookup")""";

    // Stops at the first row.
    internal const string AnyFileOrMetadata = """SELECT EXISTS (SELECT 1 FROM "FileLookup") OR EXISTS (SELECT 1 FROM "Metadataset")""";

    // Stops at the first row.
    internal const string AnyBlockset = """SELECT 1 FROM "Blockset" LIMIT 1""";

    // The key of FilesetEntry (FilesetID, FileID).
    internal const string CountEntriesBetween = """SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" > ?1 AND "FilesetID" < ?2""";

    // Stops at the row of the number that is bound.
    internal const string CountEntries = """SELECT COUNT(*) FROM (SELECT 1 FROM "FilesetEntry" LIMIT ?1)""";

    // The key of BlocksetEntry (BlocksetID, Index).
    internal const string CountBlocksetEntriesBetween =
        """SELECT COUNT(*) FROM "BlocksetEntry" WHERE "BlocksetID" > ?1 AND "BlocksetID" < ?2""";

    // Stops at the row of the number that is bound.
    internal const string CountBlocksetEntries = """SELECT COUNT(*) FROM (SELECT 1 FROM "BlocksetEntry" LIMIT ?1)""";

    // Stops at the row of the number that is bound.
    internal const string CountDeletedBlocks = """SELECT COUNT(*) FROM (SELECT 1 FROM "DeletedBlock" LIMIT ?1)""";

    // One scan of the smallest index.
    internal const string CountBlocks = """SELECT COUNT(*) FROM "Block" """;

    // One scan of the smallest index, of a row for every few blocks.
    internal const string CountBlocklists = """SELECT COUNT(*) FROM "BlocklistHash" """;

    // By id, from both ends.
    internal const string FileEnds = """SELECT (SELECT MIN("ID") FROM "FileLookup"), (SELECT MAX("ID") FROM "FileLookup")""";

    // By id, from both ends.
    internal const string MetadataEnds = """SELECT (SELECT MIN("ID") FROM "Metadataset"), (SELECT MAX("ID") FROM "Metadataset")""";

    // By id, from both ends.
    internal const string BlocksetEnds = """SELECT (SELECT MIN("ID") FROM "Blockset"), (SELECT MAX("ID") FROM "Blockset")""";

    // By id, from both ends.
    internal const string BlockEnds = """SELECT (SELECT MIN("ID") FROM "Block"), (SELECT MAX("ID") FROM "Block")""";

    // By id; FilesetentryFileIdIndex.
    internal const string SampleFile = """
        SELECT NOT EXISTS (SELECT 1 FROM "FilesetEntry" e WHERE e."FileID" = l."ID") FROM "FileLookup" l WHERE l."ID" >= ?1 ORDER BY l."ID" LIMIT 1
        """;

    // By id; FileLookupMetadataID.
    internal const string SampleMetadata = """
        SELECT NOT EXISTS (SELECT 1 FROM "FileLookup" l WHERE l."MetadataID" = m."ID") FROM "Metadataset" m WHERE m."ID" >= ?1 ORDER BY m."ID" LIMIT 1
        """;

    // By id; nn_FileLookup_BlockMeta and MetadatasetBlocksetID.
    internal const string SampleBlockset = """
        SELECT NOT EXISTS (SELECT 1 FROM "FileLookup" l WHERE l."BlocksetID" = b."ID") AND NOT EXISTS (SELECT 1 FROM "Metadataset" m WHERE m."BlocksetID" = b."ID")
        FROM "Blockset" b WHERE b."ID" >= ?1 ORDER BY b."ID" LIMIT 1
        """;

    // All rows: the engine gives the pages back without going through the rows.
    internal const string DeleteAllEntries = """DELETE FROM "FilesetEntry" """;

    // All rows.
    internal const string DeleteAllFiles = """DELETE FROM "FileLookup" """;

    // All rows.
    internal const string DeleteAllMetadata = """DELETE FROM "Metadataset" """;

    // All rows.
    internal const string DeleteAllBlocksets = """DELETE FROM "Blockset" """;

    // All rows.
    internal const string DeleteAllBlocksetEntries = """DELETE FROM "BlocksetEntry" """;

    // All rows.
    internal const string DeleteAllBlocklists = """DELETE FROM "BlocklistHash" """;

    // All rows.
    internal const string DeleteAllBlocks = """DELETE FROM "Block" """;

    // BlockHashSize alone, in its order.
    internal const string BlocksByHash = """SELECT "ID" FROM "Block" ORDER BY "Hash", "Size" """;

    // BlocklistHash, a row for every few hundred blocks, is sorted by hash; BlockHashSize.
    internal const string BlocksOfLists = """
        SELECT b."ID" FROM (SELECT DISTINCT "Hash" FROM "BlocklistHash" ORDER BY "Hash") l CROSS JOIN "Block" b ON b."Hash" = l."Hash"
        """;

    // Block by id, a range.
    internal const string RememberBlocksBetween = """
        INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") SELECT "Hash", "Size", "VolumeID" FROM "Block" WHERE "ID" BETWEEN ?1 AND ?2 ORDER BY "ID"
        """;

    // Block by id, a range.
    internal const string DeleteBlocksBetween = """DELETE FROM "Block" WHERE "ID" BETWEEN ?1 AND ?2""";
}
