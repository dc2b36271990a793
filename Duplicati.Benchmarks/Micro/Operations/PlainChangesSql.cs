namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>A comparison of two versions as its definition reads: two tables without indexes, a statement for each kind of element, each count, each sum and each group of the report.</summary>
internal static class PlainChangesSql
{
    internal const string Tables = """
        CREATE TEMP TABLE "Before" ("Path" TEXT NOT NULL, "Hash" TEXT NULL, "Metahash" TEXT NOT NULL, "Size" INTEGER NOT NULL, "Type" INTEGER NOT NULL);
        CREATE TEMP TABLE "After" ("Path" TEXT NOT NULL, "Hash" TEXT NULL, "Metahash" TEXT NOT NULL, "Size" INTEGER NOT NULL, "Type" INTEGER NOT NULL)
        """;

    /// <summary>Folders, symbolic links and files of an older version.</summary>
    internal static readonly string[] FillBefore = Fill("Before");

    /// <summary>Folders, symbolic links and files of a newer version.</summary>
    internal static readonly string[] FillAfter = Fill("After");

    /// <summary>Elements of a type that were added, deleted and modified.</summary>
    internal static readonly string[] Counts = [$"SELECT COUNT(*) {Added}", $"SELECT COUNT(*) {Deleted}", $"SELECT COUNT(*) {Modified}"];

    /// <summary>Paths of a type that were added, deleted and modified.</summary>
    internal static readonly string[] Paths = [$"""SELECT "Path" {Added}""", $"""SELECT "Path" {Deleted}""", $"""SELECT "A"."Path" {Modified}"""];

    internal static readonly string[] Totals = ["""SELECT SUM("Size") FROM "Before" """, """SELECT SUM("Size") FROM "After" """];

    internal static readonly string[] ChangedSizes =
    [
        """SELECT SUM("Size") FROM "After" WHERE "Path" NOT IN (SELECT "Path" FROM "Before")""",
        """SELECT SUM("Size") FROM "Before" WHERE "Path" NOT IN (SELECT "Path" FROM "After")""",
    ];

    private const string Added = """FROM "After" WHERE "Type" = @p0 AND "Path" NOT IN (SELECT "Path" FROM "Before")""";

    private const string Deleted = """FROM "Before" WHERE "Type" = @p0 AND "Path" NOT IN (SELECT "Path" FROM "After")""";

    private const string Modified = """
        FROM "After" AS "A" JOIN "Before" AS "B" ON "B"."Path" = "A"."Path"
        WHERE "A"."Type" = @p0 AND (("A"."Hash" IS NOT NULL AND "B"."Hash" IS NOT NULL AND "A"."Hash" <> "B"."Hash") OR "A"."Metahash" <> "B"."Metahash" OR "A"."Type" <> "B"."Type")
        """;

    private const string Source = """
        FROM "FilesetEntry" AS "E" JOIN "File" AS "F" ON "F"."ID" = "E"."FileID" JOIN "Metadataset" AS "M" ON "M"."ID" = "F"."MetadataID" JOIN "Blockset" AS "N" ON "N"."ID" = "M"."BlocksetID"
        """;

    private static string[] Fill(string table) =>
    [
        $"""INSERT INTO "{table}" SELECT "F"."Path", NULL, "N"."FullHash", -1, 0 {Source} WHERE "E"."FilesetID" = @p0 AND "F"."BlocksetID" = -100""",
        $"""INSERT INTO "{table}" SELECT "F"."Path", NULL, "N"."FullHash", -1, 1 {Source} WHERE "E"."FilesetID" = @p0 AND "F"."BlocksetID" = -200""",
        $"""INSERT INTO "{table}" SELECT "F"."Path", "S"."FullHash", "N"."FullHash", "S"."Length", 2 {Source} JOIN "Blockset" AS "S" ON "S"."ID" = "F"."BlocksetID" WHERE "E"."FilesetID" = @p0 AND "F"."BlocksetID" >= 0""",
    ];
}
