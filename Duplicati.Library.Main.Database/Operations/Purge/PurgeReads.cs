// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Purge;

/// <summary>Questions to ask before purging.</summary>
internal static class PurgeReads
{
    // Row ids of Fileset and Remotevolume.
    private const string ListVolumeSql = """
        SELECT v."Name" FROM "Fileset" f CROSS JOIN "Remotevolume" v ON v."ID" = f."VolumeID" WHERE f."ID" = ?1
        """;

    // Reads FileLookup once, by id instead of a smaller index, so that FilesetentryFileIdIndex is met in the same order.
    internal const string CountOrphansSql = """
        SELECT COUNT(*) FROM "FileLookup" l NOT INDEXED WHERE NOT EXISTS (SELECT 1 FROM "FilesetEntry" e WHERE e."FileID" = l."ID")
        """;

    /// <summary>Name of the list volume of a fileset.</summary>
    /// <exception cref="Exception">There is no such fileset, or its volume is unknown.</exception>
    internal static string ListVolume(DatabaseSession session, long filesetId)
    {
        using var row = session.Take(ListVolumeSql);
        if (!row.Bind(1, filesetId).Read())
            throw new Exception($"No remote volume found for fileset with id {filesetId}");
        return row.GetString(0) ?? throw new Exception($"Remote volume name for fileset with id {filesetId} is null");
    }

    /// <summary>Number of files that no fileset refers to. Linear in the number of files.</summary>
    internal static long CountOrphans(DatabaseSession session) => session.ReadNumber(CountOrphansSql);
}
