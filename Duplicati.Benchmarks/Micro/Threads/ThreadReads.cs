using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Threads;

/// <summary>Batches of look-ups by hash and size.</summary>
public class ThreadReads : ThreadBenchmark
{
    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = ThreadWays.Own;

    public static IEnumerable<string> Ways => [ThreadWays.Own, ThreadWays.Shared, ThreadWays.ReadOnly, ThreadWays.SharedCache];

    protected override int Batches => BenchmarkScale.Of(4_000, 100);

    protected override long ExpectedAnswer => Table == "filled" ? Rows : 0;

    [Benchmark]
    public void Read() => Answer = RunAll();

    private protected override long RunBatch(ThreadConnections connections, int thread, int batch) => Read(connections, thread, batch);
}
