using Duplicati.Library.Utility;
using Duplicati.Library.Main.Database.Local;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>A tenth of the files is taken out of the newest version, by a filter with wildcards.</summary>
public class PurgeFiles : OperationBenchmark
{
    internal override async Task<LocalDatabase> OpenDoorAsync(string path) => await LocalPurgeDatabase.CreateAsync(path, null, default).ConfigureAwait(false);

    internal override async Task<long> DoorAsync(LocalDatabase opened)
    {
        var fileset = await ((LocalPurgeDatabase)opened).CreateTemporaryFilesetAsync(Versions, default).ConfigureAwait(false);
        await using var scope = fileset.ConfigureAwait(false);
        await fileset.ApplyFilterAsync(new FilterExpression("*/file *7"), default).ConfigureAwait(false);
        return fileset.RemovedFileCount + fileset.RemovedFileSize;
    }

    internal override long RunPlain(PlainStatements plain)
    {
        plain.Execute(PlainPurgeSql.Table);
        var (filter, removed) = (new FilterExpression("*/file *7"), new List<long>());
        plain.Read(PlainPurgeSql.Paths, row => AddMatch(filter, removed, row), Versions);
        plain.ExecuteEach(PlainPurgeSql.Remove, removed);
        var count = plain.Scalar(PlainPurgeSql.CountRemoved);
        return plain.Scalar(PlainPurgeSql.CountEntries, Versions) == count ? -1 : count + plain.Scalar(PlainPurgeSql.RemovedSize, Versions);
    }

    private protected override bool HasLeanWay => true;

    private protected override long RunLean(PlainStatements lean)
    {
        lean.Execute(LeanOperationSql.PurgeCopy, Versions);
        return lean.Scalar(LeanOperationSql.PurgeMatching) + lean.Scalar(LeanOperationSql.PurgedSize, Versions) + lean.Scalar(LeanOperationSql.PurgedMetadataSize, Versions);
    }

    private static void AddMatch(FilterExpression filter, List<long> removed, SqliteDataReader row)
    {
        if (FilterExpression.Matches(filter, row.GetString(1)))
            removed.Add(row.GetInt64(0));
    }
}
