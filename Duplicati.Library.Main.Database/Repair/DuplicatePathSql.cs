#nullable enable

namespace Duplicati.Library.Main.Database.Repair;

internal static class DuplicatePathSql
{
    // Reads FileLookup in row order, PathPrefix by id. Once a repair.
    internal const string AllPaths = """
        SELECT l."ID", p."Prefix", l."Path"
        FROM "FileLookup" l CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        ORDER BY l."ID"
        """;

    // FileLookup and PathPrefix by id.
    internal const string Path = """
        SELECT p."Prefix" || l."Path"
        FROM "FileLookup" l CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        WHERE l."ID" = ?1
        """;

    // FilesetentryFileIdIndex.
    internal const string FilesetsOfFile = """SELECT "FilesetID" FROM "FilesetEntry" WHERE "FileID" = ?1""";

    // Key of FilesetEntry.
    internal const string DeleteEntry = """DELETE FROM "FilesetEntry" WHERE "FilesetID" = ?1 AND "FileID" = ?2""";
}
