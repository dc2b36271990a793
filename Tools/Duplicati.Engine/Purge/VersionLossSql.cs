// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Purge;

/// <summary>The statements that tell what a version holds.</summary>
internal static class VersionLossSql
{
    /// <summary>
    /// Entries, files and bytes of the version of a time. One row a version in Fileset; part of the key of FilesetEntry; FileLookup and
    /// Blockset by id.
    /// </summary>
    internal const string WHOLE_VERSION = """
        SELECT COUNT(*), COUNT("s"."ID"), COALESCE(SUM("s"."Length"), 0)
        FROM "Fileset" "f"
        CROSS JOIN "FilesetEntry" "e" ON "e"."FilesetID" = "f"."ID"
        CROSS JOIN "FileLookup" "l" ON "l"."ID" = "e"."FileID"
        LEFT JOIN "Blockset" "s" ON "s"."ID" = "l"."BlocksetID"
        WHERE "f"."Timestamp" = @time
        """;
}
