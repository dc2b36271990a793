using Duplicati.Benchmarks.Micro.Operations;

namespace Duplicati.Benchmarks.History;

/// <summary>All operations that are measured, in the order of the table.</summary>
internal static class HistoryOperations
{
    private const int ListedPages = 10;

    public static IReadOnlyList<HistoryOperation> All { get; } =
    [
        HistoryBackup.Unchanged,
        HistoryBackup.Changed,
        HistoryListings.Versions,
        HistoryListings.Folder,
        HistoryOperation.Of(
            "ten pages of fifty folders", "content of a file of the folders, or entry", shape => ListedPages * VersionedBackup.Folders * shape.RowsOfFolder, shape => new ListPages { Versions = shape.Versions }),
        HistoryListings.FileVersions,
        HistoryListings.Find,
        HistoryOperation.Of("changes between oldest and newest", "entry of the two", shape => 2 * shape.EntriesPerVersion, shape => new ListChanges { Versions = shape.Versions }),
        HistoryOperation.Of("lists of a restore", "entry of the version", shape => shape.EntriesPerVersion, shape => new PrepareRestore { Versions = shape.Versions }),
        HistoryOperation.Of("filter of a purge", "entry of the version", shape => shape.EntriesPerVersion, shape => new PurgeFiles { Versions = shape.Versions }),
        HistoryOperation.Of("delete of the oldest tenth", "entry or content that goes", shape => Going(shape, shape.Versions / 10), shape => new DeleteVersions { Versions = shape.Versions }, changes: true),
        HistoryOperation.Of("delete of the oldest version", "entry or content that goes", shape => Going(shape, 1), shape => new DeleteVersions { Versions = shape.Versions, Oldest = 1 }, changes: true),
        HistoryOperation.Of(
            "report of a compact", "block, or content of a file", shape => shape.Backup.Live + shape.Backup.Deleted + shape.Contents, shape => new ReportCompact { Versions = shape.Versions }),
        HistoryOperation.Of("volumes for a test", "volume", shape => shape.Volumes, shape => new SelectTestVolumes { Versions = shape.Versions }),
        HistoryOperation.Of(
            "check of the consistency", "entry, block, or content of a file", shape => shape.Entries + shape.Backup.Live + shape.Contents, shape => new CheckConsistency { Versions = shape.Versions }),
        HistoryUpkeep.Repair,
        HistoryUpkeep.Vacuum,
    ];

    private static long Going(HistoryShape shape, int versions) => versions * (shape.EntriesPerVersion + shape.Backup.Changed);
}
