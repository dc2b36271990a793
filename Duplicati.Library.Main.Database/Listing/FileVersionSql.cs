// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Listing;

internal static class FileVersionSql
{
    // FileLookupPath alone, in its order. The prefixes themselves are not read, as the name is all that counts.
    internal const string FromName = """
        SELECT "ID", "PrefixID", "Path" FROM "FileLookup" WHERE ("PrefixID", "Path") >= (?1, ?2) ORDER BY "PrefixID", "Path"
        """;

    // PathPrefixPrefix, FileLookupPath.
    internal const string ByFullPath = """
        SELECT "FileLookup"."ID"
        FROM "PathPrefix" CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID" AND "FileLookup"."Path" = ?2
        WHERE "PathPrefix"."Prefix" = ?1
        """;

    // Row ids.
    internal const string File = """
        SELECT "FileLookup"."Path", "FileLookup"."BlocksetID", "Blockset"."Length", "PathPrefix"."Prefix"
        FROM "FileLookup"
        LEFT JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "FileLookup"."ID" = ?1
        """;

    // FilesetentryFileIdIndex.
    internal const string Entries = """SELECT "FilesetID", "Lastmodified" FROM "FilesetEntry" WHERE "FileID" = ?1""";

    // FilesetentryFileIdIndex alone.
    internal const string FilesetIds = """SELECT "FilesetID" FROM "FilesetEntry" WHERE "FileID" = ?1""";

    // The primary key.
    internal const string Entry = """SELECT "FilesetID", "Lastmodified" FROM "FilesetEntry" WHERE "FileID" = ?1 AND "FilesetID" = ?2""";
}
