using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>New blocksets of known blocks: one entry a block, each found by hash and size, a commit a blockset (in batches: a commit for 64 of them).</summary>
public class LinkBlocks : BlockBenchmark
{
    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => BlockWays.All;

    /// <summary>Blocks of one blockset.</summary>
    [Params(100, 10_000)]
    public int BlocksPerFile { get; set; }

    protected override int Rows => BenchmarkScale.Of(100_000, 10_000);

    protected override long ExpectedAnswer => Enumerable.Range(0, Rows).Aggregate(
        0L, (sum, step) => FoldEntry(sum, (step / BlocksPerFile) + 1, step % BlocksPerFile, Index(step) + 1));

    [Benchmark]
    public void Link() => Contender.AddBlocksets(Rows / BlocksPerFile, BlocksPerFile, BlockDatabase.Blocksize);

    public override void Measure() => Link();

    protected override int Index(int step) => new FullBlocks(TableRows).Index(step);

    protected override void ReadAnswer()
    {
        Answer = 0;
        using var read = Statements.Take(BlockBenchmarkSql.ReadEntries);
        while (read.Step())
            Answer = FoldEntry(Answer, read.GetInt64(0), read.GetInt64(1), read.GetInt64(2));
    }

    private static long FoldEntry(long sum, long blocksetId, long index, long blockId) =>
        BlockContender.Fold(BlockContender.Fold(BlockContender.Fold(sum, blocksetId), index), blockId);
}
