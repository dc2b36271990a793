using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>Insert or ignore, then select: the id of each block is wanted, every second one is there already; one commit at the end.</summary>
public class InsertFirstBlocks : BlockBenchmark
{
    private long m_ids;

    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => BlockWays.All;

    protected override int Rows => Math.Min(TableRows, BenchmarkScale.Of(100_000, 10_000));

    protected override long ExpectedAnswer
    {
        get
        {
            var sum = Enumerable.Range(0, Rows).Aggregate(0L, (current, step) => BlockContender.Fold(current, step % 2 == 0 ? Index(step) + 1 : TableRows + (step / 2) + 1));
            return Enumerable.Range(0, Rows / 2).Aggregate(sum, (current, i) => FoldBlock(current, TableRows + i + 1, Index((2 * i) + 1), 1));
        }
    }

    [Benchmark]
    public void InsertFirst()
    {
        Contender.Begin();
        m_ids = Contender.InsertThenSelect(0, Rows);
        Contender.Commit();
    }

    public override void Measure() => InsertFirst();

    protected override int Index(int step) => BlockTable.Scatter(step / 2, TableRows) + (step % 2 == 0 ? 0 : TableRows);

    protected override void ReadAnswer() => Answer = FoldBlocks(m_ids, TableRows);
}
