// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Filesets;

internal static class FilesetSql
{
    // Reads Fileset, one row a version.
    internal const string Times = """SELECT "ID", "Timestamp" FROM "Fileset" ORDER BY "Timestamp" DESC, "ID" DESC""";

    // Reads Fileset, one row a version.
    internal const string IsFull = """SELECT "IsFullBackup" FROM "Fileset" WHERE "Timestamp" = ?1 ORDER BY "ID" LIMIT 1""";

    // Reads Fileset, one row a version; row id of Remotevolume, primary key of FilesetEntry.
    internal const string Incomplete = """
        SELECT "Fileset"."ID", "Fileset"."Timestamp" FROM "Fileset"
        WHERE EXISTS (SELECT 1 FROM "Remotevolume" WHERE "Remotevolume"."ID" = "Fileset"."VolumeID" AND "Remotevolume"."State" IN ('Uploading', 'Temporary'))
          AND EXISTS (SELECT 1 FROM "FilesetEntry" WHERE "FilesetEntry"."FilesetID" = "Fileset"."ID")
        ORDER BY "Fileset"."Timestamp" DESC, "Fileset"."ID" DESC
        """;

    // Appends by row id.
    internal const string Insert =
        """INSERT INTO "Fileset" ("OperationID", "Timestamp", "VolumeID", "IsFullBackup") VALUES (?1, ?2, ?3, 0)""";

    // Row id.
    internal const string SetVolume = """UPDATE "Fileset" SET "VolumeID" = ?1 WHERE "ID" = ?2""";

    // Row id.
    internal const string SetTime = """UPDATE "Fileset" SET "Timestamp" = ?1 WHERE "ID" = ?2""";

    // Row id.
    internal const string SetFull = """UPDATE "Fileset" SET "IsFullBackup" = ?1 WHERE "ID" = ?2""";

    // Primary key of FilesetEntry.
    internal const string ClearEntries = """DELETE FROM "FilesetEntry" WHERE "FilesetID" = ?1""";

    // Primary key of FilesetEntry on both sides; the earlier fileset is found by reading Fileset, one row a version.
    internal const string PushTimestamps = """
        UPDATE "FilesetEntry"
        SET "Lastmodified" = (SELECT "Newer"."Lastmodified" FROM "FilesetEntry" AS "Newer" WHERE "Newer"."FilesetID" = ?1 AND "Newer"."FileID" = "FilesetEntry"."FileID")
        WHERE "FilesetID" = (SELECT "ID" FROM "Fileset" WHERE "ID" <> ?1 ORDER BY "Timestamp" DESC, "ID" DESC LIMIT 1)
          AND EXISTS (
            SELECT 1 FROM "FilesetEntry" AS "Newer"
            WHERE "Newer"."FilesetID" = ?1 AND "Newer"."FileID" = "FilesetEntry"."FileID" AND "Newer"."Lastmodified" <> "FilesetEntry"."Lastmodified")
        """;
}

internal static class FilesetEntrySql
{
    // Primary key.
    internal const string Insert = """INSERT INTO "FilesetEntry" ("FilesetID", "FileID", "Lastmodified") VALUES (?1, ?2, ?3)""";
}

/// <summary>Pieces of a condition on a table with the columns Timestamp and ID; no statements by themselves.</summary>
internal static class FilesetSelectionSql
{
    // Fileset has one row a version and no index on the time.
    internal const string AtTime = """
        "Timestamp" = @Timestamp
        """;

    // Fileset has one row a version and no index on the time.
    internal const string UntilTime = """
        "Timestamp" <= @Timestamp
        """;

    // Row id.
    internal const string WithId = """
        "ID" IN
        """;
}
