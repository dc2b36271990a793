using Duplicati.Library.Utility;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>What was added, deleted and modified between the oldest and the newest version.</summary>
public class ListChanges : OperationBenchmark
{
    private protected override async Task<LocalDatabase> OpenDoorAsync() => await LocalListChangesDatabase.CreateAsync(DatabasePath, null, default).ConfigureAwait(false);

    private protected override async Task<long> DoorAsync(LocalDatabase opened)
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

    private protected override long RunPlain(PlainStatements plain)
    {
        plain.Execute(PlainOperationSql.ChangeTables);
        plain.Execute(PlainOperationSql.ChangeFill, 1, Versions);
        var counts = plain.Scalar(PlainOperationSql.ChangeCounts) + plain.Scalar(PlainOperationSql.ChangeSizes);
        return counts + plain.Read(PlainOperationSql.ChangedPaths, _ => { });
    }
}
