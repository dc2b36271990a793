// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Replay;

/// <summary>
/// What is asked of a whole database, each from opening it to having closed it. An answer is a sum over all rows that does not depend on
/// their order; two ways that answer the same have equal sums.
/// </summary>
internal interface IQuestions
{
    /// <summary>What a restore of the newest version works through.</summary>
    long RestoreLists();

    /// <summary>All versions, the folders of the newest one, some files in all versions, and a search through all.</summary>
    long List();

    /// <summary>Deletes versions by their times.</summary>
    long Delete(IReadOnlyList<long> times);

    /// <summary>What a compact would delete and rewrite.</summary>
    long CompactReport();
}

/// <summary>What is asked for.</summary>
/// <param name="Folders">Folders of the newest version.</param>
/// <param name="Names">Names of some of its files.</param>
/// <param name="VolumeSize">Bytes in a volume.</param>
internal sealed record AskedFor(IReadOnlyList<string> Folders, IReadOnlyList<string> Names, long VolumeSize)
{
    /// <summary>What a search looks for in full paths.</summary>
    public const string Pattern = "*1*";

    public const string Target = "/target/";

    /// <summary>Percent of waste from which on a volume is rewritten, and how many small ones may be; core's own choices.</summary>
    public const int Waste = 25;

    public const int MostSmall = 20;

    private const int Files = 20;

    /// <summary>Bytes up to which a volume is small.</summary>
    public long Small => VolumeSize / 5;

    public static AskedFor Of(RecordedBackup backup, long volumeSize)
    {
        var files = backup.Versions[^1].Entries.Select(entry => entry.File).ToList();
        return new AskedFor(
            [.. files.Select(file => file.Prefix).Distinct()],
            [.. files.Where(file => file.Content is not null).Select(file => file.Name).Distinct().Take(Files)],
            volumeSize
        );
    }
}

/// <summary>By the statements of the contract's definitions.</summary>
internal sealed class PlainQuestions(string path, AskedFor asked) : IQuestions
{
    private const string VolumeUse = """
        SELECT V.Name, U.Active, U.Wasted, IFNULL(V.Size, 0) FROM Use AS U JOIN Remotevolume AS V ON V.ID = U.VolumeID ORDER BY U.Time
        """;
    private const string DeletingLists = """SELECT Name, IFNULL(Size, -1) FROM Remotevolume WHERE Type = 'Files' AND State = 'Deleting'""";

    public long RestoreLists()
    {
        using var calls = new Calls(path, "Restore");
        foreach (var step in PlainSql.RestoreLists)
            calls.Statements.Execute(step);
        calls.Statements.Scalar(PlainSql.CountRestoredFiles);
        calls.Statements.Scalar(PlainSql.SumRestoredBlocks);
        var answer = calls.Statements.Sum(PlainSql.RestoreNeeds, row => HashCode.Combine(row.GetInt64(0), row.GetInt64(1)));
        // Disposing commits here, by definition.
        calls.Commit();
        return answer;
    }

    public long List()
    {
        using var calls = new Calls(path, "List");
        var (plain, newest) = (calls.Statements, 0L);
        var answer = 0L;
        plain.Read(
            PlainSql.Versions,
            row =>
            {
                newest = newest == 0 ? row.GetInt64(0) : newest;
                answer += HashCode.Combine(Time(row, 1), row.GetInt64(3), row.GetInt64(4));
            }
        );
        foreach (var folder in asked.Folders)
            answer += plain.Sum(PlainSql.Folder, Entry, newest, calls.PrefixId(folder));
        foreach (var name in asked.Names)
            answer += plain.Sum(PlainSql.FileVersions, row => HashCode.Combine(Time(row, 5), row.GetInt64(3), row.GetInt64(4)), name);
        return answer
            + plain.Sum(PlainSql.Find, row => HashCode.Combine(row.GetString(6) + row.GetString(1), Time(row, 5)), AskedFor.Pattern);
    }

    public long Delete(IReadOnlyList<long> times)
    {
        using var calls = new Calls(path, "Delete");
        foreach (var time in times)
            calls.Statements.Execute(PlainSql.DeleteFileset, time);
        foreach (var cascade in PlainSql.DeleteCascade)
            calls.Statements.Execute(cascade);
        var answer = calls.Statements.Sum(DeletingLists, row => HashCode.Combine(row.GetString(0), row.GetInt64(1)));
        calls.Commit();
        return answer;
    }

