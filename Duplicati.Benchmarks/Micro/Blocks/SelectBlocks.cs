using BenchmarkDotNet.Attributes;
using Duplicati.Library.Main.Database.Blocks;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>One look-up of a block by hash and size, in random order: of blocks that are all there, or all not there.</summary>
public class SelectBlocks : BlockBenchmark
{
    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => [BlockWays.Provider, BlockWays.Unprepared, BlockWays.Native, BlockWays.Door, BlockWays.Inside];

    /// <summary>Whether the blocks are there.</summary>
    [Params(true, false)]
    public bool Hit { get; set; }

    protected override int Rows => BenchmarkScale.Of(300_000, 5_000);

    protected override long ExpectedAnswer => Hit ? Rows : 0;

    [Benchmark]
    public void Select()
    {
        switch (Way)
        {
            case BlockWays.Provider:
                RunProvider();
                break;
            case BlockWays.Unprepared:
                RunUnprepared();
                break;
            case BlockWays.Native:
                RunNative();
                break;
            case BlockWays.Door:
                RunDoor();
                break;
            case BlockWays.Inside:
                RunInside();
                break;
        }
    }

    private void RunProvider() => Answer = CountFound(static (self, index) =>
        self.Provider.Scalar(BlockBenchmarkSql.Find, ("@Hash", Hashes(0)[index]), ("@Size", BlockKeys.Size(index))));

    private void RunUnprepared() => Answer = CountFound(static (self, index) =>
        self.Provider.ScalarUnprepared(BlockBenchmarkSql.Find, ("@Hash", Hashes(0)[index]), ("@Size", BlockKeys.Size(index))));

    private void RunNative()
    {
        using var find = Statements.Take(BlockTableSql.Find);
        Answer = 0;
        for (var step = 0; step < Rows; step++)
        {
            var index = Index(step);
            Answer += find.Bind(1, Hashes(0)[index]).Bind(2, BlockKeys.Size(index)).ExecuteInt64() >= 0 ? 1 : 0;
        }
    }

    private void RunDoor() => Answer = CountFound(static (self, index) =>
        self.Layer.FindBlockIDAsync(Hashes(0)[index], BlockKeys.Size(index), default).GetAwaiter().GetResult());

    private void RunInside()
    {
        var map = BlockMap.Of(Layer.Session);
        Answer = 0;
        for (var step = 0; step < Rows; step++)
            Answer += map.Find(Hashes(0)[Index(step)], BlockKeys.Size(Index(step))) >= 0 ? 1 : 0;
    }

    private int Index(int step) => BlockTable.Scatter(step, TableRows) + (Hit ? 0 : TableRows);

    private long CountFound(Func<SelectBlocks, int, long> find)
    {
        var found = 0L;
        for (var step = 0; step < Rows; step++)
            found += find(this, Index(step)) >= 0 ? 1 : 0;
        return found;
    }
}
