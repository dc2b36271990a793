// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Backup;

internal static class FileSql
{
    // Covering: FileLookupPath.
    internal const string Find =
        """SELECT "ID" FROM "FileLookup" WHERE "PrefixID" = ?1 AND "Path" = ?2 AND "BlocksetID" = ?3 AND "MetadataID" = ?4""";

    // Appends by row id.
    internal const string Insert = """INSERT INTO "FileLookup" ("PrefixID", "Path", "BlocksetID", "MetadataID") VALUES (?1, ?2, ?3, ?4)""";

    // Row ids.
    internal const string DataHash = """
        SELECT "Blockset"."FullHash"
        FROM "FileLookup" CROSS JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "FileLookup"."ID" = ?1
        """;

    // Row ids.
    internal const string MetadataHash = """
        SELECT "Blockset"."FullHash", "Blockset"."Length"
        FROM "FileLookup"
        CROSS JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        CROSS JOIN "Blockset" ON "Blockset"."ID" = "Metadataset"."BlocksetID"
        WHERE "FileLookup"."ID" = ?1
        """;

    // Covering FileLookupPath, newest content first, then primary key of FilesetEntry.
    internal const string LastModified = """
        SELECT "FileLookup"."ID", "FilesetEntry"."Lastmodified"
        FROM "FileLookup"
        CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FilesetID" = ?3 AND "FilesetEntry"."FileID" = "FileLookup"."ID"
        WHERE "FileLookup"."PrefixID" = ?1 AND "FileLookup"."Path" = ?2
        ORDER BY "FileLookup"."BlocksetID" DESC, "FileLookup"."MetadataID" DESC
        LIMIT 1
        """;

    // As LastModified, then row id of Blockset.
    internal const string LastModifiedAndLength = """
        SELECT "FileLookup"."ID", "FilesetEntry"."Lastmodified", "Blockset"."Length"
        FROM "FileLookup"
        CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FilesetID" = ?3 AND "FilesetEntry"."FileID" = "FileLookup"."ID"
        CROSS JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "FileLookup"."PrefixID" = ?1 AND "FileLookup"."Path" = ?2
        ORDER BY "FileLookup"."BlocksetID" DESC, "FileLookup"."MetadataID" DESC
        LIMIT 1
        """;

    // FileLookupPath, newest content first, primary key of FilesetEntry, row ids.
    internal const string Entry = """
        SELECT "FileLookup"."ID", "FilesetEntry"."Lastmodified", "Data"."Length", "Meta"."FullHash", "Meta"."Length"
        FROM "FileLookup"
        CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FilesetID" = ?3 AND "FilesetEntry"."FileID" = "FileLookup"."ID"
        CROSS JOIN "Blockset" AS "Data" ON "Data"."ID" = "FileLookup"."BlocksetID"
        CROSS JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        CROSS JOIN "Blockset" AS "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
        WHERE "FileLookup"."PrefixID" = ?1 AND "FileLookup"."Path" = ?2
        ORDER BY "FileLookup"."BlocksetID" DESC, "FileLookup"."MetadataID" DESC
        LIMIT 1
        """;

    // As Entry; the data blockset may be missing.
    internal const string EntryOptionalData = """
        SELECT "FileLookup"."ID", "FilesetEntry"."Lastmodified", "Data"."Length", "Meta"."FullHash", "Meta"."Length"
        FROM "FileLookup"
        CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FilesetID" = ?3 AND "FilesetEntry"."FileID" = "FileLookup"."ID"
        CROSS JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        CROSS JOIN "Blockset" AS "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
        LEFT JOIN "Blockset" AS "Data" ON "Data"."ID" = "FileLookup"."BlocksetID"
        WHERE "FileLookup"."PrefixID" = ?1 AND "FileLookup"."Path" = ?2
        ORDER BY "FileLookup"."BlocksetID" DESC, "FileLookup"."MetadataID" DESC
        LIMIT 1
        """;

    // FileLookupPath, FilesetentryFileIdIndex, row ids; as many rows as the path has entries in all filesets.
    internal const string EntryOfNewestFileset = """
        SELECT "FileLookup"."ID", "FilesetEntry"."Lastmodified", "Data"."Length", "Meta"."FullHash", "Meta"."Length"
        FROM "FileLookup"
        CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FileID" = "FileLookup"."ID"
        CROSS JOIN "Fileset" ON "Fileset"."ID" = "FilesetEntry"."FilesetID"
        CROSS JOIN "Blockset" AS "Data" ON "Data"."ID" = "FileLookup"."BlocksetID"
        CROSS JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        CROSS JOIN "Blockset" AS "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
        WHERE "FileLookup"."PrefixID" = ?1 AND "FileLookup"."Path" = ?2
        ORDER BY "Fileset"."Timestamp" DESC, "Fileset"."ID" DESC
        LIMIT 1
        """;

    // Reads all files once.
    internal const string LongestPath = """
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path"
        FROM "FileLookup" CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        ORDER BY LENGTH("PathPrefix"."Prefix") + LENGTH("FileLookup"."Path") DESC
        LIMIT 1
        """;
}
