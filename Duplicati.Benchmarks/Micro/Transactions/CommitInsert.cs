using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Transactions;

/// <summary>How many rows a transaction should have: blocks in random order into an empty table with all its indexes.</summary>
[BenchmarkGroup("transactions")]
[BaselineVariant(nameof(RowsPerCommit), "1")]
public class CommitInsert : DatabaseBenchmark
{
    [ParamsSource(nameof(Sizes))]
    public int RowsPerCommit { get; set; }

    public static IEnumerable<int> Sizes => CommitSizes.All;

    protected override int Rows => CommitSizes.Rows;

    protected override long ExpectedAnswer => BlockTable.SumOfRows(0, Rows, BlockTable.Volume);

    [Benchmark]
    public void Insert() => BlockTable.Insert(Statements, BlockKeys.Get(Rows), 0, Rows, RowsPerCommit);

    protected override void ReadAnswer() => Answer = BlockTable.SumRows(Statements);

    protected override void Prepare() => Statements.Execute(BlockTableSql.Create);
}
