namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>
/// The operations as their definition reads, statement by statement, with the indexes that the schema has. The longer ones have files of their own.
/// </summary>
internal static class PlainOperationSql
{
    internal const string Rollback = "ROLLBACK";

    internal const string VolumeUse = """
        CREATE TEMP TABLE "Use" AS
        SELECT "A"."VolumeID", "A"."Active", IFNULL("W"."Wasted", 0) AS "Wasted", IFNULL("B"."Time", 0) AS "Time" FROM
        (SELECT "VolumeID", SUM("Size") AS "Active" FROM "Block" AS "L"
            WHERE NOT EXISTS (SELECT 1 FROM "DeletedBlock" AS "D" WHERE "D"."Hash" = "L"."Hash" AND "D"."Size" = "L"."Size" AND "D"."VolumeID" = "L"."VolumeID") GROUP BY "VolumeID"
         UNION ALL
         SELECT "ID", 0 FROM "Remotevolume" WHERE "Type" = 'Blocks' AND "State" IN ('Uploaded', 'Verified') AND "ID" NOT IN (SELECT "VolumeID" FROM "Block")) AS "A"
        LEFT JOIN (SELECT "VolumeID", SUM("Size") AS "Wasted" FROM "DeletedBlock" GROUP BY "VolumeID") AS "W" ON "W"."VolumeID" = "A"."VolumeID"
        LEFT JOIN (SELECT "VolumeID", MIN("Time") AS "Time" FROM (
            SELECT "B"."VolumeID", "S"."Timestamp" AS "Time" FROM "Fileset" AS "S" JOIN "FilesetEntry" AS "E" ON "E"."FilesetID" = "S"."ID" JOIN "FileLookup" AS "F" ON "F"."ID" = "E"."FileID"
            JOIN "BlocksetEntry" AS "X" ON "X"."BlocksetID" = "F"."BlocksetID" JOIN "Block" AS "B" ON "B"."ID" = "X"."BlockID"
            UNION
            SELECT "B"."VolumeID", "S"."Timestamp" AS "Time" FROM "Fileset" AS "S" JOIN "FilesetEntry" AS "E" ON "E"."FilesetID" = "S"."ID" JOIN "FileLookup" AS "F" ON "F"."ID" = "E"."FileID"
            JOIN "Metadataset" AS "M" ON "M"."ID" = "F"."MetadataID" JOIN "BlocksetEntry" AS "X" ON "X"."BlocksetID" = "M"."BlocksetID" JOIN "Block" AS "B" ON "B"."ID" = "X"."BlockID")
            GROUP BY "VolumeID") AS "B" ON "B"."VolumeID" = "A"."VolumeID"
        """;

    /// <summary>Volumes without live blocks are to be deleted, not compacted.</summary>
    internal const string WastefulVolumes = """
        SELECT COUNT(*) FROM (SELECT "V"."Name" FROM "Use" AS "U" JOIN "Remotevolume" AS "V" ON "V"."ID" = "U"."VolumeID" WHERE "U"."Active" > 0 AND "U"."Wasted" * 100 >= "U"."Active" + "U"."Wasted" ORDER BY "U"."Time")
        """;

    internal const string DeleteFileset = """DELETE FROM "Fileset" WHERE "Timestamp" = @p0""";

