// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Records;

/// <summary>Takes what is private out of a copy of a database. All of it reads whole tables: nothing may be left behind.</summary>
internal static class BugReportSql
{
    // The substitute of each path.
    internal const string CreatePathMap =
        """CREATE TEMP TABLE IF NOT EXISTS "PathMap" ("ID" INTEGER PRIMARY KEY, "RealPath" TEXT NOT NULL UNIQUE)""";
    internal const string ClearPathMap = """DELETE FROM temp."PathMap" """;
    internal const string DropPathMap = """DROP TABLE temp."PathMap" """;

    // Row ids of PathPrefix, FileLookupPath; sorts the paths, which numbers them.
    internal const string NumberPaths = """
        INSERT INTO temp."PathMap" ("RealPath")
        SELECT DISTINCT "PathPrefix"."Prefix" || "FileLookup"."Path" AS "FullPath"
        FROM "PathPrefix" CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID"
        ORDER BY "FullPath"
        """;

    // Reads LogData, a history that is kept for a month.
    internal const string EraseMessages =
        """UPDATE "LogData" SET "Message" = 'ERASED!' WHERE INSTR("Message", '/') > 0 OR INSTR("Message", ':\') > 0""";

    // Reads LogData, a history that is kept for a month.
    internal const string EraseExceptions =
        """UPDATE "LogData" SET "Exception" = 'ERASED!' WHERE INSTR("Exception", '/') > 0 OR INSTR("Exception", ':\') > 0""";

    // Primary key.
    internal const string ErasePassphrase = """UPDATE "Configuration" SET "Value" = 'ERASED!' WHERE "Key" = 'passphrase'""";

    // Every metadata set: names of owners, attributes, and what an application stored with a file.
    internal const string EraseMetadata = """UPDATE "Metadataset" SET "Content" = NULL WHERE "Content" IS NOT NULL""";

    internal const string CreateFixedFile =
        """CREATE TABLE "FixedFile" ("ID" INTEGER PRIMARY KEY, "Path" TEXT NOT NULL, "BlocksetID" INTEGER NOT NULL, "MetadataID" INTEGER NOT NULL)""";

    // Row ids of PathPrefix, FileLookupPath; the unique index of the map. ?1 begins a path, ?2 is the separator.
    internal const string FillFixedFile = """
        INSERT INTO "FixedFile" ("ID", "Path", "BlocksetID", "MetadataID")
        SELECT "FileLookup"."ID",
            ?1 || LENGTH("PathMap"."RealPath") || ?2 || "PathMap"."ID" || CASE WHEN SUBSTR("PathMap"."RealPath", -1) = ?2 THEN ?2 ELSE '.bin' END,
            "FileLookup"."BlocksetID", "FileLookup"."MetadataID"
        FROM "PathPrefix"
        CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID"
        CROSS JOIN temp."PathMap" ON "PathMap"."RealPath" = "PathPrefix"."Prefix" || "FileLookup"."Path"
        """;

    internal const string DropPaths = """
        DROP VIEW IF EXISTS "File";
        DROP TABLE "FileLookup";
        DROP TABLE "PathPrefix"
        """;
}
