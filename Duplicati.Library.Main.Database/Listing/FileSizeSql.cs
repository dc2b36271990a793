// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>Files by path; <c>{0}</c> stands for the digits of the name of a table of paths.</summary>
internal static class FileSizeSql
{
    // The first paths of the table, up to a limit.
    internal const string FirstPaths = """SELECT "Path" FROM temp."Filenames-{0}" LIMIT ?1""";

    // FileLookupPath; the table's primary key; every path of the database is tested once, those found are sorted.
    internal const string Matching = """
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path" AS "FullPath", "FileLookup"."ID", "Blockset"."Length"
        FROM "PathPrefix"
        CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID"
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE EXISTS (SELECT 1 FROM temp."Filenames-{0}" AS "Wanted" WHERE "Wanted"."Path" = "PathPrefix"."Prefix" || "FileLookup"."Path")
        ORDER BY "FullPath"
        """;

    // PathPrefixPrefix, FileLookupPath.
    internal const string Exact = """
        SELECT ?1 || ?2, "FileLookup"."ID", "Blockset"."Length"
        FROM "PathPrefix"
        CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID" AND "FileLookup"."Path" = ?2
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "PathPrefix"."Prefix" = ?1
        """;

    // PathPrefixPrefix as a range, FileLookupPath; what is below a folder by its prefix.
    internal const string Below = """
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path", "FileLookup"."ID", "Blockset"."Length"
        FROM "PathPrefix"
        CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID"
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "PathPrefix"."Prefix" >= ?1 AND "PathPrefix"."Prefix" < ?2
        """;

    // PathPrefixPrefix, FileLookupPath as a range; what is below a folder although its prefix is shorter.
    internal const string BelowByName = """
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path", "FileLookup"."ID", "Blockset"."Length"
        FROM "PathPrefix"
        CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID" AND "FileLookup"."Path" >= ?2 AND "FileLookup"."Path" < ?3
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "PathPrefix"."Prefix" = ?1
        """;

    // Primary key of FilesetEntry.
    internal const string IsInFileset = """SELECT 1 FROM "FilesetEntry" WHERE "FilesetID" = ?1 AND "FileID" = ?2""";

    // FilesetentryFileIdIndex, which has the other column, too.
    internal const string FilesetsOfFile =
        """SELECT "FilesetID" FROM "FilesetEntry" WHERE "FileID" = ?1 AND "FilesetID" BETWEEN ?2 AND ?3""";
}