    /// <summary>In the order in which rows lose what refers to them, named as the steps of the layer are.</summary>
    internal static readonly (string Name, string Sql)[] DeleteCascade =
    [
        ("FilesetEntry", """DELETE FROM "FilesetEntry" WHERE "FilesetID" NOT IN (SELECT "ID" FROM "Fileset")"""),
        ("ChangeJournalData", """DELETE FROM "ChangeJournalData" WHERE "FilesetID" NOT IN (SELECT "ID" FROM "Fileset")"""),
        ("FileLookup", """DELETE FROM "FileLookup" WHERE "ID" NOT IN (SELECT "FileID" FROM "FilesetEntry")"""),
        ("Metadataset", """DELETE FROM "Metadataset" WHERE "ID" NOT IN (SELECT "MetadataID" FROM "FileLookup")"""),
        ("Blockset", """DELETE FROM "Blockset" WHERE "ID" NOT IN (SELECT "BlocksetID" FROM "FileLookup" UNION SELECT "BlocksetID" FROM "Metadataset")"""),
        ("BlocksetEntry", """DELETE FROM "BlocksetEntry" WHERE "BlocksetID" NOT IN (SELECT "ID" FROM "Blockset")"""),
        ("BlocklistHash", """DELETE FROM "BlocklistHash" WHERE "BlocksetID" NOT IN (SELECT "ID" FROM "Blockset")"""),
        ("Block", """
        INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") SELECT "Hash", "Size", "VolumeID" FROM "Block"
        WHERE "ID" NOT IN (SELECT "BlockID" FROM "BlocksetEntry") AND "Hash" NOT IN (SELECT "Hash" FROM "BlocklistHash")
        """),
        ("Block", """DELETE FROM "Block" WHERE "ID" NOT IN (SELECT "BlockID" FROM "BlocksetEntry") AND "Hash" NOT IN (SELECT "Hash" FROM "BlocklistHash")"""),
        (DeleteStepNames.Remotevolume, """UPDATE "Remotevolume" SET "State" = 'Deleting' WHERE "Type" = 'Files' AND "State" IN ('Uploaded', 'Verified', 'Temporary', 'Deleting') AND "ID" NOT IN (SELECT "VolumeID" FROM "Fileset")"""),
    ];

    internal const string CountDeletingLists = """SELECT COUNT(*) FROM "Remotevolume" WHERE "Type" = 'Files' AND "State" = 'Deleting'""";

    /// <summary>The prefixes are listed, as they are up to 128 of them.</summary>
    internal static readonly string CountEntries = $"""
        SELECT COUNT(*) FROM "FilesetEntry" AS "E" JOIN "FileLookup" AS "F" ON "F"."ID" = "E"."FileID" JOIN "PathPrefix" AS "P" ON "P"."ID" = "F"."PrefixID"
        WHERE "E"."FilesetID" = @p0 AND "F"."PrefixID" IN ({Folders})
        """;

    internal static readonly string EntriesPage = $"""
        SELECT "F"."ID", "P"."Prefix" || "F"."Path", "F"."BlocksetID", IFNULL("S"."Length", -1), "E"."Lastmodified" FROM "FilesetEntry" AS "E" JOIN "FileLookup" AS "F" ON "F"."ID" = "E"."FileID"
        JOIN "PathPrefix" AS "P" ON "P"."ID" = "F"."PrefixID" LEFT JOIN "Blockset" AS "S" ON "S"."ID" = "F"."BlocksetID"
        WHERE "E"."FilesetID" = @p0 AND "F"."PrefixID" IN ({Folders}) ORDER BY "P"."Prefix", "F"."Path" LIMIT @p1 OFFSET @p2
        """;

    internal const string UnmeasuredVolumes = """
        SELECT "Name", "Size", "Hash" FROM "Remotevolume" WHERE "State" IN ('Uploaded', 'Verified') AND "ArchiveTime" = 0 AND (IFNULL("Hash", '') = '' OR IFNULL("Size", 0) <= 0)
        """;

    internal const string HighestVerificationCount = """SELECT MAX("VerificationCount") FROM "Remotevolume" """;

    internal const string UntestedLists = """
        SELECT "V"."Name", "V"."Size", "V"."Hash" FROM "Remotevolume" AS "V" JOIN "Fileset" AS "S" ON "S"."VolumeID" = "V"."ID"
        WHERE "V"."Type" = 'Files' AND "V"."State" IN ('Uploaded', 'Verified') AND "V"."ArchiveTime" = 0 AND "V"."VerificationCount" = 0
        """;

    internal const string UntestedVolumes = """
        SELECT "Name", "Size", "Hash" FROM "Remotevolume" WHERE "Type" = @p0 AND "State" IN ('Uploaded', 'Verified') AND "ArchiveTime" = 0 AND "VerificationCount" = 0
        """;

    internal const string TestedVolumes = """
        SELECT "Name", "Size", "Hash" FROM "Remotevolume" WHERE "Type" = @p0 AND "State" IN ('Uploaded', 'Verified') AND "ArchiveTime" = 0 AND "VerificationCount" BETWEEN 1 AND @p1 - 1 ORDER BY "VerificationCount", RANDOM()
        """;

    private static string Folders => string.Join(", ", Enumerable.Range(1, VersionedBackup.Folders));
}
