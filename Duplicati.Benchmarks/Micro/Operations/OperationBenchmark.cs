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

    private LocalDatabase? m_door;

    [ParamsSource(nameof(Ways))]
    public string Way { get; set; } = OperationWays.Plain;

    /// <summary>Versions of the backup.</summary>
    [ParamsSource(nameof(VersionCounts))]
    public int Versions { get; set; }

    public IEnumerable<string> Ways => HasLeanWay ? [OperationWays.Plain, OperationWays.Lean, OperationWays.Door] : [OperationWays.Plain, OperationWays.Door];

    public static IEnumerable<int> VersionCounts => BenchmarkScale.Of<int[]>([10, 100, 1000], [10, 100]);

    protected override string? Template => VersionedBackup.Template(Versions);

    protected override int Rows => VersionedBackup.Blocks(Versions);

    // Whichever way runs first says what the other must find, too.
    protected override long ExpectedAnswer => s_answers.TryGetValue((GetType(), Versions), out var answer) ? answer : s_answers[(GetType(), Versions)] = Answer;

    [Benchmark]
    public void Run() => Answer = m_door is { } door ? DoorAsync(door).Await() : Way == OperationWays.Lean ? RunLean(new PlainStatements(Connection)) : RunPlain(new PlainStatements(Connection));

    /// <summary>Opens the type of database that core uses for the operation.</summary>
    private protected abstract Task<LocalDatabase> OpenDoorAsync();

    private protected abstract Task<long> DoorAsync(LocalDatabase opened);

    private protected abstract long RunPlain(PlainStatements plain);

    /// <summary>Whether there is a way with fewer statements than the definition has.</summary>
    private protected virtual bool HasLeanWay => false;

    private protected virtual long RunLean(PlainStatements lean) => RunPlain(lean);

    protected override void Prepare()
    {
        if (Way == OperationWays.Door)
            m_door = OpenDoorAsync().Await();
        else
            Statements.Execute(BlockTableSql.Begin);
    }

    protected override void CleanUp()
    {
        m_door?.Dispose();
        m_door = null;
        if (Way != OperationWays.Door)
            Statements.Execute(PlainOperationSql.Rollback);
    }
}
