// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>Statements that keep the planner's statistics fresh.</summary>
internal static class PlannerStatisticsSql
{
    /// <summary>A table with fewer rows is recorded with <see cref="RaisedRows"/>.</summary>
    internal const int FewRows = 100;

    /// <summary>What a small table is recorded with.</summary>
    internal const int RaisedRows = 1000;

    /// <summary>
    /// Tables that are recorded with fewer than 100 rows: sqlite_stat1 has a row for each index, and the schema is small, no index; the
    /// plus signs keep SQLite from building one.
    /// </summary>
    internal const string SmallTables = """
        SELECT DISTINCT s.tbl FROM sqlite_stat1 s
        WHERE CAST(s.stat AS INTEGER) < 100 AND EXISTS (SELECT 1 FROM sqlite_master m WHERE +m.type = 'table' AND +m.name = s.tbl)
        """;

    /// <summary>Records one with 1,000 rows, as unequal as they are: the first number of a row of sqlite_stat1, no index.</summary>
    internal const string RaiseSmallTable =
        "UPDATE sqlite_stat1 SET stat = '1000' || substr(stat, instr(stat || ' ', ' ')) WHERE tbl = ?1 AND CAST(stat AS INTEGER) < 100";

    /// <summary>Rows sampled of each index.</summary>
    internal const string Limit = "PRAGMA analysis_limit=400";

    /// <summary>Analyses each table that changed much, used or not (bit 0x10000), by sampling.</summary>
    internal const string OptimizeAll = "PRAGMA optimize=0x10002";

    /// <summary>Analyses the tables that this connection has asked and that changed much, by sampling.</summary>
    internal const string OptimizeUsed = "PRAGMA optimize";

    /// <summary>Whether there is anything to have statistics of: the schema's own b-tree, first row.</summary>
    internal const string HasIndexes = "SELECT 1 FROM sqlite_master WHERE type = 'index' LIMIT 1";

    /// <summary>
    /// Each table with an index that covers all its rows, the row count in its statistics (NULL without), 1 if an index of it has
    /// none, and 1 if it is without rowid. Walks the schema, sqlite_stat1 and the list of tables, which have a row for each index or table;
    /// all are small, no index; the plus signs keep SQLite from building one.
    /// </summary>
    internal const string Recorded = """
        SELECT i.tbl_name, max(CAST(s.stat AS INTEGER)), max(s.stat IS NULL),
            (SELECT l.wr FROM pragma_table_list(i.tbl_name) l WHERE l.schema = 'main')
        FROM sqlite_master i LEFT JOIN sqlite_stat1 s ON +s.tbl = i.tbl_name AND +s.idx = i.name
        WHERE i.type = 'index' AND coalesce(i.sql, '') NOT LIKE '% WHERE %' AND i.tbl_name NOT LIKE 'sqlite_%'
        GROUP BY i.tbl_name
        """;

    /// <summary>An upper estimate of a table's rows: one descent of its b-tree. For a table with rowid.</summary>
    internal static string LargestRowId(string table) => $"SELECT max(rowid) FROM {SqlName.Quote(table)}";

    /// <summary>Rows of a table, counted no further than a limit.</summary>
    internal static string CountUpTo(string table, long limit) =>
        FormattableString.Invariant($"SELECT count(*) FROM (SELECT 1 FROM {SqlName.Quote(table)} LIMIT {limit})");
}
