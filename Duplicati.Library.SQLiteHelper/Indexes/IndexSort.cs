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

    private IndexSort(StatementCache statements)
    {
        m_statements = statements;
        m_onDisk = TrySortOnDisk(statements);
        m_runs = SortRuns.Shorten(statements);
    }

    internal static IndexSort Begin(StatementCache statements) => new(statements);

    public void Dispose()
    {
        m_runs.Dispose();
        if (m_onDisk)
            m_statements.Execute(LeftOutIndexSql.SortInMemory);
    }

    // Where the runs go can be changed inside a transaction only as long as the connection has no temporary tables; with some, memory it is.
    private static bool TrySortOnDisk(StatementCache statements)
    {
        if (Read(statements, LeftOutIndexSql.LastBlock) < RowsToSortInMemory || Read(statements, LeftOutIndexSql.ReadTempStore) != TempStoreInMemory)
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
