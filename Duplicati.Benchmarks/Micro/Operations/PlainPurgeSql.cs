namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>A filter of a purge as its definition reads: the paths are read and matched outside, and what the removed files weigh is asked of the database.</summary>
internal static class PlainPurgeSql
{
    internal const string Table = """CREATE TEMP TABLE "Removed" ("FileID" INTEGER PRIMARY KEY)""";

    internal const string Paths = """SELECT "F"."ID", "F"."Path" FROM "FilesetEntry" AS "E" JOIN "File" AS "F" ON "F"."ID" = "E"."FileID" WHERE "E"."FilesetID" = @p0""";

    internal const string Remove = """INSERT INTO "Removed" ("FileID") VALUES (@p0)""";

    internal const string CountRemoved = """SELECT COUNT(*) FROM "Removed" """;

    internal const string CountEntries = """SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = @p0""";

    /// <summary>The distinct blocks of removed files that no remaining file of the version has; data against data, metadata against metadata.</summary>
    internal const string RemovedSize = $"""
        SELECT SUM("Size") FROM "Block" WHERE "ID" IN (
            SELECT "BlockID" FROM (SELECT "X"."BlockID" {Data} IN (SELECT "FileID" FROM "Removed") EXCEPT SELECT "X"."BlockID" {Data} NOT IN (SELECT "FileID" FROM "Removed"))
            UNION
            SELECT "BlockID" FROM (SELECT "X"."BlockID" {Metadata} IN (SELECT "FileID" FROM "Removed") EXCEPT SELECT "X"."BlockID" {Metadata} NOT IN (SELECT "FileID" FROM "Removed")))
        """;

    private const string Data = """
        FROM "FilesetEntry" AS "E" JOIN "FileLookup" AS "F" ON "F"."ID" = "E"."FileID" JOIN "BlocksetEntry" AS "X" ON "X"."BlocksetID" = "F"."BlocksetID" WHERE "E"."FilesetID" = @p0 AND "E"."FileID"
        """;

    private const string Metadata = """
        FROM "FilesetEntry" AS "E" JOIN "FileLookup" AS "F" ON "F"."ID" = "E"."FileID" JOIN "Metadataset" AS "M" ON "M"."ID" = "F"."MetadataID" JOIN "BlocksetEntry" AS "X" ON "X"."BlocksetID" = "M"."BlocksetID"
        WHERE "E"."FilesetID" = @p0 AND "E"."FileID"
        """;
}
