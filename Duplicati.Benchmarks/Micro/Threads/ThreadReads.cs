using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Threads;

/// <summary>Batches of look-ups by hash and size.</summary>
public class ThreadReads : ThreadBenchmark
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

    public static IEnumerable<string> Ways => [ThreadWays.Own, ThreadWays.Shared, ThreadWays.ReadOnly, ThreadWays.SharedCache];

    protected override int Batches => BenchmarkScale.Of(8_000, 400);

    protected override long ExpectedAnswer => Enumerable.Range(0, Batches).Sum(ExpectedOfRead);

    [Benchmark]
    public void Read() => Answer = RunAll();

    private protected override long RunBatch(ThreadConnections connections, int thread, int batch) => Read(connections, thread, batch);
}
