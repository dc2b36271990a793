namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>The consistency checks as their definition reads: eight statements, and for each version the two lists that its list volume would be written from.</summary>
internal static class PlainCheckSql
{
    /// <summary>Each counts faults.</summary>
    internal static readonly string[] Checks =
    [
        """
        SELECT COUNT(*) FROM "Blockset" AS "S" LEFT JOIN
        (SELECT "E"."BlocksetID", SUM("K"."Size") AS "Size" FROM "BlocksetEntry" AS "E" JOIN "Block" AS "K" ON "K"."ID" = "E"."BlockID" GROUP BY "E"."BlocksetID") AS "B" ON "B"."BlocksetID" = "S"."ID"
        WHERE "S"."ID" IN (SELECT "BlocksetID" FROM "File") AND "S"."Length" <> IFNULL("B"."Size", 0)
        """,
        """SELECT (SELECT COUNT(*) FROM "BlocklistHash") - (SELECT COUNT(*) FROM (SELECT DISTINCT "BlocksetID", "Index" FROM "BlocklistHash"))""",
        """
        SELECT COUNT(*) FROM (SELECT "BlocksetID", COUNT(*) AS "N" FROM "BlocksetEntry" GROUP BY "BlocksetID") AS "C"
        LEFT JOIN (SELECT "BlocksetID", COUNT(*) AS "N" FROM "BlocklistHash" GROUP BY "BlocksetID") AS "H" ON "H"."BlocksetID" = "C"."BlocksetID"
        WHERE "C"."N" > 1 AND IFNULL("H"."N", 0) <> ("C"."N" + @p0 - 1) / @p0
        """,
        """SELECT COUNT(*) FROM "Blockset" WHERE "Length" > 0 AND "ID" NOT IN (SELECT "BlocksetID" FROM "BlocksetEntry")""",
        """SELECT COUNT(*) FROM "FileLookup" WHERE "BlocksetID" NOT IN (-100, -200) AND "BlocksetID" NOT IN (SELECT "ID" FROM "Blockset")""",
        """SELECT COUNT(*) FROM "Fileset" WHERE "VolumeID" NOT IN (SELECT "ID" FROM "Remotevolume" WHERE "Type" = 'Files' AND "State" <> 'Deleted')""",
        """SELECT COUNT(*) FROM "Remotevolume" WHERE "Type" = 'Files' AND "State" NOT IN ('Deleted', 'Deleting') AND "ID" NOT IN (SELECT "VolumeID" FROM "Fileset")""",
        """SELECT COUNT(*) FROM "FilesetEntry" WHERE "FileID" NOT IN (SELECT "ID" FROM "FileLookup")""",
    ];

    internal const string Filesets = """SELECT "ID" FROM "Fileset" """;

    internal const string CountEntries = """SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = @p0""";

    /// <summary>The distinct paths of both lists together.</summary>
    internal const string CountListed = $"""SELECT COUNT(*) FROM (SELECT "Path" FROM ({Files}) UNION SELECT "Path" FROM ({Folders}))""";

    private const string Columns = """
        "F"."Path" AS "Path", "F"."BlocksetID", "E"."Lastmodified", "D"."FullHash", "D"."Length", "K"."Hash", "K"."Size", "N"."ID", "N"."FullHash", "N"."Length", "Q"."Hash"
        """;

    private const string Tables = """
        "FilesetEntry" AS "E" JOIN "File" AS "F" ON "F"."ID" = "E"."FileID"
        LEFT JOIN "Blockset" AS "D" ON "D"."ID" = "F"."BlocksetID"
        LEFT JOIN "BlocksetEntry" AS "X" ON "X"."BlocksetID" = "D"."ID" AND "X"."Index" = 0 LEFT JOIN "Block" AS "K" ON "K"."ID" = "X"."BlockID"
        LEFT JOIN "Metadataset" AS "M" ON "M"."ID" = "F"."MetadataID" LEFT JOIN "Blockset" AS "N" ON "N"."ID" = "M"."BlocksetID"
        LEFT JOIN "BlocksetEntry" AS "Y" ON "Y"."BlocksetID" = "N"."ID" AND "Y"."Index" = 0 LEFT JOIN "Block" AS "Q" ON "Q"."ID" = "Y"."BlockID"
        LEFT JOIN "BlocklistHash" AS "O" ON "O"."BlocksetID" = "N"."ID"
        """;

    // A row for each entry, blocklist and metadata blocklist.
    private const string Files = $"""
        SELECT {Columns}, "L"."Hash", "O"."Hash" FROM {Tables} LEFT JOIN "BlocklistHash" AS "L" ON "L"."BlocksetID" = "D"."ID" WHERE "E"."FilesetID" = @p0 AND "F"."BlocksetID" >= 0
        """;

    private const string Folders = $"""
        SELECT {Columns}, "O"."Hash" FROM {Tables} WHERE "E"."FilesetID" = @p0 AND "F"."BlocksetID" IN (-100, -200) AND "Q"."ID" IS NOT NULL
        """;
}
