// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Paths;

/// <summary>Fills a table of matching paths; <c>{0}</c> stands for the digits of its name.</summary>
internal static class FilenameFilterSql
{
    // Row ids of PathPrefix, FileLookupPath from start to end: every path is wanted or tested.
    internal const string InsertAll = """
        INSERT OR IGNORE INTO temp."Filenames-{0}" ("Path")
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path"
        FROM "PathPrefix" CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID"
        """;

    // PathPrefixPrefix, FileLookupPath.
    internal const string InsertExact = """
        INSERT OR IGNORE INTO temp."Filenames-{0}" ("Path")
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path"
        FROM "PathPrefix" CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID" AND "FileLookup"."Path" = ?2
        WHERE "PathPrefix"."Prefix" = ?1
        """;

    // Row ids of PathPrefix, FileLookupPath from start to end: every path is tested.
    internal const string InsertLike = """
        INSERT OR IGNORE INTO temp."Filenames-{0}" ("Path")
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path"
        FROM "PathPrefix" CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID"
        WHERE "PathPrefix"."Prefix" || "FileLookup"."Path" LIKE ?1 ESCAPE '\'
        """;

    // The table's primary key.
    internal const string Insert = """INSERT OR IGNORE INTO temp."Filenames-{0}" ("Path") VALUES (?1)""";

    // Row ids of PathPrefix, FileLookupPath from start to end: every path is tested.
    internal const string Paths = """
        SELECT DISTINCT "PathPrefix"."Prefix" || "FileLookup"."Path"
        FROM "PathPrefix" CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID"
        """;
}

internal static class FilenameTablesSql
{
    // Paths that match a filter; ordered by path, so that joins on it need no further index.
    internal const string CreateFilenames = """CREATE TEMP TABLE "Filenames-{0}" ("Path" TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID""";
    internal const string ClearFilenames = """DELETE FROM temp."Filenames-{0}" """;
    internal const string DropFilenames = """DROP TABLE IF EXISTS temp."Filenames-{0}" """;
}
