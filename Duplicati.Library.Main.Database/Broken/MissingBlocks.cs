// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Main.Database.Volumes;

namespace Duplicati.Library.Main.Database.Broken;

/// <summary>Forgets what lies in volumes that are lost, and replaces metadata that was lost with them.</summary>
internal static class MissingBlocks
{
    /// <summary>Removes links and all blocks (live, deleted, duplicate) of the named volumes; unknown names are ignored.</summary>
    internal static void Remove(DatabaseSession session, IEnumerable<string>? names)
    {
        var wanted = names?.ToList() ?? [];
        // Who only reads asks for no lock.
        if (wanted.Count == 0 || VolumeReads.Ids(session, wanted).Count == 0)
            return;

        session.BeginWriting();
        var ids = VolumeReads.Ids(session, wanted).ConvertAll(x => x.Value);
        VolumeTables.RemovedVolume.Reset(session);
        using (var links = session.Take(BrokenSql.DeleteLinks))
        using (var blocks = session.Take(BrokenSql.DeleteBlocks))
        using (var select = session.Take(BrokenSql.SelectVolume))
        {
            foreach (var id in ids)
            {
                links.Bind(1, id).ExecuteNonQuery();
                blocks.Bind(1, id).ExecuteNonQuery();
                select.Bind(1, id).ExecuteNonQuery();
            }
        }

        session.Run(BrokenSql.DeleteDeletedBlocks);
        session.Run(BrokenSql.DeleteDuplicates);
    }

    /// <summary>Points metadata of the fileset that has no existing block at a replacement.</summary>
    /// <returns>Number of metadata sets changed.</returns>
    internal static int ReplaceMetadata(DatabaseSession session, long filesetId, long emptyBlocksetId)
    {
        using var update = session.Take(BrokenSql.ReplaceMetadata);
        return update.Bind(1, filesetId).Bind(2, emptyBlocksetId).ExecuteNonQuery();
    }

    /// <summary>Index volumes that no link mentions.</summary>
    internal static List<RemoteVolume> OrphanedIndexes(DatabaseSession session)
    {
        var result = new List<RemoteVolume>();
        using var rows = session.Take(BrokenSql.OrphanedIndexes);
        while (rows.Read())
            result.Add(new RemoteVolume(rows.GetString(0)!, rows.GetString(1)!, rows.GetInt64(2)));
        return result;
    }
}
