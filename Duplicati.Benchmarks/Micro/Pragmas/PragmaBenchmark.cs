using BenchmarkDotNet.Attributes;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Benchmarks.Micro.Pragmas;

/// <summary>What each pragma does to one kind of work, against SQLite's own settings.</summary>
[BenchmarkGroup("pragmas")]
[BaselineVariant(nameof(Variant), PragmaVariants.Baseline)]
public abstract class PragmaBenchmark : DatabaseBenchmark
{
    /// <summary>The pragma that is changed, or the preset.</summary>
    [ParamsSource(nameof(Variants))]
    public string Variant { get; set; } = PragmaVariants.Baseline;

    public static IEnumerable<string> Variants => PragmaVariants.All;

    protected override ConnectionOptions Options => PragmaVariants.Options(Variant);

    private protected string FilledTemplate(int rows)
    {
        var (options, key) = PragmaVariants.TemplateOptions(Variant);
        return BlockTable.Template(rows, options, key);
    }
}

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
