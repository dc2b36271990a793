using BenchmarkDotNet.Attributes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>
/// A question about blocks on a database with the whole schema, put to the provider and to this layer at its door. Hashes are
/// strings, as the callers have them.
/// </summary>
[BenchmarkGroup("blocks")]
[BaselineVariant(nameof(Way), BlockWays.Provider)]
public abstract class BlockBenchmark : DatabaseBenchmark
{
    private LocalBackupDatabase? m_layer;

    /// <summary>Blocks in the table before the clock starts.</summary>
    [ParamsSource(nameof(Sizes))]
    public int TableRows { get; set; }

    /// <summary>How the question is put; one of <see cref="BlockWays"/>.</summary>
    public abstract string Way { get; set; }

    public static IEnumerable<int> Sizes => BenchmarkScale.Of<int[]>([10_000, 100_000, 1_000_000], [1_000, 10_000]);

    protected override string? Template => BlockDatabase.Template(TableRows);

    private protected bool UsesLayer => Way is BlockWays.Door or BlockWays.Inside;

    private protected ProviderStatements Provider { get; private set; } = null!;

    /// <summary>The layer on the open connection. Made when it is first asked for.</summary>
    private protected LocalBackupDatabase Layer => m_layer ??= OpenLayer();

    private protected static string[] Hashes(int count) => BlockDatabase.Hashes(count);

    protected override void Prepare()
    {
        _ = BlockDatabase.Hashes(2 * TableRows);
        Provider = new ProviderStatements(Connection);
        m_layer = null;
        if (UsesLayer)
            PrepareLayer();
    }

    // Steady state: the map has been filled, which FillMap measures by itself.
    private protected virtual void PrepareLayer()
    {
        BlockMap.Of(Layer.Session).Fill();
        CommitLayer();
    }

    private protected void Begin() => Statements.Execute(BlockTableSql.Begin);

    private protected void Commit() => Statements.Execute(BlockTableSql.Commit);

    private protected void CommitLayer() => Layer.Transaction.CommitAsync(default(CancellationToken)).GetAwaiter().GetResult();

    private protected long CountBlocks()
    {
        using var count = Statements.Take(BlockTableSql.Count);
        return count.ExecuteInt64();
    }

    private LocalBackupDatabase OpenLayer()
    {
        var parent = LocalDatabase.CreateLocalDatabaseAsync(Connection, "Backup", null, default).GetAwaiter().GetResult();
        return LocalBackupDatabase.CreateAsync(parent, new Options([]), null, default).GetAwaiter().GetResult();
    }
}
