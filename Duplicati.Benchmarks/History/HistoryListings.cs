using Duplicati.Benchmarks.Micro.Operations;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.History;

/// <summary>What a user looks at: the versions, folders, the versions of a file, and a search.</summary>
internal static class HistoryListings
{
    private const int FoldersListed = 50;
    private const int VersionsListed = 10;
    private const int FilesListed = 20;

    /// <summary>All versions with their numbers of entries and their bytes.</summary>
    public static HistoryOperation Versions => Operation(
        "list of all versions",
        "entry",
        shape => shape.Entries,
        async (database, _) =>
        {
            var sum = 0L;
            await foreach (var version in database.ListFilesetsExtendedAsync(default).ConfigureAwait(false))
                sum += (version.FileCount ?? 0) + (version.FileSizes ?? 0);
            return sum;
        },
        static (plain, _) =>
        {
            var sum = 0L;
            plain.Read(HistorySql.Versions, row => sum += row.GetInt64(3) + row.GetInt64(4));
            return sum;
        });

    /// <summary>Fifty folders, each in ten versions, a folder a call.</summary>
    public static HistoryOperation Folder => Operation(
        "list of one folder",
        "content of a file of the folder, or entry",
        shape => VersionsListed * FoldersListed * shape.RowsOfFolder,
        async (database, shape) =>
        {
            var sum = 0L;
            foreach (var (version, folder) in FolderCalls(shape))
            {
                var page = await database.ListFolderAsync([folder], version, 0, 0, default).ConfigureAwait(false);
                sum += page.Items.Sum(item => 1 + item.Size);
            }

            return sum;
        },
        static (plain, shape) =>
        {
            var sum = 0L;
            foreach (var (version, folder) in FolderCalls(shape))
                plain.Read(HistorySql.Folder, row => sum += 1 + row.GetInt64(3), version, folder);
            return sum;
        });

    /// <summary>Twenty files, each in all versions, a file a call.</summary>
    public static HistoryOperation FileVersions => Operation(
        "versions of one file",
        "version of a file",
        shape => (long)FilesListed * shape.Versions,
        async (database, shape) =>
        {
            var sum = 0L;
            foreach (var name in FilesAsked(shape))
            {
                var page = await database.ListFileVersionsAsync([name], null, 0, 0, default).ConfigureAwait(false);
                sum += page.Items.Sum(item => Fold(item.Size, item.Time));
            }

            return sum;
        },
        static (plain, shape) =>
        {
            var sum = 0L;
            foreach (var name in FilesAsked(shape))
                plain.Read(HistorySql.FileVersions, row => sum += Fold(row.GetInt64(3), EpochTime(row.GetInt64(5))), name);
            return sum;
        });

    /// <summary>A search through all versions by a pattern that one in a thousand files fits.</summary>
    public static HistoryOperation Find => Operation(
        "search by a pattern",
        "path, or entry found",
        shape => shape.Contents + (shape.Fitting * shape.Versions),
        async (database, shape) =>
        {
            var page = await database.SearchEntriesAsync(null, new FilterExpression(shape.Pattern), true, null, false, 0, 0, default).ConfigureAwait(false);
            return page.Items.Sum(item => Fold(item.Size, item.Time));
        },
        static (plain, shape) =>
        {
            var sum = 0L;
            plain.Read(HistorySql.Find, row => sum += Fold(row.GetInt64(3), EpochTime(row.GetInt64(5))), shape.Pattern);
            return sum;
        });

    private static HistoryOperation Operation(string name, string row, Func<HistoryShape, long> rows, Func<LocalListDatabase, HistoryShape, Task<long>> door, Func<PlainStatements, HistoryShape, long> plain) => new()
    {
        Name = name,
        Row = row,
        Rows = rows,
        Open = async path => await LocalListDatabase.CreateAsync(path, null, default).ConfigureAwait(false),
        Door = (database, shape) => door((LocalListDatabase)database, shape),
        Plain = plain,
    };

    private static IEnumerable<(long Version, long Folder)> FolderCalls(HistoryShape shape) =>
        from version in Enumerable.Range(0, VersionsListed)
        from folder in Enumerable.Range(1, FoldersListed)
        select (1 + (version * (shape.Versions - 1L) / (VersionsListed - 1)), (long)folder);

    private static IEnumerable<string> FilesAsked(HistoryShape shape) =>
        Enumerable.Range(0, FilesListed).Select(file => HistoryShape.NameOf((int)((long)file * shape.Backup.FilesPerVersion / FilesListed)));

    private static DateTime EpochTime(long seconds) => DateTimeOffset.FromUnixTimeSeconds(seconds).UtcDateTime;

    private static long Fold(long size, DateTime time) => size + (time.Ticks / TimeSpan.TicksPerSecond);
}
