using Duplicati.Library.Utility;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>A tenth of the files is taken out of the newest version, by a filter with wildcards.</summary>
public class PurgeFiles : OperationBenchmark
{
    private protected override async Task<LocalDatabase> OpenDoorAsync() => await LocalPurgeDatabase.CreateAsync(DatabasePath, null, default).ConfigureAwait(false);

    private protected override async Task<long> DoorAsync(LocalDatabase opened)
    {
        var fileset = await ((LocalPurgeDatabase)opened).CreateTemporaryFilesetAsync(Versions, default).ConfigureAwait(false);
        await using var scope = fileset.ConfigureAwait(false);
        await fileset.ApplyFilterAsync(new FilterExpression("*/file *7"), default).ConfigureAwait(false);
        return fileset.RemovedFileCount;
    }

    private protected override long RunPlain(PlainStatements plain)
    {
        plain.Execute(PlainOperationSql.PurgeCopy, Versions);
        return plain.Scalar(PlainOperationSql.PurgeMatching);
    }
}
