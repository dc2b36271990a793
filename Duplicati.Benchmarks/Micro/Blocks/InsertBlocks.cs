using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>New blocks in random order into a table with all its indexes; one commit at the end.</summary>
public class InsertBlocks : BlockBenchmark
{
    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => [BlockWays.Provider, BlockWays.Native, BlockWays.Door];

    protected override int Rows => Math.Min(TableRows, 100_000);

    protected override long ExpectedAnswer => TableRows + Rows;

    [Benchmark]
    public void Insert()
    {
        switch (Way)
        {
            case BlockWays.Provider:
                RunProvider();
                break;
            case BlockWays.Native:
                RunNative();
                break;
            case BlockWays.Door:
                RunDoor();
                break;
        }
    }

    private void RunProvider()
    {
        Begin();
        for (var index = TableRows; index < TableRows + Rows; index++)
            Provider.Execute(BlockBenchmarkSql.Insert, ("@Hash", Hashes(0)[index]), ("@Size", BlockKeys.Size(index)), ("@VolumeId", 1L));
        Commit();
        Answer = CountBlocks();
    }

    private void RunNative()
    {
        Begin();
        using (var insert = Statements.Take(BlockTableSql.Insert))
        {
            for (var index = TableRows; index < TableRows + Rows; index++)
                insert.Bind(1, Hashes(0)[index]).Bind(2, BlockKeys.Size(index)).Bind(3, 1L).Execute();
        }

        Commit();
        Answer = CountBlocks();
    }

    private void RunDoor()
    {
        for (var index = TableRows; index < TableRows + Rows; index++)
            Layer.AddBlockAsync(Hashes(0)[index], BlockKeys.Size(index), 1, default).GetAwaiter().GetResult();
        CommitLayer();
        Answer = CountBlocks();
    }
}
