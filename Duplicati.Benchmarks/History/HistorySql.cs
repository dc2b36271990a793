namespace Duplicati.Benchmarks.History;

/// <summary>The questions about a long history as their definition reads, with the indexes that the schema has, and what the generator needs beside its own statements.</summary>
internal static class HistorySql
{
    /// <summary>A database that is made anew when something goes wrong.</summary>
    internal const string MakeFast = """
        PRAGMA journal_mode=OFF;
        PRAGMA synchronous=OFF;
        PRAGMA temp_store=FILE;
        PRAGMA cache_size=-524288
        """;

    /// <summary>The schema, as it stands in the database.</summary>
    internal const string EntryIndexes = """SELECT "sql" FROM "sqlite_master" WHERE "type" = 'index' AND "tbl_name" = 'FilesetEntry' AND "sql" IS NOT NULL""";

    internal const string DropEntryIndexes = """
        DROP INDEX "FilesetentryFileIdIndex";
        DROP INDEX "nn_FilesetentryFile"
        """;

    /// <summary>An index volume that describes nothing: a repair finds it.</summary>
    internal const string EmptyIndexVolume = """
        INSERT INTO "Remotevolume" ("OperationID", "Name", "Type", "Size", "Hash", "State", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime")
        VALUES (1, 'duplicati-i1.dindex.zip', 'Index', 1000, 'hash', 'Verified', 0, 0, 0, 0)
        """;

    /// <summary>All versions with their entries and bytes, newest first; every entry with its row ids.</summary>
    internal const string Versions = """
        SELECT "S"."ID", "S"."Timestamp", "S"."IsFullBackup", COUNT("E"."FileID"), IFNULL(SUM("B"."Length"), 0)
        FROM "Fileset" AS "S" LEFT JOIN "FilesetEntry" AS "E" ON "E"."FilesetID" = "S"."ID" LEFT JOIN "FileLookup" AS "F" ON "F"."ID" = "E"."FileID" LEFT JOIN "Blockset" AS "B" ON "B"."ID" = "F"."BlocksetID"
        GROUP BY "S"."ID" ORDER BY "S"."Timestamp" DESC
        """;

    /// <summary>What is directly in a folder in one version; FileLookupPath.</summary>
    internal const string Folder = """
        SELECT "F"."ID", "P"."Prefix" || "F"."Path", "F"."BlocksetID", IFNULL("B"."Length", -1), "E"."Lastmodified"
        FROM "FilesetEntry" AS "E" JOIN "FileLookup" AS "F" ON "F"."ID" = "E"."FileID" JOIN "PathPrefix" AS "P" ON "P"."ID" = "F"."PrefixID" LEFT JOIN "Blockset" AS "B" ON "B"."ID" = "F"."BlocksetID"
        WHERE "E"."FilesetID" = @p0 AND "F"."PrefixID" = @p1 ORDER BY "P"."Prefix", "F"."Path"
        """;

    /// <summary>A file by its name in all versions, oldest first; FileLookupPath, FilesetentryFileIdIndex.</summary>
    internal const string FileVersions = $"""
        SELECT {Found} {EntriesOfFiles} WHERE "F"."Path" = @p0 ORDER BY "F"."Path", "S"."Timestamp"
        """;

    /// <summary>The entries of all versions whose full path fits a pattern; every path is tested.</summary>
    internal const string Find = $"""
        SELECT {Found}, "P"."Prefix" {EntriesOfFiles} JOIN "PathPrefix" AS "P" ON "P"."ID" = "F"."PrefixID" WHERE "P"."Prefix" || "F"."Path" GLOB @p0 ORDER BY "P"."Prefix", "F"."Path", "S"."Timestamp"
        """;

    internal const string Vacuum = "VACUUM";

    internal const string EmptyLog = "PRAGMA wal_checkpoint(TRUNCATE)";

    /// <summary>Each counts what a repair would have to do; the fixes first, then what the remote folder is compared with.</summary>
    internal static readonly string[] RepairCounts =
    [
        """SELECT COUNT(*) - COUNT(DISTINCT "BlocksetID") FROM "Metadataset" """,
        """SELECT COUNT(*) FROM (SELECT 1 FROM "FileLookup" GROUP BY "PrefixID", "Path", "BlocksetID", "MetadataID" HAVING COUNT(*) > 1)""",
        """SELECT COUNT(*) FROM (SELECT 1 FROM "FilesetEntry" AS "E" JOIN "File" AS "F" ON "F"."ID" = "E"."FileID" GROUP BY "E"."FilesetID", "F"."Path" HAVING COUNT(*) > 1)""",
        """SELECT COUNT(*) FROM (SELECT 1 FROM "BlocklistHash" GROUP BY "BlocksetID", "Index" HAVING COUNT(*) > 1)""",
        """
        SELECT COUNT(*) FROM (SELECT "BlocksetID", COUNT(*) AS "N" FROM "BlocksetEntry" GROUP BY "BlocksetID" HAVING COUNT(*) > 1) AS "C"
        LEFT JOIN (SELECT "BlocksetID", COUNT(*) AS "N" FROM "BlocklistHash" GROUP BY "BlocksetID") AS "H" ON "H"."BlocksetID" = "C"."BlocksetID" WHERE IFNULL("H"."N", 0) <> ("C"."N" + @p0 - 1) / @p0
        """,
        """SELECT COUNT(*) FROM "Metadataset" AS "M" JOIN "Blockset" AS "B" ON "B"."ID" = "M"."BlocksetID" WHERE "B"."Length" = 0""",
        """SELECT COUNT(DISTINCT "FilesetID") FROM "FilesetEntry" WHERE "FileID" NOT IN (SELECT "ID" FROM "FileLookup")""",
        """SELECT COUNT(*) FROM "Remotevolume" WHERE "Type" = 'Files' AND "State" NOT IN ('Deleting', 'Deleted') AND "ID" NOT IN (SELECT "VolumeID" FROM "Fileset")""",
        """SELECT COUNT(*) FROM "Fileset" WHERE "VolumeID" NOT IN (SELECT "ID" FROM "Remotevolume" WHERE "Type" = 'Files' AND "State" NOT IN ('Deleting', 'Deleted'))""",
        """SELECT COUNT(*) FROM "Remotevolume" WHERE "Type" = 'Index' AND "State" IN ('Uploaded', 'Verified') AND "ID" NOT IN (SELECT "IndexVolumeID" FROM "IndexBlockLink")""",
    ];

    private const string Found = """
        "F"."ID", "F"."Path", "F"."BlocksetID", IFNULL("B"."Length", 0), "E"."Lastmodified", "S"."Timestamp"
        """;

    private const string EntriesOfFiles = """
        FROM "FilesetEntry" AS "E" JOIN "FileLookup" AS "F" ON "F"."ID" = "E"."FileID" JOIN "Fileset" AS "S" ON "S"."ID" = "E"."FilesetID" LEFT JOIN "Blockset" AS "B" ON "B"."ID" = "F"."BlocksetID"
        """;
}
