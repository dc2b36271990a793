// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Verify;

/// <summary>
/// Checks that the tables fit together. Reads only; linear in the tables, each of which is read once. A repeated check of an
/// unchanged database is answered from a mark.
/// </summary>
internal static class ConsistencyCheck
{
    /// <summary>Runs the checks in their order; the first that fails throws.</summary>
    /// <exception cref="DatabaseInconsistencyException">The database contradicts itself; help id FilesetDifferences for file
    /// lists.</exception>
    internal static void Run(DatabaseSession session, ConsistencyScope scope, CancellationToken token)
    {
        var memo = session.Service(static owner => new ConsistencyMemo(owner));
        if (memo.IsKnownGood(scope))
            return;

        BlocksetCheck.Run(session, scope, token);
        if (scope.Volumes)
            ListVolumeCheck.Run(session);
        if (scope.FileLists)
            FileListCheck.Run(session, token);
        else
            OrphanCheck.Run(session);
        memo.Remember(scope);
    }
}

/// <summary>What a consistency check looks at.</summary>
/// <param name="Blocksize">Size of a full block in bytes.</param>
/// <param name="Hashsize">Size of a block digest in bytes.</param>
/// <param name="Volumes">Whether filesets and list volumes must belong together; not while a repair is going on.</param>
/// <param name="FileLists">Whether every entry of a fileset must come out in a list volume.</param>
internal readonly record struct ConsistencyScope(long Blocksize, long Hashsize, bool Volumes, bool FileLists)
{
    /// <summary>Entries that one blocklist holds.</summary>
    internal long EntriesPerBlocklist => Math.Max(1, Blocksize / Hashsize);

    /// <summary>True if a database that passed this check also passes the other.</summary>
    internal bool Covers(ConsistencyScope other) =>
        Blocksize == other.Blocksize && Hashsize == other.Hashsize && (Volumes || !other.Volumes) && (FileLists || !other.FileLists);
}

/// <summary>
/// The mark "checked, and nothing changed since". It is only set and only believed while the transaction has no uncommitted
/// changes, so that what was checked is what is committed, and no rollback, whoever does it, can change it.
/// </summary>
internal sealed class ConsistencyMemo(DatabaseSession session)
{
    // A number that changes when a table or index is made or removed.
    private const string SchemaVersion = "PRAGMA schema_version";

    private ConsistencyScope m_scope;
    private Version? m_version;

    /// <summary>True if a check that covers this one succeeded on exactly the present content.</summary>
    internal bool IsKnownGood(ConsistencyScope scope) => m_version is not null && m_scope.Covers(scope) && Read() == m_version;

    /// <summary>Sets the mark after a successful check.</summary>
    internal void Remember(ConsistencyScope scope)
    {
        m_scope = scope;
        m_version = Read();
    }

    private Version? Read()
    {
        // The first pragma begins reading if nothing does yet, so all numbers belong to one snapshot.
        var data = session.ReadNumber(HousekeepingSql.DataVersion);
        var schema = session.ReadNumber(SchemaVersion);
        return session.HasUncommittedChanges ? null : new Version(session.Statements.TotalChanges, data, schema);
    }

    /// <param name="TotalChanges">Grows with every row this connection changes, also by statements the session does not know.</param>
    /// <param name="Data">Changes with every commit of another connection.</param>
    /// <param name="Schema">Changes with every table or index made or removed.</param>
    private sealed record Version(int TotalChanges, long Data, long Schema);
}
