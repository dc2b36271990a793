// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Access;

/// <summary>What a database that is about to be replaced knows.</summary>
internal sealed class KnownDatabase
{
    /// <summary>
    /// A row a version that has arrived, or of which entries are known (of an interrupted backup, or one whose list has lost its row). Its
    /// volume by row id, and its entries by their key.
    /// </summary>
    private const string VERSIONS = """
        SELECT "Fileset"."Timestamp", (SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetEntry"."FilesetID" = "Fileset"."ID") AS "Entries"
        FROM "Fileset" LEFT JOIN "Remotevolume" ON "Remotevolume"."ID" = "Fileset"."VolumeID"
        WHERE IFNULL("Remotevolume"."State", '') NOT IN ('Deleting', 'Deleted')
            AND ("Remotevolume"."State" IN ('Uploaded', 'Verified') OR "Entries" > 0)
        """;

    // Numbers of entries, by time.
    private readonly Dictionary<long, long> m_versions = [];
    private readonly bool m_isWhole;

    private KnownDatabase(SqliteConnection connection)
    {
        foreach (var (time, entries) in DumpQuery.Rows(connection, VERSIONS, x => (x.GetInt64(0), x.GetInt64(1))))
            m_versions[time] = Math.Max(entries, m_versions.GetValueOrDefault(time));
        m_isWhole =
            !LostBlocksMark.IsForGood(connection)
            && !DumpQuery.Rows(connection, UnfinishedRecreate.READ, x => x.GetString(0), ("$key", RecreateMark.UpstreamsKey)).Any();
    }

    /// <summary>Reads it; null if it cannot be read.</summary>
    internal static KnownDatabase? Read(string path) => PlainConnection.TryRead(path, x => new KnownDatabase(x));

    /// <summary>
    /// Whether this one may know anything that a new one does not: of a version or its entries, or of blocks that are in no volume,
    /// which it may find elsewhere.
    /// </summary>
    internal bool Knows(KnownDatabase? made, bool isBroken) =>
        made is null || m_versions.Any(x => made.m_versions.GetValueOrDefault(x.Key, -1) < x.Value) || (isBroken && m_isWhole);
}
