using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Pragmas;

/// <summary>Blocks in random order into an empty table with all its indexes, a commit after every 1,000.</summary>
public class InsertBlocks : PragmaBenchmark
{
    private const int RowsPerCommit = 1000;

    protected override int Rows => BenchmarkScale.Of(300_000, 10_000);

    protected override long ExpectedAnswer => BlockTable.SumOfRows(0, Rows, BlockTable.Volume);

    [Benchmark]
    public void Insert() => BlockTable.Insert(Statements, BlockKeys.Get(Rows), 0, Rows, RowsPerCommit);

    protected override void ReadAnswer() => Answer = BlockTable.SumRows(Statements);

    protected override void Prepare() => Statements.Execute(BlockTableSql.Create);
}
