// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.IO;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.BugReport;

/// <summary>Makes a copy of a database fit to be shown to others: sizes and structure stay, names and texts go.</summary>
internal static class Obfuscation
{
    // All of it reads whole tables: nothing may be left behind.

    private const string DropPathMap = """DROP TABLE temp."PathMap" """;

    // Row ids of PathPrefix, FileLookupPath; sorts the paths, which numbers them.
    private const string NumberPaths = """
        INSERT INTO temp."PathMap" ("RealPath")
        SELECT DISTINCT "PathPrefix"."Prefix" || "FileLookup"."Path" AS "FullPath"
        FROM "PathPrefix" CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID"
        ORDER BY "FullPath"
        """;

    // Reads LogData, a history that is kept for a month.
    private const string EraseMessages =
        """UPDATE "LogData" SET "Message" = 'ERASED!' WHERE INSTR("Message", '/') > 0 OR INSTR("Message", ':\') > 0""";

    // Reads LogData, a history that is kept for a month.
    private const string EraseExceptions =
        """UPDATE "LogData" SET "Exception" = 'ERASED!' WHERE INSTR("Exception", '/') > 0 OR INSTR("Exception", ':\') > 0""";

    // Primary key.
    private const string ErasePassphrase = """UPDATE "Configuration" SET "Value" = 'ERASED!' WHERE "Key" = 'passphrase'""";

    // Every metadata set: names of owners, attributes, and what an application stored with a file.
    internal const string EraseMetadata = """UPDATE "Metadataset" SET "Content" = NULL WHERE "Content" IS NOT NULL""";

    // One row a version; the column is there from schema 20 on.
    private const string EraseLabels = """UPDATE "Fileset" SET "Label" = 'ERASED!' WHERE "Label" IS NOT NULL""";

    private const string CreateFixedFile =
        """CREATE TABLE "FixedFile" ("ID" INTEGER PRIMARY KEY, "Path" TEXT NOT NULL, "BlocksetID" INTEGER NOT NULL, "MetadataID" INTEGER NOT NULL)""";

    // Row ids of PathPrefix, FileLookupPath; the unique index of the map. ?1 begins a path, ?2 is the separator.
    private const string FillFixedFile = """
        INSERT INTO "FixedFile" ("ID", "Path", "BlocksetID", "MetadataID")
        SELECT "FileLookup"."ID",
            ?1 || LENGTH("PathMap"."RealPath") || ?2 || "PathMap"."ID" || CASE WHEN SUBSTR("PathMap"."RealPath", -1) = ?2 THEN ?2 ELSE '.bin' END,
            "FileLookup"."BlocksetID", "FileLookup"."MetadataID"
        FROM "PathPrefix"
        CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID"
        CROSS JOIN temp."PathMap" ON "PathMap"."RealPath" = "PathPrefix"."Prefix" || "FileLookup"."Path"
        """;

    private const string DropPaths = """
        DROP VIEW IF EXISTS "File";
        DROP TABLE "FileLookup";
        DROP TABLE "PathPrefix";
        DROP TABLE IF EXISTS "RestoreTestHistory"
        """;

    /// <summary>
    /// Replaces each path by its length and its number in order, in table FixedFile, and removes the paths, the passphrase, the
    /// metadata texts, labels and all messages with paths. The file still holds them until it has been written anew. Does not commit.
    /// </summary>
    internal static void Run(DatabaseSession session)
    {
        var separator = Path.DirectorySeparatorChar.ToString();
        ReportTables.PathMap.Reset(session);
        session.Run(NumberPaths);
        session.Run(EraseMessages);
        session.Run(EraseExceptions);
        session.Run(ErasePassphrase);
        session.Run(EraseMetadata);
        if (FilesetLabels.AreKnown(session))
            session.Run(EraseLabels);
        session.Execute(CreateFixedFile);
        using (var fill = session.Take(FillFixedFile))
            fill.Bind(1, OperatingSystem.IsWindows() ? @"X:\" : "/").Bind(2, separator).ExecuteNonQuery();
        session.Execute(DropPaths);
        // With a temporary table, writing the file anew would take as much memory as the file has.
        session.Run(DropPathMap);
    }
}

/// <summary>The temporary tables of bug reports. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class ReportTables
{
    // The substitute of each path.
    private const string CreatePathMap =
        """CREATE TEMP TABLE IF NOT EXISTS "PathMap" ("ID" INTEGER PRIMARY KEY, "RealPath" TEXT NOT NULL UNIQUE)""";

    internal static readonly TempTable PathMap = new("PathMap", CreatePathMap);
}
