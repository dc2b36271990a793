// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Listing;

internal static class ListingSql
{
    // Reads Fileset, one row a version.
    internal const string Filesets = """SELECT "ID", "Timestamp", "IsFullBackup" FROM "Fileset" ORDER BY "Timestamp" DESC, "ID" DESC""";

    // Primary key of FilesetEntry, row ids of FileLookup and Blockset.
    internal const string FileTotals = """
        SELECT COUNT(*), SUM("Blockset"."Length")
        FROM "FilesetEntry"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        CROSS JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "FilesetEntry"."FilesetID" = ?1
        """;

    // Primary key of FilesetEntry, row ids of FileLookup and Blockset.
    internal const string EntryTotals = """
        SELECT COUNT(*), SUM("Blockset"."Length")
        FROM "FilesetEntry"
        LEFT JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "FilesetEntry"."FilesetID" = ?1
        """;

    // Row id.
    internal const string PrefixText = """SELECT "Prefix" FROM "PathPrefix" WHERE "ID" = ?1""";

    // FileLookupPath, covering, in whose order the names come, and the primary key of FilesetEntry.
    internal const string EntriesOfPrefix = """
        SELECT "FileLookup"."ID", "FileLookup"."Path", "FileLookup"."BlocksetID", "FilesetEntry"."Lastmodified"
        FROM "FileLookup"
        CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FilesetID" = ?1 AND "FilesetEntry"."FileID" = "FileLookup"."ID"
        WHERE "FileLookup"."PrefixID" = ?2
        ORDER BY "FileLookup"."Path"
        """;

    // Row id.
    internal const string LengthOfBlockset = """SELECT "Length" FROM "Blockset" WHERE "ID" = ?1""";

    // Primary key of FilesetEntry, row ids.
    internal const string Entry = """
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path", "FileLookup"."BlocksetID", "Blockset"."Length", "FilesetEntry"."Lastmodified"
        FROM "FilesetEntry"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "FilesetEntry"."FilesetID" = ?1 AND "FilesetEntry"."FileID" = ?2
        """;

    // Primary key of FilesetEntry, row ids; sorts paths and ids only.
    internal const string EntriesByPath = """
        SELECT "FileLookup"."ID", "PathPrefix"."Prefix" || "FileLookup"."Path" AS "FullPath"
        FROM "FilesetEntry"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        WHERE "FilesetEntry"."FilesetID" = ?1
        ORDER BY "FullPath"
        """;

    // Row ids, FilesetentryFileIdIndex.
    internal const string MetadataOfFile = """
        SELECT "Metadataset"."Content"
        FROM "FileLookup" CROSS JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        WHERE "FileLookup"."ID" = ?1 AND EXISTS (SELECT 1 FROM "FilesetEntry" WHERE "FilesetEntry"."FileID" = ?1)
        """;
}
