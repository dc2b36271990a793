// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>
/// Deletes filesets, and then every row of the database that nothing refers to any more, whatever left it behind. One ordered pass
/// over each table; child rows are found as the ranges between the ids that still exist, so that tables with one row a
/// use are only touched where rows go. Where much of a table goes it loses its indexes meanwhile; see <see cref="TableDeletion"/>.
/// </summary>
/// <remarks>Must be called with the connection lock held. Does not commit; after an exception the caller rolls back.</remarks>
internal static class FilesetDeletion
{
    // Small table, one row a version.
    private const string DeleteFileset = """DELETE FROM "Fileset" WHERE "Timestamp" = ?1""";

    // Row id.
    private const string DeleteFilesetById = """DELETE FROM "Fileset" WHERE "ID" = ?1""";

    // Small tables.
    private const string DeleteJournals = """DELETE FROM "ChangeJournalData" WHERE "FilesetID" NOT IN (SELECT "ID" FROM "Fileset")""";

    // Small tables, one row a volume and one a version.
    private const string MarkVolumes = """
        UPDATE "Remotevolume" SET "State" = 'Deleting'
        WHERE "Type" = 'Files' AND "State" IN ('Uploaded', 'Verified', 'Temporary', 'Deleting') AND "ID" NOT IN (SELECT "VolumeID" FROM "Fileset")
        """;

    // Small tables, one row a volume and one a version.
    private const string CountLeftVolumes = """
        SELECT COUNT(*) FROM "Remotevolume"
        WHERE "Type" = 'Files' AND "State" = 'Deleting' AND "ID" NOT IN (SELECT "VolumeID" FROM "Fileset")
        """;

    // Small table, one row a volume.
    private const string MarkedVolumesSql =
        """SELECT "Name", "Size" FROM "Remotevolume" WHERE "Type" = 'Files' AND "State" = 'Deleting' ORDER BY "ID" """;

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
            ("ChangeJournalData", () => session.Run(DeleteJournals)),
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
    internal static List<KeyValuePair<string, long>> Run(DatabaseSession session, DateTime[] times, DeletionLimits limits) =>
        Run(session, times.Length, () => DeleteFilesets(session, times), limits);

    /// <summary>The same for filesets by their ids, of which several may have one time.</summary>
    internal static List<KeyValuePair<string, long>> RunById(DatabaseSession session, IReadOnlyCollection<long> ids) =>
        Run(session, ids.Count, () => DeleteFilesets(session, ids), DeletionLimits.Measured);

    private static List<KeyValuePair<string, long>> Run(DatabaseSession session, int count, Func<int> delete, DeletionLimits limits)
    {
        session.BeginWriting();
        session.AnnounceRemoval();
        // Lists of versions that went before, which the remote end has refused to delete since.
        var left = session.ReadNumber(CountLeftVolumes);
        var deleted = delete();
        if (deleted != count)
            throw new Exception($"Unexpected number of deleted filesets {deleted} vs {count}");

        using var blocks = new UnusedBlocks(session, limits);
        foreach (var (_, run) in Steps(session, limits, blocks))
            run();
        var marked = session.Run(MarkVolumes) - left;
        if (marked != deleted)
            throw new Exception($"Unexpected number of remote volumes marked as deleted. Found {deleted} filesets, but {marked} volumes");
        return MarkedVolumes(session);
    }

    /// <summary>Deletes the rows of Fileset alone.</summary>
    /// <returns>How many there were.</returns>
    internal static int DeleteFilesets(DatabaseSession session, DateTime[] times)
    {
        var deleted = 0;
        using var delete = session.Take(DeleteFileset);
        foreach (var time in times)
            deleted += delete.Bind(1, Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(time)).ExecuteNonQuery();
        return deleted;
    }

    private static int DeleteFilesets(DatabaseSession session, IReadOnlyCollection<long> ids)
    {
        using var delete = session.Take(DeleteFilesetById);
        return ids.Sum(id => delete.Bind(1, id).ExecuteNonQuery());
    }

    private static List<KeyValuePair<string, long>> MarkedVolumes(DatabaseSession session)
    {
        using var rows = session.Take(MarkedVolumesSql);
        return rows.ReadAll(static row => KeyValuePair.Create(row.GetString(0)!, row.GetInt64(1, -1)));
    }
}

/// <summary>The tables that lose rows with a version, and their statements.</summary>
internal static class DeletionTables
{
    // Small table, by id.
    internal const string FilesetIds = """SELECT "ID" FROM "Fileset" ORDER BY "ID" """;

    // The key of FilesetEntry (FilesetID, FileID): a range between two filesets that exist.
    private const string DeleteEntriesBetween = """DELETE FROM "FilesetEntry" WHERE "FilesetID" > ?1 AND "FilesetID" < ?2""";

