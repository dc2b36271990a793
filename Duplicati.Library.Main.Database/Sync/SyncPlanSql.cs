// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Sync;

/// <summary>
/// Compares a table of local files, named by <c>{local}</c>, with the destination. Times are compared as text in one form.
/// </summary>
internal static class SyncPlanSql
{
    internal const string Create = "CREATE TEMP TABLE {local} ({columns})";

    internal const string Drop = "DROP TABLE IF EXISTS temp.{local}";

    // Unique index on RelativePath of the table.
    internal const string Insert =
        """INSERT OR IGNORE INTO {local} ("RelativePath", "AbsolutePath", "Size", "LastModified") VALUES (?1, ?2, ?3, ?4)""";

    // Reads the table.
    internal const string CountRows = "SELECT COUNT(*) FROM {local}";

    // Reads the local files in the order of their unique index, unique index on RelativePath.
    internal const string Uploads = """
        SELECT l."RelativePath", l."AbsolutePath", l."Size", l."LastModified", NULL, 0
        FROM {local} l
        WHERE NOT EXISTS (SELECT 1 FROM "RemoteInventory" r WHERE r."RelativePath" = l."RelativePath")
        ORDER BY l."RelativePath"
        """;

    // Reads the local files, unique index on RelativePath.
    internal const string CountUploads = """
        SELECT COUNT(*) FROM {local} l
        WHERE NOT EXISTS (SELECT 1 FROM "RemoteInventory" r WHERE r."RelativePath" = l."RelativePath")
        """;

    // Reads the local files in the order of their unique index, unique index on RelativePath.
    internal const string Updates = """
        SELECT l."RelativePath", l."AbsolutePath", l."Size", l."LastModified", r."ContentHash", r."Size" = l."Size" AND r."LastModified" >= l."LastModified"
        FROM {local} l CROSS JOIN "RemoteInventory" r ON r."RelativePath" = l."RelativePath"
        WHERE r."Size" <> l."Size" OR r."LastModified" < l."LastModified" OR (?1 <> 0 AND r."ContentHash" IS NOT NULL)
        ORDER BY l."RelativePath"
        """;

    // Reads the local files, unique index on RelativePath.
    internal const string CountUpdates = """
        SELECT COUNT(*)
        FROM {local} l CROSS JOIN "RemoteInventory" r ON r."RelativePath" = l."RelativePath"
        WHERE r."Size" <> l."Size" OR r."LastModified" < l."LastModified" OR (?1 <> 0 AND r."ContentHash" IS NOT NULL)
        """;

    // Reads the inventory in the order of its unique index; unique indexes on RelativePath of the local files and on Path.
    internal const string Deletions = """
        SELECT r."RelativePath", '', r."Size", r."LastModified", NULL, 0
        FROM "RemoteInventory" r
        WHERE NOT EXISTS (SELECT 1 FROM {local} l WHERE l."RelativePath" = r."RelativePath")
          AND NOT EXISTS (SELECT 1 FROM "PendingOperation" p WHERE p."Path" = r."RelativePath")
        ORDER BY r."RelativePath"
        """;

    // Reads the inventory; unique indexes on RelativePath of the local files and on Path.
    internal const string CountDeletions = """
        SELECT COUNT(*) FROM "RemoteInventory" r
        WHERE NOT EXISTS (SELECT 1 FROM {local} l WHERE l."RelativePath" = r."RelativePath")
          AND NOT EXISTS (SELECT 1 FROM "PendingOperation" p WHERE p."Path" = r."RelativePath")
        """;
}
