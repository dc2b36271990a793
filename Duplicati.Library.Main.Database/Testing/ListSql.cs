// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Testing;

/// <summary>
/// The lists of what a remote volume holds, and their differences from what the database says; <c>{0}</c> stands for the digits of a list.
/// </summary>
internal static class ListSql
{
    // Files of a list volume by path; the same path may come twice.
    internal const string CreateFilelist = """
        CREATE TEMP TABLE "Filelist-{0}" (
            "Path" TEXT NOT NULL, "Serial" INTEGER NOT NULL, "Size" INTEGER NOT NULL, "Hash" TEXT NULL, "Metasize" INTEGER NOT NULL, "Metahash" TEXT NULL,
            PRIMARY KEY ("Path", "Serial")) WITHOUT ROWID
        """;

    internal const string ClearFilelist = """DELETE FROM temp."Filelist-{0}" """;
    internal const string DropFilelist = """DROP TABLE IF EXISTS temp."Filelist-{0}" """;

    // Block volumes named in an index volume; the same name may come twice.
    internal const string CreateIndexlist = """
        CREATE TEMP TABLE "Indexlist-{0}" ("Name" TEXT NOT NULL, "Serial" INTEGER NOT NULL, "Hash" TEXT NULL, "Size" INTEGER NOT NULL, PRIMARY KEY ("Name", "Serial")) WITHOUT ROWID
        """;

    internal const string ClearIndexlist = """DELETE FROM temp."Indexlist-{0}" """;
    internal const string DropIndexlist = """DROP TABLE IF EXISTS temp."Indexlist-{0}" """;

    // Blocks of a block volume, each pair of hash and size once.
    internal const string CreateBlocklist =
        """CREATE TEMP TABLE "Blocklist-{0}" ("Hash" TEXT NOT NULL, "Size" INTEGER NOT NULL, PRIMARY KEY ("Hash", "Size")) WITHOUT ROWID""";
    internal const string ClearBlocklist = """DELETE FROM temp."Blocklist-{0}" """;
    internal const string DropBlocklist = """DROP TABLE IF EXISTS temp."Blocklist-{0}" """;

    // Blocklists of an index volume, each pair of hash and size once.
    internal const string CreateBlocklistHashList =
        """CREATE TEMP TABLE "BlocklistHashList-{0}" ("Hash" TEXT NOT NULL, "Size" INTEGER NOT NULL, PRIMARY KEY ("Hash", "Size")) WITHOUT ROWID""";
    internal const string ClearBlocklistHashList = """DELETE FROM temp."BlocklistHashList-{0}" """;
    internal const string DropBlocklistHashList = """DROP TABLE IF EXISTS temp."BlocklistHashList-{0}" """;

    // The table's primary key.
    internal const string AddFile =
        """INSERT INTO temp."Filelist-{0}" ("Path", "Serial", "Size", "Hash", "Metasize", "Metahash") VALUES (?1, ?2, ?3, ?4, ?5, ?6)""";

    // The table's primary key.
    internal const string AddLink = """INSERT INTO temp."Indexlist-{0}" ("Name", "Serial", "Hash", "Size") VALUES (?1, ?2, ?3, ?4)""";

    // The table's primary key.
    internal const string AddBlock = """INSERT OR IGNORE INTO temp."Blocklist-{0}" ("Hash", "Size") VALUES (?1, ?2)""";

    // The table's primary key.
    internal const string AddBlocklist = """INSERT OR IGNORE INTO temp."BlocklistHashList-{0}" ("Hash", "Size") VALUES (?1, ?2)""";

    // RemotevolumeNameOnly; reads Fileset, one row a version; key of FilesetEntry; FileLookup, PathPrefix, Metadataset and Blockset by id.
    internal const string FillFiles = """
        INSERT OR IGNORE INTO temp."ComparedFile" ("Path", "ID", "Size", "Hash", "Metasize", "Metahash")
        SELECT p."Prefix" || l."Path", l."ID", IFNULL(s."Length", -1), s."FullHash", t."Length", t."FullHash"
        FROM "Fileset" f
        CROSS JOIN "FilesetEntry" e ON e."FilesetID" = f."ID"
        CROSS JOIN "FileLookup" l ON l."ID" = e."FileID"
        CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        CROSS JOIN "Metadataset" m ON m."ID" = l."MetadataID"
        LEFT JOIN "Blockset" s ON s."ID" = l."BlocksetID"
        LEFT JOIN "Blockset" t ON t."ID" = m."BlocksetID"
        WHERE f."VolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1)
        """;