    // One scan by id; FilesetentryFileIdIndex in the same order.
    internal const string DeleteFiles = """
        DELETE FROM "FileLookup" WHERE NOT EXISTS (SELECT 1 FROM "FilesetEntry" e WHERE e."FileID" = "FileLookup"."ID")
        """;

    // One scan by id; FileLookupMetadataID in the same order.
    internal const string DeleteMetadataSql = """
        DELETE FROM "Metadataset" WHERE NOT EXISTS (SELECT 1 FROM "FileLookup" l WHERE l."MetadataID" = "Metadataset"."ID")
        """;

    // Counts the pages of two indexes. A look-up in one takes as long as reading on for so many rows.
    internal const string ManyMetadata = """SELECT (SELECT COUNT(*) FROM "Metadataset") * 4 >= (SELECT COUNT(*) FROM "FileLookup")""";

    // From an id on, by id: Metadataset and FileLookupMetadataID are read side by side.
    internal const string UnusedMetadata = """
        SELECT "ID" FROM "Metadataset" WHERE "ID" >= ?1
        EXCEPT SELECT "MetadataID" FROM "FileLookup" WHERE "MetadataID" >= ?1
        ORDER BY "ID" LIMIT ?2
        """;

    // By id.
    private const string DeleteMetadataset = """DELETE FROM "Metadataset" WHERE "ID" = ?1""";

    // One scan by id; nn_FileLookup_BlockMeta and MetadatasetBlocksetID in the same order.
    internal const string DeleteBlocksets = """
        DELETE FROM "Blockset"
        WHERE NOT EXISTS (SELECT 1 FROM "FileLookup" l WHERE l."BlocksetID" = "Blockset"."ID")
            AND NOT EXISTS (SELECT 1 FROM "Metadataset" m WHERE m."BlocksetID" = "Blockset"."ID")
        """;

    // From an id on, by id: Blockset, nn_FileLookup_BlockMeta and MetadatasetBlocksetID are read side by side.
    internal const string UnusedBlocksets = """
        SELECT "ID" FROM "Blockset" WHERE "ID" >= ?1
        EXCEPT SELECT "BlocksetID" FROM "FileLookup" WHERE "BlocksetID" >= ?1
        EXCEPT SELECT "BlocksetID" FROM "Metadataset" WHERE "BlocksetID" >= ?1
        ORDER BY "ID" LIMIT ?2
        """;

    // By id.
    private const string DeleteBlockset = """DELETE FROM "Blockset" WHERE "ID" = ?1""";

    // One scan by id.
    internal const string BlocksetIds = """SELECT "ID" FROM "Blockset" ORDER BY "ID" """;

    // The key of BlocksetEntry (BlocksetID, Index): a range between two blocksets that exist.
    private const string DeleteBlocksetEntriesBetween = """DELETE FROM "BlocksetEntry" WHERE "BlocksetID" > ?1 AND "BlocksetID" < ?2""";

    // BlocklistHashBlocksetIDIndex: a range between two blocksets that exist.
    private const string DeleteBlocklistsBetween = """DELETE FROM "BlocklistHash" WHERE "BlocksetID" > ?1 AND "BlocksetID" < ?2""";

    // Small table; stops at the first row.
    private const string AnyFileset = """SELECT 1 FROM "Fileset" LIMIT 1""";

    // Stops at the first row.
    internal const string AnyEntry = """SELECT EXISTS (SELECT 1 FROM "FilesetEntry")""";

    // Stops at the first row.
    internal const string AnyFile = """SELECT EXISTS (SELECT 1 FROM "FileLookup")""";

    // Stops at the first row.
    internal const string AnyFileOrMetadata = """SELECT EXISTS (SELECT 1 FROM "FileLookup") OR EXISTS (SELECT 1 FROM "Metadataset")""";

    // Stops at the first row.
    internal const string AnyBlockset = """SELECT 1 FROM "Blockset" LIMIT 1""";

    // The key of FilesetEntry (FilesetID, FileID).
    private const string CountEntriesBetween = """SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" > ?1 AND "FilesetID" < ?2""";

    // Stops at the row of the number that is bound.
    internal const string CountEntries = """SELECT COUNT(*) FROM (SELECT 1 FROM "FilesetEntry" LIMIT ?1)""";

    // The key of BlocksetEntry (BlocksetID, Index).
    private const string CountBlocksetEntriesBetween =
        """SELECT COUNT(*) FROM "BlocksetEntry" WHERE "BlocksetID" > ?1 AND "BlocksetID" < ?2""";

    // Stops at the row of the number that is bound.
    internal const string CountBlocksetEntries = """SELECT COUNT(*) FROM (SELECT 1 FROM "BlocksetEntry" LIMIT ?1)""";

    // By id, from both ends.
    internal const string FileEnds = """SELECT (SELECT MIN("ID") FROM "FileLookup"), (SELECT MAX("ID") FROM "FileLookup")""";

