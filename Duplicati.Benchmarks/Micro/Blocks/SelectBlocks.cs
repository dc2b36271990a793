using BenchmarkDotNet.Attributes;
using Duplicati.Library.Main.Database.Blocks;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>One look-up of a block by hash and size, in random order: of blocks that are all there, or all not there.</summary>
public class SelectBlocks : BlockBenchmark
{
    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => [.. BlockWays.All, BlockWays.Inside];

    /// <summary>Whether the blocks are there.</summary>
    [Params(true, false)]
    public bool Hit { get; set; }

    protected override int Rows => BenchmarkScale.Of(300_000, 5_000);

    protected override long ExpectedAnswer =>
        Enumerable.Range(0, Rows).Aggregate(0L, (sum, step) => BlockContender.Fold(sum, Hit ? Index(step) + 1 : -1));

    [Benchmark]
    public void Select()
    {
        if (Way == BlockWays.Inside)
            RunInside();
        else
            Answer = Contender.Select(0, Rows);
    }

    public override void Measure() => Select();

    protected override int Index(int step) => BlockTable.Scatter(step, TableRows) + (Hit ? 0 : TableRows);

    private void RunInside()
    {
        var map = BlockMap.Of(Layer.Session);
        var (texts, sizes) = (Questions.Texts, Questions.Sizes);
        Answer = 0;
        for (var step = 0; step < Rows; step++)
            Answer = BlockContender.Fold(Answer, map.Find(texts[step], sizes[step]));
    }
}
