// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using BenchmarkDotNet.Attributes;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Micro;

/// <summary>
/// A fixed number of batches, shared out among threads: how the rate changes with their number, the way they are connected, the
/// journal, and an empty or a filled table. A batch is a transaction of <see cref="BatchRows"/> rows.
/// </summary>
/// <remarks>
/// The engine's busy handler sleeps up to 100 ms at a time; what that costs is a question of the group Commits. Here nothing waits in
/// the engine: statements wait outside of it, 1 to 25 ms at a time, and a batch that waiting does not help begins again.
/// </remarks>
[BenchmarkGroup(
    "threads",
    Durability = "as the parameter Journal says, synchronous NORMAL; a batch that finds the database locked is tried again"
)]
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

    private protected override ConnectionOptions Options =>
        Of("default", (PragmaCatalogue.JournalMode, Journal), (PragmaCatalogue.BusyTimeout, "0"));

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
    protected long ExpectedOfRead(int batch) =>
        Enumerable.Range(batch * BatchRows, BatchRows).Sum(row => Table == "filled" ? BlockTable.Scatter(row, AskedRange) + 1L : -1);

    /// <summary>One batch, the number of which is from 0; each number once.</summary>
    private protected abstract long RunBatch(ThreadConnections connections, int thread, int batch);

    private protected static long Read(ThreadConnections connections, int thread, int batch) =>
        connections.Run(
            thread,
            BlockTableSql.Begin,
            statements =>
            {
                var sum = 0L;
                using var find = statements.Take(BlockTableSql.Find);
                for (var row = 0; row < BatchRows; row++)
                {
                    var index = BlockTable.Scatter((batch * BatchRows) + row, AskedRange);
                    sum += find.BindUtf8(1, BlockKeys.Get(0).Text(index)).Bind(2, BlockKeys.Size(index)).ExecuteInt64();
                }

                return sum;
            }
        );

    private protected static long Write(ThreadConnections connections, int thread, int batch) =>
        connections.Run(
            thread,
            BlockTableSql.BeginWriting,
            statements =>
            {
                var inserted = 0L;
                using var insert = statements.Take(BlockTableSql.Insert);
                for (var index = AskedRange + (batch * BatchRows); index < AskedRange + ((batch + 1) * BatchRows); index++)
                    inserted += insert
                        .BindUtf8(1, BlockKeys.Get(0).Text(index))
                        .Bind(2, BlockKeys.Size(index))
                        .Bind(3, batch)
                        .ExecuteNonQuery();
                return inserted;
            }
        );

    /// <summary>What the table must hold after these batches were written.</summary>
    protected long ExpectedOfTable(IEnumerable<int> batches) =>
        batches.Aggregate(
            BlockTable.SumOfRows(0, Filled, BlockTable.Volume),
            (sum, batch) => unchecked(sum + BlockTable.SumOfRows(AskedRange + (batch * BatchRows), BatchRows, _ => batch))
        );

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

/// <summary>Batches of look-ups by hash and size.</summary>
public class ThreadReads : ThreadBenchmark
{
    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = ThreadWays.Own;

    [ParamsSource(nameof(Journals))]
    public override string Journal { get; set; } = "WAL";

    [ParamsSource(nameof(Tables))]
    public override string Table { get; set; } = "filled";

    [ParamsSource(nameof(Counts))]
    public override int Threads { get; set; } = 1;

    public static IEnumerable<int> Counts => UpTo20;

    public static IEnumerable<string> Journals => BothJournals;

    public static IEnumerable<string> Tables => BothTables;

    public static IEnumerable<string> Ways => [ThreadWays.Own, ThreadWays.Shared, ThreadWays.ReadOnly, ThreadWays.SharedCache];

    protected override int Batches => BenchmarkScale.Of(8_000, 400);

    protected override long ExpectedAnswer => Enumerable.Range(0, Batches).Sum(ExpectedOfRead);

    protected override void Work() => Answer = RunAll();

    private protected override long RunBatch(ThreadConnections connections, int thread, int batch) => Read(connections, thread, batch);
}

/// <summary>Batches of new blocks, a commit each.</summary>
public class ThreadWrites : ThreadBenchmark
{
    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = ThreadWays.Own;

    [ParamsSource(nameof(Journals))]
    public override string Journal { get; set; } = "WAL";

    [ParamsSource(nameof(Tables))]
    public override string Table { get; set; } = "filled";

    [ParamsSource(nameof(Counts))]
    public override int Threads { get; set; } = 1;

    public static IEnumerable<int> Counts => UpTo20;

    public static IEnumerable<string> Journals => BothJournals;

    public static IEnumerable<string> Tables => BothTables;

    public static IEnumerable<string> Ways => [ThreadWays.Own, ThreadWays.Shared, ThreadWays.SharedCache];

    protected override int Batches => BenchmarkScale.Of(400, 20);

    protected override long ExpectedAnswer => Rows + ExpectedOfTable(Enumerable.Range(0, Batches));

    protected override void Work() => Answer = RunAll();

    protected override void ReadAnswer() => Answer = unchecked(Answer + BlockTable.SumRows(Statements));

    private protected override long RunBatch(ThreadConnections connections, int thread, int batch) => Write(connections, thread, batch);
}

/// <summary>Two batches of look-ups to one of new blocks, whichever thread they fall to.</summary>
public class ThreadMix : ThreadBenchmark
{
    // Shares no divisor with most numbers of threads, so that each thread gets some of both.
    private const int WriteEvery = 3;

    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = ThreadWays.Own;

    [ParamsSource(nameof(Journals))]
    public override string Journal { get; set; } = "WAL";

    [ParamsSource(nameof(Tables))]
    public override string Table { get; set; } = "filled";

