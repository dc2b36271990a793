using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>The files of the newest version with their target paths, the blocks that they need, and where those are: what a restore begins with.</summary>
public class PrepareRestore : OperationBenchmark
{
    internal override async Task<LocalDatabase> OpenDoorAsync(string path) => await LocalRestoreDatabase.CreateAsync(path, null, default).ConfigureAwait(false);

    internal override async Task<long> DoorAsync(LocalDatabase opened)
    {
        var database = (LocalRestoreDatabase)opened;
        await database.PrepareRestoreFilelistAsync(DateTime.UtcNow, null, null, true, default).ConfigureAwait(false);
        await database.SetTargetPathsAsync("/source/", "/target/", default).ConfigureAwait(false);
        await database.FindMissingBlocksAsync(false, default).ConfigureAwait(false);
        var sum = 0L;
        await foreach (var (block, volume) in database.GetBlocksAndVolumeIDsAsync(false, default).ConfigureAwait(false))
            sum += block + volume;
        return sum;
    }

    internal override long RunPlain(PlainStatements plain)
    {
        foreach (var step in PlainRestoreSql.RestoreLists)
            plain.Execute(step);
        plain.Scalar(PlainRestoreSql.CountFiles);
        plain.Scalar(PlainRestoreSql.SumBlocks);
        var sum = 0L;
        plain.Read(PlainRestoreSql.Needs, row => sum += row.GetInt64(0) + row.GetInt64(1));
        return sum;
    }
}
