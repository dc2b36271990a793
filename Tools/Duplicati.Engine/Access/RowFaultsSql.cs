// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Access;

/// <summary>The statements of <see cref="RowFaults"/>; for schemas with path prefixes (9 and later).</summary>
internal static class RowFaultsSql
{
    /// <summary>Scans FilesetEntry; FileLookup by row id.</summary>
    internal const string ENTRIES_WITHOUT_FILE =
        """SELECT COUNT(*) FROM "FilesetEntry" WHERE NOT EXISTS (SELECT 1 FROM "FileLookup" WHERE "FileLookup"."ID" = "FilesetEntry"."FileID")""";

    /// <summary>Scans FileLookup; Blockset by row id. Folders and symbolic links have no content.</summary>
    internal const string FILES_WITHOUT_CONTENT = """
        SELECT COUNT(*) FROM "FileLookup"
        WHERE "BlocksetID" NOT IN (-100, -200) AND NOT EXISTS (SELECT 1 FROM "Blockset" WHERE "Blockset"."ID" = "FileLookup"."BlocksetID")
        """;

    /// <summary>
    /// Scans FileLookup; Metadataset and Blockset by row id; FilesetentryFileIdIndex for the few that are found: files of no version may
    /// stay without.
    /// </summary>
    internal const string FILES_WITHOUT_METADATA = """
        SELECT COUNT(*) FROM "FileLookup"
        WHERE NOT EXISTS (
                SELECT 1 FROM "Metadataset" CROSS JOIN "Blockset" ON "Blockset"."ID" = "Metadataset"."BlocksetID"
                WHERE "Metadataset"."ID" = "FileLookup"."MetadataID")
            AND EXISTS (SELECT 1 FROM "FilesetEntry" WHERE "FilesetEntry"."FileID" = "FileLookup"."ID")
        """;

    /// <summary>Scans Blockset; its part of BlocksetEntry by key, Block by row id.</summary>
    internal const string BLOCKSETS_OF_WRONG_LENGTH = """
        SELECT COUNT(*) FROM "Blockset"
        WHERE "Length" <> COALESCE((
            SELECT SUM("Block"."Size")
            FROM "BlocksetEntry" CROSS JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
            WHERE "BlocksetEntry"."BlocksetID" = "Blockset"."ID"), 0)
        """;

    /// <summary>Scans FileLookup; PathPrefix by row id.</summary>
    internal const string FILES_WITHOUT_FOLDER =
        """SELECT COUNT(*) FROM "FileLookup" WHERE NOT EXISTS (SELECT 1 FROM "PathPrefix" WHERE "PathPrefix"."ID" = "FileLookup"."PrefixID")""";

    /// <summary>
    /// One look into Block_IndexByVolumeId a volume; Remotevolume by row id. Some releases booked the empty block without a volume.
    /// </summary>
    internal const string BLOCKS_WITHOUT_VOLUME = """
        WITH RECURSIVE "Holder" ("ID") AS (
            SELECT MIN("VolumeID") FROM "Block"
            UNION ALL
            SELECT (SELECT MIN("Block"."VolumeID") FROM "Block" WHERE "Block"."VolumeID" > "Holder"."ID") FROM "Holder" WHERE "Holder"."ID" IS NOT NULL)
        SELECT COALESCE(SUM((SELECT COUNT(*) FROM "Block" WHERE "Block"."VolumeID" = "Holder"."ID" AND "Block"."Size" > 0)), 0)
        FROM "Holder"
        WHERE "Holder"."ID" IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM "Remotevolume" WHERE "Remotevolume"."ID" = "Holder"."ID" AND "Remotevolume"."Type" = 'Blocks')
        """;

    /// <summary>Scans Fileset, one row a version.</summary>
    internal const string VERSIONS_OF_ONE_SECOND = """SELECT COUNT(*) - COUNT(DISTINCT "Timestamp") FROM "Fileset" """;

    /// <summary>Scans Fileset, one row a version; Remotevolume by row id.</summary>
    internal const string VERSIONS_WITHOUT_LIST = """
        SELECT COUNT(*) FROM "Fileset"
        WHERE NOT EXISTS (SELECT 1 FROM "Remotevolume" WHERE "Remotevolume"."ID" = "Fileset"."VolumeID" AND "Remotevolume"."Type" = 'Files')
        """;
}
