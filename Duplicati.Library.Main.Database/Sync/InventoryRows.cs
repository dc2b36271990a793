// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Globalization;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Sync;

/// <summary>Questions about the files of the destination.</summary>
/// <remarks>Must be called with the connection lock held.</remarks>
internal static class InventoryReads
{
    private const string Item = """
        "RelativePath", "Size", "LastModified", "ContentHash"
        """;

    // Unique index on RelativePath.
    private const string FindSql = $"""SELECT {Item} FROM "RemoteInventory" WHERE "RelativePath" = ?1""";

    // Reads the table, which is the answer, in row order.
    private const string AllSql = $"""SELECT {Item} FROM "RemoteInventory" ORDER BY "ID" """;

    // First row of the table.
    private const string AnySql = """SELECT EXISTS (SELECT 1 FROM "RemoteInventory")""";

    // Reads the table: paths without a slash are spread over the index.
    private const string InTopFolder =
        $"""SELECT {Item} FROM "RemoteInventory" WHERE instr("RelativePath", '/') = 0 ORDER BY "RelativePath" """;

    // A range of the unique index on RelativePath: what lies in the folder or below, from its name with a slash to the next character.
    private const string InFolderSql = $"""
        SELECT {Item} FROM "RemoteInventory"
        WHERE "RelativePath" >= ?1 || '/' AND "RelativePath" < ?1 || '0'
          AND instr(substr("RelativePath", length(?1) + 2), '/') = 0
        ORDER BY "RelativePath"
        """;

    /// <summary>The file of a path, or null.</summary>
    internal static LocalSyncDatabase.InventoryItem? Find(DatabaseSession session, string path)
    {
        using var select = session.Take(FindSql);
        return select.Bind(1, path).Read() ? Read(select) : null;
    }

    /// <summary>All files.</summary>
    internal static List<LocalSyncDatabase.InventoryItem> All(DatabaseSession session)
    {
        using var select = session.Take(AllSql);
        return select.ReadAll(static row => Read(row));
    }

    /// <summary>The files directly in a folder; null or empty for the top.</summary>
    internal static List<LocalSyncDatabase.InventoryItem> InFolder(DatabaseSession session, string? folder)
    {
        using var select = session.Take(string.IsNullOrEmpty(folder) ? InTopFolder : InFolderSql);
        if (!string.IsNullOrEmpty(folder))
            select.Bind(1, folder);
        return select.ReadAll(static row => Read(row));
    }

    /// <summary>Whether there is any file.</summary>
    internal static bool Any(DatabaseSession session) => session.ReadNumber(AnySql) != 0;

    private static LocalSyncDatabase.InventoryItem Read(Statement row) =>
        new()
        {
            RelativePath = row.GetString(0)!,
            Size = row.GetInt64(1),
            LastModified = SyncTime.Parse(row.GetString(2)!),
            ContentHash = row.GetString(3),
        };
}

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

/// <summary>Times as text in round-trip form, which sorts like the times if all are in UTC.</summary>
internal static class SyncTime
{
    /// <summary>A time as it is stored, in UTC; a time of unspecified kind is taken to be local.</summary>
    internal static string ToText(DateTime time) => ToTextUnchanged(time.ToUniversalTime());

    /// <summary>A time that is stored as it is.</summary>
    internal static string ToTextUnchanged(DateTime time) => time.ToString("O", CultureInfo.InvariantCulture);

    /// <summary>A stored time, in UTC; without a zone it is taken to be in UTC.</summary>
    internal static DateTime Parse(string text) =>
        DateTime.Parse(text, CultureInfo.InvariantCulture, DateTimeStyles.AdjustToUniversal | DateTimeStyles.AssumeUniversal);
}
