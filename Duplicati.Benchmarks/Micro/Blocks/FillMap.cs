using BenchmarkDotNet.Attributes;
using Duplicati.Library.Main.Database.Blocks;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>Reading all blocks into memory, which the layer does once an operation that looks up many.</summary>
public class FillMap : BlockBenchmark
{
    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Inside;

    public static IEnumerable<string> Ways => [BlockWays.Inside];

    protected override int Rows => TableRows;

    protected override long ExpectedAnswer => TableRows;

    [Benchmark]
    public void Fill()
    {
        var map = BlockMap.Of(Layer.Session);
        map.Fill();
        Answer = map.Find(Questions.Texts[0], Questions.Sizes[0]);
    }

    public override void Measure() => Fill();

    protected override int Index(int step) => TableRows - 1;

    private protected override void PrepareLayer() => CommitLayer();

    private protected override BlockQuestions MakeQuestions() => new(1, Index);
}
