using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Pragmas;

/// <summary>Sorts the whole table, as rebuilding an index does; helper threads and temporary storage matter here.</summary>
public class SortBlocks : PragmaBenchmark
{
    protected override int Rows => BenchmarkScale.Of(1_000_000, 50_000);

    protected override long ExpectedAnswer => Rows;

    protected override string? Template => FilledTemplate(Rows);

    [Benchmark]
    public void Sort()
    {
        Statements.Execute(BlockTableSql.Begin);
        Statements.Execute(BlockTableSql.Sort);
        using (var count = Statements.Take(BlockTableSql.CountSorted))
            Answer = count.ExecuteInt64();
        Statements.Execute(BlockTableSql.Commit);
    }
}