    // Both keys, in order of path.
    internal const string MissingFiles = """
        SELECT DISTINCT c."Path" FROM temp."ComparedFile" c
        WHERE NOT EXISTS (SELECT 1 FROM temp."Filelist-{0}" l WHERE l."Path" = c."Path") ORDER BY c."Path"
        """;

    // Both keys, in order of path.
    internal const string ExtraFiles = """
        SELECT DISTINCT l."Path" FROM temp."Filelist-{0}" l
        WHERE NOT EXISTS (SELECT 1 FROM temp."ComparedFile" c WHERE c."Path" = l."Path") ORDER BY l."Path"
        """;

    // Both keys, in order of path. What is NULL on either side is no difference.
    internal const string ModifiedFiles = """
        SELECT DISTINCT c."Path"
        FROM temp."ComparedFile" c
        CROSS JOIN temp."Filelist-{0}" l ON l."Path" = c."Path"
        WHERE l."Size" <> c."Size" OR l."Hash" <> c."Hash" OR l."Metasize" <> c."Metasize" OR l."Metahash" <> c."Metahash"
        ORDER BY c."Path"
        """;

    // RemotevolumeNameOnly; reads IndexBlockLink, one row a volume; Remotevolume by id, key of the list.
    internal const string MissingLinks = """
        SELECT DISTINCT v."Name"
        FROM "IndexBlockLink" k
        CROSS JOIN "Remotevolume" v ON v."ID" = k."BlockVolumeID"
        WHERE k."IndexVolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1)
            AND NOT EXISTS (SELECT 1 FROM temp."Indexlist-{0}" l WHERE l."Name" = v."Name")
        ORDER BY v."Name"
        """;

    // Reads the list; the linked volumes are made into a set once. The plus keeps the planner from building an index for that.
    internal const string ExtraLinks = """
        SELECT DISTINCT l."Name"
        FROM temp."Indexlist-{0}" l
        WHERE l."Name" NOT IN (
            SELECT v."Name"
            FROM "IndexBlockLink" k
            CROSS JOIN "Remotevolume" v ON v."ID" = k."BlockVolumeID"
            WHERE +k."IndexVolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1))
        ORDER BY l."Name"
        """;

    // As MissingLinks. What is NULL on either side is no difference.
    internal const string ModifiedLinks = """
        SELECT DISTINCT v."Name"
        FROM "IndexBlockLink" k
        CROSS JOIN "Remotevolume" v ON v."ID" = k."BlockVolumeID"
        CROSS JOIN temp."Indexlist-{0}" l ON l."Name" = v."Name"
        WHERE k."IndexVolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1) AND (l."Hash" <> v."Hash" OR l."Size" <> v."Size")
        ORDER BY v."Name"
        """;

    // Both keys, in order of hash.
    internal const string MissingBlocks = """
        SELECT DISTINCT c."Hash" FROM temp."ComparedBlock" c
        WHERE NOT EXISTS (SELECT 1 FROM temp."Blocklist-{0}" l WHERE l."Hash" = c."Hash") ORDER BY c."Hash"
        """;

    // Both keys, in order of hash.
    internal const string ExtraBlocks = """
        SELECT DISTINCT l."Hash" FROM temp."Blocklist-{0}" l
        WHERE NOT EXISTS (SELECT 1 FROM temp."ComparedBlock" c WHERE c."Hash" = l."Hash") ORDER BY l."Hash"
        """;

    // Both keys, in order of hash.
    internal const string ModifiedBlocks = """
        SELECT DISTINCT c."Hash"
        FROM temp."ComparedBlock" c
        CROSS JOIN temp."Blocklist-{0}" l ON l."Hash" = c."Hash"
        WHERE l."Size" <> c."Size"
        ORDER BY c."Hash"
        """;

    // Both keys, in order of hash.
    internal const string MissingBlocklists = """
        SELECT DISTINCT c."Hash" FROM temp."ComparedBlock" c
        WHERE NOT EXISTS (SELECT 1 FROM temp."BlocklistHashList-{0}" l WHERE l."Hash" = c."Hash" AND l."Size" = c."Size") ORDER BY c."Hash"
        """;

    // Both keys, in order of hash.
    internal const string ExtraBlocklists = """
        SELECT DISTINCT l."Hash" FROM temp."BlocklistHashList-{0}" l
        WHERE NOT EXISTS (SELECT 1 FROM temp."ComparedBlock" c WHERE c."Hash" = l."Hash" AND c."Size" = l."Size") ORDER BY l."Hash"
        """;
}
