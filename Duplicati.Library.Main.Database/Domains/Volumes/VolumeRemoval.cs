// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Data;
using System.Linq;
using System.Threading;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Volumes;

/// <summary>
/// Removes volumes together with everything that cannot be restored without them: blocksets, metadata, files, file entries and
/// filesets. Nothing here commits; after an exception the caller must roll back.
/// </summary>
internal static class VolumeRemoval
{
    // The volumes are in the temporary table RemovedVolume.

    // Reads FilesetEntry once through FilesetentryFileIdIndex, so that the row ids of FileLookup are met in order.
    internal const string CountOrphans = """
        SELECT COUNT(*) FROM "FilesetEntry" WHERE NOT EXISTS (SELECT 1 FROM "FileLookup" WHERE "FileLookup"."ID" = "FilesetEntry"."FileID")
        """;

    // FilesetentryFileIdIndex from the deleted files; all other entries were checked before.
    private const string CountNewOrphans = """
        SELECT COUNT(*) FROM temp."RemovedFile" CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FileID" = "RemovedFile"."ID"
        """;

    // Index RemotevolumeNameOnly.
    private const string SelectVolume =
        """INSERT OR IGNORE INTO temp."RemovedVolume" ("ID") SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1""";

    // Block_IndexByVolumeId, BlocksetEntry_IndexIdsBackwards.
    private const string SelectBlocksetsByBlock = """
        INSERT OR IGNORE INTO temp."RemovedBlockset" ("ID")
        SELECT "BlocksetEntry"."BlocksetID"
        FROM temp."RemovedVolume"
        CROSS JOIN "Block" ON "Block"."VolumeID" = "RemovedVolume"."ID"
        CROSS JOIN "BlocksetEntry" ON "BlocksetEntry"."BlockID" = "Block"."ID"
        """;

    // Block_IndexByVolumeId.
    private const string HasBlocksSql = """
        SELECT 1 FROM temp."RemovedVolume" CROSS JOIN "Block" ON "Block"."VolumeID" = "RemovedVolume"."ID" LIMIT 1
        """;

    // Reads BlocklistHash, which has no index on Hash; BlockHashSize for each row.
    internal const string SelectBlocksetsByBlocklist = """
        INSERT OR IGNORE INTO temp."RemovedBlockset" ("ID")
        SELECT "BlocklistHash"."BlocksetID" FROM "BlocklistHash"
        WHERE EXISTS (
            SELECT 1 FROM "Block"
            WHERE "Block"."Hash" = "BlocklistHash"."Hash" AND "Block"."VolumeID" IN (SELECT "ID" FROM temp."RemovedVolume"))
        """;

    // MetadatasetBlocksetID, FileLookupMetadataID, FilesetentryFileIdIndex.
    private const string SelectMetadata = """
        INSERT OR IGNORE INTO temp."RemovedMetadata" ("MetadataID", "FilesetID")
        SELECT "Metadataset"."ID", "FilesetEntry"."FilesetID"
        FROM temp."RemovedBlockset"
        CROSS JOIN "Metadataset" ON "Metadataset"."BlocksetID" = "RemovedBlockset"."ID"
        CROSS JOIN "FileLookup" ON "FileLookup"."MetadataID" = "Metadataset"."ID"
        CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FileID" = "FileLookup"."ID"
        """;

    // FileLookupMetadataID.
    private const string SelectFilesByMetadata = """
        INSERT OR IGNORE INTO temp."RemovedFile" ("ID")
        SELECT "FileLookup"."ID"
        FROM (SELECT DISTINCT "MetadataID" FROM temp."RemovedMetadata") AS "Lost"
        CROSS JOIN "FileLookup" ON "FileLookup"."MetadataID" = "Lost"."MetadataID"
        """;

    // nn_FileLookup_BlockMeta.
    private const string SelectFilesByData = """
        INSERT OR IGNORE INTO temp."RemovedFile" ("ID")
        SELECT "FileLookup"."ID"
        FROM temp."RemovedBlockset" CROSS JOIN "FileLookup" ON "FileLookup"."BlocksetID" = "RemovedBlockset"."ID"
        """;

    // FilesetentryFileIdIndex.
    private const string DeleteEntries = """DELETE FROM "FilesetEntry" WHERE "FileID" IN (SELECT "ID" FROM temp."RemovedFile")""";

