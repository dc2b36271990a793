// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Compact;

/// <summary>Puts index volumes behind the last of the block volumes they describe, for deletion in that order.</summary>
internal static class IndexVolumes
{
    // Small table, one row an index volume; Remotevolume by id.
    private const string Links = """
        SELECT i."ID", i."Name", i."Hash", i."Size", v."Name"
        FROM "IndexBlockLink" l
        CROSS JOIN "Remotevolume" i ON i."ID" = l."IndexVolumeID"
        CROSS JOIN "Remotevolume" v ON v."ID" = l."BlockVolumeID"
        WHERE i."Hash" IS NOT NULL AND i."Size" IS NOT NULL
        """;

    private sealed record IndexVolume(long Id, IRemoteVolume Volume, HashSet<string> BlockVolumes);

    /// <summary>Each volume once, followed by the index volumes that then describe nothing any more.</summary>
    internal static List<IRemoteVolume> Interleave(DatabaseSession session, IEnumerable<IRemoteVolume> volumes)
    {
        var indexes = ByBlockVolume(session);
        var result = new List<IRemoteVolume>();
        foreach (var volume in volumes.Distinct())
        {
            result.Add(volume);
            if (!indexes.TryGetValue(volume.Name, out var linked))
                continue;

            foreach (var index in linked.OrderBy(x => x.Id))
            {
                if (index.BlockVolumes.Remove(volume.Name) && index.BlockVolumes.Count == 0)
                    result.Add(index.Volume);
            }
        }

        return result;
    }

    private static Dictionary<string, List<IndexVolume>> ByBlockVolume(DatabaseSession session)
    {
        var indexes = new Dictionary<long, IndexVolume>();
        var result = new Dictionary<string, List<IndexVolume>>(StringComparer.Ordinal);
        using var rows = session.Take(Links);
        while (rows.Read())
        {
            var id = rows.GetInt64(0);
            if (!indexes.TryGetValue(id, out var index))
                indexes.Add(
                    id,
                    index = new IndexVolume(
                        id,
                        new RemoteVolume(rows.GetString(1)!, rows.GetString(2)!, rows.GetInt64(3)),
                        new HashSet<string>(StringComparer.Ordinal)
                    )
                );
            var name = rows.GetString(4)!;
            if (!index.BlockVolumes.Add(name))
                continue;

            if (!result.TryGetValue(name, out var linked))
                result.Add(name, linked = []);
            linked.Add(index);
        }

        return result;
    }
}
