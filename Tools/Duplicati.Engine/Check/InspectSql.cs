// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Check;

/// <summary>The statements of <see cref="InspectOperation"/>.</summary>
internal static class InspectSql
{
    /// <summary>Reads the header.</summary>
    internal const string PAGE_SIZE = "PRAGMA page_size";

    /// <summary>Reads the header.</summary>
    internal const string PAGE_COUNT = "PRAGMA page_count";

    /// <summary>Reads the header.</summary>
    internal const string FREE_PAGES = "PRAGMA freelist_count";

    /// <summary>Reads the schema, one row a table or index; the schema itself begins at page 1.</summary>
    internal const string ROOT_PAGES = """
        SELECT 'sqlite_schema', 'table', 1
        UNION ALL
        SELECT "name", "type", "rootpage" FROM "sqlite_master" WHERE "rootpage" > 0
        """;

    /// <summary>A constant of the library.</summary>
    internal const string SQLITE_VERSION = "SELECT sqlite_version()";

    /// <summary>Scans Remotevolume, one row a volume.</summary>
    internal const string VOLUMES = """
        SELECT "Type", "State", COUNT(*), COALESCE(SUM(MAX("Size", 0)), 0)
        FROM "Remotevolume"
        GROUP BY "Type", "State"
        ORDER BY "Type", "State"
        """;

    /// <summary>Scans Remotevolume, one row a volume; Operation by row id.</summary>
    internal const string GROWTH = """
        SELECT "Operation"."Timestamp", "Operation"."Description", COUNT(*), SUM(MAX("Remotevolume"."Size", 0))
        FROM "Remotevolume" CROSS JOIN "Operation" ON "Operation"."ID" = "Remotevolume"."OperationID"
        WHERE "Remotevolume"."State" IN ('Uploaded', 'Verified')
        GROUP BY "Operation"."ID"
        ORDER BY "Operation"."ID"
        """;

    /// <summary>
    /// Scans Fileset, one row a version; its entries by the primary key, FileLookup and Blockset by row id. In the order of the versions,
    /// oldest first.
    /// </summary>
    internal const string SPACE_BY_VERSION = """
        SELECT "Fileset"."ID", COUNT("FilesetEntry"."FileID"), COALESCE(SUM("Blockset"."Length"), 0)
        FROM "Fileset"
        LEFT JOIN "FilesetEntry" ON "FilesetEntry"."FilesetID" = "Fileset"."ID"
        LEFT JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        GROUP BY "Fileset"."ID"
        ORDER BY "Fileset"."Timestamp", "Fileset"."ID"
        """;

    /// <summary>
    /// Reads nn_FileLookup_BlockMeta in order; first and last version of a file by FilesetentryFileIdIndex, Blockset by row id. Contents
    /// that one version alone has.
    /// </summary>
    internal const string OWN_BYTES = """
        SELECT "Own"."FilesetID", SUM("Blockset"."Length")
        FROM (
            SELECT "BlocksetID",
                MIN((SELECT MIN("FilesetEntry"."FilesetID") FROM "FilesetEntry" WHERE "FilesetEntry"."FileID" = "FileLookup"."ID")) AS "FilesetID",
                MAX((SELECT MAX("FilesetEntry"."FilesetID") FROM "FilesetEntry" WHERE "FilesetEntry"."FileID" = "FileLookup"."ID")) AS "LastID"
            FROM "FileLookup"
            GROUP BY "BlocksetID") AS "Own"
        CROSS JOIN "Blockset" ON "Blockset"."ID" = "Own"."BlocksetID"
        WHERE "Own"."FilesetID" = "Own"."LastID"
        GROUP BY "Own"."FilesetID"
        """;

    /// <summary>Walks the schema: whether there is table FileLookup, which a bug report leaves out.</summary>
    internal const string HAS_FILES = """SELECT COUNT(*) FROM "sqlite_master" WHERE "type" = 'table' AND "name" = 'FileLookup'""";
}