    // Row id.
    private const string DeleteFiles = """DELETE FROM "FileLookup" WHERE "ID" IN (SELECT "ID" FROM temp."RemovedFile")""";

    // MetadatasetBlocksetID.
    private const string DeleteMetadata = """DELETE FROM "Metadataset" WHERE "BlocksetID" IN (SELECT "ID" FROM temp."RemovedBlockset")""";

    // Row id.
    private const string DeleteBlocksets = """DELETE FROM "Blockset" WHERE "ID" IN (SELECT "ID" FROM temp."RemovedBlockset")""";

    // Primary key.
    private const string DeleteBlocksetEntries =
        """DELETE FROM "BlocksetEntry" WHERE "BlocksetID" IN (SELECT "ID" FROM temp."RemovedBlockset")""";

    // BlocklistHashBlocksetIDIndex.
    private const string DeleteBlocklists =
        """DELETE FROM "BlocklistHash" WHERE "BlocksetID" IN (SELECT "ID" FROM temp."RemovedBlockset")""";

    // Reads IndexBlockLink, about one row a volume.
    private const string DeleteLinks = """
        DELETE FROM "IndexBlockLink"
        WHERE "BlockVolumeID" IN (SELECT "ID" FROM temp."RemovedVolume") OR "IndexVolumeID" IN (SELECT "ID" FROM temp."RemovedVolume")
        """;

    // Block_IndexByVolumeId.
    private const string DeleteBlocks = """DELETE FROM "Block" WHERE "VolumeID" IN (SELECT "ID" FROM temp."RemovedVolume")""";

    // Reads DeletedBlock up to the first row that stays; it has no index on VolumeID.
    internal const string AnyOtherDeletedBlock =
        """SELECT EXISTS (SELECT 1 FROM "DeletedBlock" WHERE "VolumeID" NOT IN (SELECT "ID" FROM temp."RemovedVolume"))""";

    // Reads DeletedBlock, which has no index on VolumeID.
    internal const string DeleteDeletedBlocksSql =
        """DELETE FROM "DeletedBlock" WHERE "VolumeID" IN (SELECT "ID" FROM temp."RemovedVolume")""";

    // Reads Fileset, one row a version.
    private const string SelectFilesetsByVolume = """
        INSERT OR IGNORE INTO temp."RemovedFileset" ("ID") SELECT "ID" FROM "Fileset" WHERE "VolumeID" IN (SELECT "ID" FROM temp."RemovedVolume")
        """;

    // Primary key of FilesetEntry.
    private const string SelectEmptiedFilesets = """
        INSERT OR IGNORE INTO temp."RemovedFileset" ("ID")
        SELECT "FilesetID" FROM temp."RemovedMetadata"
        WHERE NOT EXISTS (SELECT 1 FROM "FilesetEntry" WHERE "FilesetEntry"."FilesetID" = "RemovedMetadata"."FilesetID")
        """;

    // Reads ChangeJournalData, a few rows a version.
    private const string DeleteJournal =
        """DELETE FROM "ChangeJournalData" WHERE "FilesetID" IN (SELECT "ID" FROM temp."RemovedFileset")""";

    // Primary key.
    private const string DeleteFilesetEntries =
        """DELETE FROM "FilesetEntry" WHERE "FilesetID" IN (SELECT "ID" FROM temp."RemovedFileset")""";

    // Row ids.
    private const string MarkListsForDeletion = """
        UPDATE "Remotevolume" SET "State" = 'Deleting'
        WHERE "State" IN ('Uploading', 'Uploaded', 'Verified', 'Temporary')
          AND "ID" IN (SELECT "VolumeID" FROM "Fileset" WHERE "ID" IN (SELECT "ID" FROM temp."RemovedFileset"))
        """;

    // Row id.
    private const string DeleteFilesetsSql = """DELETE FROM "Fileset" WHERE "ID" IN (SELECT "ID" FROM temp."RemovedFileset")""";

    // Row id.
    private const string DeleteVolumesSql = """
        DELETE FROM "Remotevolume"
        WHERE "ID" IN (SELECT "ID" FROM temp."RemovedVolume") AND ("DeleteGraceTime" < ?1 OR "State" <> 'Deleted')
        """;

