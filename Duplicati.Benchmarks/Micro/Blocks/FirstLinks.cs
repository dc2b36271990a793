using BenchmarkDotNet.Attributes;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>
/// The links of a first backup: its blocks have been added before the clock starts, by the layer all in this operation; then files are
/// linked to them, a commit a file (in batches: one for 64 files), and the indexes of the links are built at the end.
/// </summary>
public class FirstLinks : BlockBenchmark
{
    private const int BlocksPerVolume = 500;
    private const int BlocksPerFile = 100;

    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => BlockWays.Few;

    protected override int Rows => FullBlocks / BlocksPerFile * BlocksPerFile;

    protected override long ExpectedAnswer => Enumerable.Range(0, Rows).Aggregate(0L, (sum, step) => FoldEntry(sum, step, Index(step) + 1));

    // To contenders without a memory it makes no difference when the blocks were added.
    protected override string? Template => BlockDatabase.Template(UsesLayer ? 0 : TableRows);

    private int FullBlocks => TableRows - ((TableRows + 9) / 10);

    [Benchmark]
    public void Link()
    {
        Contender.AddBlocksets(Rows / BlocksPerFile, BlocksPerFile, BlockDatabase.Blocksize);
        if (!UsesLayer)
            return;

        BlockIndexes.Of(Layer.Session).Complete();
        CommitLayer();
    }

    public override void Measure() => Link();

    // In the order in which a first backup comes by them.
    protected override int Index(int step) => (step / 9 * 10) + 1 + (step % 9);

    protected override void ReadAnswer()
    {
        Answer = 0;
        var step = 0;
        using var read = Statements.Take(BlockBenchmarkSql.ReadEntries);
        for (; read.Step(); step++)
            Answer = FoldEntry(Answer, step, read.GetInt64(2));
    }

    protected override void Prepare()
    {
        base.Prepare();
        if (!UsesLayer)
            return;

        using var adding = new BatchContender(new BlockQuestions(TableRows, step => step), Layer);
        for (var first = 0; first < TableRows; first += BlocksPerVolume)
        {
            adding.Insert(first, Math.Min(BlocksPerVolume, TableRows - first));
            adding.Commit();
        }

        // The indexes of the blocks belong to adding them.
        DeferredIndexes.Of(Layer.Session).Restore("Block");
        CommitLayer();
    }

    private static long FoldEntry(long sum, int step, long blockId) => BlockContender.Fold(BlockContender.Fold(sum, step), blockId);
}
