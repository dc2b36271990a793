using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>Join of blocksets to blocks: hash and size of each block of a file, for files of 1,000 blocks that lie anywhere in the table, as a restore asks.</summary>
public class JoinBlockset : BlockBenchmark
{
    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => BlockWays.All;

    protected override int Rows => Math.Min(TableRows, BenchmarkScale.Of(300_000, 5_000));

    protected override string? Template => BlockDatabase.TemplateWithBlocksets(TableRows);

    protected override long ExpectedAnswer => Enumerable.Range(0, Files).Aggregate(0L, (sum, file) => unchecked(sum + ExpectedOf(file)));

    [Benchmark]
    public void Join() => Answer = Contender.JoinAll(Files);

    public override void Measure() => Join();

    protected override int Index(int step) => new FullBlocks(TableRows).Index(step);

    // Steady state: what is opened and prepared once a restore is no part of the question. There is no blockset 0.
    private protected override void PrepareLayer()
    {
        CommitLayer();
        _ = Contender.Join(0);
    }

    private protected override BlockQuestions MakeQuestions() => new(0, Index);

    private int Files => Rows / BlockDatabase.BlocksPerBlockset;

    private long ExpectedOf(int file) => Enumerable.Range(file * BlockDatabase.BlocksPerBlockset, BlockDatabase.BlocksPerBlockset)
        .Aggregate(0L, (sum, step) => BlockContender.Fold(sum, BlockKeys.Size(Index(step)) + BlockKeys.Latest.Text(Index(step))[0]));
}
