// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Sync;

/// <summary>Changes what is known of the files of the destination.</summary>
/// <remarks>Must be called with the connection lock held.</remarks>
internal static class InventoryWrites
{
    // Unique index on RelativePath.
    private const string UpsertSql = """
        INSERT INTO "RemoteInventory" ("RelativePath", "Size", "LastModified", "ContentHash", "LastVerified") VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT ("RelativePath") DO UPDATE SET
            "Size" = excluded."Size", "LastModified" = excluded."LastModified", "ContentHash" = excluded."ContentHash", "LastVerified" = excluded."LastVerified"
        """;

    // Unique index on RelativePath.
    private const string RemoveSql = """DELETE FROM "RemoteInventory" WHERE "RelativePath" = ?1""";

    /// <summary>Enters a file or replaces what is known of it, as seen now.</summary>
    internal static void Upsert(DatabaseSession session, string path, long size, DateTime lastModified, string? hash)
    {
        using var upsert = session.Take(UpsertSql);
        upsert
            .Bind(1, path)
            .Bind(2, size)
            .Bind(3, SyncTime.ToText(lastModified))
            .Bind(4, hash)
            .Bind(5, SyncTime.ToText(DateTime.UtcNow))
            .ExecuteNonQuery();
    }

    /// <summary>Forgets a file.</summary>
    internal static void Remove(DatabaseSession session, string path)
    {
        using var remove = session.Take(RemoveSql);
        remove.Bind(1, path).ExecuteNonQuery();
    }

    /// <summary>Moves a file to another path; a file that is not known is entered there without content.</summary>
    internal static void Rename(DatabaseSession session, string oldPath, string newPath)
    {
        var item = InventoryReads.Find(session, oldPath);
        if (item is not null)
            Remove(session, oldPath);
        Upsert(session, newPath, item?.Size ?? 0, item?.LastModified ?? DateTime.UtcNow, item?.ContentHash);
    }
}
