// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.SQLiteHelper.WriterQueue;

namespace Duplicati.UnitTest.SQLiteHelper.WriterQueue;

/// <summary>A queue on a new database with one table: who wrote, and what.</summary>
internal sealed class CommitQueueCase : IDisposable
{
    internal const string Create =
        "CREATE TABLE \"Row\" (\"ID\" INTEGER PRIMARY KEY, \"Writer\" INTEGER NOT NULL, \"Value\" INTEGER NOT NULL UNIQUE)";

    private const string Insert = "INSERT INTO \"Row\" (\"Writer\", \"Value\") VALUES (?1, ?2)";

    private readonly TestFolder m_folder = new();

    internal CommitQueueCase(CommitQueueOptions? options = null)
    {
        Queue = CommitQueue.Open(Path, options);
        Queue.RunAsync(statements => statements.Execute(Create)).GetAwaiter().GetResult();
    }

    internal CommitQueue Queue { get; }

    internal string Path => m_folder.File("queue.sqlite");

    /// <summary>The values in the order of their ids, as another connection sees them.</summary>
    internal List<long> Values(string where = "1") => Read(Path, $"SELECT \"Value\" FROM \"Row\" WHERE {where} ORDER BY \"ID\"");

    internal static List<long> Read(string path, string sql)
    {
        using var connection = Databases.Open(path);
        using var statements = new StatementCache(connection);
        using var read = statements.Prepare(sql);
        var values = new List<long>();
        while (read.Read())
            values.Add(read.GetInt64(0));
        return values;
    }

    /// <summary>A work that writes a value.</summary>
    /// <returns>The id of its row.</returns>
    internal static Func<StatementCache, long> Write(long value, long writer = 0) =>
        statements =>
        {
            using var insert = statements.Take(Insert);
            insert.Bind(1, writer).Bind(2, value).ExecuteNonQuery();
            return statements.LastInsertRowId;
        };

    /// <summary>Lets the writer stand within a work, so that what is handed in meanwhile waits.</summary>
    internal Gate Hold()
    {
        var gate = new Gate();
        gate.Held = Queue.RunAsync(_ => gate.Pass());
        gate.WaitUntilHeld();
        return gate;
    }

    public void Dispose()
    {
        Queue.Dispose();
        m_folder.Dispose();
    }

    internal sealed class Gate : IDisposable
    {
        private readonly ManualResetEventSlim m_held = new();
        private readonly ManualResetEventSlim m_open = new();

        /// <summary>The work that holds the writer.</summary>
        internal Task Held { get; set; } = Task.CompletedTask;

        internal void Open() => m_open.Set();

        internal void Pass()
        {
            m_held.Set();
            Wait.For(m_open, "the gate is opened");
        }

        internal void WaitUntilHeld() => Wait.For(m_held, "the work at the gate has begun");

        /// <summary>Opens, and waits until the group of the work that held the writer has ended, one way or the other.</summary>
        public void Dispose()
        {
            Open();
            Task.WhenAny(Held).GetAwaiter().GetResult();
            m_held.Dispose();
            m_open.Dispose();
        }
    }
}
