// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Dump;

/// <summary>The statements that read a database of any version. Dumps read whole tables, so scans are meant.</summary>
internal static class DumpSql
{
    /// <summary>Scans the version table.</summary>
    public const string VERSION = """SELECT MAX("Version") FROM "Version" """;

    /// <summary>Reads every page.</summary>
    public const string INTEGRITY_CHECK = "PRAGMA integrity_check";

    /// <summary>Whether a table has a column. Scans the columns of one table.</summary>
    public const string HAS_COLUMN = "SELECT COUNT(*) FROM pragma_table_info($table) WHERE name = $column COLLATE NOCASE";

    /// <summary>Scans Remotevolume; before version 3.</summary>
    public const string VOLUMES_0 = """
        SELECT "Name", "Type", "Size", "Hash", "State", "VerificationCount", NULL, NULL, NULL
        FROM "Remotevolume"
        """;

    /// <summary>Scans Remotevolume; before version 15.</summary>
    public const string VOLUMES_3 = """
        SELECT "Name", "Type", "Size", "Hash", "State", "VerificationCount", "DeleteGraceTime", NULL, NULL
        FROM "Remotevolume"
        """;

    /// <summary>Scans Remotevolume; before version 18.</summary>
    public const string VOLUMES_15 = """
        SELECT "Name", "Type", "Size", "Hash", "State", "VerificationCount", "DeleteGraceTime", "ArchiveTime", NULL
        FROM "Remotevolume"
        """;

    /// <summary>Scans Remotevolume.</summary>
    public const string VOLUMES_18 = """
        SELECT "Name", "Type", "Size", "Hash", "State", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime"
        FROM "Remotevolume"
        """;

    /// <summary>Scans Block; Remotevolume by row id.</summary>
    public const string BLOCKS = """
        SELECT "Block"."Hash", "Block"."Size", "Block"."VolumeID", "Remotevolume"."Name"
        FROM "Block"
        LEFT JOIN "Remotevolume" ON "Remotevolume"."ID" = "Block"."VolumeID"
        """;

    /// <summary>Scans DuplicateBlock; Block and Remotevolume by row id.</summary>
    public const string DUPLICATE_BLOCKS = """
        SELECT "Block"."Hash", "Block"."Size", "DuplicateBlock"."VolumeID", "Remotevolume"."Name"
        FROM "DuplicateBlock"
        LEFT JOIN "Block" ON "Block"."ID" = "DuplicateBlock"."BlockID"
        LEFT JOIN "Remotevolume" ON "Remotevolume"."ID" = "DuplicateBlock"."VolumeID"
        """;

    /// <summary>Scans DeletedBlock; Remotevolume by row id.</summary>
    public const string DELETED_BLOCKS = """
        SELECT "DeletedBlock"."Hash", "DeletedBlock"."Size", "DeletedBlock"."VolumeID", "Remotevolume"."Name"
        FROM "DeletedBlock"
        LEFT JOIN "Remotevolume" ON "Remotevolume"."ID" = "DeletedBlock"."VolumeID"
        """;

    /// <summary>Scans Blockset in row id order.</summary>
    public const string BLOCKSETS = """SELECT "ID", "FullHash", "Length" FROM "Blockset" ORDER BY "ID" """;

    /// <summary>Scans BlocksetEntry in the order of its primary key (sorts before version 5); Block by row id.</summary>
    public const string BLOCKSET_ENTRIES = """
        SELECT "BlocksetEntry"."BlocksetID", "BlocksetEntry"."Index", "Block"."Hash", "Block"."Size"
        FROM "BlocksetEntry"
        LEFT JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
        ORDER BY "BlocksetEntry"."BlocksetID", "BlocksetEntry"."Index"
        """;

    /// <summary>Scans BlocklistHash by BlocklistHashBlocksetIDIndex (sorts before version 7).</summary>
    public const string BLOCKLIST_HASHES = """SELECT "BlocksetID", "Hash" FROM "BlocklistHash" ORDER BY "BlocksetID", "Index" """;

