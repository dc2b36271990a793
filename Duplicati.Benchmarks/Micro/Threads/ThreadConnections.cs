using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Micro.Threads;

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
