// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database;

/// <summary>The statements of <see cref="ChangeStatistics"/>.</summary>
/// <remarks>
/// An entry that both filesets share by its file id is the same path, content and metadata in both, so it is passed over by a look-up in
/// the
/// primary key of FilesetEntry; only the few others are compared by path. CROSS JOIN keeps that order whatever the planner's statistics
/// say.
/// Kind: 0 folder, 1 symbolic link, 2 file.
/// </remarks>
internal static class ChangeStatisticsSql
{
    // FilesetEntry primary key (FilesetID), FileLookup row id; then FileLookupPath (PrefixID, Path) and the primary key once a path.
    internal const string ENTRIES_WITHOUT_COUNTERPART = """
        SELECT CASE "F"."BlocksetID" WHEN -100 THEN 0 WHEN -200 THEN 1 ELSE 2 END AS "Kind", COUNT(*)
        FROM "FilesetEntry" AS "E"
        CROSS JOIN "FileLookup" AS "F" ON "F"."ID" = "E"."FileID"
        WHERE "E"."FilesetID" = @FilesetId
            AND NOT EXISTS (SELECT 1 FROM "FilesetEntry" AS "S" WHERE "S"."FilesetID" = @OtherFilesetId AND "S"."FileID" = "E"."FileID")
            AND NOT EXISTS (
                SELECT 1 FROM "FileLookup" AS "P"
                CROSS JOIN "FilesetEntry" AS "O" ON "O"."FilesetID" = @OtherFilesetId AND "O"."FileID" = "P"."ID"
                WHERE "P"."PrefixID" = "F"."PrefixID" AND "P"."Path" = "F"."Path")
        GROUP BY "Kind"
        """;

    // FilesetEntry primary key (FilesetID), FileLookup row id, FileLookupPath (PrefixID, Path), FilesetEntry primary key; metadata by row
    // id.
    // The second half finds pairs whose current entry is in both filesets: there were two entries of one path, and one of them is gone.
    internal const string MODIFIED_PAIRS = """
        SELECT CASE "PreviousBlocksetID" WHEN -100 THEN 0 WHEN -200 THEN 1 ELSE 2 END AS "Kind", COUNT(*)
        FROM (
            SELECT "PF"."BlocksetID" AS "PreviousBlocksetID", "PF"."MetadataID" AS "PreviousMetadataID", "CF"."BlocksetID" AS "CurrentBlocksetID", "CF"."MetadataID" AS "CurrentMetadataID"
            FROM "FilesetEntry" AS "C"
            CROSS JOIN "FileLookup" AS "CF" ON "CF"."ID" = "C"."FileID"
            CROSS JOIN "FileLookup" AS "PF" ON "PF"."PrefixID" = "CF"."PrefixID" AND "PF"."Path" = "CF"."Path"
            CROSS JOIN "FilesetEntry" AS "P" ON "P"."FilesetID" = @PreviousFilesetId AND "P"."FileID" = "PF"."ID"
            WHERE "C"."FilesetID" = @CurrentFilesetId
                AND NOT EXISTS (SELECT 1 FROM "FilesetEntry" AS "S" WHERE "S"."FilesetID" = @PreviousFilesetId AND "S"."FileID" = "C"."FileID")
            UNION ALL
            SELECT "PF"."BlocksetID", "PF"."MetadataID", "CF"."BlocksetID", "CF"."MetadataID"
            FROM "FilesetEntry" AS "P"
            CROSS JOIN "FileLookup" AS "PF" ON "PF"."ID" = "P"."FileID"
            CROSS JOIN "FileLookup" AS "CF" ON "CF"."PrefixID" = "PF"."PrefixID" AND "CF"."Path" = "PF"."Path"
            CROSS JOIN "FilesetEntry" AS "C" ON "C"."FilesetID" = @CurrentFilesetId AND "C"."FileID" = "CF"."ID"
            CROSS JOIN "FilesetEntry" AS "S" ON "S"."FilesetID" = @PreviousFilesetId AND "S"."FileID" = "CF"."ID"
            WHERE "P"."FilesetID" = @PreviousFilesetId
                AND NOT EXISTS (SELECT 1 FROM "FilesetEntry" AS "K" WHERE "K"."FilesetID" = @CurrentFilesetId AND "K"."FileID" = "P"."FileID")
        )
        WHERE ("PreviousBlocksetID" NOT IN (-100, -200) AND "PreviousBlocksetID" <> "CurrentBlocksetID")
            OR (SELECT "B"."FullHash" FROM "Metadataset" AS "M" CROSS JOIN "Blockset" AS "B" ON "B"."ID" = "M"."BlocksetID" WHERE "M"."ID" = "PreviousMetadataID")
                IS NOT (SELECT "B"."FullHash" FROM "Metadataset" AS "M" CROSS JOIN "Blockset" AS "B" ON "B"."ID" = "M"."BlocksetID" WHERE "M"."ID" = "CurrentMetadataID")
        GROUP BY "Kind"
        """;
}
