using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Threads;

/// <summary>Batches of new blocks, a commit each.</summary>
public class ThreadWrites : ThreadBenchmark
{
    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = ThreadWays.Own;

    [ParamsSource(nameof(Journals))]
    public override string Journal { get; set; } = "WAL";

    [ParamsSource(nameof(Tables))]
    public override string Table { get; set; } = "filled";

    [ParamsSource(nameof(Counts))]
    public override int Threads { get; set; } = 1;

    public static IEnumerable<int> Counts => UpTo20;

    public static IEnumerable<string> Journals => BothJournals;

    public static IEnumerable<string> Tables => BothTables;

    public static IEnumerable<string> Ways => [ThreadWays.Own, ThreadWays.Shared, ThreadWays.SharedCache];

    protected override int Batches => BenchmarkScale.Of(400, 20);

    protected override long ExpectedAnswer => Rows + ExpectedOfTable(Enumerable.Range(0, Batches));

    [Benchmark]
    public void Write() => Answer = RunAll();

    protected override void ReadAnswer() => Answer = unchecked(Answer + BlockTable.SumRows(Statements));

    private protected override long RunBatch(ThreadConnections connections, int thread, int batch) => Write(connections, thread, batch);
}
