namespace Duplicati.Benchmarks.History;

/// <summary>The rows of a backup as its definition reads, a statement for each question about a file and for each row.</summary>
internal static class PlainBackupSql
{
    internal const string InsertVolume = """
        INSERT INTO "Remotevolume" ("OperationID", "Name", "Type", "Size", "Hash", "State", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime")
        VALUES (1, @p0, @p1, -1, NULL, 'Temporary', 0, 0, 0, 0) RETURNING "ID"
        """;

    internal const string InsertFileset = """INSERT INTO "Fileset" ("OperationID", "Timestamp", "VolumeID", "IsFullBackup") VALUES (1, @p0, @p1, 0) RETURNING "ID" """;

    /// <summary>By id.</summary>
    internal const string SetFull = """UPDATE "Fileset" SET "IsFullBackup" = 1 WHERE "ID" = @p0""";

    /// <summary>A file of an earlier version; FileLookupPath, key of FilesetEntry, row ids.</summary>
    internal const string FindEntry = """
        SELECT "F"."ID", "E"."Lastmodified", "D"."Length", "N"."FullHash", "N"."Length"
        FROM "FileLookup" AS "F" JOIN "FilesetEntry" AS "E" ON "E"."FileID" = "F"."ID" JOIN "Blockset" AS "D" ON "D"."ID" = "F"."BlocksetID"
        JOIN "Metadataset" AS "M" ON "M"."ID" = "F"."MetadataID" JOIN "Blockset" AS "N" ON "N"."ID" = "M"."BlocksetID"
        WHERE "F"."PrefixID" = @p0 AND "F"."Path" = @p1 AND "E"."FilesetID" = @p2
        """;

    internal const string InsertEntry = """INSERT INTO "FilesetEntry" ("FilesetID", "FileID", "Lastmodified") VALUES (@p0, @p1, @p2)""";

    /// <summary>FileLookupPath.</summary>
    internal const string FindFile = """SELECT "ID" FROM "FileLookup" WHERE "PrefixID" = @p0 AND "Path" = @p1 AND "BlocksetID" = @p2 AND "MetadataID" = @p3""";

    internal const string InsertFile = """INSERT INTO "FileLookup" ("PrefixID", "Path", "BlocksetID", "MetadataID") VALUES (@p0, @p1, @p2, @p3) RETURNING "ID" """;

    /// <summary>BlockHashSize.</summary>
    internal const string FindBlock = """SELECT "ID" FROM "Block" WHERE "Hash" = @p0 AND "Size" = @p1""";

    internal const string InsertBlock = """INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES (@p0, @p1, @p2)""";

    /// <summary>BlocksetFullHash.</summary>
    internal const string FindBlockset = """SELECT "ID" FROM "Blockset" WHERE "FullHash" = @p0 AND "Length" = @p1""";

    internal const string InsertBlockset = """INSERT INTO "Blockset" ("Length", "FullHash") VALUES (@p1, @p0) RETURNING "ID" """;

    /// <summary>BlockHashSize.</summary>
    internal const string InsertBlocksetEntry = """INSERT INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") SELECT @p0, 0, "ID" FROM "Block" WHERE "Hash" = @p1 AND "Size" = @p2""";
}
