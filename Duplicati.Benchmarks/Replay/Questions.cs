// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Replay;

/// <summary>What is asked for.</summary>
internal sealed record AskedFor
{
    /// <summary>Id of the newest version.</summary>
    public required long Newest { get; init; }

    /// <summary>Ids of the versions in which folders are listed.</summary>
    public IReadOnlyList<long> Versions { get; init; } = [];

    /// <summary>Folders, with a separator at the end.</summary>
    public IReadOnlyList<string> Folders { get; init; } = [];

    /// <summary>Names of files.</summary>
    public IReadOnlyList<string> Names { get; init; } = [];

    /// <summary>What a search looks for in full paths.</summary>
    public string Pattern { get; init; } = "*1*";

    /// <summary>Times of the versions that are deleted.</summary>
    public IReadOnlyList<long> Deleted { get; init; } = [];

    /// <summary>Bytes in a block.</summary>
    public required int BlockSize { get; init; }

    /// <summary>Bytes in a volume.</summary>
    public required long VolumeSize { get; init; }

    /// <summary>Bytes up to which a volume is small.</summary>
    public long Small { get; init; }

    /// <summary>Percent of waste from which on a volume is rewritten; core's own choice.</summary>
    public int Waste { get; init; } = 25;

    /// <summary>Hashes that fit in one blocklist.</summary>
    public int HashesInList => BlockSize / RecordedBackup.HashBytes;

    /// <summary>What a whole operation on a recorded backup asks.</summary>
    public static AskedFor Of(RecordedBackup backup, long volumeSize)
    {
        const int Files = 20;
        var files = backup.Versions[^1].Entries.Select(entry => entry.File).ToList();
        return new AskedFor
        {
            Newest = backup.Versions.Count,
            Versions = [backup.Versions.Count],
            Folders = [.. files.Select(file => file.Prefix).Distinct()],
            Names = [.. files.Where(file => file.Content is not null).Select(file => file.Name).Distinct().Take(Files)],
            BlockSize = backup.BlockSize,
            VolumeSize = volumeSize,
            Small = volumeSize / 5,
        };
    }
}

