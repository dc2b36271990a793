// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Replay;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Scale;

/// <summary>Operations that only read.</summary>
internal static class VersionQuestions
{
    private const int FoldersListed = 50;
    private const int VersionsListed = 10;
    private const int FilesListed = 20;
    private const int Pages = 10;
    private const int PageSize = 100;
    private const int Samples = 10;
    private const int HashesPerList = VersionedBackup.BlockBytes / VersionedBackup.HashBytes;
    private const string HashName = "SHA256";

    /// <summary>All of them, in the order of a report.</summary>
    public static IEnumerable<VersionOperation> All =>
        [
            Versions,
            Folder,
            FolderPages,
            FileVersions,
            Find,
            Changes,
            RestoreLists,
            PurgeFilter,
            CompactReport,
            TestVolumes,
            Consistency,
            Repair,
        ];

    /// <summary>All versions with their numbers of entries and their bytes.</summary>
    private static VersionOperation Versions =>
        Listing(
            "list of all versions",
            "entry",
            backup => backup.Entries,
            async (database, _) =>
                await database.ListFilesetsExtendedAsync(default).Select(x => (x.FileCount ?? 0) + (x.FileSizes ?? 0)).SumAsync(),
            static (plain, _) => plain.Sum(PlainSql.Versions, row => row.GetInt64(3) + row.GetInt64(4))
        );

    /// <summary>Fifty folders, each in ten versions, a folder a call.</summary>
    private static VersionOperation Folder =>
        Listing(
            "list of one folder",
            "content of a file of the folder, or entry",
            backup => VersionsListed * FoldersListed * backup.RowsOfFolder,
            async (database, backup) =>
            {
                var sum = 0L;
                foreach (var (version, folder) in FolderCalls(backup))
                    sum += (await database.ListFolderAsync([folder], version, 0, 0, default)).Items.Sum(item => 1 + item.Size);
                return sum;
            },
            static (plain, backup) =>
                FolderCalls(backup).Sum(call => plain.Sum(PlainSql.Folder, row => 1 + row.GetInt64(3), call.Version, call.Folder))
        );

    /// <summary>Ten pages of a hundred entries of fifty folders together, of one version.</summary>
    private static VersionOperation FolderPages =>
        Listing(
            "ten pages of fifty folders",
            "content of a file of the folders, or entry",
            backup => Pages * FoldersListed * backup.RowsOfFolder,
            async (database, backup) =>
            {
                long[] folders = [.. Enumerable.Range(1, FoldersListed).Select(x => (long)x)];
                var entries = 0L;
                for (var page = 0; page < Pages; page++)
                {
                    var result = await database.ListFolderAsync(folders, backup.Versions / 2, page * PageSize, PageSize, default);
                    entries += result.Items.Count() + result.TotalCount;
                }

                return entries;
            },
            static (plain, backup) =>
                Enumerable
                    .Range(0, Pages)
                    .Sum(page =>
                        plain.Scalar(PlainSql.CountEntriesOfFolders, backup.Versions / 2)
                        + plain.Read(PlainSql.EntriesPage, ReadEntry, backup.Versions / 2, PageSize, page * PageSize)
                    )
        );

    /// <summary>Twenty files, each in all versions, a file a call.</summary>
    private static VersionOperation FileVersions =>
        Listing(
            "versions of one file",
            "version of a file",
            backup => (long)FilesListed * backup.Versions,
            async (database, backup) =>
            {
                var sum = 0L;
                foreach (var name in FilesAsked(backup))
                    sum += (await database.ListFileVersionsAsync([name], null, 0, 0, default)).Items.Sum(item =>
                        Fold(item.Size, item.Time)
                    );
                return sum;
            },
            static (plain, backup) => FilesAsked(backup).Sum(name => plain.Sum(PlainSql.FileVersions, FoldFound, name))
        );

