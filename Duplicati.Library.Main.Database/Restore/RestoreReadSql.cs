// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>What a restore reads of the entries in its list, and of the blocks of one file.</summary>
internal static class RestoreReadSql
{
    // One scan of the list, Blockset by id, and a sort of numbers.
    internal const string LargestFirst = """
        SELECT r."ID"
        FROM temp."RestoreFile" r
        LEFT JOIN "Blockset" b ON b."ID" = r."BlocksetID"
        WHERE r."BlocksetID" <> ?1
        ORDER BY IFNULL(b."Length", 0) DESC, r."ID"
        """;

    // One scan of the list.
    internal const string Folders = """SELECT "ID" FROM temp."RestoreFile" WHERE "BlocksetID" = ?1 ORDER BY "ID" """;

    // One scan of the list, Blockset by id.
    internal const string FilesToVerify = """
        SELECT r."ID"
        FROM temp."RestoreFile" r
        CROSS JOIN "Blockset" b ON b."ID" = r."BlocksetID"
        WHERE ?1 = 0 OR r."DataVerified" = 0
        ORDER BY r."ID"
        """;

    // List and Blockset by id, key of BlocksetEntry, Block by id: a block that is lost cannot be restored.
    internal const string Entry = """
        SELECT r."Path", b."FullHash", b."Length", r."BlocksetID", r."MetadataID",
            EXISTS (SELECT 1 FROM "BlocksetEntry" e CROSS JOIN "Block" k ON k."ID" = e."BlockID" WHERE e."BlocksetID" = r."BlocksetID")
        FROM temp."RestoreFile" r
        LEFT JOIN "Blockset" b ON b."ID" = r."BlocksetID"
        WHERE r."ID" = ?1
        """;

    // Small table, one row a volume; once a restore.
    internal const string LargestVolume = """SELECT MAX("Size") FROM "Remotevolume" WHERE "Type" = 'Blocks'""";

    // Key of BlocksetEntry, Block by id.
    internal const string BlocksOfBlockset = """
        SELECT e."BlockID", b."Hash", b."Size", b."VolumeID"
        FROM "BlocksetEntry" e
        CROSS JOIN "Block" b ON b."ID" = e."BlockID"
        WHERE e."BlocksetID" = ?1
        ORDER BY e."Index"
        """;

    // FileLookup and Metadataset by id, key of BlocksetEntry, Block by id.
    internal const string MetadataBlocksOfFile = """
        SELECT e."BlockID", b."Hash", b."Size", b."VolumeID"
        FROM "FileLookup" l
        CROSS JOIN "Metadataset" m ON m."ID" = l."MetadataID"
        CROSS JOIN "BlocksetEntry" e ON e."BlocksetID" = m."BlocksetID"
        CROSS JOIN "Block" b ON b."ID" = e."BlockID"
        WHERE l."ID" = ?1
        ORDER BY e."Index"
        """;

    // By id.
    internal const string Volume = """SELECT "Name", "Size", "Hash" FROM "Remotevolume" WHERE "ID" = ?1""";

    // Part of the key of BlocksetEntry, Block by id.
    internal const string BlocksFrom = """
        SELECT e."Index", e."BlockID", b."Hash", b."Size"
        FROM "BlocksetEntry" e
        CROSS JOIN "Block" b ON b."ID" = e."BlockID"
        WHERE e."BlocksetID" = ?1 AND e."Index" >= ?2
        ORDER BY e."Index" LIMIT ?3
        """;

    // One page of the list by id, Metadataset by id.
    internal const string BlocksetsOfEntries = """
        SELECT r."ID", r."BlocksetID", m."BlocksetID"
        FROM temp."RestoreFile" r
        LEFT JOIN "Metadataset" m ON m."ID" = r."MetadataID"
        WHERE r."ID" > ?1
        ORDER BY r."ID" LIMIT ?2
        """;

    // Part of the key of BlocksetEntry, Block by id.
    internal const string VolumesFrom = """
        SELECT e."Index", e."BlockID", b."VolumeID"
        FROM "BlocksetEntry" e
        CROSS JOIN "Block" b ON b."ID" = e."BlockID"
        WHERE e."BlocksetID" = ?1 AND e."Index" >= ?2
        ORDER BY e."Index"
        """;

    // By id.
    internal const string BlockOf = """SELECT "Hash", "Size" FROM "Block" WHERE "ID" = ?1""";

    // By id.
    internal const string VolumeOf = """SELECT "VolumeID" FROM "Block" WHERE "ID" = ?1""";
}
