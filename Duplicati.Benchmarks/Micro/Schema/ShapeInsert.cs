using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Schema;

/// <summary>Blocks in random order into an empty table of each shape, a commit after every 10,000; the file size says what the shape takes.</summary>
public class ShapeInsert : BlockTableShapeBenchmark
{
    private const int RowsPerCommit = 10_000;

    protected override int Rows => TableRows;

    protected override long ExpectedAnswer => TableRows;

    [Benchmark]
    public void Insert() => Answer = InsertAll(Statements, BlockKeys.Get(TableRows), RowsPerCommit);

    protected override void Prepare() => Statements.Execute(BlockTableShapeSql.Create(Hash, Key));
}