    private static readonly string LOGTAG = Log.LogTagFromType<LocalDatabase>();

    /// <summary>Removes the named volumes; unknown names are ignored. Linear in FilesetEntry (the guard) and in what is removed.</summary>
    /// <exception cref="ConstraintException">An entry of a fileset has no file, before or after.</exception>
    internal static void Remove(DatabaseSession session, IEnumerable<string>? names, CancellationToken token)
    {
        var volumes = names?.Distinct(StringComparer.Ordinal).ToList() ?? [];
        if (volumes.Count == 0)
            return;

        session.BeginWriting();
        ThrowIfOrphans(session, CountOrphans);
        SelectVolumes(session, volumes);
        SelectContents(session);
        token.ThrowIfCancellationRequested();
        session.AnnounceRemoval();
        DeleteContents(session);
        DeleteFilesets(session);
        using (new Logging.Timer(LOGTAG, "RemoveRemoteVolumes", $"Removing {volumes.Count} rows of remote volumes"))
            DeleteVolumes(session);
        ToldStates.Of(session).Remove(volumes);

        // The first guard has seen every entry: only entries of files deleted here can be orphans now.
        ThrowIfOrphans(session, CountNewOrphans);
    }

    private static void SelectVolumes(DatabaseSession session, List<string> names)
    {
        VolumeTables.RemovedVolume.Reset(session);
        using var insert = session.Take(SelectVolume);
        foreach (var name in names)
            insert.Bind(1, name).ExecuteNonQuery();
    }

    // Everything is selected before anything is deleted, so the order of the deletions does not matter.
    private static void SelectContents(DatabaseSession session)
    {
        VolumeTables.RemovedBlockset.Reset(session);
        VolumeTables.RemovedMetadata.Reset(session);
        VolumeTables.RemovedFile.Reset(session);
        if (!HasBlocks(session))
            return;

        // The entries of each block are asked for.
        BlockIndexes.Of(session).Complete();
        session.Run(SelectBlocksetsByBlock);
        session.Run(SelectBlocksetsByBlocklist);
        session.Run(SelectMetadata);
        session.Run(SelectFilesByMetadata);
        session.Run(SelectFilesByData);
    }

    private static bool HasBlocks(DatabaseSession session) => session.ReadNumber(HasBlocksSql) == 1;

    private static void DeleteContents(DatabaseSession session)
    {
        session.Run(DeleteEntries);
        session.Run(DeleteFiles);
        session.Run(DeleteMetadata);
        session.Run(DeleteBlocksets);
        session.Run(DeleteBlocksetEntries);
        session.Run(DeleteBlocklists);
        session.Run(DeleteLinks);
        session.Run(DeleteBlocks);
        DeleteDeletedBlocks(session);
    }

    // After a deletion of all versions these are as many as there were blocks.
    private static void DeleteDeletedBlocks(DatabaseSession session)
    {
        if (HasOtherDeletedBlocks(session))
            session.Run(DeleteDeletedBlocksSql);
        else
            session.Empty("DeletedBlock");
    }

    private static bool HasOtherDeletedBlocks(DatabaseSession session) => session.ReadNumber(AnyOtherDeletedBlock) != 0;

    private static void DeleteFilesets(DatabaseSession session)
    {
        VolumeTables.RemovedFileset.Reset(session);
        session.Run(SelectFilesetsByVolume);
        // Journal and entries go only with a list volume that was asked for, not with a fileset that has merely become empty.
        session.Run(DeleteJournal);
        session.Run(DeleteFilesetEntries);
        session.Run(SelectEmptiedFilesets);
        session.Run(MarkListsForDeletion);
        session.Run(DeleteFilesetsSql);
    }

    private static void DeleteVolumes(DatabaseSession session)
    {
        using var delete = session.Take(DeleteVolumesSql);
        delete.Bind(1, Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(DateTime.UtcNow)).ExecuteNonQuery();
    }

    private static void ThrowIfOrphans(DatabaseSession session, string sql)
    {
        var orphans = session.ReadNumber(sql);
        if (orphans > 0)
            throw new ConstraintException($"Detected {orphans} file(s) in FilesetEntry without a corresponding row in FileLookup");
    }
}
