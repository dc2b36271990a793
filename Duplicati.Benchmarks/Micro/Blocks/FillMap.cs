using BenchmarkDotNet.Attributes;
using Duplicati.Library.Main.Database.Blocks;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>Reading all blocks into memory, which the layer does once an operation that looks up many; with the provider, into a dictionary.</summary>
public class FillMap : BlockBenchmark
{
    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => [BlockWays.Provider, BlockWays.Inside];

    protected override int Rows => TableRows;

    protected override long ExpectedAnswer => TableRows;

    [Benchmark]
    public void Fill() => Answer = Way == BlockWays.Inside ? FillInside() : FillDictionary();

    public override void Measure() => Fill();

    protected override int Index(int step) => TableRows - 1;

    private protected override void PrepareLayer() => CommitLayer();

    private long FillInside()
    {
        var map = BlockMap.Of(Layer.Session);
        map.Fill();
        return map.Find(Questions.Texts[0], Questions.Sizes[0]);
    }

    private long FillDictionary()
    {
        var ids = new Dictionary<(string, long), long>();
        new ProviderStatements(Connection).Read(BlockBenchmarkSql.ReadKeys, (reader, count) =>
        {
            ids.Add((reader.GetString(0), reader.GetInt64(1)), reader.GetInt64(2));
            return count + 1;
        });
        return ids[(Questions.Texts[0], Questions.Sizes[0])];
    }

    private protected override BlockQuestions MakeQuestions() => new(1, Index);
}
