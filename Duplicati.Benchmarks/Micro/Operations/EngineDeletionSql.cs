namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>The rows that go with the oldest versions, found out beforehand, and the changes by their ids.</summary>
internal static class EngineDeletionSql
{
    internal const string MakeGoingTables = """
        CREATE TEMP TABLE "GoingFile" ("ID" INTEGER PRIMARY KEY);
        CREATE TEMP TABLE "GoingMetadata" ("ID" INTEGER PRIMARY KEY);
        CREATE TEMP TABLE "GoingBlockset" ("ID" INTEGER PRIMARY KEY)
        """;

    internal const string FindFiles = """
        INSERT INTO "GoingFile" SELECT "ID" FROM "FileLookup" WHERE "ID" NOT IN (SELECT "FileID" FROM "FilesetEntry" WHERE "FilesetID" > @p0)
        """;

    internal const string FindMetadata = """
        INSERT INTO "GoingMetadata" SELECT "ID" FROM "Metadataset" WHERE "ID" NOT IN (SELECT "MetadataID" FROM "FileLookup" WHERE "ID" NOT IN (SELECT "ID" FROM "GoingFile"))
        """;

    internal const string FindBlocksets = """
        INSERT INTO "GoingBlockset" SELECT "ID" FROM "Blockset"
        WHERE "ID" NOT IN (SELECT "BlocksetID" FROM "FileLookup" WHERE "ID" NOT IN (SELECT "ID" FROM "GoingFile")) AND "ID" NOT IN (SELECT "BlocksetID" FROM "Metadataset" WHERE "ID" NOT IN (SELECT "ID" FROM "GoingMetadata"))
        """;

    internal const string GoingFilesets = """SELECT "ID" FROM "Fileset" WHERE "ID" <= @p0 ORDER BY "ID" """;

    internal const string GoingVolumes = """SELECT "VolumeID" FROM "Fileset" WHERE "ID" <= @p0 ORDER BY "VolumeID" """;

    internal const string GoingFiles = """SELECT "ID" FROM "GoingFile" ORDER BY "ID" """;

    internal const string GoingMetadata = """SELECT "ID" FROM "GoingMetadata" ORDER BY "ID" """;

    internal const string GoingBlocksets = """SELECT "ID" FROM "GoingBlockset" ORDER BY "ID" """;

    internal const string GoingBlocks = """
        SELECT "ID", "Hash", "Size", "VolumeID" FROM "Block"
        WHERE "ID" NOT IN (SELECT "BlockID" FROM "BlocksetEntry" WHERE "BlocksetID" NOT IN (SELECT "ID" FROM "GoingBlockset"))
            AND "Hash" NOT IN (SELECT "Hash" FROM "BlocklistHash" WHERE "BlocksetID" NOT IN (SELECT "ID" FROM "GoingBlockset"))
        ORDER BY "Hash"
        """;

    internal const string DeleteFileset = """DELETE FROM "Fileset" WHERE "ID" = ?1""";

    internal const string DeleteEntries = """DELETE FROM "FilesetEntry" WHERE "FilesetID" = ?1""";

    internal const string DeleteFile = """DELETE FROM "FileLookup" WHERE "ID" = ?1""";

    internal const string DeleteMetadata = """DELETE FROM "Metadataset" WHERE "ID" = ?1""";

    internal const string DeleteBlockset = """DELETE FROM "Blockset" WHERE "ID" = ?1""";

    internal const string DeleteBlocksetEntries = """DELETE FROM "BlocksetEntry" WHERE "BlocksetID" = ?1""";

    internal const string DeleteBlocklists = """DELETE FROM "BlocklistHash" WHERE "BlocksetID" = ?1""";

    internal const string InsertDeletedBlock = """INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") VALUES (?1, ?2, ?3)""";

    internal const string DeleteBlock = """DELETE FROM "Block" WHERE "ID" = ?1""";

    internal const string MarkVolume = """UPDATE "Remotevolume" SET "State" = 'Deleting' WHERE "ID" = ?1""";

    /// <summary>A number that depends on how many rows are left in each table, and on which blocks are.</summary>
    internal const string CountRows = """
        SELECT (SELECT COUNT(*) FROM "Fileset") + 3 * (SELECT COUNT(*) FROM "FilesetEntry") + 5 * (SELECT COUNT(*) FROM "FileLookup") + 7 * (SELECT COUNT(*) FROM "Metadataset")
            + 11 * (SELECT COUNT(*) FROM "Blockset") + 13 * (SELECT COUNT(*) FROM "BlocksetEntry") + 17 * (SELECT COUNT(*) FROM "BlocklistHash")
            + 19 * (SELECT IFNULL(SUM("ID"), 0) FROM "Block") + 23 * (SELECT COUNT(*) FROM "DeletedBlock") + 29 * (SELECT IFNULL(SUM("VolumeID"), 0) FROM "DeletedBlock")
            + 31 * (SELECT COUNT(*) FROM "Remotevolume" WHERE "State" = 'Deleting')
        """;
}
