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

    // Primary key; as many rows as FilesetEntryWriter.RowsPerStatement, all of one fileset.
    internal const string InsertMany = """
        INSERT INTO "FilesetEntry" ("FilesetID", "FileID", "Lastmodified") VALUES
        (?1, ?2, ?3),   (?1, ?4, ?5),   (?1, ?6, ?7),   (?1, ?8, ?9),
        (?1, ?10, ?11), (?1, ?12, ?13), (?1, ?14, ?15), (?1, ?16, ?17),
        (?1, ?18, ?19), (?1, ?20, ?21), (?1, ?22, ?23), (?1, ?24, ?25),
        (?1, ?26, ?27), (?1, ?28, ?29), (?1, ?30, ?31), (?1, ?32, ?33),
        (?1, ?34, ?35), (?1, ?36, ?37), (?1, ?38, ?39), (?1, ?40, ?41),
        (?1, ?42, ?43), (?1, ?44, ?45), (?1, ?46, ?47), (?1, ?48, ?49),
        (?1, ?50, ?51), (?1, ?52, ?53), (?1, ?54, ?55), (?1, ?56, ?57),
        (?1, ?58, ?59), (?1, ?60, ?61), (?1, ?62, ?63), (?1, ?64, ?65)
        """;
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
