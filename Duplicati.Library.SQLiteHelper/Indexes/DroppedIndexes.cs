// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Indexes;

/// <summary>
/// Indexes that are dropped while much of a table changes, and built by sorting in the same transaction, so that no commit shows the
/// table without them. Afterwards the schema and the planner's statistics are those of before.
/// </summary>
/// <remarks>
/// The caller holds the connection and has a transaction open that writes. Nothing is marked: a kill rolls all of it back.
/// </remarks>
internal sealed class DroppedIndexes
{
    // The schema table is small and in memory. Automatic indexes have no text; they belong to a key and stay.
    private const string ListIndexes = """
        SELECT "name", "sql" FROM "sqlite_master" WHERE "type" = 'index' AND "sql" IS NOT NULL AND "tbl_name" = ?1 COLLATE NOCASE ORDER BY rowid
        """;

    // No table: the databases of the connection; the temporary one is among them once it was used.
    internal const string HasTemporaryTables = """SELECT 1 FROM pragma_database_list WHERE "name" = 'temp'""";

    // sqlite_stat1 has a row for each index, no index.
    private const string StatisticsOfIndex = "SELECT tbl, idx, stat FROM sqlite_stat1 WHERE idx = ?1";

    // A row for each index, no index.
    private const string InsertStatistics = "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?1, ?2, ?3)";

    private readonly StatementCache m_statements;
    private readonly List<(string Name, string Sql)> m_dropped = [];
    private readonly List<(string Table, string Index, string Statistics)> m_statistics = [];

    private DroppedIndexes(StatementCache statements) => m_statements = statements;

    /// <summary>Changes a table without some of its indexes. Where a statement is open on the connection, they stay.</summary>
    /// <param name="statements">The connection.</param>
    /// <param name="table">The table.</param>
    /// <param name="isWanted">Which of its indexes to drop, by name; null for all. Those that belong to a key always stay.</param>
    /// <param name="rows">Rows that the table will have about, which says where they are sorted.</param>
    /// <param name="change">The change.</param>
    /// <exception cref="SqliteException">The change, or building an index, has failed. The whole transaction is rolled back, if an index
    /// was dropped.</exception>
    public static void During(StatementCache statements, string table, Func<string, bool>? isWanted, long rows, Action change)
    {
        ArgumentNullException.ThrowIfNull(statements);
        ArgumentNullException.ThrowIfNull(change);
        var dropped = new DroppedIndexes(statements);
        try
        {
            dropped.Drop(table, isWanted);
            change();
            dropped.Build(rows);
        }
        catch
        {
            // Whoever goes on after the error, and commits, must not commit the gap.
            if (dropped.m_dropped.Count > 0 && !statements.IsAutoCommit)
                statements.Execute(LeftOutIndexes.Rollback);
            throw;
        }
    }

    private void Drop(string table, Func<string, bool>? isWanted)
    {
        foreach (var (name, sql) in ReadIndexes(table))
        {
            if (isWanted?.Invoke(name) == false)
                continue;

            var statistics = ReadStatistics(name);
            if (!IndexBuilding.TryDrop(m_statements, name))
                return;

            m_dropped.Add((name, sql));
            m_statistics.AddRange(statistics);
        }
    }

    private void Build(long rows)
    {
        if (m_dropped.Count == 0)
            return;

        using (IndexSort.Begin(m_statements, rows))
        {
            foreach (var (name, sql) in m_dropped)
                IndexBuilding.Create(m_statements, name, sql);
        }

        KeepStatistics();
    }

    // The engine forgets the statistics of an index that is dropped.
    private void KeepStatistics()
    {
        foreach (var (table, index, statistics) in m_statistics)
        {
            using var insert = m_statements.Take(InsertStatistics);
            insert.Bind(1, table).Bind(2, index).Bind(3, statistics).ExecuteNonQuery();
        }

        if (m_statistics.Count > 0)
            m_statements.Execute(StatisticsSql.Reload);
    }

    private List<(string Name, string Sql)> ReadIndexes(string table)
    {
        using var list = m_statements.Take(ListIndexes);
        return list.Bind(1, table).ReadAll(static row => (row.GetString(0)!, row.GetString(1)!));
    }

    private List<(string Table, string Index, string Statistics)> ReadStatistics(string index)
    {
        if (m_statements.ReadNumber(StatisticsSql.Exist) == 0)
            return [];

        using var list = m_statements.Take(StatisticsOfIndex);
        return list.Bind(1, index).ReadAll(static row => (row.GetString(0)!, row.GetString(1)!, row.GetString(2)!));
    }
}
