using Duplicati.Library.Utility;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>What was added, deleted and modified between the oldest and the newest version.</summary>
public class ListChanges : OperationBenchmark
{
    private const int Types = 3;
    private const int Files = 2;

    internal override async Task<LocalDatabase> OpenDoorAsync(string path) => await LocalListChangesDatabase.CreateAsync(path, null, default).ConfigureAwait(false);

    internal override async Task<long> DoorAsync(LocalDatabase opened)
    {
        var storage = await ((LocalListChangesDatabase)opened).CreateStorageHelperAsync(default).ConfigureAwait(false);
        await using var scope = storage.ConfigureAwait(false);
        await storage.AddFromDbAsync(1, false, new FilterExpression(), default).ConfigureAwait(false);
        await storage.AddFromDbAsync(Versions, true, new FilterExpression(), default).ConfigureAwait(false);
        var counts = await storage.CreateChangeCountReportAsync(default).ConfigureAwait(false);
        var sizes = await storage.CreateChangeSizeReportAsync(default).ConfigureAwait(false);
        var changes = await storage.CreateChangedFileReportAsync(default).CountAsync().ConfigureAwait(false);
        return counts.ModifiedFiles + counts.AddedFiles + counts.DeletedFiles + changes + sizes.CurrentSize + sizes.PreviousSize;
    }

    internal override long RunPlain(PlainStatements plain)
    {
        plain.Execute(PlainChangesSql.Tables);
        foreach (var fill in PlainChangesSql.FillBefore)
            plain.Execute(fill, 1);
        foreach (var fill in PlainChangesSql.FillAfter)
            plain.Execute(fill, Versions);

        var answer = PlainChangesSql.Totals.Sum(sql => plain.Scalar(sql));
        foreach (var size in PlainChangesSql.ChangedSizes)
            plain.Scalar(size);
        for (var type = 0; type < Types; type++)
        {
            foreach (var sql in PlainChangesSql.Counts)
                answer += plain.Scalar(sql, type) * (type == Files ? 1 : 0);
        }

        return answer + PlainChangesSql.Paths.Sum(sql => Enumerable.Range(0, Types).Sum(type => plain.Read(sql, row => row.GetString(0), type)));
    }

    private protected override bool HasLeanWay => true;

    private protected override long RunLean(PlainStatements lean)
    {
        lean.Execute(LeanOperationSql.ChangeTables);
        lean.Execute(LeanOperationSql.ChangeFill, 1, Versions);
        var counts = lean.Scalar(LeanOperationSql.ChangeCounts) + lean.Scalar(LeanOperationSql.ChangeSizes);
        return counts + lean.Read(LeanOperationSql.ChangedPaths, row => row.GetString(0));
    }
}
