using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>A whole list of blocks at once, every second one of them there: through a temporary table and a join, or by look-ups.</summary>
public class JoinBlocks : BlockBenchmark
{
    private ProviderStatements m_provider = null!;

    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => [BlockWays.Provider, BlockWays.Door, BlockWays.Batch];

    protected override int Rows => Math.Min(TableRows, BenchmarkScale.Of(100_000, 10_000));

    protected override long ExpectedAnswer =>
        Enumerable.Range(0, Rows).Aggregate(0L, (sum, step) => BlockContender.Fold(sum, step % 2 == 0 ? Index(step) + 1 : -1));

    [Benchmark]
    public void Join()
    {
        if (Way == BlockWays.Provider)
            RunProvider();
        else
            Answer = Contender.Select(0, Rows);
    }

    public override void Measure() => Join();

    protected override void Prepare()
    {
        base.Prepare();
        m_provider = new ProviderStatements(Connection);
    }

    protected override int Index(int step) => BlockTable.Scatter(step / 2, TableRows) + (step % 2 == 0 ? 0 : TableRows);

    private void RunProvider()
    {
        var (texts, sizes) = (Questions.Texts, Questions.Sizes);
        m_provider.Execute(BlockTableSql.Begin);
        m_provider.Execute(BlockBenchmarkSql.CreateWanted);
        for (var step = 0; step < Rows; step++)
            m_provider.Execute(BlockBenchmarkSql.InsertWanted, ("@Hash", texts[step]), ("@Size", sizes[step]));
        Answer = m_provider.Read(BlockBenchmarkSql.JoinWanted, static (reader, sum) => BlockContender.Fold(sum, reader.GetInt64(0)));
        m_provider.Execute(BlockTableSql.Commit);
    }
}
