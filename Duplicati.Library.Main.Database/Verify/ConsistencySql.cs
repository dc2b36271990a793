// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.Main.Database.FileLists;

namespace Duplicati.Library.Main.Database.Verify;

/// <summary>The consistency checks: each big table is read once, in the order of a key, and the orders are merged outside.</summary>
internal static class ConsistencySql
{
    // Reads Blockset in row order.
    internal const string Blocksets = """SELECT "ID", "Length" FROM "Blockset" ORDER BY "ID" """;

    // Reads BlocksetEntry in the order of its primary key; row id of Block.
    internal const string Entries = """
        SELECT "BlocksetEntry"."BlocksetID", COUNT(*), SUM("Block"."Size")
        FROM "BlocksetEntry" LEFT JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
        GROUP BY "BlocksetEntry"."BlocksetID" ORDER BY "BlocksetEntry"."BlocksetID"
        """;

    // Reads BlocklistHashBlocksetIDIndex.
    internal const string Blocklists = """SELECT "BlocksetID", "Index" FROM "BlocklistHash" ORDER BY "BlocksetID", "Index" """;

    // Reads nn_FileLookup_BlockMeta.
    internal const string UsedBlocksets = """SELECT DISTINCT "BlocksetID" FROM "FileLookup" ORDER BY "BlocksetID" """;

    // nn_FileLookup_BlockMeta, row id of PathPrefix.
    internal const string PathsOfBlockset = """
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path"
        FROM "FileLookup" CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        WHERE "FileLookup"."BlocksetID" = ?1
        """;

    // Reads Fileset, one row a version; row id of Remotevolume.
    internal const string FilesetsWithoutVolume = """
        SELECT "ID", "Timestamp", "VolumeID" FROM "Fileset"
        WHERE NOT EXISTS (
            SELECT 1 FROM "Remotevolume"
            WHERE "Remotevolume"."ID" = "Fileset"."VolumeID" AND "Remotevolume"."Type" = 'Files' AND "Remotevolume"."State" <> 'Deleted')
        ORDER BY "ID"
        """;

    // Reads Remotevolume, one row a volume; Fileset once.
    internal const string VolumesWithoutFileset = """
        SELECT "ID", "Name", "State" FROM "Remotevolume"
        WHERE "Type" = 'Files' AND "State" NOT IN ('Deleted', 'Deleting') AND "ID" NOT IN (SELECT "VolumeID" FROM "Fileset")
        ORDER BY "ID"
        """;

    // Reads FilesetEntry through FilesetentryFileIdIndex, so that the row ids of FileLookup are met in order.
    internal const string CountOrphans = """
        SELECT COUNT(*) FROM "FilesetEntry" WHERE NOT EXISTS (SELECT 1 FROM "FileLookup" WHERE "FileLookup"."ID" = "FilesetEntry"."FileID")
        """;

    // Reads FilesetEntry after a failure; row id of FileLookup.
    internal const string FilesetsWithOrphans = """
        SELECT DISTINCT "FilesetID" FROM "FilesetEntry"
        WHERE NOT EXISTS (SELECT 1 FROM "FileLookup" WHERE "FileLookup"."ID" = "FilesetEntry"."FileID")
        """;

    // Reads PathPrefix, one row a folder.
    internal const string Prefixes = """SELECT "ID", "Prefix" FROM "PathPrefix" """;

    // Reads FileLookup's smallest index, to size the table in memory.
    internal const string CountFiles = """SELECT COUNT(*) FROM "FileLookup" """;

    // Reads FileLookup in row order; for folders and links row ids of Metadataset, Blockset and Block, primary key of BlocksetEntry.
    internal const string Files = """
        SELECT "ID", "PrefixID", "Path", CASE
            WHEN "BlocksetID" >= 0 THEN 1
            WHEN "BlocksetID" IN (-100, -200) THEN EXISTS (
                SELECT 1 FROM "Metadataset"
                CROSS JOIN "Blockset" ON "Blockset"."ID" = "Metadataset"."BlocksetID"
                CROSS JOIN "BlocksetEntry" ON "BlocksetEntry"."BlocksetID" = "Blockset"."ID" AND "BlocksetEntry"."Index" = 0
                CROSS JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
                WHERE "Metadataset"."ID" = "FileLookup"."MetadataID")
            ELSE 0 END
        FROM "FileLookup" ORDER BY "ID"
        """;

    // Reads FilesetEntry in the order of its primary key.
    internal const string FilesetEntries = """SELECT "FilesetID", "FileID" FROM "FilesetEntry" ORDER BY "FilesetID", "FileID" """;

    // Primary key of FilesetEntry; see the two lists. Only for filesets that seem to differ.
    internal const string CountListed = $"""
        SELECT COUNT(*) FROM (SELECT "Path" FROM ({FileListSql.Files}) UNION SELECT "Path" FROM ({FileListSql.FoldersAndSymlinks}))
        """;

    // Row id.
    internal const string TimeOfFileset = """SELECT "Timestamp" FROM "Fileset" WHERE "ID" = ?1""";

    // A number that changes when a table or index is made or removed.
    internal const string SchemaVersion = "PRAGMA schema_version";
}
