// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Access;

/// <summary>The statements of <see cref="DatabaseIntegrity"/>.</summary>
internal static class DatabaseIntegritySql
{
    /// <summary>Reads every page, and compares each index with its table.</summary>
    internal const string CHECK = "PRAGMA integrity_check";

    /// <summary>Reads every page, but does not compare indexes with tables.</summary>
    internal const string QUICK_CHECK = "PRAGMA quick_check";

    /// <summary>Reads the schema, one row a table.</summary>
    internal const string TABLES = """SELECT "name" FROM "sqlite_master" WHERE "type" = 'table' AND "rootpage" > 0""";

    /// <summary>Reads every page of a table and of its indexes, so that what is found has a name.</summary>
    internal const string CHECK_TABLE = """SELECT "integrity_check" FROM pragma_integrity_check($table)""";
}

/// <summary>The statements of <see cref="UnfinishedRecreate"/>.</summary>
internal static class UnfinishedRecreateSql
{
    /// <summary>The primary key's index.</summary>
    public const string READ = """SELECT "Value" FROM "Configuration" WHERE "Key" = $key""";

    /// <summary>The table of volumes, a row each, and one row by the primary key's index.</summary>
    public const string END = """
        BEGIN IMMEDIATE;
        DROP TABLE IF EXISTS "RecreateVolume";
        DELETE FROM "Configuration" WHERE "Key" = $key;
        COMMIT
        """;

    /// <summary>The same, and the mark of lost blocks.</summary>
    public const string END_BROKEN = """
        BEGIN IMMEDIATE;
        DROP TABLE IF EXISTS "RecreateVolume";
        DELETE FROM "Configuration" WHERE "Key" = $key;
        INSERT OR REPLACE INTO "Configuration" ("Key", "Value") VALUES ($lost, 'true');
        COMMIT
        """;

    /// <summary>One row by the primary key's index.</summary>
    public const string MARK = """INSERT OR REPLACE INTO "Configuration" ("Key", "Value") VALUES ($lost, 'true')""";

    /// <summary>One row by the primary key's index.</summary>
    public const string UNMARK = """DELETE FROM "Configuration" WHERE "Key" = $lost""";

    /// <summary>A row a version, and its volume by row id.</summary>
    public const string VERSIONS = """
        SELECT "Fileset"."Timestamp" FROM "Fileset" CROSS JOIN "Remotevolume" ON "Remotevolume"."ID" = "Fileset"."VolumeID"
        WHERE "Remotevolume"."State" IN ('Uploaded', 'Verified')
        """;

    /// <summary>Nobody else is writing.</summary>
    public const string TAKE = "BEGIN IMMEDIATE; ROLLBACK";
}
