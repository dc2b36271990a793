#nullable enable

using System;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Indexes;

/// <summary>How the rows of indexes are sorted until this is disposed: in memory of few rows, in short runs in files of many.</summary>
internal readonly struct IndexSort : IDisposable
{
    // Sorting takes about 100 bytes a row of memory, or temporary files in runs of the size of the page cache.
    private const long RowsToSortInMemory = 500_000;
    private const int TempStoreInMemory = 2;

    private readonly StatementCache m_statements;
    private readonly SortRuns m_runs;
    private readonly bool m_onDisk;

    private IndexSort(StatementCache statements, long rows)
    {
        m_statements = statements;
        m_onDisk = TrySortOnDisk(statements, rows);
        m_runs = SortRuns.Shorten(statements);
    }

    /// <summary>For tables that have as many rows as there are blocks.</summary>
    internal static IndexSort Begin(StatementCache statements) => new(statements, Read(statements, LeftOutIndexSql.LastBlock));

    /// <summary>For tables of about so many rows.</summary>
    internal static IndexSort Begin(StatementCache statements, long rows) => new(statements, rows);

    /// <summary>Whether the connection sorts in memory, unless told otherwise for a while.</summary>
    internal static bool IsInMemory(StatementCache statements) => Read(statements, LeftOutIndexSql.ReadTempStore) == TempStoreInMemory;

    public void Dispose()
    {
        m_runs.Dispose();
        if (m_onDisk)
            m_statements.Execute(LeftOutIndexSql.SortInMemory);
    }

    // Where the runs go can be changed inside a transaction only as long as the connection has no temporary tables; with some, memory it is.
    private static bool TrySortOnDisk(StatementCache statements, long rows)
    {
        if (rows < RowsToSortInMemory || !IsInMemory(statements))
            return false;

        try
        {
            statements.Execute(LeftOutIndexSql.SortOnDisk);
            return true;
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode == ResultCode.Error)
        {
            return false;
        }
    }

    private static long Read(StatementCache statements, string sql)
    {
        using var query = statements.Take(sql);
        return query.ExecuteInt64(0);
    }
}
