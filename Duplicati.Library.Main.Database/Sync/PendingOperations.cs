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
/// <remarks>Must be called with the session's gate held.</remarks>
internal static class PendingOperations
{
    /// <summary>Begins a transfer, or begins that of the path again.</summary>
    internal static void Upsert(DatabaseSession session, string path, SyncOperation operation, long? size, string? hash)
    {
        using var upsert = session.Take(PendingOperationSql.Upsert);
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
        using var remove = session.Take(PendingOperationSql.Remove);
        remove.Bind(1, path).ExecuteNonQuery();
    }

    /// <summary>Forgets all.</summary>
    internal static void Clear(DatabaseSession session) => session.Run(PendingOperationSql.Clear);

    /// <summary>Whether there is any.</summary>
    internal static bool Any(DatabaseSession session) => session.ReadNumber(PendingOperationSql.Any) != 0;

    /// <summary>The transfer of a path, or null.</summary>
    internal static LocalSyncDatabase.PendingOperationEntry? Find(DatabaseSession session, string path)
    {
        using var select = session.Take(PendingOperationSql.Find);
        return select.Bind(1, path).Read() ? Read(select) : null;
    }

    /// <summary>All, in the order of their first beginning.</summary>
    internal static List<LocalSyncDatabase.PendingOperationEntry> All(DatabaseSession session)
    {
        var result = new List<LocalSyncDatabase.PendingOperationEntry>();
        using var select = session.Take(PendingOperationSql.All);
        while (select.Read())
            result.Add(Read(select));
        return result;
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
