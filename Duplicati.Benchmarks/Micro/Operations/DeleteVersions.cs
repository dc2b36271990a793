using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>The oldest versions are deleted, a tenth of all if nothing else is said, with everything that nothing else refers to.</summary>
public class DeleteVersions : OperationBenchmark
{
    private EngineDeletion? m_engine;

    /// <summary>The number of oldest versions that go; a tenth if null.</summary>
    internal int? Oldest { get; init; }

    private int Going => Oldest ?? Versions / 10;

    private protected override bool HasEngineWay => true;

    internal override async Task<LocalDatabase> OpenDoorAsync(string path) => await LocalDeleteDatabase.CreateAsync(path, "Delete", null, default).ConfigureAwait(false);

    internal override async Task<long> DoorAsync(LocalDatabase opened)
    {
        var times = Enumerable.Range(0, Going).Select(VersionedBackup.UtcTime).ToArray();
        return await ((LocalDeleteDatabase)opened).DropFilesetsFromTableAsync(times, default).CountAsync().ConfigureAwait(false);
    }

    internal override long RunPlain(PlainStatements plain)
    {
        for (var version = 0; version < Going; version++)
            plain.Execute(PlainOperationSql.DeleteFileset, VersionedBackup.Time(version));
        foreach (var (_, cascade) in PlainOperationSql.DeleteCascade)
            plain.Execute(cascade);
        return plain.Scalar(PlainOperationSql.CountDeletingLists);
    }

    private protected override long RunEngine()
    {
        foreach (var (_, run) in m_engine!.Steps)
            run(Statements);
        return Going;
    }

    protected override void PrepareFile() => m_engine = Way == OperationWays.Engine ? EngineDeletion.Find(DatabasePath, Going) : null;

    // What is left counts, too.
    protected override void ReadAnswer()
    {
        if (Door is { } door)
            Answer += door.Session.ShortAsync(session => EngineDeletion.CountRows(session.Statements), default).GetAwaiter().GetResult();
        else
            Answer += EngineDeletion.CountRows(Statements);
    }
}
