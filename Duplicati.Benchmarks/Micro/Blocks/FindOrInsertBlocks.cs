using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>Blocks of a backup that continues: every second one is there, the others are added; one commit at the end.</summary>
public class FindOrInsertBlocks : BlockBenchmark
{
    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => [BlockWays.Provider, BlockWays.Native, BlockWays.InsertFirst, BlockWays.Door];

    protected override int Rows => Math.Min(TableRows, 100_000);

    protected override long ExpectedAnswer => TableRows + (Rows / 2);

    [Benchmark]
    public void FindOrInsert()
    {
        switch (Way)
        {
            case BlockWays.Provider:
                RunProvider();
                break;
            case BlockWays.Native:
                RunNative();
                break;
            case BlockWays.InsertFirst:
                RunInsertFirst();
                break;
            case BlockWays.Door:
                RunDoor();
                break;
        }
    }

    private void RunProvider()
    {
        Begin();
        for (var step = 0; step < Rows; step++)
        {
            var index = Index(step);
            if (Provider.Scalar(BlockBenchmarkSql.Find, ("@Hash", Hashes(0)[index]), ("@Size", BlockKeys.Size(index))) < 0)
                Provider.Execute(BlockBenchmarkSql.Insert, ("@Hash", Hashes(0)[index]), ("@Size", BlockKeys.Size(index)), ("@VolumeId", 1L));
        }

        Commit();
        Answer = CountBlocks();
    }

    private void RunNative()
    {
        Begin();
        for (var step = 0; step < Rows; step++)
        {
            var index = Index(step);
            using var find = Statements.Take(BlockTableSql.Find);
            if (find.Bind(1, Hashes(0)[index]).Bind(2, BlockKeys.Size(index)).ExecuteInt64() >= 0)
                continue;
            using var insert = Statements.Take(BlockTableSql.Insert);
            insert.Bind(1, Hashes(0)[index]).Bind(2, BlockKeys.Size(index)).Bind(3, 1L).Execute();
        }

        Commit();
        Answer = CountBlocks();
    }

    private void RunInsertFirst()
    {
        Begin();
        for (var step = 0; step < Rows; step++)
        {
            var index = Index(step);
            using (var insert = Statements.Take(BlockBenchmarkSql.InsertOrIgnoreNative))
                insert.Bind(1, Hashes(0)[index]).Bind(2, BlockKeys.Size(index)).Bind(3, 1L).Execute();
            using var find = Statements.Take(BlockTableSql.Find);
            find.Bind(1, Hashes(0)[index]).Bind(2, BlockKeys.Size(index)).ExecuteInt64();
        }

        Commit();
        Answer = CountBlocks();
    }

    private void RunDoor()
    {
        for (var step = 0; step < Rows; step++)
            Layer.AddBlockAsync(Hashes(0)[Index(step)], BlockKeys.Size(Index(step)), 1, default).GetAwaiter().GetResult();
        CommitLayer();
        Answer = CountBlocks();
    }

    private int Index(int step) => BlockTable.Scatter(step / 2, TableRows) + (step % 2 == 0 ? 0 : TableRows);
}
