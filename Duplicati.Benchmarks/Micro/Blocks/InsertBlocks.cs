using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>New blocks in random order into a table with all its indexes; one commit at the end.</summary>
public class InsertBlocks : BlockBenchmark
{
    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => BlockWays.All;

    protected override int Rows => Math.Min(TableRows, BenchmarkScale.Of(100_000, 10_000));

    protected override long ExpectedAnswer =>
        Enumerable.Range(0, Rows).Aggregate(0L, (sum, step) => FoldBlock(sum, TableRows + step + 1, Index(step), 1));

    [Benchmark]
    public void Insert()
    {
        Contender.Begin();
        Contender.Insert(0, Rows);
        Contender.Commit();
    }

    public override void Measure() => Insert();

    protected override int Index(int step) => TableRows + step;

    protected override void ReadAnswer() => Answer = FoldBlocks(0, TableRows);
}
