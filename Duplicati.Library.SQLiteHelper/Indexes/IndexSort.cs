// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Indexes;

/// <summary>How the rows of indexes are sorted until this is disposed: in memory of few rows, in short runs in files of many.</summary>
internal readonly struct IndexSort : IDisposable
{
    // Row id; the last row.
    private const string LastBlock = """SELECT MAX("ID") FROM "Block" """;

    // Sorting takes about 100 bytes a row of memory, or temporary files in runs of the size of the page cache.
    private const long RowsToSortInMemory = 500_000;

    private readonly PassingSetting m_runs;
    private readonly PassingSetting m_storage;

    private IndexSort(StatementCache statements, long rows)
    {
        m_storage = rows < RowsToSortInMemory ? default : TemporaryStorage.InFiles(statements);
        try
        {
            m_runs = SortRuns.Shorten(statements);
        }
        catch (SqliteException)
        {
            m_storage.Dispose();
            throw;
        }
    }

    /// <summary>For tables that have as many rows as there are blocks.</summary>
    internal static IndexSort Begin(StatementCache statements) => new(statements, statements.ReadNumber(LastBlock));

    /// <summary>For tables of about so many rows.</summary>
    internal static IndexSort Begin(StatementCache statements, long rows) => new(statements, rows);

    public void Dispose()
    {
        m_runs.Dispose();
        m_storage.Dispose();
    }
}
