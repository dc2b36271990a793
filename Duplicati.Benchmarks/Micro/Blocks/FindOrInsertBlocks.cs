using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>Select, then insert: blocks of a backup that continues, every second one is there, the others are added; one commit at the end.</summary>
public class FindOrInsertBlocks : BlockBenchmark
{
    private long m_added;

    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => BlockWays.All;

    protected override int Rows => Math.Min(TableRows, BenchmarkScale.Of(100_000, 10_000));

    protected override long ExpectedAnswer => ExpectedRows(Rows / 2);

    [Benchmark]
    public void FindOrInsert()
    {
        Contender.Begin();
        m_added = Contender.SelectThenInsert(0, Rows);
        Contender.Commit();
    }

    public override void Measure() => FindOrInsert();

    protected override int Index(int step) => BlockTable.Scatter(step / 2, TableRows) + (step % 2 == 0 ? 0 : TableRows);

    protected override void ReadAnswer() => Answer = FoldBlocks(m_added, TableRows);

    private long ExpectedRows(long sum) =>
        Enumerable.Range(0, Rows / 2).Aggregate(sum, (current, i) => FoldBlock(current, TableRows + i + 1, Index((2 * i) + 1), 1));
}