    /// <summary>A search through all versions by a pattern that one in a thousand files fits.</summary>
    private static VersionOperation Find =>
        Listing(
            "search by a pattern",
            "path, or entry found",
            backup => backup.Files + (backup.Fitting * backup.Versions),
            async (database, backup) =>
            {
                var page = await database.SearchEntriesAsync(null, new FilterExpression(backup.Pattern), true, null, false, 0, 0, default);
                return page.Items.Sum(item => Fold(item.Size, item.Time));
            },
            static (plain, backup) => plain.Sum(PlainSql.Find, FoldFound, backup.Pattern)
        );

    /// <summary>What was added, deleted and modified between the oldest and the newest version.</summary>
    private static VersionOperation Changes =>
        new()
        {
            Name = "changes between oldest and newest",
            Row = "entry of the two",
            Rows = backup => 2 * backup.EntriesPerVersion,
            Open = async path => await LocalListChangesDatabase.CreateAsync(path, null, default),
            Api = async (opened, backup) =>
            {
                await using var storage = await ((LocalListChangesDatabase)opened).CreateStorageHelperAsync(default);
                await storage.AddFromDbAsync(1, false, new FilterExpression(), default);
                await storage.AddFromDbAsync(backup.Versions, true, new FilterExpression(), default);
                var counts = await storage.CreateChangeCountReportAsync(default);
                var sizes = await storage.CreateChangeSizeReportAsync(default);
                var changes = await storage.CreateChangedFileReportAsync(default).CountAsync();
                return counts.ModifiedFiles + counts.AddedFiles + counts.DeletedFiles + changes + sizes.CurrentSize + sizes.PreviousSize;
            },
            Plain = PlainChanges,
        };

    /// <summary>The files of the newest version with their target paths, the blocks that they need, and where those are.</summary>
    private static VersionOperation RestoreLists =>
        new()
        {
            Name = "lists of a restore",
            Row = "entry of the version",
            Rows = backup => backup.EntriesPerVersion,
            Open = async path => await LocalRestoreDatabase.CreateAsync(path, null, default),
            Api = async (opened, _) =>
            {
                var database = (LocalRestoreDatabase)opened;
                await database.PrepareRestoreFilelistAsync(DateTime.UtcNow, null, null, true, default);
                await database.SetTargetPathsAsync("/source/", "/target/", default);
                await database.FindMissingBlocksAsync(false, default);
                return await database.GetBlocksAndVolumeIDsAsync(false, default).Select(x => x.Item1 + x.Item2).SumAsync();
            },
            Plain = static (plain, _) =>
            {
                foreach (var step in PlainSql.RestoreLists)
                    plain.Execute(step);
                plain.Scalar(PlainSql.CountRestoredFiles);
                plain.Scalar(PlainSql.SumRestoredBlocks);
                return plain.Sum(PlainSql.RestoreNeeds, row => row.GetInt64(0) + row.GetInt64(1));
            },
        };

    /// <summary>A tenth of the files is taken out of the newest version, by a filter with wildcards.</summary>
    private static VersionOperation PurgeFilter =>
        new()
        {
            Name = "filter of a purge",
            Row = "entry of the version",
            Rows = backup => backup.EntriesPerVersion,
            Open = async path => await LocalPurgeDatabase.CreateAsync(path, null, default),
            Api = async (opened, backup) =>
            {
                await using var fileset = await ((LocalPurgeDatabase)opened).CreateTemporaryFilesetAsync(backup.Versions, default);
                await fileset.ApplyFilterAsync(new FilterExpression("*/file *7"), default);
                return fileset.RemovedFileCount + fileset.RemovedFileSize;
            },
            Plain = PlainPurge,
        };

    /// <summary>What each volume holds and wastes and how old it is: what a compact begins with.</summary>
    private static VersionOperation CompactReport =>
        new()
        {
            Name = "report of a compact",
            Row = "block, or content of a file",
            Rows = backup => backup.Live + backup.Deleted + backup.Files,
            Open = async path => await LocalDeleteDatabase.CreateAsync(path, "Compact", null, default),
            Api = static async (opened, _) =>
                (await ((LocalDeleteDatabase)opened).GetCompactReportAsync(1 << 20, 1, 0, 20, default)).CompactableVolumes.Count(),
            Plain = static (plain, _) =>
            {
                plain.Execute(PlainSql.VolumeUse);
                return plain.Scalar(PlainSql.WastefulVolumes);
            },
        };

