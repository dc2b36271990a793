using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Schema;

/// <summary>Blocks in random order into an empty table of each shape, a commit after every 10,000; the file size says what the shape takes.</summary>
public class ShapeInsert : BlockTableShapeBenchmark
{
    private const int RowsPerCommit = 10_000;

    protected override int Rows => TableRows;

    protected override long ExpectedAnswer =>
        Enumerable.Range(0, TableRows).Sum(index => (index + 1) * (31 + BlockKeys.Size(index) + BlockTable.Volume(index)));

    [Benchmark]
    public void Insert() => InsertAll(Statements, BlockKeys.Get(TableRows), RowsPerCommit);

    // That the hashes are right is what ShapeSelect finds out.
    protected override void ReadAnswer()
    {
        using var sum = Statements.Take(BlockTableShapeSql.Sum);
        Answer = sum.ExecuteInt64();
    }

    protected override void Prepare() => Statements.Execute(BlockTableShapeSql.Create(Hash, Key));
}
