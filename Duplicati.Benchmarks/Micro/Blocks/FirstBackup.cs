using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>A first backup: from no blocks to so many, each offered twice, a commit after each volume, all indexes there at the end.</summary>
public class FirstBackup : BlockBenchmark
{
    private const int BlocksPerVolume = 500;

    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => [BlockWays.Provider, BlockWays.Door];

    protected override int Rows => 2 * TableRows;

    protected override long ExpectedAnswer => TableRows;

    protected override string? Template => BlockDatabase.Template(0);

    [Benchmark]
    public void FindOrInsert()
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
        for (var step = 0; step < Rows; step++)
        {
            var index = Index(step);
            if (Provider.Scalar(BlockBenchmarkSql.Find, ("@Hash", Hashes(0)[index]), ("@Size", BlockKeys.Size(index))) < 0)
                Provider.Execute(BlockBenchmarkSql.Insert, ("@Hash", Hashes(0)[index]), ("@Size", BlockKeys.Size(index)), ("@VolumeId", (long)step / BlocksPerVolume));
            if (step % BlocksPerVolume == BlocksPerVolume - 1)
            {
                Commit();
                Begin();
            }
        }

        Commit();
        Answer = CountBlocks();
    }

    private void RunDoor()
    {
        for (var step = 0; step < Rows; step++)
        {
            var index = Index(step);
            Layer.AddBlockAsync(Hashes(0)[index], BlockKeys.Size(index), step / BlocksPerVolume, default).GetAwaiter().GetResult();
            if (step % BlocksPerVolume == BlocksPerVolume - 1)
                CommitLayer();
        }

        CommitLayer();
        Answer = CountBlocks();
    }

    // New ones in order, and in between those that were new before.
    private static int Index(int step) => step % 2 == 0 ? step / 2 : step / 4;
}