    /// <summary>The volumes that a test of ten samples looks at.</summary>
    private static VersionOperation TestVolumes =>
        new()
        {
            Name = "volumes for a test",
            Row = "volume",
            Rows = backup => backup.Volumes,
            Open = async path => await LocalTestDatabase.CreateAsync(path, null, default),
            Api = static async (opened, _) =>
                await ((LocalTestDatabase)opened).SelectTestTargetsAsync(Samples, new Options([]), default).CountAsync(),
            Plain = static (plain, _) =>
            {
                var found = plain.Read(PlainSql.UnmeasuredVolumes, row => Volume(row));
                var highest = plain.Scalar(PlainSql.HighestVerificationCount);
                return found
                    + Sample(plain, PlainSql.UntestedLists, "Files", highest)
                    + Sample(plain, PlainSql.UntestedVolumes, "Index", highest)
                    + Sample(plain, PlainSql.UntestedVolumes, "Blocks", highest);
            },
        };

    /// <summary>All checks of a database, with the comparison of every file list: what a backup begins with.</summary>
    private static VersionOperation Consistency =>
        new()
        {
            Name = "check of the consistency",
            Row = "entry, block, or content of a file",
            Rows = backup => backup.Entries + backup.Live + backup.Files,
            Open = path => LocalDatabase.CreateLocalDatabaseAsync(path, "Backup", true, null, default),
            Api = static async (database, _) =>
            {
                await database.VerifyConsistencyAsync(VersionedBackup.BlockBytes, VersionedBackup.HashBytes, true, default);
                return 0;
            },
            Plain = static (plain, _) =>
            {
                var filesets = new List<long>();
                plain.Read(PlainSql.Filesets, row => filesets.Add(row.GetInt64(0)));
                return PlainSql.Checks.Sum(check => plain.Scalar(check, HashesPerList))
                    + filesets.Sum(id => Math.Abs(plain.Scalar(PlainSql.CountEntries, id) - plain.Scalar(PlainSql.CountListed, id)));
            },
        };

    /// <summary>
    /// What a repair asks the database: its fixes, which find nothing to do, and what the remote folder lacks. An index volume that
    /// describes nothing is found.
    /// </summary>
    private static VersionOperation Repair =>
        new()
        {
            Name = "questions of a repair",
            Row = "entry, or content of a file",
            Rows = backup => backup.Entries + backup.Files,
            Open = async path => await LocalRepairDatabase.CreateRepairDatabaseAsync(path, null, default),
            Api = (database, _) => RepairAsync((LocalRepairDatabase)database),
            Plain = static (plain, _) => PlainSql.RepairCounts.Sum(count => plain.Scalar(count, HashesPerList)),
        };

    private static VersionOperation Listing(
        string name,
        string row,
        Func<VersionedBackup, long> rows,
        Func<LocalListDatabase, VersionedBackup, Task<long>> api,
        Func<PlainStatements, VersionedBackup, long> plain
    ) =>
        new()
        {
            Name = name,
            Row = row,
            Rows = rows,
            Open = async path => await LocalListDatabase.CreateAsync(path, null, default),
            Api = (database, backup) => api((LocalListDatabase)database, backup),
            Plain = plain,
        };

    private static IEnumerable<(long Version, long Folder)> FolderCalls(VersionedBackup backup) =>
        from version in Enumerable.Range(0, VersionsListed)
        from folder in Enumerable.Range(1, FoldersListed)
        select (1 + (version * (backup.Versions - 1L) / (VersionsListed - 1)), (long)folder);

    private static IEnumerable<string> FilesAsked(VersionedBackup backup) =>
        Enumerable.Range(0, FilesListed).Select(file => VersionedBackup.NameOf((int)((long)file * backup.FilesPerVersion / FilesListed)));

