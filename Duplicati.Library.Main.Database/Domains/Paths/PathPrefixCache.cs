// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Paths;

/// <summary>
/// Ids of path prefixes, shared by all objects on a connection. A known prefix is answered without a statement or an allocation.
/// </summary>
/// <remarks>
/// About 150 bytes a prefix plus its text; forgotten as a whole when full, after a rollback, and when a caller was handed the
/// raw connection, since rows may have been removed with it. Use with the connection lock held.
/// </remarks>
internal sealed class PathPrefixCache(DatabaseSession session) : ITransactionCache
{
    // Index PathPrefixPrefix.
    internal const string Prefix = """SELECT "ID" FROM "PathPrefix" WHERE "Prefix" = ?1""";

    // Appends by row id.
    private const string InsertPrefix = """INSERT INTO "PathPrefix" ("Prefix") VALUES (?1)""";

    private const int MAX_ENTRIES = 16384;

    private readonly Dictionary<string, Task<long>> m_ids = new(StringComparer.Ordinal);
    private long m_externalAccess = -1;

    /// <summary>The id of a prefix (ordinal, case-sensitive), which is inserted if it is new, as a completed task.</summary>
    internal Task<long> GetOrCreate(string prefix)
    {
        if (m_externalAccess != session.ExternalAccessCount)
        {
            m_ids.Clear();
            m_externalAccess = session.ExternalAccessCount;
        }

        if (m_ids.TryGetValue(prefix, out var known))
            return known;

        if (m_ids.Count >= MAX_ENTRIES)
            m_ids.Clear();
        var id = Task.FromResult(FindOrInsert(prefix));
        m_ids.Add(prefix, id);
        return id;
    }

    /// <summary>Forgets all ids: their rows may be gone.</summary>
    public void Discard() => m_ids.Clear();

    private long FindOrInsert(string prefix)
    {
        var id = session.FindBeforeInserting(prefix, Find);
        if (id >= 0)
            return id;

        using var insert = session.Take(InsertPrefix);
        insert.Bind(1, prefix).ExecuteNonQuery();
        return session.Statements.LastInsertRowId;
    }

    private static long Find(DatabaseSession session, string prefix)
    {
        using var select = session.Take(Prefix);
        return select.Bind(1, prefix).ExecuteInt64();
    }
}
