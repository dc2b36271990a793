// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Broken;

/// <summary>What would be hit by losing some volumes; their ids are in the temporary table SelectedVolume.</summary>
internal static class AffectedSql
{
    // Files that would be hit, by id.
    internal const string CreateFiles = """CREATE TEMP TABLE IF NOT EXISTS "AffectedFile" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearFiles = """DELETE FROM temp."AffectedFile" """;

    // Names that log lines may mention.
    internal const string CreateNames =
        """CREATE TEMP TABLE IF NOT EXISTS "AffectedName" ("Name" TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID""";
    internal const string ClearNames = """DELETE FROM temp."AffectedName" """;

    // Index RemotevolumeNameOnly.
    internal const string SelectVolume =
        """INSERT OR IGNORE INTO temp."SelectedVolume" ("ID") SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1""";

    // Block_IndexByVolumeId, BlocksetEntry_IndexIdsBackwards.
    internal const string SelectBlocksets = """
        INSERT OR IGNORE INTO temp."SelectedBlockset" ("ID")
        SELECT "BlocksetEntry"."BlocksetID"
        FROM temp."SelectedVolume"
        CROSS JOIN "Block" ON "Block"."VolumeID" = "SelectedVolume"."ID"
        CROSS JOIN "BlocksetEntry" ON "BlocksetEntry"."BlockID" = "Block"."ID"
        """;

    // nn_FileLookup_BlockMeta.
    internal const string SelectFilesByData = """
        INSERT OR IGNORE INTO temp."AffectedFile" ("ID")
        SELECT "FileLookup"."ID"
        FROM temp."SelectedBlockset" CROSS JOIN "FileLookup" ON "FileLookup"."BlocksetID" = "SelectedBlockset"."ID"
        """;

    // MetadatasetBlocksetID, FileLookupMetadataID.
    internal const string SelectFilesByMetadata = """
        INSERT OR IGNORE INTO temp."AffectedFile" ("ID")
        SELECT "FileLookup"."ID"
        FROM temp."SelectedBlockset"
        CROSS JOIN "Metadataset" ON "Metadataset"."BlocksetID" = "SelectedBlockset"."ID"
        CROSS JOIN "FileLookup" ON "FileLookup"."MetadataID" = "Metadataset"."ID"
        """;

    // Reads Fileset, one row a version; primary key of FilesetEntry.
    internal const string SelectFilesByList = """
        INSERT OR IGNORE INTO temp."AffectedFile" ("ID")
        SELECT "FilesetEntry"."FileID"
        FROM "Fileset" CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FilesetID" = "Fileset"."ID"
        WHERE "Fileset"."VolumeID" IN (SELECT "ID" FROM temp."SelectedVolume")
        """;

    // Reads Fileset, one row a version; for each, primary key of FilesetEntry until the first file is found.
    internal const string Filesets = """
        SELECT "Fileset"."ID" FROM "Fileset"
        WHERE "Fileset"."VolumeID" IN (SELECT "ID" FROM temp."SelectedVolume")
            OR EXISTS (
                SELECT 1 FROM temp."AffectedFile"
                CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FilesetID" = "Fileset"."ID" AND "FilesetEntry"."FileID" = "AffectedFile"."ID")
        """;

    // Row ids; sorts the paths.
    internal const string Paths = """
        SELECT DISTINCT "PathPrefix"."Prefix" || "FileLookup"."Path" AS "FullPath"
        FROM temp."AffectedFile"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "AffectedFile"."ID"
        CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        ORDER BY "FullPath"
        """;

    // Reads Fileset, one row a version.
    internal const string SelectFilesetsByList = """
        INSERT OR IGNORE INTO temp."SelectedFileset" ("ID")
        SELECT "ID" FROM "Fileset" WHERE "VolumeID" IN (SELECT "ID" FROM temp."SelectedVolume")
        """;

    // Primary key of the temporary table.
    internal const string SelectName = """INSERT OR IGNORE INTO temp."AffectedName" ("Name") VALUES (?1)""";

    // Reads LogData and RemoteOperation, histories that are kept for a month.
    internal const string LogLines = """
        SELECT "LogData"."Timestamp", "LogData"."Message" || ' ' || COALESCE("LogData"."Exception", '')
        FROM "LogData"
        WHERE EXISTS (SELECT 1 FROM temp."AffectedName" WHERE "LogData"."Message" LIKE '%' || "AffectedName"."Name" || '%')
        UNION
        SELECT "RemoteOperation"."Timestamp", COALESCE("RemoteOperation"."Data", '')
        FROM "RemoteOperation"
        WHERE EXISTS (SELECT 1 FROM temp."AffectedName" WHERE "AffectedName"."Name" = "RemoteOperation"."Path")
        ORDER BY 1, 2
        """;
}
