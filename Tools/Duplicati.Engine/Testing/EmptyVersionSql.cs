// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Testing;

/// <summary>The statements that find versions of which the database knows no entry.</summary>
internal static class EmptyVersionSql
{
    /// <summary>
    /// Versions without entries, but not one that is being made. One row a version in Fileset; part of the key of FilesetEntry;
    /// Remotevolume by id.
    /// </summary>
    internal const string WITHOUT_ENTRIES = """
        SELECT "f"."ID", "f"."Timestamp", COALESCE("v"."Name", '')
        FROM "Fileset" "f"
        LEFT JOIN "Remotevolume" "v" ON "v"."ID" = "f"."VolumeID"
        WHERE ("v"."ID" IS NULL OR "v"."State" IN ('Uploaded', 'Verified')) AND NOT EXISTS (SELECT 1 FROM "FilesetEntry" "e" WHERE "e"."FilesetID" = "f"."ID")
        ORDER BY "f"."Timestamp"
        """;

    /// <summary>File lists of no version. One row a volume in Remotevolume and one a version in Fileset.</summary>
    internal const string LISTS_WITHOUT_VERSION = """
        SELECT "v"."Name"
        FROM "Remotevolume" "v"
        WHERE "v"."Type" = 'Files' AND "v"."State" IN ('Uploaded', 'Verified') AND "v"."ID" NOT IN (SELECT "VolumeID" FROM "Fileset")
        ORDER BY "v"."Name"
        """;

    /// <summary>
    /// Whether the version of a file list has entries. RemotevolumeNameOnly; one row a version in Fileset; part of the key of FilesetEntry.
    /// </summary>
    internal const string HAS_ENTRIES = """
        SELECT EXISTS (
            SELECT 1
            FROM "Remotevolume" "v"
            CROSS JOIN "Fileset" "f" ON "f"."VolumeID" = "v"."ID"
            CROSS JOIN "FilesetEntry" "e" ON "e"."FilesetID" = "f"."ID"
            WHERE "v"."Name" = @name)
        """;
}
