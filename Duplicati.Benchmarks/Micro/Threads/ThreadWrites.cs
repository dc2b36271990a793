using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Threads;

/// <summary>Batches of new blocks, a commit each.</summary>
public class ThreadWrites : ThreadBenchmark
{
    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = ThreadWays.Own;

    public static IEnumerable<string> Ways => [ThreadWays.Own, ThreadWays.Shared, ThreadWays.SharedCache];

    protected override int Batches => BenchmarkScale.Of(400, 20);

    protected override long ExpectedAnswer => 2L * Rows;

    [Benchmark]
    public void Write() => Answer = RunAll() + AddedRows();

    private protected override long RunBatch(ThreadConnections connections, int thread, int batch) => Write(connections, thread, batch);
}
