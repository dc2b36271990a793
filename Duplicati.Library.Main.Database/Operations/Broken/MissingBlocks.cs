// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Main.Database.Volumes;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Broken;

/// <summary>Forgets what lies in volumes that are lost, and replaces metadata that was lost with them.</summary>
internal static class MissingBlocks
{
    // Both tables have one row a volume.
    private const string OrphanedIndexesSql = """
        SELECT "Name", IFNULL("Hash", ''), IFNULL("Size", -1)
        FROM "Remotevolume"
        WHERE "Type" = 'Index' AND "ID" NOT IN (SELECT "IndexVolumeID" FROM "IndexBlockLink")
        ORDER BY "ID"
        """;

    // Part of the key of FilesetEntry, FileLookup and Metadataset by id, key of BlocksetEntry, BlocklistHashBlocksetIDIndex, and as the
    // conditions say. The text that is kept of the lost content would be shown for the replacement.
    private const string ReplaceMetadataSql = $"""
        UPDATE "Metadataset" SET "BlocksetID" = ?2, "Content" = NULL
        WHERE "ID" IN ({LostMetadata})
        """;

    // As above.
    private const string AnyLostMetadata = $"SELECT EXISTS ({LostMetadata})";

    // By id.
    private const string FindBlockset = """SELECT 1 FROM "Blockset" WHERE "ID" = ?1""";

    private const string LostMetadata = $"""
        SELECT l."MetadataID"
        FROM "FilesetEntry" f
        CROSS JOIN "FileLookup" l ON l."ID" = f."FileID"
        CROSS JOIN "Metadataset" m ON m."ID" = l."MetadataID"
        WHERE f."FilesetID" = ?1 AND (
            NOT EXISTS (SELECT 1 FROM "BlocksetEntry" e WHERE e."BlocksetID" = m."BlocksetID")
            OR EXISTS (SELECT 1 FROM "BlocksetEntry" e WHERE e."BlocksetID" = m."BlocksetID" AND {BrokenFiles.IsLostEntry})
            OR EXISTS (SELECT 1 FROM "BlocklistHash" h WHERE h."BlocksetID" = m."BlocksetID" AND {BrokenFiles.IsLostBlocklist}))
        """;

    // One row a volume.
    private const string DeleteLinks = """DELETE FROM "IndexBlockLink" WHERE "IndexVolumeID" = ?1 OR "BlockVolumeID" = ?1""";

    // Block_IndexByVolumeId.
    private const string DeleteBlocks = """DELETE FROM "Block" WHERE "VolumeID" = ?1""";

    // One pass over the table for all volumes together, through the list of removed volumes.
    internal const string DeleteDuplicates = """DELETE FROM "DuplicateBlock" WHERE "VolumeID" IN (SELECT "ID" FROM temp."RemovedVolume")""";

    // By id.
    private const string SelectVolume = """INSERT OR IGNORE INTO temp."RemovedVolume" ("ID") VALUES (?1)""";

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
        using (var links = session.Take(DeleteLinks))
        using (var blocks = session.Take(DeleteBlocks))
        using (var select = session.Take(SelectVolume))
        {
            foreach (var id in ids)
            {
                links.Bind(1, id).ExecuteNonQuery();
                blocks.Bind(1, id).ExecuteNonQuery();
                select.Bind(1, id).ExecuteNonQuery();
            }
        }

        session.Run(VolumeRemoval.DeleteDeletedBlocksSql);
        session.Run(DeleteDuplicates);
    }

    /// <summary>Points metadata of the fileset that cannot be rebuilt, or have no content, at a replacement.</summary>
    /// <returns>Number of metadata sets changed.</returns>
    /// <exception cref="UserInformationException">Help id <c>ReplacementMetadataNotUsable</c>: something is to be replaced, and there is no
    /// such replacement.</exception>
    internal static int ReplaceMetadata(DatabaseSession session, long filesetId, long emptyBlocksetId)
    {
        // Who only reads asks for no lock.
        if (!Exists(session, AnyLostMetadata, filesetId))
            return 0;

        session.BeginWriting();
        if (!Exists(session, FindBlockset, emptyBlocksetId))
            throw new UserInformationException(
                $"The content {emptyBlocksetId}, which is to replace lost metadata, is not there.",
                "ReplacementMetadataNotUsable"
            );
        using var update = session.Take(ReplaceMetadataSql);
        return update.Bind(1, filesetId).Bind(2, emptyBlocksetId).ExecuteNonQuery();
    }

    private static bool Exists(DatabaseSession session, string sql, long id)
    {
        using var any = session.Take(sql);
        return any.Bind(1, id).ExecuteInt64() == 1;
    }

    /// <summary>Index volumes that no link mentions.</summary>
    internal static List<RemoteVolume> OrphanedIndexes(DatabaseSession session)
    {
        using var rows = session.Take(OrphanedIndexesSql);
        return rows.ReadAll(static row => new RemoteVolume(row.GetString(0)!, row.GetString(1)!, row.GetInt64(2)));
    }
}
