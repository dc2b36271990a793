using BenchmarkDotNet.Attributes;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Benchmarks.Micro.Threads;

/// <summary>
/// A fixed number of batches, shared out among threads: how the rate changes with their number, the way they are connected, the
/// journal, and an empty or a filled table. A batch is a transaction of <see cref="BatchRows"/> rows.
/// </summary>
/// <remarks>
/// The engine's busy handler sleeps up to 100 ms at a time; what that costs is a question of the group Commits. Here nothing waits in
/// the engine: statements wait outside of it, 1 to 25 ms at a time, and a batch that waiting does not help begins again.
/// </remarks>
[BenchmarkGroup("threads", Durability = "as the parameter Journal says, synchronous NORMAL; a batch that finds the database locked is tried again")]
[BaselineVariant(nameof(Way), ThreadWays.Own)]
public abstract class ThreadBenchmark : DatabaseBenchmark
{
    protected const int BatchRows = 50;

    private ThreadConnections? m_connections;
    private ThreadTeam? m_team;
    private long m_result;

    /// <summary>How the threads are connected; one of <see cref="ThreadWays"/>.</summary>
    public abstract string Way { get; set; }

    /// <summary>WAL or DELETE.</summary>
    public abstract string Journal { get; set; }

    /// <summary>Whether the table has rows before the clock starts: empty or filled.</summary>
    public abstract string Table { get; set; }

    /// <summary>Threads that share the batches.</summary>
    public abstract int Threads { get; set; }

    protected static IEnumerable<int> UpTo20 => BenchmarkScale.Of<int[]>([1, 2, 4, 8, 12, 16, 20], [1, 2, 4, 8, 20]);

    protected static string[] BothJournals => ["WAL", "DELETE"];

    protected static string[] BothTables => ["empty", "filled"];

    /// <summary>Batches of all threads.</summary>
    protected abstract int Batches { get; }

    protected override int Rows => Batches * BatchRows;

    protected override string? Template => BlockTable.Template(Filled, ConnectionPreset.Default.ToOptions(), "default");

    protected override ConnectionOptions Options =>
        ConnectionOptions.From("default").Set(PragmaCatalogue.JournalMode, Journal).Set(PragmaCatalogue.BusyTimeout, "0").WithStatisticsRefresh(false).Build();

    /// <summary>Rows of the table before the clock starts.</summary>
    protected int Filled => Table == "filled" ? AskedRange : 0;

    /// <summary>Blocks are asked for among so many, which are all of a filled table, and none that any thread writes.</summary>
    protected static int AskedRange => BenchmarkScale.Of(1_000_000, 10_000);

    /// <summary>Runs all batches.</summary>
    /// <returns>The sum of what they returned.</returns>
    protected long RunAll()
    {
        m_team!.Run();
        return Volatile.Read(ref m_result);
    }

    /// <summary>What a batch of look-ups must return: ids added up, -1 for a block that is not there.</summary>
    protected long ExpectedOfRead(int batch) => Enumerable.Range(batch * BatchRows, BatchRows).Sum(row => Table == "filled" ? BlockTable.Scatter(row, AskedRange) + 1L : -1);

    /// <summary>One batch, the number of which is from 0; each number once.</summary>
    private protected abstract long RunBatch(ThreadConnections connections, int thread, int batch);

    private protected static long Read(ThreadConnections connections, int thread, int batch) => connections.Run(thread, BlockTableSql.Begin, statements =>
    {
        var sum = 0L;
        using var find = statements.Take(BlockTableSql.Find);
        for (var row = 0; row < BatchRows; row++)
        {
            var index = BlockTable.Scatter((batch * BatchRows) + row, AskedRange);
            sum += find.BindUtf8(1, BlockKeys.Get(0).Text(index)).Bind(2, BlockKeys.Size(index)).ExecuteInt64();
        }

        return sum;
    });

    private protected static long Write(ThreadConnections connections, int thread, int batch) => connections.Run(thread, BlockTableSql.BeginWriting, statements =>
    {
        var inserted = 0L;
        using var insert = statements.Take(BlockTableSql.Insert);
        for (var index = AskedRange + (batch * BatchRows); index < AskedRange + ((batch + 1) * BatchRows); index++)
            inserted += insert.BindUtf8(1, BlockKeys.Get(0).Text(index)).Bind(2, BlockKeys.Size(index)).Bind(3, batch).Execute();
        return inserted;
    });

    /// <summary>What the table must hold after these batches were written.</summary>
    protected long ExpectedOfTable(IEnumerable<int> batches) => batches.Aggregate(
        BlockTable.SumOfRows(0, Filled, BlockTable.Volume),
        (sum, batch) => unchecked(sum + BlockTable.SumOfRows(AskedRange + (batch * BatchRows), BatchRows, _ => batch)));

    protected override void Prepare()
    {
        _ = BlockKeys.Get(AskedRange + Rows);
        m_result = 0;
        m_connections = new ThreadConnections(Way, Threads, DatabasePath, Options);
        m_team = new ThreadTeam(Threads, RunShare);
    }

    protected override void CleanUp()
    {
        m_team?.Dispose();
        m_connections?.Dispose();
    }

    private void RunShare(int thread)
    {
        var result = 0L;
        for (var batch = thread; batch < Batches; batch += Threads)
            result += RunBatch(m_connections!, thread, batch);
        Interlocked.Add(ref m_result, result);
    }
}

/// <summary>The ways several threads use one database.</summary>
internal static class ThreadWays
{
    /// <summary>A connection for each thread.</summary>
    internal const string Own = "own";

    /// <summary>One connection, which the threads use in turns, a batch each.</summary>
    internal const string Shared = "shared";

    /// <summary>A connection for each thread, opened for reading only.</summary>
    internal const string ReadOnly = "read-only";

    /// <summary>A connection for each thread on one page cache with table locks, which no busy timeout waits for.</summary>
    internal const string SharedCache = "shared cache";
}
