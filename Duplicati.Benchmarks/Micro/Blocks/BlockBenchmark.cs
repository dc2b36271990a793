using BenchmarkDotNet.Attributes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>
/// A question about blocks on a database with the whole schema, put in one of <see cref="BlockWays"/>. What was found out and, where
/// rows are written, every column of every new row is folded into the answer, outside of the time measured.
/// </summary>
[BenchmarkGroup("blocks")]
[BaselineVariant(nameof(Way), BlockWays.Provider)]
public abstract class BlockBenchmark : DatabaseBenchmark
{
    private LocalBackupDatabase? m_layer;
    private BlockQuestions? m_questions;
    private BlockContender? m_contender;

    /// <summary>Blocks in the table, before the clock starts unless the class says otherwise.</summary>
    [ParamsSource(nameof(Sizes))]
    public int TableRows { get; set; }

    /// <summary>How the question is put; one of <see cref="BlockWays"/>.</summary>
    public abstract string Way { get; set; }

    public static IEnumerable<int> Sizes => BenchmarkScale.Of<int[]>(
        BenchmarkScale.IsHuge ? [10_000, 100_000, 1_000_000, 10_000_000] : [10_000, 100_000, 1_000_000],
        [1_000, 10_000, 50_000]);

    protected override string? Template => BlockDatabase.Template(TableRows);

    private protected bool UsesLayer => Way is BlockWays.Door or BlockWays.Inside or BlockWays.Batch;

    /// <summary>The layer on the open connection. Made when it is first asked for.</summary>
    private protected LocalBackupDatabase Layer => m_layer ??= OpenLayer();

    private protected BlockQuestions Questions => m_questions ??= MakeQuestions();

    private protected BlockContender Contender => m_contender!;

    /// <summary>One round, without the attribute that only a derived class can have.</summary>
    public abstract void Measure();

    /// <summary>The number of the block that a question is about.</summary>
    protected abstract int Index(int step);

    protected override void Prepare()
    {
        _ = BlockKeys.Get(2 * TableRows);
        m_layer = null;
        m_contender = MakeContender();
        if (UsesLayer)
            PrepareLayer();
    }

    protected override void CleanUp()
    {
        m_contender?.Dispose();
        m_contender = null;
    }

    // Steady state: the map has been filled, which FillMap measures by itself.
    private protected virtual void PrepareLayer()
    {
        BlockMap.Of(Layer.Session).Fill();
        CommitLayer();
    }

    private protected virtual BlockQuestions MakeQuestions() => new(Rows, Index);

    private protected void CommitLayer() => Layer.Transaction.CommitAsync(default(CancellationToken)).GetAwaiter().GetResult();

    /// <summary>Every column of the rows of Block after an id, folded into a number.</summary>
    private protected long FoldBlocks(long sum, long afterId)
    {
        using var read = Statements.Take(BlockBenchmarkSql.ReadBlocks);
        for (read.Bind(1, afterId); read.Step();)
            sum = FoldBlock(sum, read.GetInt64(0), read.GetUtf8(1), read.GetInt64(2), read.GetInt64(3));
        return sum;
    }

    /// <summary>The same for a row that is expected.</summary>
    private protected static long FoldBlock(long sum, long id, int index, long volumeId) =>
        FoldBlock(sum, id, BlockKeys.Latest.Text(index), BlockKeys.Size(index), volumeId);

    private static long FoldBlock(long sum, long id, ReadOnlySpan<byte> hash, long size, long volumeId)
    {
        sum = BlockContender.Fold(sum, id);
        foreach (var letter in hash)
            sum = BlockContender.Fold(sum, letter);
        return BlockContender.Fold(BlockContender.Fold(sum, size), volumeId);
    }

    private BlockContender MakeContender() => Way switch
    {
        BlockWays.Provider => new ProviderContender(Questions, new ProviderStatements(Connection)),
        BlockWays.Unprepared => new ProviderContender(Questions, new ProviderStatements(Connection, isPrepared: false)),
        BlockWays.ProviderAsync => new AsyncContender(Questions, new ProviderStatements(Connection)),
        BlockWays.Native => new NativeContender(Questions, Statements),
        BlockWays.CLoop => new CLoopContender(Questions, Statements),
        BlockWays.Batch => new BatchContender(Questions, Layer),
        _ => new DoorContender(Questions, Layer),
    };

    private LocalBackupDatabase OpenLayer()
    {
        var parent = LocalDatabase.CreateLocalDatabaseAsync(Connection, "Backup", null, default).GetAwaiter().GetResult();
        return LocalBackupDatabase.CreateAsync(parent, new Options([]), null, default).GetAwaiter().GetResult();
    }
}