/// <summary>
/// What is asked of a whole database, by the members of this layer that core calls and by the statements of the contract's definitions. An
/// answer is a sum over all rows that does not depend on their order; two ways that answer the same have equal sums.
/// </summary>
/// <param name="Operation">The name of the operation, as its row has it.</param>
/// <param name="Open">Opens the type of database that core uses.</param>
/// <param name="Layer">By the members; commits what is to be kept.</param>
/// <param name="Plain">By the statements.</param>
internal sealed record Question(
    string Operation,
    Func<string, Task<LocalDatabase>> Open,
    Func<LocalDatabase, AskedFor, Task<long>> Layer,
    Func<PlainCalls, AskedFor, long> Plain
)
{
    /// <summary>All versions with their numbers of entries and their bytes.</summary>
    public static readonly Question Versions = new(
        "List",
        OpenList,
        async (database, _) =>
            await List(database)
                .ListFilesetsExtendedAsync(default)
                .Select(x => (long)HashCode.Combine(x.Time, x.FileCount!.Value, x.FileSizes!.Value))
                .SumAsync(),
        (plain, _) => plain.Statements.Sum(PlainSql.Versions, row => HashCode.Combine(Time(row, 1), row.GetInt64(3), row.GetInt64(4)))
    );

    /// <summary>What is in each of some folders, a folder and version a call.</summary>
    public static readonly Question Folders = new(
        "List",
        OpenList,
        async (database, asked) =>
        {
            var answer = 0L;
            foreach (var (version, folder) in Calls(asked))
            {
                var ids = await List(database).GetPrefixIdsAsync([folder], default).ToListAsync();
                var page = await List(database).ListFolderAsync(ids, version, 0, 0, default);
                answer += page.Items.Sum(x => (long)HashCode.Combine(x.Path, x.Size, x.LastModified.Ticks));
            }

            return answer;
        },
        (plain, asked) =>
            Calls(asked)
                .Sum(call =>
                    plain.Statements.Sum(
                        PlainSql.Folder,
                        row => HashCode.Combine(row.GetString(1), row.GetInt64(3), row.GetInt64(4)),
                        call.Version,
                        plain.PrefixId(call.Folder)
                    )
                )
    );

    /// <summary>Some files in all versions, a file a call.</summary>
    public static readonly Question FileVersions = new(
        "List",
        OpenList,
        async (database, asked) =>
        {
            var answer = 0L;
            foreach (var name in asked.Names)
                answer += (await List(database).ListFileVersionsAsync([name], null, 0, 0, default)).Items.Sum(x =>
                    (long)HashCode.Combine(x.Time, x.Size, x.LastModified.Ticks)
                );
            return answer;
        },
        (plain, asked) =>
            asked.Names.Sum(name =>
                plain.Statements.Sum(PlainSql.FileVersions, row => HashCode.Combine(Time(row, 5), row.GetInt64(3), row.GetInt64(4)), name)
            )
    );

    /// <summary>A search through all versions by a pattern.</summary>
    public static readonly Question Find = new(
        "List",
        OpenList,
        async (database, asked) =>
        {
            var filter = new FilterExpression(asked.Pattern);
            var found = await List(database).SearchEntriesAsync(null, filter, true, null, false, 0, 0, default);
            return found.Items.Sum(x => (long)HashCode.Combine(x.Path, x.Time));
        },
        (plain, asked) =>
            plain.Statements.Sum(PlainSql.Find, row => HashCode.Combine(row.GetString(6) + row.GetString(1), Time(row, 5)), asked.Pattern)
    );

    /// <summary>The files of the newest version with their target paths, the blocks that they need, and where those are.</summary>
    public static readonly Question RestoreLists = new(
        "Restore",
        async path => await LocalRestoreDatabase.CreateAsync(path, null, default),
        async (opened, _) =>
        {
            var database = (LocalRestoreDatabase)opened;
            await database.PrepareRestoreFilelistAsync(DateTime.UtcNow, null, null, true, default);
            await database.SetTargetPathsAsync(RecordedBackup.Source, "/target/", default);
            await database.FindMissingBlocksAsync(false, default);
            return await database
                .GetBlocksAndVolumeIDsAsync(false, default)
                .Select(x => (long)HashCode.Combine(x.Item1, x.Item2))
                .SumAsync();
        },
        (plain, _) =>
        {
            foreach (var step in PlainSql.RestoreLists)
                plain.Statements.Execute(step);
            plain.Statements.Scalar(PlainSql.CountRestoredFiles);
            plain.Statements.Scalar(PlainSql.SumRestoredBlocks);
            var answer = plain.Statements.Sum(PlainSql.RestoreNeeds, row => HashCode.Combine(row.GetInt64(0), row.GetInt64(1)));
            // Disposing commits here, by definition.
            plain.Commit();
            return answer;
        }
    );

    /// <summary>Versions are deleted, with everything that nothing else refers to.</summary>
    public static readonly Question Delete = new(
        "Delete",
        async path => await LocalDeleteDatabase.CreateAsync(path, "Delete", null, default),
        async (opened, asked) =>
        {
            var times = asked.Deleted.Select(time => DateTimeOffset.FromUnixTimeSeconds(time).UtcDateTime).ToArray();
            var answer = await ((LocalDeleteDatabase)opened)
                .DropFilesetsFromTableAsync(times, default)
                .Select(x => (long)HashCode.Combine(x.Key, x.Value))
                .SumAsync();
            await opened.CommitAsync(default);
            return answer;
        },
        (plain, asked) =>
        {
            foreach (var time in asked.Deleted)
                plain.Statements.Execute(PlainSql.DeleteFileset, time);
            foreach (var cascade in PlainSql.DeleteCascade)
                plain.Statements.Execute(cascade);
            var answer = plain.Statements.Sum(PlainSql.DeletingLists, row => HashCode.Combine(row.GetString(0), row.GetInt64(1)));
            plain.Commit();
            return answer;
        }
    );

    /// <summary>What a compact would delete and rewrite.</summary>
    public static readonly Question CompactReport = new(
        "Compact",
        async path => await LocalDeleteDatabase.CreateAsync(path, "Compact", null, default),
        async (opened, asked) =>
        {
            const int MostSmall = 20;
            var database = (LocalDeleteDatabase)opened;
            var report = await database.GetCompactReportAsync(asked.VolumeSize, asked.Waste, asked.Small, MostSmall, default);
            return report.DeleteableVolumes.Sum(x => (long)HashCode.Combine(x, "delete"))
                + report.CompactableVolumes.Sum(x => (long)HashCode.Combine(x, "rewrite"));
        },
        (plain, asked) =>
        {
            plain.Statements.Execute(PlainSql.VolumeUse);
            return plain.Statements.Sum(
                PlainSql.Volumes,
                row =>
                {
                    var (active, wasted) = (row.GetInt64(1), row.GetInt64(2));
                    return active <= 0 ? HashCode.Combine(row.GetString(0), "delete")
                        : IsWasteful(asked, wasted, active + wasted) || row.GetInt64(3) <= asked.Small
                            ? HashCode.Combine(row.GetString(0), "rewrite")
                        : 0;
                }
            );
        }
    );

    /// <summary>What was added, deleted and modified between the oldest and the newest version.</summary>
    public static readonly Question Changes = new(
        "ListChanges",
        async path => await LocalListChangesDatabase.CreateAsync(path, null, default),
        async (opened, asked) =>
        {
            await using var storage = await ((LocalListChangesDatabase)opened).CreateStorageHelperAsync(default);
            await storage.AddFromDbAsync(1, false, new FilterExpression(), default);
            await storage.AddFromDbAsync(asked.Newest, true, new FilterExpression(), default);
            var counts = await storage.CreateChangeCountReportAsync(default);
            var sizes = await storage.CreateChangeSizeReportAsync(default);
            var changes = await storage.CreateChangedFileReportAsync(default).CountAsync();
            return counts.ModifiedFiles + counts.AddedFiles + counts.DeletedFiles + changes + sizes.CurrentSize + sizes.PreviousSize;
        },
        (plain, asked) => PlainChanges(plain.Statements, asked)
    );

    /// <summary>All checks of a database, with the comparison of every file list: what a backup begins with.</summary>
    public static readonly Question Consistency = new(
        "Backup",
        path => LocalDatabase.CreateLocalDatabaseAsync(path, "Backup", true, null, default),
        async (database, asked) =>
        {
            await database.VerifyConsistencyAsync(asked.BlockSize, RecordedBackup.HashBytes, true, default);
            return 0;
        },
        (plain, asked) =>
        {
            plain.Check(asked.HashesInList, lists: true);
            return 0;
        }
    );

    /// <summary>All versions, folders, files in all versions, and a search through all.</summary>
    public static readonly IReadOnlyList<Question> Listing = [Versions, Folders, FileVersions, Find];

    private static async Task<LocalDatabase> OpenList(string path) => await LocalListDatabase.CreateAsync(path, null, default);

    private static LocalListDatabase List(LocalDatabase database) => (LocalListDatabase)database;

    private static IEnumerable<(long Version, string Folder)> Calls(AskedFor asked) =>
        from version in asked.Versions
        from folder in asked.Folders
        select (version, folder);

    private static bool IsWasteful(AskedFor asked, long wasted, long data) =>
        (float)wasted / data * 100 >= asked.Waste || (float)wasted / asked.VolumeSize * 100 >= asked.Waste;

    private static DateTime Time(SqliteDataReader row, int column) => DateTimeOffset.FromUnixTimeSeconds(row.GetInt64(column)).UtcDateTime;

    private static long PlainChanges(PlainStatements plain, AskedFor asked)
    {
        const int Types = 3;
        const int Files = 2;
        plain.Execute(PlainSql.ChangeTables);
        foreach (var fill in PlainSql.FillBefore)
            plain.Execute(fill, 1);
        foreach (var fill in PlainSql.FillAfter)
            plain.Execute(fill, asked.Newest);
        var answer = PlainSql.ChangeTotals.Sum(sql => plain.Scalar(sql));
        foreach (var size in PlainSql.ChangedSizes)
            plain.Scalar(size);
        for (var type = 0; type < Types; type++)
        {
            foreach (var sql in PlainSql.ChangeCounts)
                answer += plain.Scalar(sql, type) * (type == Files ? 1 : 0);
            foreach (var sql in PlainSql.ChangedPaths)
                answer += plain.Read(sql, row => row.GetString(0), type);
        }

        return answer;
    }
}
