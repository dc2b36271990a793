using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>A whole list of blocks at once, every second one of them there: through a temporary table and a join, or one by one.</summary>
public class JoinBlocks : BlockBenchmark
{
    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => [BlockWays.Provider, BlockWays.Door];

    protected override int Rows => Math.Min(TableRows, 100_000);

    protected override long ExpectedAnswer => Rows / 2;

    [Benchmark]
    public void Join()
    {
        switch (Way)
        {
            case BlockWays.Provider:
                RunProvider();
                break;
            case BlockWays.Door:
                RunDoor();
                break;
        }
    }

    private void RunProvider()
    {
        Begin();
        Provider.Execute(BlockBenchmarkSql.CreateWanted);
        for (var step = 0; step < Rows; step++)
            Provider.Execute(BlockBenchmarkSql.InsertWanted, ("@Hash", Hashes(0)[Index(step)]), ("@Size", BlockKeys.Size(Index(step))));
        Answer = Provider.Scalar(BlockBenchmarkSql.JoinWanted);
        Commit();
    }

    private void RunDoor()
    {
        Answer = 0;
        for (var step = 0; step < Rows; step++)
            Answer += Layer.FindBlockIDAsync(Hashes(0)[Index(step)], BlockKeys.Size(Index(step)), default).GetAwaiter().GetResult() >= 0 ? 1 : 0;
    }

    private int Index(int step) => BlockTable.Scatter(step / 2, TableRows) + (step % 2 == 0 ? 0 : TableRows);
}
