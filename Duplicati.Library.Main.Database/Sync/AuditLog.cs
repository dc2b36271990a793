// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.Main.Database.History;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Sync;

/// <summary>What was done at the destination.</summary>
/// <remarks>Must be called with the connection lock held.</remarks>
internal static class AuditLog
{
    // Appends by row id.
    private const string AddSql = """INSERT INTO "RemoteOperation" ("Timestamp", "Operation", "Path", "Data") VALUES (?1, ?2, ?3, ?4)""";

    /// <summary>How long entries are kept.</summary>
    internal static readonly TimeSpan Retention = TimeSpan.FromDays(30);

    /// <summary>How often old entries are looked for.</summary>
    internal static readonly TimeSpan PurgeInterval = TimeSpan.FromHours(1);

    /// <summary>Appends an entry.</summary>
    internal static void Add(DatabaseSession session, DateTime time, string operation, string path, string? data)
    {
        using var add = session.Take(AddSql);
        add.Bind(1, Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(time))
            .Bind(2, operation)
            .Bind(3, path)
            .Bind(4, data)
            .ExecuteNonQuery();
    }

    /// <summary>Deletes the entries from before a time.</summary>
    internal static void Purge(DatabaseSession session, DateTime threshold)
    {
        using var purge = session.Take(LogRowWrites.PurgeRemoteOperations);
        purge.Bind(1, Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(threshold)).ExecuteNonQuery();
    }
}
