namespace Duplicati.Library.Main.Database.Listing;

internal static class FileVersionSql
{
    // Reads PathPrefix, one row a folder; FileLookupPath.
    internal const string ByName = """
        SELECT "FileLookup"."ID"
        FROM "PathPrefix" CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID" AND "FileLookup"."Path" = ?1
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
}