    [ParamsSource(nameof(Counts))]
    public override int Threads { get; set; } = 1;

    public static IEnumerable<int> Counts => UpTo20;

    public static IEnumerable<string> Journals => BothJournals;

    public static IEnumerable<string> Tables => BothTables;

    public static IEnumerable<string> Ways => [ThreadWays.Own, ThreadWays.Shared, ThreadWays.SharedCache];

    protected override int Batches => BenchmarkScale.Of(1_200, 60);

    protected override long ExpectedAnswer
    {
        get
        {
            var written = Enumerable.Range(0, Batches).Where(IsWrite).ToList();
            var read = Enumerable.Range(0, Batches).Except(written).Sum(ExpectedOfRead);
            return unchecked(read + (written.Count * BatchRows) + ExpectedOfTable(written));
        }
    }

    protected override void Work() => Answer = RunAll();

    protected override void ReadAnswer() => Answer = unchecked(Answer + BlockTable.SumRows(Statements));

    private protected override long RunBatch(ThreadConnections connections, int thread, int batch) =>
        IsWrite(batch) ? Write(connections, thread, batch) : Read(connections, thread, batch);

    private static bool IsWrite(int batch) => batch % WriteEvery == 0;
}

/// <summary>The connections of a number of threads, opened in one of the <see cref="ThreadWays"/>.</summary>
internal sealed class ThreadConnections : IDisposable
{
    private static readonly string[] s_ofTheFile = [PragmaCatalogue.JournalMode, PragmaCatalogue.AnalysisLimit];

    private readonly List<(SqliteConnection Connection, StatementCache Statements)> m_open = [];
    private readonly Lock m_turn = new();
    private readonly bool m_isShared;

    public ThreadConnections(string way, int threads, string path, ConnectionOptions options)
    {
        m_isShared = way == ThreadWays.Shared;
        for (var thread = 0; thread < (m_isShared ? 1 : threads); thread++)
        {
            var connection = Open(way, path, options);
            m_open.Add((connection, new StatementCache(connection)));
        }
    }

    /// <summary>Runs a batch of a thread as one transaction, again if a table lock of a shared cache is in the way.</summary>
    /// <returns>What the batch returned.</returns>
    public long Run(int thread, string begin, Func<StatementCache, long> batch)
    {
        if (!m_isShared)
            return RunOn(m_open[thread].Statements, begin, batch);

        lock (m_turn)
            return RunOn(m_open[0].Statements, begin, batch);
    }

    public void Dispose()
    {
        foreach (var (connection, statements) in m_open)
        {
            statements.Dispose();
            connection.Dispose();
        }

        m_open.Clear();
    }

    private static long RunOn(StatementCache statements, string begin, Func<StatementCache, long> batch)
    {
        var spin = new SpinWait();
        while (true)
        {
            try
            {
                statements.Execute(begin);
                var result = batch(statements);
                statements.Execute(BlockTableSql.Commit);
                return result;
            }
            catch (SqliteException ex) when (ex.SqliteErrorCode is ResultCode.Locked or ResultCode.Busy)
            {
                if (!statements.IsAutoCommit)
                    statements.Execute(BlockTableSql.Rollback);
                spin.SpinOnce();
            }
        }
    }

    private static SqliteConnection Open(string way, string path, ConnectionOptions options)
    {
        if (way is ThreadWays.Own or ThreadWays.Shared)
            return ConnectionOpener.Standard.Open(path, options);

        var settings = new SqliteConnectionStringBuilder
        {
            DataSource = path,
            Pooling = false,
            Mode = way == ThreadWays.ReadOnly ? SqliteOpenMode.ReadOnly : SqliteOpenMode.ReadWrite,
            Cache = way == ThreadWays.SharedCache ? SqliteCacheMode.Shared : SqliteCacheMode.Private,
        };
        var connection = new SqliteConnection(settings.ConnectionString);
        connection.Open();
        PragmaApplier.Apply(connection, options.Pragmas.Where(pragma => !s_ofTheFile.Contains(pragma.Name)));
        return connection;
    }
}

/// <summary>Threads that stand ready before the clock starts and all begin at once.</summary>
internal sealed class ThreadTeam : IDisposable
{
    private readonly ManualResetEventSlim m_go = new();
    private readonly Thread[] m_threads;
    private Exception? m_failure;
    private volatile bool m_dismissed;

    /// <summary>Starts the threads; they wait for <see cref="Run"/>.</summary>
    /// <param name="count">Number of threads.</param>
    /// <param name="work">What each does, with its number from 0.</param>
    public ThreadTeam(int count, Action<int> work)
    {
        m_threads = [.. Enumerable.Range(0, count).Select(number => new Thread(() => Wait(work, number)) { IsBackground = true })];
        foreach (var thread in m_threads)
            thread.Start();
    }

    /// <summary>Lets the threads work and waits until all are done. To be called once.</summary>
    /// <exception cref="InvalidOperationException">One of them failed; the first failure is inside.</exception>
    public void Run()
    {
        m_go.Set();
        Join();
        if (m_failure is { } failure)
            throw new InvalidOperationException("A thread failed.", failure);
    }

    /// <summary>Ends threads that were never let to work.</summary>
    public void Dispose()
    {
        m_dismissed = !m_go.IsSet;
        m_go.Set();
        Join();
        m_go.Dispose();
    }

    private void Wait(Action<int> work, int number)
    {
        try
        {
            m_go.Wait();
            if (!m_dismissed)
                work(number);
        }
        catch (Exception ex)
        {
            Interlocked.CompareExchange(ref m_failure, ex, null);
        }
    }

    private void Join()
    {
        foreach (var thread in m_threads)
            thread.Join();
    }
}