    public long CompactReport()
    {
        using var calls = new Calls(path, "Compact");
        calls.Statements.Execute(PlainSql.VolumeUse);
        var answer = 0L;
        calls.Statements.Read(
            VolumeUse,
            row =>
            {
                var (active, wasted) = (row.GetInt64(1), row.GetInt64(2));
                if (active <= 0)
                    answer += HashCode.Combine(row.GetString(0), "delete");
                else if (IsWasteful(wasted, active + wasted) || row.GetInt64(3) <= asked.Small)
                    answer += HashCode.Combine(row.GetString(0), "rewrite");
            }
        );
        return answer;
    }

    private bool IsWasteful(long wasted, long data) =>
        (float)wasted / data * 100 >= AskedFor.Waste || (float)wasted / asked.VolumeSize * 100 >= AskedFor.Waste;

    private static long Entry(SqliteDataReader row) => HashCode.Combine(row.GetString(1), row.GetInt64(3), row.GetInt64(4));

    private static DateTime Time(SqliteDataReader row, int column) => DateTimeOffset.FromUnixTimeSeconds(row.GetInt64(column)).UtcDateTime;

    private sealed class Calls(string path, string operation) : PlainCalls(path, operation)
    {
        public new PlainStatements Statements => base.Statements;

        public long PrefixId(string prefix) => Id(FindPrefix, prefix);
    }
}

/// <summary>By the members of this layer that core calls.</summary>
internal sealed class LayerQuestions(string path, AskedFor asked) : IQuestions
{
    public long RestoreLists() => RestoreListsAsync().Await();

    public long List() => ListAsync().Await();

    public long Delete(IReadOnlyList<long> times) => DeleteAsync(times).Await();

    public long CompactReport() => CompactReportAsync().Await();

    private async Task<long> RestoreListsAsync()
    {
        await using var database = await LocalRestoreDatabase.CreateAsync(path, null, default);
        await database.PrepareRestoreFilelistAsync(DateTime.UtcNow, null, null, true, default);
        await database.SetTargetPathsAsync(RecordedBackup.Source, AskedFor.Target, default);
        await database.FindMissingBlocksAsync(false, default);
        return await database.GetBlocksAndVolumeIDsAsync(false, default).Select(x => (long)HashCode.Combine(x.Item1, x.Item2)).SumAsync();
    }

    private async Task<long> ListAsync()
    {
        await using var database = await LocalListDatabase.CreateAsync(path, null, default);
        var answer = await database
            .ListFilesetsExtendedAsync(default)
            .Select(x => (long)HashCode.Combine(x.Time, x.FileCount!.Value, x.FileSizes!.Value))
            .SumAsync();
        var newest = (await database.FilesetTimesAsync(default).FirstAsync()).Key;
        foreach (var folder in asked.Folders)
        {
            var ids = await database.GetPrefixIdsAsync([folder], default).ToListAsync();
            answer += (await database.ListFolderAsync(ids, newest, 0, 0, default)).Items.Sum(x =>
                (long)HashCode.Combine(x.Path, x.Size, x.LastModified.Ticks)
            );
        }

        foreach (var name in asked.Names)
            answer += (await database.ListFileVersionsAsync([name], null, 0, 0, default)).Items.Sum(x =>
                (long)HashCode.Combine(x.Time, x.Size, x.LastModified.Ticks)
            );
        var found = await database.SearchEntriesAsync(null, new FilterExpression(AskedFor.Pattern), true, null, false, 0, 0, default);
        return answer + found.Items.Sum(x => (long)HashCode.Combine(x.Path, x.Time));
    }

    private async Task<long> DeleteAsync(IReadOnlyList<long> times)
    {
        await using var database = await LocalDeleteDatabase.CreateAsync(path, "Delete", null, default);
        var answer = await database
            .DropFilesetsFromTableAsync([.. times.Select(x => DateTimeOffset.FromUnixTimeSeconds(x).UtcDateTime)], default)
            .Select(x => (long)HashCode.Combine(x.Key, x.Value))
            .SumAsync();
        await database.CommitAsync(default);
        return answer;
    }

    private async Task<long> CompactReportAsync()
    {
        await using var database = await LocalDeleteDatabase.CreateAsync(path, "Compact", null, default);
        var report = await database.GetCompactReportAsync(asked.VolumeSize, AskedFor.Waste, asked.Small, AskedFor.MostSmall, default);
        return report.DeleteableVolumes.Sum(x => (long)HashCode.Combine(x, "delete"))
            + report.CompactableVolumes.Sum(x => (long)HashCode.Combine(x, "rewrite"));
    }
}
