using BenchmarkDotNet.Attributes;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>
/// An operation on a backup with many versions, done at the door and with statements; all must find the same. Opening and
/// closing the database is not measured, and nothing is committed.
/// </summary>
[BenchmarkGroup("operations")]
[BaselineVariant(nameof(Way), OperationWays.Plain)]
public abstract class OperationBenchmark : DatabaseBenchmark
{
    private static readonly Dictionary<(Type, int), long> s_answers = [];

    [ParamsSource(nameof(Ways))]
    public string Way { get; set; } = OperationWays.Plain;

    /// <summary>Versions of the backup.</summary>
    [ParamsSource(nameof(VersionCounts))]
    public int Versions { get; set; }

    public IEnumerable<string> Ways =>
    [
        OperationWays.Plain,
        .. HasLeanWay ? [OperationWays.Lean] : Array.Empty<string>(),
        .. HasEngineWay ? [OperationWays.Engine] : Array.Empty<string>(),
        OperationWays.Door,
    ];

    public static IEnumerable<int> VersionCounts => BenchmarkScale.Of<int[]>([10, 100, 1000], [10, 100]);

    protected override string? Template => VersionedBackup.Template(Versions);

    protected override int Rows => VersionedBackup.Blocks(Versions);

    // Whichever way runs first says what the other must find, too.
    protected override long ExpectedAnswer => s_answers.TryGetValue((GetType(), Versions), out var answer) ? answer : s_answers[(GetType(), Versions)] = Answer;

    [Benchmark]
    public void Run() => Answer = Way switch
    {
        OperationWays.Door => DoorAsync(Door!).Await(),
        OperationWays.Engine => RunEngine(),
        OperationWays.Lean => RunLean(new PlainStatements(Connection)),
        _ => RunPlain(new PlainStatements(Connection)),
    };

    /// <summary>The database that core uses for the operation; null in the other ways.</summary>
    private protected LocalDatabase? Door { get; private set; }

    /// <summary>Opens the type of database that core uses for the operation.</summary>
    /// <param name="path">The database file.</param>
    internal abstract Task<LocalDatabase> OpenDoorAsync(string path);

    /// <summary>The operation by the members that core calls.</summary>
    internal abstract Task<long> DoorAsync(LocalDatabase opened);

    /// <summary>The operation by the statements of its definition.</summary>
    internal abstract long RunPlain(PlainStatements plain);

    /// <summary>Whether there is a way with fewer statements than the definition has.</summary>
    private protected virtual bool HasLeanWay => false;

    private protected virtual long RunLean(PlainStatements lean) => RunPlain(lean);

    /// <summary>Whether there is a way that only changes rows known before.</summary>
    private protected virtual bool HasEngineWay => false;

    private protected virtual long RunEngine() => RunPlain(new PlainStatements(Connection));

    protected override void Prepare()
    {
        if (Way == OperationWays.Door)
            Door = OpenDoorAsync(DatabasePath).Await();
        else
            Statements.Execute(BlockTableSql.Begin);
    }

    protected override void CleanUp()
    {
        Door?.Dispose();
        Door = null;
        if (Way != OperationWays.Door)
            Statements.Execute(PlainOperationSql.Rollback);
    }
}