    private static long FoldFound(SqliteDataReader row) =>
        Fold(row.GetInt64(3), DateTimeOffset.FromUnixTimeSeconds(row.GetInt64(5)).UtcDateTime);

    private static long Fold(long size, DateTime time) => size + (time.Ticks / TimeSpan.TicksPerSecond);

    private static void ReadEntry(SqliteDataReader row)
    {
        var (kind, time) = (row.GetInt64(2), new DateTime(row.GetInt64(4), DateTimeKind.Utc));
        _ = new LocalListDatabase.FolderEntry(row.GetInt64(0), row.GetString(1), row.GetInt64(3), kind == -100, kind == -200, time, null);
    }

    private static long PlainChanges(PlainStatements plain, VersionedBackup backup)
    {
        const int Types = 3;
        const int Files = 2;
        plain.Execute(PlainSql.ChangeTables);
        foreach (var fill in PlainSql.FillBefore)
            plain.Execute(fill, 1);
        foreach (var fill in PlainSql.FillAfter)
            plain.Execute(fill, backup.Versions);
        var answer = PlainSql.ChangeTotals.Sum(sql => plain.Scalar(sql));
        foreach (var size in PlainSql.ChangedSizes)
            plain.Scalar(size);
        for (var type = 0; type < Types; type++)
        {
            foreach (var sql in PlainSql.ChangeCounts)
                answer += plain.Scalar(sql, type) * (type == Files ? 1 : 0);
        }

        return answer
            + PlainSql.ChangedPaths.Sum(sql => Enumerable.Range(0, Types).Sum(type => plain.Read(sql, row => row.GetString(0), type)));
    }

    private static long PlainPurge(PlainStatements plain, VersionedBackup backup)
    {
        plain.Execute(PlainSql.RemovedTable);
        var (filter, removed) = (new FilterExpression("*/file *7"), new List<long>());
        plain.Read(
            PlainSql.PathsOfVersion,
            row =>
            {
                if (FilterExpression.Matches(filter, row.GetString(1)))
                    removed.Add(row.GetInt64(0));
            },
            backup.Versions
        );
        foreach (var id in removed)
            plain.Again(PlainSql.Remove, id);
        var count = plain.Scalar(PlainSql.CountRemoved);
        var isAll = plain.Scalar(PlainSql.CountEntries, backup.Versions) == count;
        return isAll ? -1 : count + plain.Scalar(PlainSql.RemovedSize, backup.Versions);
    }

    // Those that were never tested, drawn by lot; tested ones only where they are too few.
    private static long Sample(PlainStatements plain, string untested, string type, long highest)
    {
        var volumes = new List<RemoteVolume>();
        plain.Read(untested, row => volumes.Add(Volume(row)), type);
        if (volumes.Count < Samples)
            plain.Read(PlainSql.TestedVolumes, row => volumes.Add(Volume(row)), type, highest);
        while (volumes.Count > Samples)
            volumes.RemoveAt(Random.Shared.Next(volumes.Count));
        return volumes.Count;
    }

    private static RemoteVolume Volume(SqliteDataReader row) => new(row.GetString(0), row.GetString(2), row.GetInt64(1));

    private static async Task<long> RepairAsync(LocalRepairDatabase database)
    {
        await database.FixDuplicateMetahashAsync(default);
        await database.FixDuplicateFileentriesAsync(default);
        await database.FixDuplicatePathsInFilesetsAsync(default);
        await database.FixDuplicateBlocklistHashesAsync(VersionedBackup.BlockBytes, VersionedBackup.HashBytes, default);
        await database.FixMissingBlocklistHashesAsync(HashName, VersionedBackup.BlockBytes, default);
        var options = new Options(new Dictionary<string, string?> { ["file-hash-algorithm"] = HashName });
        await database.FixEmptyMetadatasetsAsync(options, default);
        return await database.GetFilesetsWithMissingFilesAsync(default).CountAsync()
            + await database.MissingLocalFilesetsAsync(default).CountAsync()
            + await database.MissingRemoteFilesetsAsync(default).CountAsync()
            + await database.EmptyIndexFilesAsync(default).CountAsync();
    }
}
