using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Threads;

/// <summary>Two batches of look-ups to one of new blocks, whichever thread they fall to.</summary>
public class ThreadMix : ThreadBenchmark
{
    // Shares no divisor with most numbers of threads, so that each thread gets some of both.
    private const int WriteEvery = 3;

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

    protected override int Batches => BenchmarkScale.Of(1_200, 60);

    protected override long ExpectedAnswer
    {
        get
        {
            var written = Enumerable.Range(0, Batches).Where(IsWrite).ToList();
            var read = Enumerable.Range(0, Batches).Except(written).Sum(ExpectedOfRead);
            return unchecked(read + (written.Count * BatchRows) + ExpectedOfTable(written));
        }
    }

    [Benchmark]
    public void Mix() => Answer = RunAll();

    protected override void ReadAnswer() => Answer = unchecked(Answer + BlockTable.SumRows(Statements));

    private protected override long RunBatch(ThreadConnections connections, int thread, int batch) =>
        IsWrite(batch) ? Write(connections, thread, batch) : Read(connections, thread, batch);

    private static bool IsWrite(int batch) => batch % WriteEvery == 0;
}
