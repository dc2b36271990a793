// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>The volumes that missing blocks are in.</summary>
internal static class MissingVolumes
{
    // One scan of the block list.
    private const string MissingOfVolumes = """SELECT "VolumeID", "Index" FROM temp."RestoreBlock" WHERE "Restored" = 0""";

    // By id.
    private const string Volume = """SELECT "Name", "Hash", "Size" FROM "Remotevolume" WHERE "ID" = ?1""";

    /// <summary>Reads them, those first whose highest needed block index is lowest, so that the fronts of files come first.</summary>
    internal static IReadOnlyList<IRemoteVolume> Read(DatabaseSession session)
    {
        var highest = HighestIndexes(session);
        var volumes = new List<IRemoteVolume>(highest.Count);
        using var rows = session.Take(Volume);
        foreach (var (id, _) in highest.OrderBy(x => x.Value).ThenBy(x => x.Key))
        {
            if (rows.Bind(1, id).Read())
                volumes.Add(new RemoteVolume(rows.GetString(0)!, rows.GetString(1)!, rows.GetInt64(2, -1)));
            rows.Reset();
        }

        return volumes;
    }

    private static Dictionary<long, long> HighestIndexes(DatabaseSession session)
    {
        var highest = new Dictionary<long, long>();
        using var rows = session.Take(MissingOfVolumes);
        while (rows.Read())
        {
            var (volume, index) = (rows.GetInt64(0), rows.GetInt64(1));
            if (!highest.TryGetValue(volume, out var known) || index > known)
                highest[volume] = index;
        }

        return highest;
    }
}
