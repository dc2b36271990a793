// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.FileLists;

/// <summary>The content of a list volume: the entries of a fileset with all that is needed to find their data again.</summary>
internal static class FileListSql
{
    private const string EntryColumns = """
        "PathPrefix"."Prefix" || "FileLookup"."Path" AS "Path", "FileLookup"."BlocksetID" AS "BlocksetID", "FilesetEntry"."Lastmodified" AS "Lastmodified",
        "Data"."FullHash" AS "FileHash", "Data"."Length" AS "FileSize", "DataBlock"."Hash" AS "FirstBlockHash", "DataBlock"."Size" AS "FirstBlockSize",
        "Meta"."ID" AS "MetaBlocksetID", "Meta"."FullHash" AS "MetaHash", "Meta"."Length" AS "MetaSize", "MetaBlock"."Hash" AS "FirstMetaBlockHash"
        """;

    private const string EntryTables = """
        "FilesetEntry"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        LEFT JOIN "Blockset" AS "Data" ON "Data"."ID" = "FileLookup"."BlocksetID"
        LEFT JOIN "BlocksetEntry" AS "DataEntry" ON "DataEntry"."BlocksetID" = "Data"."ID" AND "DataEntry"."Index" = 0
        LEFT JOIN "Block" AS "DataBlock" ON "DataBlock"."ID" = "DataEntry"."BlockID"
        LEFT JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        LEFT JOIN "Blockset" AS "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
        LEFT JOIN "BlocksetEntry" AS "MetaEntry" ON "MetaEntry"."BlocksetID" = "Meta"."ID" AND "MetaEntry"."Index" = 0
        LEFT JOIN "Block" AS "MetaBlock" ON "MetaBlock"."ID" = "MetaEntry"."BlockID"
        LEFT JOIN "BlocklistHash" AS "MetaList" ON "MetaList"."BlocksetID" = "Meta"."ID"
        """;

    // Primary keys and BlocklistHashBlocksetIDIndex.
    internal const string Files = $"""
        SELECT {EntryColumns}, "DataList"."Hash" AS "BlocklistHash", "MetaList"."Hash" AS "MetaBlocklistHash"
        FROM {EntryTables}
        LEFT JOIN "BlocklistHash" AS "DataList" ON "DataList"."BlocksetID" = "Data"."ID"
        WHERE "FilesetEntry"."FilesetID" = @FilesetId AND "FileLookup"."BlocksetID" >= 0
        ORDER BY "Path", "DataList"."Index", "MetaList"."Index"
        """;

    // Primary keys and BlocklistHashBlocksetIDIndex.
    internal const string FoldersAndSymlinks = $"""
        SELECT {EntryColumns}, "MetaList"."Hash" AS "MetaBlocklistHash"
        FROM {EntryTables}
        WHERE "FilesetEntry"."FilesetID" = @FilesetId AND "FileLookup"."BlocksetID" IN (@FolderBlocksetId, @SymlinkBlocksetId) AND "MetaBlock"."ID" IS NOT NULL
        ORDER BY "Path", "MetaList"."Index"
        """;

    // Primary key of FilesetEntry, row ids of FileLookup and PathPrefix; sorts paths and ids only.
    internal const string FileOrder = """
        SELECT "FilesetEntry"."FileID"
        FROM "FilesetEntry"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        WHERE "FilesetEntry"."FilesetID" = ?1 AND "FileLookup"."BlocksetID" >= 0
        ORDER BY "PathPrefix"."Prefix" || "FileLookup"."Path"
        """;

    // Primary key of FilesetEntry, row ids of FileLookup and PathPrefix; sorts paths and ids only.
    internal const string FolderOrder = """
        SELECT "FilesetEntry"."FileID"
        FROM "FilesetEntry"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        WHERE "FilesetEntry"."FilesetID" = ?1 AND "FileLookup"."BlocksetID" IN (-100, -200)
        ORDER BY "PathPrefix"."Prefix" || "FileLookup"."Path"
        """;

    // Primary keys.
    internal const string Entry = """
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path", "FileLookup"."BlocksetID", "FilesetEntry"."Lastmodified",
            "Data"."FullHash", "Data"."Length", "DataBlock"."Hash", "DataBlock"."Size",
            "Meta"."ID", "Meta"."FullHash", "Meta"."Length", "MetaBlock"."Hash"
        FROM "FilesetEntry"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        LEFT JOIN "Blockset" AS "Data" ON "Data"."ID" = "FileLookup"."BlocksetID"
        LEFT JOIN "BlocksetEntry" AS "DataEntry" ON "DataEntry"."BlocksetID" = "Data"."ID" AND "DataEntry"."Index" = 0
        LEFT JOIN "Block" AS "DataBlock" ON "DataBlock"."ID" = "DataEntry"."BlockID"
        LEFT JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        LEFT JOIN "Blockset" AS "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
        LEFT JOIN "BlocksetEntry" AS "MetaEntry" ON "MetaEntry"."BlocksetID" = "Meta"."ID" AND "MetaEntry"."Index" = 0
        LEFT JOIN "Block" AS "MetaBlock" ON "MetaBlock"."ID" = "MetaEntry"."BlockID"
        WHERE "FilesetEntry"."FilesetID" = ?1 AND "FilesetEntry"."FileID" = ?2
        """;

    // BlocklistHashBlocksetIDIndex.
    internal const string Blocklists = """SELECT "Hash" FROM "BlocklistHash" WHERE "BlocksetID" = ?1 ORDER BY "Index" """;
}
