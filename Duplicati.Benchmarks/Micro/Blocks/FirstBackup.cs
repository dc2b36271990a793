using BenchmarkDotNet.Attributes;
using Duplicati.Library.Main.Database.Blocks;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>A first backup: from no blocks to so many, each offered twice, a commit after each volume, and all indexes built at the end.</summary>
public class FirstBackup : BlockBenchmark
{
    private const int BlocksPerVolume = 500;

    private long m_added;

    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => BlockWays.Few;

    protected override int Rows => 2 * TableRows;

    protected override long ExpectedAnswer => Enumerable.Range(0, TableRows).Aggregate(
        (long)TableRows, (sum, i) => FoldBlock(sum, i + 1, i, 2 * i / BlocksPerVolume));

    protected override string? Template => BlockDatabase.Template(0);

    [Benchmark]
    public void FindOrInsert()
    {
        m_added = 0;
        for (var first = 0; first < Rows; first += BlocksPerVolume)
        {
            Contender.Volume = first / BlocksPerVolume;
            Contender.Begin();
            m_added += Contender.SelectThenInsert(first, Math.Min(BlocksPerVolume, Rows - first));
            Contender.Commit();
        }

        if (UsesLayer)
            CompleteIndexes();
    }

    public override void Measure() => FindOrInsert();

    // New ones in order, and in between those that were new before.
    protected override int Index(int step) => step % 2 == 0 ? step / 2 : step / 4;

    protected override void ReadAnswer() => Answer = FoldBlocks(m_added, 0);

    // What the end of a backup does.
    private void CompleteIndexes()
    {
        BlockIndexes.Of(Layer.Session).Complete();
        CommitLayer();
    }
}