    /// <summary>Scans Metadataset; Blockset by row id. Before version 19.</summary>
    public const string METADATASETS_0 = """
        SELECT "Blockset"."FullHash", "Blockset"."Length", NULL
        FROM "Metadataset"
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "Metadataset"."BlocksetID"
        """;

    /// <summary>Scans Metadataset; Blockset by row id.</summary>
    public const string METADATASETS_19 = """
        SELECT "Blockset"."FullHash", "Blockset"."Length", "Metadataset"."Content"
        FROM "Metadataset"
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "Metadataset"."BlocksetID"
        """;

    /// <summary>Scans PathPrefix.</summary>
    public const string PREFIXES = """SELECT "Prefix" FROM "PathPrefix" """;

    /// <summary>Scans Fileset; Remotevolume by row id. Before version 10.</summary>
    public const string FILESETS_0 = """
        SELECT "Fileset"."ID", "Fileset"."Timestamp", NULL, "Fileset"."VolumeID", "Remotevolume"."Name"
        FROM "Fileset"
        LEFT JOIN "Remotevolume" ON "Remotevolume"."ID" = "Fileset"."VolumeID"
        ORDER BY "Fileset"."Timestamp", "Fileset"."ID"
        """;

    /// <summary>Scans Fileset; Remotevolume by row id.</summary>
    public const string FILESETS_10 = """
        SELECT "Fileset"."ID", "Fileset"."Timestamp", "Fileset"."IsFullBackup", "Fileset"."VolumeID", "Remotevolume"."Name"
        FROM "Fileset"
        LEFT JOIN "Remotevolume" ON "Remotevolume"."ID" = "Fileset"."VolumeID"
        ORDER BY "Fileset"."Timestamp", "Fileset"."ID"
        """;

    /// <summary>Scans FilesetEntry, which has no key yet; the rest by row id. Before version 2.</summary>
    public const string ENTRIES_0 = """
        SELECT "File"."Path", "File"."BlocksetID", "Data"."FullHash", "Data"."Length", "Meta"."FullHash", "Meta"."Length", "FilesetEntry"."Scantime"
        FROM "FilesetEntry"
        LEFT JOIN "File" ON "File"."ID" = "FilesetEntry"."FileID"
        LEFT JOIN "Blockset" "Data" ON "Data"."ID" = "File"."BlocksetID"
        LEFT JOIN "Metadataset" ON "Metadataset"."ID" = "File"."MetadataID"
        LEFT JOIN "Blockset" "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
        WHERE "FilesetEntry"."FilesetID" = $fileset
        """;

    /// <summary>
    /// Searches FilesetEntry by FilesetentryIndex or its primary key (scans before version 4); the rest by row id. Before version 9.
    /// </summary>
    public const string ENTRIES_2 = """
        SELECT "File"."Path", "File"."BlocksetID", "Data"."FullHash", "Data"."Length", "Meta"."FullHash", "Meta"."Length", "FilesetEntry"."Lastmodified"
        FROM "FilesetEntry"
        LEFT JOIN "File" ON "File"."ID" = "FilesetEntry"."FileID"
        LEFT JOIN "Blockset" "Data" ON "Data"."ID" = "File"."BlocksetID"
        LEFT JOIN "Metadataset" ON "Metadataset"."ID" = "File"."MetadataID"
        LEFT JOIN "Blockset" "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
        WHERE "FilesetEntry"."FilesetID" = $fileset
        """;

    /// <summary>Searches FilesetEntry by its primary key; the rest by row id.</summary>
    public const string ENTRIES_9 = """
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path", "FileLookup"."BlocksetID", "Data"."FullHash", "Data"."Length", "Meta"."FullHash", "Meta"."Length", "FilesetEntry"."Lastmodified"
        FROM "FilesetEntry"
        LEFT JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        LEFT JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        LEFT JOIN "Blockset" "Data" ON "Data"."ID" = "FileLookup"."BlocksetID"
        LEFT JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        LEFT JOIN "Blockset" "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
        WHERE "FilesetEntry"."FilesetID" = $fileset
        """;

