namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>A question about blocks.</summary>
/// <param name="Name">What is asked.</param>
/// <param name="Ways">The ways in which it is put.</param>
/// <param name="Create">Makes the benchmark for a table of so many blocks and a way.</param>
internal sealed record BlockCase(string Name, IEnumerable<string> Ways, Func<int, string, BlockBenchmark> Create);

/// <summary>Every question of the group, by name, to be run without the benchmark runner.</summary>
internal static class BlockCases
{
    /// <summary>The questions: name, the ways they are put, and a fresh benchmark for a table of so many blocks and a way.</summary>
    public static IReadOnlyList<BlockCase> All { get; } =
    [
        new("select, found", SelectBlocks.Ways, (rows, way) => new SelectBlocks { TableRows = rows, Way = way, Hit = true }),
        new("select, not found", SelectBlocks.Ways, (rows, way) => new SelectBlocks { TableRows = rows, Way = way, Hit = false }),
        new("insert", InsertBlocks.Ways, (rows, way) => new InsertBlocks { TableRows = rows, Way = way }),
        new("select then insert, half known", FindOrInsertBlocks.Ways, (rows, way) => new FindOrInsertBlocks { TableRows = rows, Way = way }),
        new("insert or ignore then select, half known", InsertFirstBlocks.Ways, (rows, way) => new InsertFirstBlocks { TableRows = rows, Way = way }),
        new("join blockset to blocks", JoinBlockset.Ways, (rows, way) => new JoinBlockset { TableRows = rows, Way = way }),
        new("join a list to blocks", JoinBlocks.Ways, (rows, way) => new JoinBlocks { TableRows = rows, Way = way }),
        new("new blockset, 100 blocks", LinkBlocks.Ways, (rows, way) => new LinkBlocks { TableRows = rows, Way = way, BlocksPerFile = 100 }),
        new("new blockset, 10000 blocks", LinkBlocks.Ways, (rows, way) => new LinkBlocks { TableRows = rows, Way = way, BlocksPerFile = 10_000 }),
        new("first backup, blocks", FirstBackup.Ways, (rows, way) => new FirstBackup { TableRows = rows, Way = way }),
        new("first backup, links, 100 blocks", FirstLinks.Ways, (rows, way) => new FirstLinks { TableRows = rows, Way = way }),
    ];
}