    // By id, from both ends.
    private const string MetadataEnds = """SELECT (SELECT MIN("ID") FROM "Metadataset"), (SELECT MAX("ID") FROM "Metadataset")""";

    // By id, from both ends.
    private const string BlocksetEnds = """SELECT (SELECT MIN("ID") FROM "Blockset"), (SELECT MAX("ID") FROM "Blockset")""";

    // By id; FilesetentryFileIdIndex.
    private const string SampleFile = """
        SELECT NOT EXISTS (SELECT 1 FROM "FilesetEntry" e WHERE e."FileID" = l."ID") FROM "FileLookup" l WHERE l."ID" >= ?1 ORDER BY l."ID" LIMIT 1
        """;

    // By id; FileLookupMetadataID.
    private const string SampleMetadata = """
        SELECT NOT EXISTS (SELECT 1 FROM "FileLookup" l WHERE l."MetadataID" = m."ID") FROM "Metadataset" m WHERE m."ID" >= ?1 ORDER BY m."ID" LIMIT 1
        """;

    // By id; nn_FileLookup_BlockMeta and MetadatasetBlocksetID.
    private const string SampleBlockset = """
        SELECT NOT EXISTS (SELECT 1 FROM "FileLookup" l WHERE l."BlocksetID" = b."ID") AND NOT EXISTS (SELECT 1 FROM "Metadataset" m WHERE m."BlocksetID" = b."ID")
        FROM "Blockset" b WHERE b."ID" >= ?1 ORDER BY b."ID" LIMIT 1
        """;

    internal static readonly ChildTable FilesetEntry = new(
        "FilesetEntry",
        FilesetIds,
        AnyFileset,
        DeleteEntriesBetween,
        CountEntriesBetween,
        CountEntries
    );

    internal static readonly ReferredTable FileLookup = new(
        "FileLookup",
        AnyEntry,
        DeleteFiles,
        FilesOfNoVersion.Delete,
        FileEnds,
        SampleFile
    );

    internal static readonly ReferredTable Metadataset = new(
        "Metadataset",
        AnyFile,
        DeleteMetadataSql,
        DeleteMetadata,
        MetadataEnds,
        SampleMetadata
    );

    internal static readonly ReferredTable Blockset = new(
        "Blockset",
        AnyFileOrMetadata,
        DeleteBlocksets,
        session => TableDeletion.DeleteById(session, UnusedBlocksets, DeleteBlockset),
        BlocksetEnds,
        SampleBlockset
    );

    internal static readonly ChildTable BlocksetEntry = new(
        "BlocksetEntry",
        BlocksetIds,
        AnyBlockset,
        DeleteBlocksetEntriesBetween,
        CountBlocksetEntriesBetween,
        CountBlocksetEntries
    );

    // A row for every few thousand blocks.
    internal static readonly ChildTable BlocklistHash = new("BlocklistHash", BlocksetIds, AnyBlockset, DeleteBlocklistsBetween, null, null);

    // Where many files share few metadata, it costs less to look each one up.
    private static void DeleteMetadata(DatabaseSession session)
    {
        var isSharedLittle = session.ReadNumber(ManyMetadata) != 0;
        if (isSharedLittle)
            TableDeletion.DeleteById(session, UnusedMetadata, DeleteMetadataset);
        else
            session.Run(DeleteMetadataSql);
    }
}

/// <summary>
/// From which share of a table's rows on a deletion drops indexes of the table, and builds them again for the rows that stay.
/// </summary>
internal sealed record DeletionLimits
{
    /// <summary>What is measured: where a row in an index costs as much to delete as what stays costs to sort.</summary>
    internal static readonly DeletionLimits Measured = new();

    /// <summary>Deletions of fewer rows take so little time that it does not matter.</summary>
    internal long FewestRows { get; init; } = 20_000;

    /// <summary>From which share on.</summary>
    internal double Share { get; init; } = 0.5;

    /// <summary>
    /// The same for the indexes of Block by volume and by size alone: their entries are in the order of the ids, and sorted at once.
    /// </summary>
    internal double ShareOfBlocksInOrder { get; init; } = 0.2;

    /// <summary>
    /// Rows that are sorted in memory at most, 200 MB. Where more stay the indexes stay, and more blocks that go are found by their index,
    /// which is read from start to end.
    /// </summary>
    internal long MostRowsInMemory { get; init; } = 2_000_000;

    /// <summary>
    /// The page cache while blocks go in the order of their hashes, which is not that of Block itself: each page of it is changed many
    /// times. As much as the map of blocks of a backup may take, which is given back before, and at most a quarter of the memory there is.
    /// </summary>
    internal long PageCacheBytes { get; } = QuarterOfMemory(384L << 20);

    /// <summary>Gaps between ids that are remembered at most, 16 bytes each. With more the ids are read again.</summary>
    internal int MostGaps { get; init; } = 1 << 20;

    private static long QuarterOfMemory(long most) => Math.Min(most, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 4);
}