    /// <summary>Scans File and once FilesetEntry; the rest by row id. Before version 9.</summary>
    public const string FILES_WITHOUT_FILESET_0 = """
        SELECT "File"."Path", "File"."BlocksetID", "Data"."FullHash", "Data"."Length", "Meta"."FullHash", "Meta"."Length", NULL
        FROM "File"
        LEFT JOIN "Blockset" "Data" ON "Data"."ID" = "File"."BlocksetID"
        LEFT JOIN "Metadataset" ON "Metadataset"."ID" = "File"."MetadataID"
        LEFT JOIN "Blockset" "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
        WHERE "File"."ID" NOT IN (SELECT "FileID" FROM "FilesetEntry")
        """;

    /// <summary>Scans FileLookup; FilesetEntry by FilesetentryFileIdIndex, the rest by row id.</summary>
    public const string FILES_WITHOUT_FILESET_9 = """
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path", "FileLookup"."BlocksetID", "Data"."FullHash", "Data"."Length", "Meta"."FullHash", "Meta"."Length", NULL
        FROM "FileLookup"
        LEFT JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        LEFT JOIN "Blockset" "Data" ON "Data"."ID" = "FileLookup"."BlocksetID"
        LEFT JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        LEFT JOIN "Blockset" "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
        WHERE NOT EXISTS (SELECT 1 FROM "FilesetEntry" WHERE "FilesetEntry"."FileID" = "FileLookup"."ID")
        """;

    /// <summary>Scans IndexBlockLink; Remotevolume by row id.</summary>
    public const string INDEX_LINKS = """
        SELECT "IndexBlockLink"."IndexVolumeID", "IndexVolume"."Name", "IndexBlockLink"."BlockVolumeID", "BlockVolume"."Name"
        FROM "IndexBlockLink"
        LEFT JOIN "Remotevolume" "IndexVolume" ON "IndexVolume"."ID" = "IndexBlockLink"."IndexVolumeID"
        LEFT JOIN "Remotevolume" "BlockVolume" ON "BlockVolume"."ID" = "IndexBlockLink"."BlockVolumeID"
        """;

    /// <summary>Scans Configuration.</summary>
    public const string CONFIGURATION = """SELECT "Key", "Value" FROM "Configuration" """;

    /// <summary>Scans Operation in row id order.</summary>
    public const string OPERATIONS = """SELECT "Description" FROM "Operation" ORDER BY "ID" """;

    /// <summary>Scans the schema table; leaves out SQLite's own objects, like statistics.</summary>
    public const string SCHEMA_OBJECTS = """SELECT "type", "name", "tbl_name" FROM "sqlite_master" WHERE "name" NOT GLOB 'sqlite_*' """;

    /// <summary>Spools lines that are too many to sort in memory.</summary>
    public const string CREATE_SPOOL = """
        PRAGMA main.journal_mode = OFF;
        PRAGMA main.synchronous = OFF;
        CREATE TABLE "Spool" ("Line" TEXT NOT NULL);
        """;

    /// <summary>Appends one line.</summary>
    public const string SPOOL = """INSERT INTO "Spool" ("Line") VALUES ($line)""";

    /// <summary>Sorts the whole table, in files if need be.</summary>
    public const string READ_SPOOL = """SELECT "Line" FROM "Spool" ORDER BY "Line" """;

    /// <summary>Counts the rows of a table. A name cannot be bound; it comes from the schema table and is quoted.</summary>
    public static string CountRows(string table) =>
        string.Concat("SELECT COUNT(*) FROM \"", table.Replace("\"", "\"\"", StringComparison.Ordinal), "\"");
}
