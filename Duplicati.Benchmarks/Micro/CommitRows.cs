// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using BenchmarkDotNet.Attributes;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.SQLiteHelper.WriterQueue;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Micro;

/// <summary>
/// Several threads write single rows, each of which must be on the disk before its thread goes on: blocks, with all five b-trees of the
/// table.
/// </summary>
[BenchmarkGroup("commits", Durability = "WAL, synchronous FULL: every commit is flushed before it returns")]
[BaselineVariant(nameof(Way), CommitWays.Own)]
public class CommitRows : DatabaseBenchmark
{
    private readonly List<(SqliteConnection Connection, StatementCache Statements)> m_own = [];
    private CommitQueue? m_queue;
    private ThreadTeam? m_team;

    /// <summary>How the rows are committed; one of <see cref="CommitWays"/>.</summary>
    [ParamsSource(nameof(Ways))]
    public string Way { get; set; } = CommitWays.Own;

    /// <summary>Threads that write.</summary>
    [ParamsSource(nameof(Counts))]
    public int Writers { get; set; } = 1;

    public static IEnumerable<string> Ways => [CommitWays.Own, CommitWays.Turns, CommitWays.Queue, CommitWays.Ahead];

    public static IEnumerable<int> Counts => BenchmarkScale.Of<int[]>([1, 2, 3, 4, 6, 8], [1, 2, 4, 8]);

    /// <summary>Rows of all writers together, where they share them evenly.</summary>
    internal static int TotalRows => BenchmarkScale.Of(8_000, 1_000);

    protected override int Rows => TotalRows / Writers * Writers;

    protected override long ExpectedAnswer => BlockTable.SumOfRows(0, Rows, _ => 0);

    private protected override ConnectionOptions Options => ConnectionPreset.Durable.ToOptions();

    protected override void Work() => m_team!.Run();

    protected override void ReadAnswer() => Answer = BlockTable.SumRows(Statements);

    protected override void Prepare()
    {
        Statements.Execute(BlockTableSql.Create);
        _ = BlockKeys.Get(Rows);
        if (Way == CommitWays.Own)
        {
            for (var writer = 0; writer < Writers; writer++)
            {
                var connection = ConnectionOpener.Standard.Open(DatabasePath, Options);
                m_own.Add((connection, new StatementCache(connection)));
            }
        }
        else if (Way != CommitWays.Turns)
        {
            m_queue = CommitQueue.Open(DatabasePath);
        }

        m_team = new ThreadTeam(
            Writers,
            Way switch
            {
                CommitWays.Own => WriteOwn,
                CommitWays.Turns => WriteInTurns,
                CommitWays.Queue => WriteQueued,
                _ => WriteAhead,
            }
        );
    }

    protected override void CleanUp()
    {
        m_team?.Dispose();
        m_queue?.Dispose();
        m_queue = null;
        foreach (var (connection, statements) in m_own)
        {
            statements.Dispose();
            connection.Dispose();
        }

        m_own.Clear();
    }

    private void WriteOwn(int writer)
    {
        foreach (var row in RowsOf(writer))
            Insert(m_own[writer].Statements, row);
    }

    private void WriteInTurns(int writer)
    {
        foreach (var row in RowsOf(writer))
        {
            lock (m_own)
                Insert(Statements, row);
        }
    }

    private void WriteQueued(int writer)
    {
        foreach (var row in RowsOf(writer))
            m_queue!.RunAsync(statements => Insert(statements, row)).GetAwaiter().GetResult();
    }

    private void WriteAhead(int writer)
    {
        var written = RowsOf(writer)
            .Select(row => m_queue!.EnqueueAsync(statements => Insert(statements, row)).AsTask().GetAwaiter().GetResult())
            .ToList();
        Task.WhenAll(written).GetAwaiter().GetResult();
    }

    private IEnumerable<int> RowsOf(int writer) => Enumerable.Range(writer * (Rows / Writers), Rows / Writers);

    // Without a transaction of its own a statement is one: the cheapest commit there is.
    private static void Insert(StatementCache statements, int row)
    {
        using var insert = statements.Take(BlockTableSql.Insert);
        insert.BindUtf8(1, BlockKeys.Get(0).Text(row)).Bind(2, BlockKeys.Size(row)).Bind(3, 0).ExecuteNonQuery();
    }
}

/// <summary>The ways several writers commit single rows.</summary>
internal static class CommitWays
{
    /// <summary>Each writer has a connection and commits for itself; the engine lets the others wait for the write lock.</summary>
    internal const string Own = "own connection";

    /// <summary>The writers take turns on one connection, a commit each.</summary>
    internal const string Turns = "one connection in turns";

    /// <summary>Each writer hands its row to the queue and waits until it is durable.</summary>
    internal const string Queue = "queue";

    /// <summary>As <see cref="Queue"/>, but a writer waits for its rows only at the end.</summary>
    internal const string Ahead = "queue, ahead";
}
