// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
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
