namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>The lists of a restore as their definition reads: a row for each file and a row for each of its blocks, with the indexes of both, and the pairs of block and volume.</summary>
internal static class PlainRestoreSql
{
    /// <summary>Two lists with the indexes that their readers need.</summary>
    internal static readonly string[] RestoreLists =
    [
        """CREATE TEMP TABLE "RestoreFile" ("ID" INTEGER PRIMARY KEY, "Path" TEXT NOT NULL, "BlocksetID" INTEGER NOT NULL, "MetadataID" INTEGER NOT NULL, "TargetPath" TEXT NULL)""",
        """
        INSERT INTO "RestoreFile" ("ID", "Path", "BlocksetID", "MetadataID") SELECT "F"."ID", "F"."Path", "F"."BlocksetID", "F"."MetadataID" FROM "FilesetEntry" AS "E" JOIN "File" AS "F" ON "F"."ID" = "E"."FileID"
        WHERE "E"."FilesetID" = (SELECT "ID" FROM "Fileset" ORDER BY "Timestamp" DESC LIMIT 1)
        """,
        """CREATE INDEX temp."RestoreFileID" ON "RestoreFile" ("ID"); CREATE INDEX temp."RestoreFileTarget" ON "RestoreFile" ("TargetPath"); CREATE INDEX temp."RestoreFilePath" ON "RestoreFile" ("Path"); CREATE INDEX temp."RestoreFileBlockset" ON "RestoreFile" ("BlocksetID"); CREATE INDEX temp."RestoreFileMetadata" ON "RestoreFile" ("MetadataID")""",
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

    internal const string CountFiles = """
        SELECT COUNT(DISTINCT "F"."Path"), SUM("S"."Length") FROM "RestoreFile" AS "F" JOIN "Blockset" AS "S" ON "S"."ID" = "F"."BlocksetID"
        """;

    internal const string SumBlocks = """SELECT SUM("Size") FROM "RestoreBlock" """;

    /// <summary>Each entry of each file and of its metadata, without taking equal ones together.</summary>
    internal const string Needs = """
        SELECT "B"."ID", "B"."VolumeID" FROM "RestoreFile" AS "F" JOIN "BlocksetEntry" AS "E" ON "E"."BlocksetID" = "F"."BlocksetID" JOIN "Block" AS "B" ON "B"."ID" = "E"."BlockID"
        UNION ALL
        SELECT "B"."ID", "B"."VolumeID" FROM "RestoreFile" AS "F" JOIN "Metadataset" AS "M" ON "M"."ID" = "F"."MetadataID" JOIN "BlocksetEntry" AS "E" ON "E"."BlocksetID" = "M"."BlocksetID" JOIN "Block" AS "B" ON "B"."ID" = "E"."BlockID"
        """;
}
