// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Repair;

internal static class RepairFilesetSql
{
    // RemotevolumeNameOnly; Fileset has one row a version.
    internal const string OfVolume = """
        SELECT "ID", "Timestamp", "IsFullBackup" FROM "Fileset"
        WHERE "VolumeID" = (SELECT "Remotevolume"."ID" FROM "Remotevolume" WHERE "Remotevolume"."Name" = ?1)
        ORDER BY "ID" LIMIT 1
        """;

    // Primary key of FilesetEntry.
    internal const string MoveEntries = """UPDATE "FilesetEntry" SET "FilesetID" = ?1 WHERE "FilesetID" = ?2""";

    // Reads the entries in the order of their files, FileLookup by id. Once a repair.
    internal const string WithMissingFiles = """
        SELECT "ID", "Timestamp" FROM "Fileset"
        WHERE "ID" IN (
            SELECT "FilesetEntry"."FilesetID" FROM "FilesetEntry"
            WHERE NOT EXISTS (SELECT 1 FROM "FileLookup" WHERE "FileLookup"."ID" = "FilesetEntry"."FileID"))
        ORDER BY "ID"
        """;

    // One row a version; Remotevolume by id.
    internal const string WithoutVolume = """
        SELECT "ID", "Timestamp", "IsFullBackup" FROM "Fileset"
        WHERE NOT EXISTS (
            SELECT 1 FROM "Remotevolume"
            WHERE "Remotevolume"."ID" = "Fileset"."VolumeID" AND "Remotevolume"."Type" = 'Files' AND "Remotevolume"."State" NOT IN ('Deleting', 'Deleted'))
        ORDER BY "ID"
        """;
}
