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
    private static readonly string LOGTAG = Log.LogTagFromType<LocalDatabase>();

    /// <summary>Removes the named volumes; unknown names are ignored. Linear in FilesetEntry (the guard) and in what is removed.</summary>
    /// <exception cref="ConstraintException">An entry of a fileset has no file, before or after.</exception>
    internal static void Remove(DatabaseSession session, IEnumerable<string>? names, CancellationToken token)
    {
        var volumes = names?.Distinct(StringComparer.Ordinal).ToList() ?? [];
        if (volumes.Count == 0)
            return;

        session.BeginWriting();
        ThrowIfOrphans(session, VolumeRemovalSql.CountOrphans);
        SelectVolumes(session, volumes);
        SelectContents(session);
        token.ThrowIfCancellationRequested();
        DeleteContents(session);
        DeleteFilesets(session);
        using (new Logging.Timer(LOGTAG, "RemoveRemoteVolumes", $"Removing {volumes.Count} rows of remote volumes"))
            DeleteVolumes(session);
        ToldStates.Of(session).Remove(volumes);

        // The first guard has seen every entry: only entries of files deleted here can be orphans now.
        ThrowIfOrphans(session, VolumeRemovalSql.CountNewOrphans);
    }

    private static void SelectVolumes(DatabaseSession session, List<string> names)
    {
        VolumeTables.RemovedVolume.Reset(session);
        using var insert = session.TakeDirect(VolumeRemovalSql.SelectVolume);
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
        session.Run(VolumeRemovalSql.SelectBlocksetsByBlock);
        session.Run(VolumeRemovalSql.SelectBlocksetsByBlocklist);
        session.Run(VolumeRemovalSql.SelectMetadata);
        session.Run(VolumeRemovalSql.SelectFilesByMetadata);
        session.Run(VolumeRemovalSql.SelectFilesByData);
    }

    private static bool HasBlocks(DatabaseSession session) => session.ReadNumberDirect(VolumeRemovalSql.HasBlocks) == 1;

    private static void DeleteContents(DatabaseSession session)
    {
        session.Run(VolumeRemovalSql.DeleteEntries);
        session.Run(VolumeRemovalSql.DeleteFiles);
        session.Run(VolumeRemovalSql.DeleteMetadata);
        session.Run(VolumeRemovalSql.DeleteBlocksets);
        session.Run(VolumeRemovalSql.DeleteBlocksetEntries);
        session.Run(VolumeRemovalSql.DeleteBlocklists);
        session.Run(VolumeRemovalSql.DeleteLinks);
        session.Run(VolumeRemovalSql.DeleteBlocks);
        DeleteDeletedBlocks(session);
    }

    // After a deletion of all versions these are as many as there were blocks.
    private static void DeleteDeletedBlocks(DatabaseSession session)
    {
        if (HasOtherDeletedBlocks(session))
            session.Run(VolumeRemovalSql.DeleteDeletedBlocks);
        else
            session.Empty("DeletedBlock", VolumeRemovalSql.DeleteAllDeletedBlocks);
    }

    private static bool HasOtherDeletedBlocks(DatabaseSession session) =>
        session.ReadNumberDirect(VolumeRemovalSql.AnyOtherDeletedBlock) != 0;

    private static void DeleteFilesets(DatabaseSession session)
    {
        VolumeTables.RemovedFileset.Reset(session);
        session.Run(VolumeRemovalSql.SelectFilesetsByVolume);
        // Journal and entries go only with a list volume that was asked for, not with a fileset that has merely become empty.
        session.Run(VolumeRemovalSql.DeleteJournal);
        session.Run(VolumeRemovalSql.DeleteFilesetEntries);
        session.Run(VolumeRemovalSql.SelectEmptiedFilesets);
        session.Run(VolumeRemovalSql.MarkListsForDeletion);
        session.Run(VolumeRemovalSql.DeleteFilesets);
    }

    private static void DeleteVolumes(DatabaseSession session)
    {
        using var delete = session.TakeDirect(VolumeRemovalSql.DeleteVolumes);
        delete.Bind(1, Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(DateTime.UtcNow)).ExecuteNonQuery();
    }

    private static void ThrowIfOrphans(DatabaseSession session, string sql)
    {
        var orphans = session.ReadNumberDirect(sql);
        if (orphans > 0)
            throw new ConstraintException($"Detected {orphans} file(s) in FilesetEntry without a corresponding row in FileLookup");
    }
}
