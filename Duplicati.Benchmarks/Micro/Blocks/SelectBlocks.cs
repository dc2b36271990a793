using BenchmarkDotNet.Attributes;
using Duplicati.Library.Main.Database.Blocks;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>One look-up of a block by hash and size, in random order: of blocks that are all there, or all not there.</summary>
public class SelectBlocks : BlockBenchmark
{
    private string[] m_asked = [];

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

    protected override void Prepare()
    {
        base.Prepare();
        // A caller has just computed the hash it asks for, so the text is in the processor's cache; strings made in the order of
        // the questions come close to that, strings picked all over memory do not.
        m_asked = new string[Rows];
        for (var step = 0; step < Rows; step++)
            m_asked[step] = new string(Hashes(0)[Index(step)].AsSpan());
    }

    private void RunProvider() => Answer = CountFound(static (self, hash, size) =>
        self.Provider.Scalar(BlockBenchmarkSql.Find, ("@Hash", hash), ("@Size", size)));

    private void RunUnprepared() => Answer = CountFound(static (self, hash, size) =>
        self.Provider.ScalarUnprepared(BlockBenchmarkSql.Find, ("@Hash", hash), ("@Size", size)));

    private void RunNative()
    {
        using var find = Statements.Take(BlockTableSql.Find);
        Answer = 0;
        for (var step = 0; step < Rows; step++)
            Answer += find.Bind(1, m_asked[step]).Bind(2, BlockKeys.Size(Index(step))).ExecuteInt64() >= 0 ? 1 : 0;
    }

    private void RunDoor() => Answer = CountFound(static (self, hash, size) =>
        self.Layer.FindBlockIDAsync(hash, size, default).GetAwaiter().GetResult());

    private void RunInside()
    {
        var map = BlockMap.Of(Layer.Session);
        Answer = 0;
        for (var step = 0; step < Rows; step++)
            Answer += map.Find(m_asked[step], BlockKeys.Size(Index(step))) >= 0 ? 1 : 0;
    }

    private int Index(int step) => BlockTable.Scatter(step, TableRows) + (Hit ? 0 : TableRows);

    private long CountFound(Func<SelectBlocks, string, long, long> find)
    {
        var found = 0L;
        for (var step = 0; step < Rows; step++)
            found += find(this, m_asked[step], BlockKeys.Size(Index(step))) >= 0 ? 1 : 0;
        return found;
    }
}
