using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Pragmas;

/// <summary>Look-ups of blocks in random order, every second one of a block that is not there.</summary>
public class FindBlocks : PragmaBenchmark
{
    private static int TableRows => BenchmarkScale.Of(1_000_000, 50_000);

    protected override int Rows => BenchmarkScale.Of(300_000, 20_000);

    protected override long ExpectedAnswer => BlockTable.SumOfIds(TableRows, 2 * TableRows, Rows);

    protected override string? Template => FilledTemplate(TableRows);

    [Benchmark]
    public void Find() => Answer = BlockTable.Find(Statements, BlockKeys.Get(2 * TableRows), 2 * TableRows, Rows);
}
