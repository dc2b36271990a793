namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>The operations as one would write them down from their definitions, in sets, with the indexes that the schema has.</summary>
internal static class PlainOperationSql
{
    internal const string Rollback = "ROLLBACK";

    /// <summary>Each counts faults.</summary>
    internal static readonly string[] Checks =
    [
        """
        SELECT COUNT(*) FROM "Blockset" AS "S" LEFT JOIN
        (SELECT "E"."BlocksetID", SUM("B"."Size") AS "Size" FROM "BlocksetEntry" AS "E" JOIN "Block" AS "B" ON "B"."ID" = "E"."BlockID" GROUP BY "E"."BlocksetID") AS "C" ON "C"."BlocksetID" = "S"."ID"
        WHERE "S"."ID" IN (SELECT "BlocksetID" FROM "File") AND "S"."Length" <> IFNULL("C"."Size", 0)
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
        """
        SELECT COUNT(*) FROM "Fileset" AS "V" WHERE (SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = "V"."ID") <>
        (SELECT COUNT(*) FROM (SELECT DISTINCT "Path" FROM (
            SELECT "F"."Path" FROM "FilesetEntry" AS "E" JOIN "File" AS "F" ON "F"."ID" = "E"."FileID" WHERE "E"."FilesetID" = "V"."ID" AND "F"."BlocksetID" >= 0
            UNION
            SELECT "F"."Path" FROM "FilesetEntry" AS "E" JOIN "File" AS "F" ON "F"."ID" = "E"."FileID" JOIN "Metadataset" AS "M" ON "M"."ID" = "F"."MetadataID"
            JOIN "BlocksetEntry" AS "X" ON "X"."BlocksetID" = "M"."BlocksetID" AND "X"."Index" = 0 JOIN "Block" AS "B" ON "B"."ID" = "X"."BlockID"
            WHERE "E"."FilesetID" = "V"."ID" AND "F"."BlocksetID" IN (-100, -200))))
        """,
    ];

    internal const string VolumeUse = """
        CREATE TEMP TABLE "Use" AS
        SELECT "A"."VolumeID", "A"."Active", IFNULL("W"."Wasted", 0) AS "Wasted", IFNULL("T"."Time", 0) AS "Time" FROM
        (SELECT "VolumeID", SUM("Size") AS "Active" FROM "Block" GROUP BY "VolumeID") AS "A"
        LEFT JOIN (SELECT "VolumeID", SUM("Size") AS "Wasted" FROM "DeletedBlock" GROUP BY "VolumeID") AS "W" ON "W"."VolumeID" = "A"."VolumeID"
        LEFT JOIN (SELECT "VolumeID", MIN("Time") AS "Time" FROM (
            SELECT "B"."VolumeID", "S"."Timestamp" AS "Time" FROM "Fileset" AS "S" JOIN "FilesetEntry" AS "E" ON "E"."FilesetID" = "S"."ID" JOIN "FileLookup" AS "F" ON "F"."ID" = "E"."FileID"
            JOIN "BlocksetEntry" AS "X" ON "X"."BlocksetID" = "F"."BlocksetID" JOIN "Block" AS "B" ON "B"."ID" = "X"."BlockID"
            UNION
            SELECT "B"."VolumeID", "S"."Timestamp" AS "Time" FROM "Fileset" AS "S" JOIN "FilesetEntry" AS "E" ON "E"."FilesetID" = "S"."ID" JOIN "FileLookup" AS "F" ON "F"."ID" = "E"."FileID"
            JOIN "Metadataset" AS "M" ON "M"."ID" = "F"."MetadataID" JOIN "BlocksetEntry" AS "X" ON "X"."BlocksetID" = "M"."BlocksetID" JOIN "Block" AS "B" ON "B"."ID" = "X"."BlockID")
            GROUP BY "VolumeID") AS "T" ON "T"."VolumeID" = "A"."VolumeID"
        """;

    internal const string WastefulVolumes = """
        SELECT COUNT(*) FROM (SELECT "V"."Name" FROM "Use" AS "U" JOIN "Remotevolume" AS "V" ON "V"."ID" = "U"."VolumeID" WHERE "U"."Wasted" * 100 >= "U"."Active" + "U"."Wasted" ORDER BY "U"."Time")
        """;

    internal const string DeleteFilesets = """DELETE FROM "Fileset" WHERE "Timestamp" < @p0""";

    /// <summary>In the order in which rows lose what refers to them.</summary>
    internal static readonly string[] DeleteCascade =
    [
        """DELETE FROM "FilesetEntry" WHERE "FilesetID" NOT IN (SELECT "ID" FROM "Fileset")""",
        """DELETE FROM "ChangeJournalData" WHERE "FilesetID" NOT IN (SELECT "ID" FROM "Fileset")""",
        """DELETE FROM "FileLookup" WHERE "ID" NOT IN (SELECT "FileID" FROM "FilesetEntry")""",
        """DELETE FROM "Metadataset" WHERE "ID" NOT IN (SELECT "MetadataID" FROM "FileLookup")""",
        """DELETE FROM "Blockset" WHERE "ID" NOT IN (SELECT "BlocksetID" FROM "FileLookup" UNION SELECT "BlocksetID" FROM "Metadataset")""",
        """DELETE FROM "BlocksetEntry" WHERE "BlocksetID" NOT IN (SELECT "ID" FROM "Blockset")""",
        """DELETE FROM "BlocklistHash" WHERE "BlocksetID" NOT IN (SELECT "ID" FROM "Blockset")""",
        """
        INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") SELECT "Hash", "Size", "VolumeID" FROM "Block"
        WHERE "ID" NOT IN (SELECT "BlockID" FROM "BlocksetEntry") AND "Hash" NOT IN (SELECT "Hash" FROM "BlocklistHash")
        """,
        """DELETE FROM "Block" WHERE "ID" NOT IN (SELECT "BlockID" FROM "BlocksetEntry") AND "Hash" NOT IN (SELECT "Hash" FROM "BlocklistHash")""",
        """UPDATE "Remotevolume" SET "State" = 'Deleting' WHERE "Type" = 'Files' AND "State" IN ('Uploaded', 'Verified', 'Temporary', 'Deleting') AND "ID" NOT IN (SELECT "VolumeID" FROM "Fileset")""",
    ];

    internal const string CountDeletingLists = """SELECT COUNT(*) FROM "Remotevolume" WHERE "Type" = 'Files' AND "State" = 'Deleting'""";

    /// <summary>Two lists with the indexes that their readers need.</summary>
    internal static readonly string[] RestoreLists =
    [
        """CREATE TEMP TABLE "RestoreFile" ("ID" INTEGER PRIMARY KEY, "Path" TEXT NOT NULL, "BlocksetID" INTEGER NOT NULL, "MetadataID" INTEGER NOT NULL, "TargetPath" TEXT NULL)""",
        """
        INSERT INTO "RestoreFile" ("ID", "Path", "BlocksetID", "MetadataID") SELECT "F"."ID", "F"."Path", "F"."BlocksetID", "F"."MetadataID" FROM "FilesetEntry" AS "E" JOIN "File" AS "F" ON "F"."ID" = "E"."FileID"
        WHERE "E"."FilesetID" = (SELECT "ID" FROM "Fileset" ORDER BY "Timestamp" DESC LIMIT 1)
        """,
        """CREATE INDEX temp."RestoreFilePath" ON "RestoreFile" ("Path"); CREATE INDEX temp."RestoreFileBlockset" ON "RestoreFile" ("BlocksetID"); CREATE INDEX temp."RestoreFileMetadata" ON "RestoreFile" ("MetadataID")""",
        """UPDATE "RestoreFile" SET "TargetPath" = '/target/' || SUBSTR("Path", 9)""",
        """
        CREATE TEMP TABLE "RestoreBlock" ("ID" INTEGER PRIMARY KEY, "FileID" INTEGER NOT NULL, "Index" INTEGER NOT NULL, "Hash" TEXT NOT NULL, "Size" INTEGER NOT NULL,
        "Restored" BOOLEAN NOT NULL, "Metadata" BOOLEAN NOT NULL, "VolumeID" INTEGER NOT NULL, "BlockID" INTEGER NOT NULL)
        """,
        """
        INSERT INTO "RestoreBlock" ("FileID", "Index", "Hash", "Size", "Restored", "Metadata", "VolumeID", "BlockID")
        SELECT DISTINCT "F"."ID", "E"."Index", "B"."Hash", "B"."Size", 0, 0, "B"."VolumeID", "B"."ID" FROM "RestoreFile" AS "F" JOIN "BlocksetEntry" AS "E" ON "E"."BlocksetID" = "F"."BlocksetID" JOIN "Block" AS "B" ON "B"."ID" = "E"."BlockID"
        """,
        """
        INSERT INTO "RestoreBlock" ("FileID", "Index", "Hash", "Size", "Restored", "Metadata", "VolumeID", "BlockID")
        SELECT DISTINCT "F"."ID", "E"."Index", "B"."Hash", "B"."Size", 0, 1, "B"."VolumeID", "B"."ID" FROM "RestoreFile" AS "F" JOIN "Metadataset" AS "M" ON "M"."ID" = "F"."MetadataID"
        JOIN "BlocksetEntry" AS "E" ON "E"."BlocksetID" = "M"."BlocksetID" JOIN "Block" AS "B" ON "B"."ID" = "E"."BlockID"
        """,
        """CREATE INDEX temp."RestoreBlockHash" ON "RestoreBlock" ("Hash", "Size"); CREATE INDEX temp."RestoreBlockFile" ON "RestoreBlock" ("FileID", "Index")""",
    ];

    internal const string RestoreNeeds = """SELECT "BlockID", "VolumeID" FROM "RestoreBlock" """;

    internal const string CountEntries = """
        SELECT COUNT(*) FROM "FilesetEntry" AS "E" JOIN "FileLookup" AS "F" ON "F"."ID" = "E"."FileID" WHERE "E"."FilesetID" = @p0 AND "F"."PrefixID" <= @p1
        """;

    internal const string EntriesPage = """
        SELECT "P"."Prefix" || "F"."Path" AS "FullPath", "F"."BlocksetID", IFNULL("S"."Length", -1), "E"."Lastmodified" FROM "FilesetEntry" AS "E" JOIN "FileLookup" AS "F" ON "F"."ID" = "E"."FileID"
        JOIN "PathPrefix" AS "P" ON "P"."ID" = "F"."PrefixID" LEFT JOIN "Blockset" AS "S" ON "S"."ID" = "F"."BlocksetID"
        WHERE "E"."FilesetID" = @p0 AND "F"."PrefixID" <= @p1 ORDER BY "FullPath" LIMIT @p2 OFFSET @p3
        """;

    internal const string ChangeTables = """
        CREATE TEMP TABLE "Before" ("Path" TEXT NOT NULL, "Hash" TEXT NULL, "Metahash" TEXT NOT NULL, "Size" INTEGER NOT NULL);
        CREATE TEMP TABLE "After" ("Path" TEXT NOT NULL, "Hash" TEXT NULL, "Metahash" TEXT NOT NULL, "Size" INTEGER NOT NULL)
        """;

    internal const string ChangeFill = """
        INSERT INTO "Before" SELECT "F"."Path", "S"."FullHash", "N"."FullHash", IFNULL("S"."Length", -1) FROM "FilesetEntry" AS "E" JOIN "File" AS "F" ON "F"."ID" = "E"."FileID" LEFT JOIN "Blockset" AS "S" ON "S"."ID" = "F"."BlocksetID"
        JOIN "Metadataset" AS "M" ON "M"."ID" = "F"."MetadataID" JOIN "Blockset" AS "N" ON "N"."ID" = "M"."BlocksetID" WHERE "E"."FilesetID" = @p0;
        INSERT INTO "After" SELECT "F"."Path", "S"."FullHash", "N"."FullHash", IFNULL("S"."Length", -1) FROM "FilesetEntry" AS "E" JOIN "File" AS "F" ON "F"."ID" = "E"."FileID" LEFT JOIN "Blockset" AS "S" ON "S"."ID" = "F"."BlocksetID"
        JOIN "Metadataset" AS "M" ON "M"."ID" = "F"."MetadataID" JOIN "Blockset" AS "N" ON "N"."ID" = "M"."BlocksetID" WHERE "E"."FilesetID" = @p1;
        CREATE INDEX temp."BeforePath" ON "Before" ("Path"); CREATE INDEX temp."AfterPath" ON "After" ("Path")
        """;

    // Added, deleted and modified files.
    internal const string ChangeCounts = """
        SELECT (SELECT COUNT(*) FROM "After" WHERE "Hash" IS NOT NULL AND "Path" NOT IN (SELECT "Path" FROM "Before"))
             + (SELECT COUNT(*) FROM "Before" WHERE "Hash" IS NOT NULL AND "Path" NOT IN (SELECT "Path" FROM "After"))
             + (SELECT COUNT(*) FROM "Before" AS "B" JOIN "After" AS "A" ON "A"."Path" = "B"."Path" WHERE "B"."Hash" IS NOT NULL AND ("A"."Hash" IS NOT "B"."Hash" OR "A"."Metahash" <> "B"."Metahash"))
        """;

    internal const string ChangeSizes = """SELECT (SELECT SUM("Size") FROM "Before") + (SELECT SUM("Size") FROM "After")""";

    internal const string ChangedPaths = """
        SELECT "Path" FROM "After" WHERE "Path" NOT IN (SELECT "Path" FROM "Before")
        UNION ALL SELECT "Path" FROM "Before" WHERE "Path" NOT IN (SELECT "Path" FROM "After")
        UNION ALL SELECT "B"."Path" FROM "Before" AS "B" JOIN "After" AS "A" ON "A"."Path" = "B"."Path" WHERE "A"."Hash" IS NOT "B"."Hash" OR "A"."Metahash" <> "B"."Metahash"
        ORDER BY 1
        """;

    internal const string TestBlocks = """
        SELECT "Name", "Size", "Hash" FROM "Remotevolume" WHERE "Type" = 'Blocks' AND "State" IN ('Uploaded', 'Verified') ORDER BY "VerificationCount", RANDOM() LIMIT @p0
        """;

    internal const string TestLists = """
        SELECT "V"."Name", "V"."Size", "V"."Hash" FROM "Remotevolume" AS "V" JOIN "Fileset" AS "S" ON "S"."VolumeID" = "V"."ID" WHERE "V"."State" IN ('Uploaded', 'Verified') ORDER BY "V"."VerificationCount", RANDOM() LIMIT @p0
        """;

    internal const string PurgeCopy = """
        CREATE TEMP TABLE "Kept" ("FileID" INTEGER PRIMARY KEY, "Lastmodified" INTEGER NOT NULL);
        INSERT INTO "Kept" SELECT "FileID", "Lastmodified" FROM "FilesetEntry" WHERE "FilesetID" = @p0
        """;

    internal const string PurgeMatching = """
        DELETE FROM "Kept" WHERE "FileID" IN (SELECT "ID" FROM "File" WHERE "Path" GLOB '*/file *7' AND "ID" IN (SELECT "FileID" FROM "Kept"));
        SELECT changes()
        """;
}
