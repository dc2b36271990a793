// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>
/// Deletes filesets, and then every row of the database that nothing refers to any more, whatever left it behind. One ordered pass
/// over each table; child rows are found as the ranges between the ids that still exist, so that tables with one row a
/// use are only touched where rows go. Where much of a table goes it loses its indexes meanwhile; see <see cref="TableDeletion"/>.
/// </summary>
/// <remarks>Must be called with the session's gate held. Does not commit; after an exception the caller rolls back.</remarks>
internal static class FilesetDeletion
{
    /// <summary>
    /// What is done once filesets are gone, in the order in which rows lose what refers to them. Most steps are named by the tables they
    /// remove rows from.
    /// </summary>
    internal static IReadOnlyList<(string Name, Action Run)> Steps(DatabaseSession session, DeletionLimits limits, UnusedBlocks blocks)
    {
        var tables = new TableDeletion(session, limits);
        return
        [
            ("FilesetEntry", () => tables.DeleteChildren(DeletionTables.FilesetEntry)),
            ("ChangeJournalData", () => session.Run(DeleteSql.DeleteJournals)),
            ("FileLookup", () => tables.DeleteUnreferenced(DeletionTables.FileLookup)),
            ("Metadataset", () => tables.DeleteUnreferenced(DeletionTables.Metadataset)),
            ("Blockset", () => tables.DeleteUnreferenced(DeletionTables.Blockset)),
            ("BlocksetEntry", () => tables.DeleteChildren(DeletionTables.BlocksetEntry)),
            ("BlocklistHash", () => tables.DeleteChildren(DeletionTables.BlocklistHash)),
            ("looking for unused blocks", blocks.Find),
            ("Block", blocks.Move),
        ];
    }

    /// <summary>Deletes the filesets of the given times and marks their volumes for deletion.</summary>
    /// <returns>Name and size (-1 if unknown) of every file list that is to be deleted remotely.</returns>
    /// <exception cref="Exception">The number of filesets, or of volumes marked, is not that of the times given.</exception>
    internal static List<KeyValuePair<string, long>> Run(DatabaseSession session, DateTime[] times) =>
        Run(session, times, DeletionLimits.Measured);

    /// <summary>The same, with other limits for dropping indexes.</summary>
    internal static List<KeyValuePair<string, long>> Run(DatabaseSession session, DateTime[] times, DeletionLimits limits)
    {
        session.BeginWriting();
        var deleted = DeleteFilesets(session, times);
        if (deleted != times.Length)
            throw new Exception($"Unexpected number of deleted filesets {deleted} vs {times.Length}");

        using var blocks = new UnusedBlocks(session, limits);
        foreach (var (_, run) in Steps(session, limits, blocks))
            run();
        var marked = session.Run(DeleteSql.MarkVolumes);
        if (marked != deleted)
            throw new Exception($"Unexpected number of remote volumes marked as deleted. Found {deleted} filesets, but {marked} volumes");
        return MarkedVolumes(session);
    }

    /// <summary>Deletes the rows of Fileset alone.</summary>
    /// <returns>How many there were.</returns>
    internal static int DeleteFilesets(DatabaseSession session, DateTime[] times)
    {
        var deleted = 0;
        using var delete = session.Take(DeleteSql.DeleteFileset);
        foreach (var time in times)
            deleted += delete.Bind(1, Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(time)).ExecuteNonQuery();
        return deleted;
    }

    private static List<KeyValuePair<string, long>> MarkedVolumes(DatabaseSession session)
    {
        var volumes = new List<KeyValuePair<string, long>>();
        using var rows = session.Take(DeleteSql.MarkedVolumes);
        while (rows.Read())
            volumes.Add(KeyValuePair.Create(rows.GetString(0)!, rows.GetInt64(1, -1)));
        return volumes;
    }
}

/// <summary>The tables that lose rows with a version, and their statements.</summary>
internal static class DeletionTables
{
    internal static readonly ChildTable FilesetEntry = new(
        "FilesetEntry",
        DeleteSql.FilesetIds,
        MassDeletionSql.AnyFileset,
        DeleteSql.DeleteEntriesBetween,
        MassDeletionSql.DeleteAllEntries,
        MassDeletionSql.CountEntriesBetween,
        MassDeletionSql.CountEntries
    );

    internal static readonly ReferredTable FileLookup = new(
        "FileLookup",
        MassDeletionSql.AnyEntry,
        DeleteSql.DeleteFiles,
        FilesOfNoVersion.Delete,
        MassDeletionSql.DeleteAllFiles,
        MassDeletionSql.FileEnds,
        MassDeletionSql.SampleFile
    );

    internal static readonly ReferredTable Metadataset = new(
        "Metadataset",
        MassDeletionSql.AnyFile,
        DeleteSql.DeleteMetadata,
        DeleteMetadata,
        MassDeletionSql.DeleteAllMetadata,
        MassDeletionSql.MetadataEnds,
        MassDeletionSql.SampleMetadata
    );

    internal static readonly ReferredTable Blockset = new(
        "Blockset",
        MassDeletionSql.AnyFileOrMetadata,
        DeleteSql.DeleteBlocksets,
        session => TableDeletion.DeleteById(session, DeleteSql.UnusedBlocksets, DeleteSql.DeleteBlockset),
        MassDeletionSql.DeleteAllBlocksets,
        MassDeletionSql.BlocksetEnds,
        MassDeletionSql.SampleBlockset
    );

    internal static readonly ChildTable BlocksetEntry = new(
        "BlocksetEntry",
        DeleteSql.BlocksetIds,
        MassDeletionSql.AnyBlockset,
        DeleteSql.DeleteBlocksetEntriesBetween,
        MassDeletionSql.DeleteAllBlocksetEntries,
        MassDeletionSql.CountBlocksetEntriesBetween,
        MassDeletionSql.CountBlocksetEntries
    );

    // A row for every few thousand blocks.
    internal static readonly ChildTable BlocklistHash = new(
        "BlocklistHash",
        DeleteSql.BlocksetIds,
        MassDeletionSql.AnyBlockset,
        DeleteSql.DeleteBlocklistsBetween,
        MassDeletionSql.DeleteAllBlocklists,
        null,
        null
    );

    // Where many files share few metadata, it costs less to look each one up.
    private static void DeleteMetadata(DatabaseSession session)
    {
        bool isSharedLittle;
        using (var query = session.Take(DeleteSql.ManyMetadata))
            isSharedLittle = query.ExecuteInt64() != 0;
        if (isSharedLittle)
            TableDeletion.DeleteById(session, DeleteSql.UnusedMetadata, DeleteSql.DeleteMetadataset);
        else
            session.Run(DeleteSql.DeleteMetadata);
    }
}
