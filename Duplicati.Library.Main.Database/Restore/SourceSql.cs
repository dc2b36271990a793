// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>Finding blocks on this machine.</summary>
internal static class SourceSql
{
    // BlocksetEntry_IndexIdsBackwards (BlockID), nn_FileLookup_BlockMeta (BlocksetID), PathPrefix by id.
    internal const string PlacesOfBlock = """
        SELECT DISTINCT p."Prefix" || l."Path", e."Index"
        FROM "BlocksetEntry" e
        CROSS JOIN "FileLookup" l ON l."BlocksetID" = e."BlocksetID"
        CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        WHERE e."BlockID" = ?1
        ORDER BY 1, 2
        """;

    // As PlacesOfBlock; stops at the first.
    internal const string HasPlace = """
        SELECT 1
        FROM "BlocksetEntry" e
        CROSS JOIN "FileLookup" l ON l."BlocksetID" = e."BlocksetID"
        WHERE e."BlockID" = ?1
        LIMIT 1
        """;

    // The key of the block list, then as HasPlace, for blocks of metadata.
    internal const string HasPlaceOfRange = """
        SELECT 1
        FROM temp."RestoreBlock" k
        CROSS JOIN "BlocksetEntry" e ON e."BlockID" = k."BlockID"
        CROSS JOIN "FileLookup" l ON l."BlocksetID" = e."BlocksetID"
        WHERE k."Metadata" = 1 AND k."FileID" = ?1 AND k."Index" BETWEEN ?2 AND ?3
        LIMIT 1
        """;

    // By id.
    internal const string SetSourceExists = """UPDATE temp."RestoreFile" SET "LocalSourceExists" = 1 WHERE "ID" = ?1""";

    // One scan of the list.
    internal const string ForgetSources = """
        UPDATE temp."RestoreFile" SET "LocalSourceExists" = 0, "LatestBlocksetID" = NULL
        WHERE "LocalSourceExists" <> 0 OR "LatestBlocksetID" IS NOT NULL
        """;

    // One scan of the list; the key of the block list.
    internal const string Candidates = """
        SELECT r."ID", r."Path"
        FROM temp."RestoreFile" r
        WHERE r."LocalSourceExists" = 1
            AND EXISTS (SELECT 1 FROM temp."RestoreBlock" k WHERE k."Metadata" = 0 AND k."FileID" = r."ID" AND k."Restored" = 0)
        ORDER BY r."ID"
        """;

    // FileLookup by id, FileLookupPath (PrefixID, Path), FilesetentryFileIdIndex, Fileset by id; sorts the versions of one path.
    internal const string LatestBlockset = """
        SELECT o."BlocksetID"
        FROM "FileLookup" l
        CROSS JOIN "FileLookup" o ON o."PrefixID" = l."PrefixID" AND o."Path" = l."Path"
        CROSS JOIN "FilesetEntry" e ON e."FileID" = o."ID"
        CROSS JOIN "Fileset" s ON s."ID" = e."FilesetID"
        WHERE l."ID" = ?1
        ORDER BY s."Timestamp" DESC
        LIMIT 1
        """;

    // By id.
    internal const string SetLatestBlockset = """UPDATE temp."RestoreFile" SET "LatestBlocksetID" = ?2 WHERE "ID" = ?1""";
}
