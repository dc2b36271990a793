using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>The oldest tenth of the versions is deleted, with everything that nothing else refers to.</summary>
public class DeleteVersions : OperationBenchmark
{
    private EngineDeletion? m_engine;

    private protected override bool HasEngineWay => true;

    private protected override async Task<LocalDatabase> OpenDoorAsync() => await LocalDeleteDatabase.CreateAsync(DatabasePath, "Delete", null, default).ConfigureAwait(false);

    private protected override async Task<long> DoorAsync(LocalDatabase opened)
    {
        var times = Enumerable.Range(0, Versions / 10).Select(VersionedBackup.UtcTime).ToArray();
        return await ((LocalDeleteDatabase)opened).DropFilesetsFromTableAsync(times, default).CountAsync().ConfigureAwait(false);
    }

    private protected override long RunPlain(PlainStatements plain)
    {
        for (var version = 0; version < Versions / 10; version++)
            plain.Execute(PlainOperationSql.DeleteFileset, VersionedBackup.Time(version));
        foreach (var (_, cascade) in PlainOperationSql.DeleteCascade)
            plain.Execute(cascade);
        return plain.Scalar(PlainOperationSql.CountDeletingLists);
    }

    private protected override long RunEngine()
    {
        foreach (var (_, run) in m_engine!.Steps)
            run(Statements);
        return Versions / 10;
    }

    protected override void PrepareFile() => m_engine = Way == OperationWays.Engine ? EngineDeletion.Find(DatabasePath, Versions / 10) : null;

    // What is left counts, too.
    protected override void ReadAnswer()
    {
        if (Door is { } door)
            Answer += door.Session.ShortAsync(session => EngineDeletion.CountRows(session.Statements), default).GetAwaiter().GetResult();
        else
            Answer += EngineDeletion.CountRows(Statements);
    }
}
