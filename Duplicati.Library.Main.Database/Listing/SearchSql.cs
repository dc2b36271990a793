// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>
/// A search over all paths. Its rules are rows of a table and its options are parameters, so no text of a caller becomes part of a
/// statement.
/// </summary>
internal static class SearchSql
{
    // The rules in the order in which they are tried.
    internal const string Create = """
        CREATE TEMP TABLE IF NOT EXISTS "SearchRule" ("Index" INTEGER PRIMARY KEY, "Text" TEXT NOT NULL, "IsPattern" INTEGER NOT NULL, "IsInclude" INTEGER NOT NULL)
        """;

    internal const string Clear = """DELETE FROM temp."SearchRule" """;

    // Appends; the text takes the case in which it will be compared.
    internal const string Insert = """
        INSERT INTO temp."SearchRule" ("Text", "IsPattern", "IsInclude") VALUES (CASE WHEN ?4 THEN ?1 ELSE LOWER(?1) END, ?2, ?3)
        """;

    // A rule holds if it fits the path or, when asked for, one of the names that the metadata has.
    private const string Holds = """
        (CASE WHEN "Rule"."IsPattern" THEN (CASE WHEN ?2 THEN "FullPath" ELSE LOWER("FullPath") END) GLOB "Rule"."Text"
            ELSE INSTR(CASE WHEN ?2 THEN "FullPath" ELSE LOWER("FullPath") END, "Rule"."Text") > 0 END
        OR (?3 AND EXISTS (
            SELECT 1 FROM json_each((SELECT "Metadataset"."Content" FROM "Metadataset" WHERE "Metadataset"."ID" = "MetadataID")) AS "Item"
            WHERE "Item"."key" IN ('o365:Name', 'o365:DisplayName', 'o365:Type', 'gsuite:Name', 'gsuite:DisplayName', 'gsuite:SpaceName', 'gsuite:Type')
                AND CASE WHEN "Rule"."IsPattern" THEN (CASE WHEN ?2 THEN "Item"."value" ELSE LOWER("Item"."value") END) GLOB "Rule"."Text"
                    ELSE INSTR(CASE WHEN ?2 THEN "Item"."value" ELSE LOWER("Item"."value") END, "Rule"."Text") > 0 END)))
        """;

    // The first rule that holds decides; ?1 decides without one.
    private const string IsWanted = $"""
        COALESCE((SELECT "Rule"."IsInclude" FROM temp."SearchRule" AS "Rule" WHERE {Holds} ORDER BY "Rule"."Index" LIMIT 1), ?1)
        """;

    // PathPrefixPrefix and FileLookupPath, in whose order the rows come; every path is tested.
    internal const string Everywhere = $"""
        SELECT "FileID", "Prefix", "Name"
        FROM (
            SELECT "FileLookup"."ID" AS "FileID", "PathPrefix"."Prefix" AS "Prefix", "FileLookup"."Path" AS "Name",
                "PathPrefix"."Prefix" || "FileLookup"."Path" AS "FullPath", "FileLookup"."MetadataID" AS "MetadataID"
            FROM "PathPrefix" CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID")
        WHERE {IsWanted}
        ORDER BY "Prefix", "Name"
        """;

    // PathPrefixPrefix and FileLookupPath, in whose order the rows come; every path of the folder is tested.
    internal const string InFolder = $"""
        SELECT "FileID", "Prefix", "Name"
        FROM (
            SELECT "FileLookup"."ID" AS "FileID", "PathPrefix"."Prefix" AS "Prefix", "FileLookup"."Path" AS "Name",
                "PathPrefix"."Prefix" || "FileLookup"."Path" AS "FullPath", "FileLookup"."MetadataID" AS "MetadataID"
            FROM "PathPrefix" CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID"
            WHERE "PathPrefix"."Prefix" = ?4)
        WHERE {IsWanted}
        ORDER BY "Prefix", "Name"
        """;

    // PathPrefixPrefix, in its order.
    internal const string Prefixes = """SELECT "ID", "Prefix" FROM "PathPrefix" ORDER BY "Prefix" """;

    // PathPrefixPrefix.
    internal const string Prefix = """SELECT "ID", "Prefix" FROM "PathPrefix" WHERE "Prefix" = ?1""";

    // FileLookupPath, in whose order the names come, each once.
    internal const string NamesOfPrefix = """SELECT DISTINCT "Path" FROM "FileLookup" WHERE "PrefixID" = ?1 ORDER BY "Path" """;

    // FileLookupPath.
    internal const string FilesOfName = """SELECT "ID" FROM "FileLookup" WHERE "PrefixID" = ?1 AND "Path" = ?2""";
}
