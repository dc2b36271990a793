// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Sync;

/// <summary>The transfers that were begun and have not ended, one a path.</summary>
/// <remarks>Must be called with the connection lock held.</remarks>
internal static class PendingOperations
{
    private const string Entry = """
        "ID", "Path", "Operation", "Size", "Hash", "StartedAt", "Attempts"
        """;

    // Unique index on Path.
    private const string UpsertSql = """
        INSERT INTO "PendingOperation" ("Path", "Operation", "Size", "Hash", "StartedAt", "Attempts") VALUES (?1, ?2, ?3, ?4, ?5, 0)
        ON CONFLICT ("Path") DO UPDATE SET
            "Operation" = excluded."Operation", "Size" = excluded."Size", "Hash" = excluded."Hash", "StartedAt" = excluded."StartedAt",
            "Attempts" = "PendingOperation"."Attempts" + 1
        """;

    // Unique index on Path.
    private const string RemoveSql = """DELETE FROM "PendingOperation" WHERE "Path" = ?1""";

    private const string ClearSql = """DELETE FROM "PendingOperation" """;

    // First row of the table.
    private const string AnySql = """SELECT EXISTS (SELECT 1 FROM "PendingOperation")""";

    // Unique index on Path.
    private const string FindSql = $"""SELECT {Entry} FROM "PendingOperation" WHERE "Path" = ?1""";

    // Reads the table, which is the answer, in row order.
    private const string AllSql = $"""SELECT {Entry} FROM "PendingOperation" ORDER BY "ID" """;

    /// <summary>Begins a transfer, or begins that of the path again.</summary>
    internal static void Upsert(DatabaseSession session, string path, SyncOperation operation, long? size, string? hash)
    {
        using var upsert = session.Take(UpsertSql);
        upsert
            .Bind(1, path)
            .Bind(2, operation.ToString())
            .Bind(4, hash)
            .Bind(5, Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(DateTime.UtcNow));
        if (size is { } bytes)
            upsert.Bind(3, bytes);
        upsert.ExecuteNonQuery();
    }

    /// <summary>Forgets the transfer of a path.</summary>
    internal static void Remove(DatabaseSession session, string path)
    {
        using var remove = session.Take(RemoveSql);
        remove.Bind(1, path).ExecuteNonQuery();
    }

    /// <summary>Forgets all.</summary>
    internal static void Clear(DatabaseSession session) => session.Run(ClearSql);

    /// <summary>Whether there is any.</summary>
    internal static bool Any(DatabaseSession session) => session.ReadNumber(AnySql) != 0;

    /// <summary>The transfer of a path, or null.</summary>
    internal static LocalSyncDatabase.PendingOperationEntry? Find(DatabaseSession session, string path)
    {
        using var select = session.Take(FindSql);
        return select.Bind(1, path).Read() ? Read(select) : null;
    }

    /// <summary>All, in the order of their first beginning.</summary>
    internal static List<LocalSyncDatabase.PendingOperationEntry> All(DatabaseSession session)
    {
        using var select = session.Take(AllSql);
        return select.ReadAll(static row => Read(row));
    }

    /// <summary>Moves the transfer of a path, if there is one, to another path.</summary>
    internal static void Rename(DatabaseSession session, string oldPath, string newPath)
    {
        if (Find(session, oldPath) is not { } entry)
            return;

        Remove(session, oldPath);
        Upsert(session, newPath, entry.Operation, entry.Size, entry.Hash);
    }

    private static LocalSyncDatabase.PendingOperationEntry Read(Statement row) =>
        new()
        {
            ID = row.GetInt64(0),
            Path = row.GetString(1)!,
            Operation = Enum.Parse<SyncOperation>(row.GetString(2)!),
            Size = row.IsDBNull(3) ? null : row.GetInt64(3),
            Hash = row.GetString(4),
            StartedAt = LocalDatabase.ParseFromEpochSeconds(row.GetInt64(5)),
            Attempts = (int)row.GetInt64(6),
        };
}
