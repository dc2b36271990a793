// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Logging;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>
/// Keeps the statistics by which SQLite chooses between indexes close to the tables' real sizes. Without them, or with
/// those of a much smaller database, a listing can take hours instead of seconds.
/// </summary>
/// <remarks>
/// Sampled, so the cost does not grow with the database: nothing to a few milliseconds. Statistics are a hint: where they
/// cannot be refreshed (read-only, locked, full disk) the refresh is skipped. Uses the connection; same thread rules.
/// </remarks>
internal static class PlannerStatistics
{
    private const string LogId = "PlannerStatisticsSkipped";

    // The same factor at which the engine analyses a table again.
    private const int StaleFactor = 10;
    private const long CountedRows = 1000;

    private static readonly string LogTag = Log.LogTagFromType(typeof(PlannerStatistics));

    /// <summary>
    /// Refreshes the statistics of tables that have none, or that have grown or shrunk tenfold since; a table of less than 100 rows is
    /// recorded with 1,000. Part of the transaction, if one is open.
    /// </summary>
    /// <returns>False if it was skipped because the database is empty, or cannot be written at the moment.</returns>
    /// <exception cref="InvalidOperationException">The connection is not open.</exception>
    public static bool Refresh(SqliteConnection connection)
    {
        try
        {
            return WithoutBusyTimeout(connection, RefreshStale);
        }
        catch (SqliteException exception)
        {
            Log.WriteVerboseMessage(LogTag, LogId, exception, "The planner statistics were not refreshed");
            return false;
        }
    }

    /// <summary>As <see cref="Refresh(SqliteConnection)"/>, on a thread of its own: the caller does not wait for the disk.</summary>
    public static Task<bool> RefreshAsync(SqliteConnection connection, CancellationToken cancellationToken) =>
        Task.Run(() => Refresh(connection), cancellationToken);

    /// <summary>For whoever opens a database to work on it: a refresh, unless the options of the current call chain leave it out.</summary>
    /// <exception cref="InvalidOperationException">The connection is not open.</exception>
    public static void RefreshAtOpen(SqliteConnection connection)
    {
        if (ConnectionOptions.Current.RefreshesStatistics)
            Refresh(connection);
    }

    /// <summary>
    /// The refresh without its own look at the sizes: the engine decides which tables to analyse. Part of the transaction, if one is open.
    /// </summary>
    /// <exception cref="SqliteException">The database is locked, read-only or full.</exception>
    /// <exception cref="InvalidOperationException">The connection is not open.</exception>
    public static void Analyse(SqliteConnection connection)
    {
        ArgumentNullException.ThrowIfNull(connection);
        if (connection.Handle is null)
            throw new InvalidOperationException("The connection is not open.");

        RawSql.Run(connection, PlannerStatisticsSql.Limit);
        RawSql.Run(connection, PlannerStatisticsSql.OptimizeAll);
        RaiseSmallTables(connection);
    }

    /// <summary>
    /// For the end of a connection: keeps statistics of the tables that it has asked and that changed much. Waits for no lock.
    /// </summary>
    /// <exception cref="SqliteException">The database is locked, read-only or full; the statistics are as they were.</exception>
    /// <exception cref="InvalidOperationException">The connection is not open.</exception>
    public static void Keep(SqliteConnection connection) =>
        WithoutBusyTimeout(connection, static connection => RawSql.Run(connection, PlannerStatisticsSql.OptimizeUsed));

    /// <summary>Whether <see cref="Refresh(SqliteConnection)"/> would gather statistics. Only reads.</summary>
    /// <exception cref="SqliteException">The database cannot be read.</exception>
    /// <exception cref="InvalidOperationException">The connection is not open.</exception>
    public static bool AreStale(SqliteConnection connection) =>
        WithoutBusyTimeout(
            connection,
            static connection => RawSql.Run(connection, PlannerStatisticsSql.HasIndexes) is not null && IsStale(connection)
        );

    // The engine writes whenever it optimizes, and somebody's transaction may take longer than statistics are worth.
    private static T WithoutBusyTimeout<T>(SqliteConnection connection, Func<SqliteConnection, T> work)
    {
        ArgumentNullException.ThrowIfNull(connection);
        if (connection.Handle is null)
            throw new InvalidOperationException("The connection is not open.");

        string? busyTimeout = null;
        try
        {
            busyTimeout = RawSql.Run(connection, PragmaSql.ReadBusyTimeout);
            RawSql.Run(connection, PragmaSql.NoBusyTimeout);
            return work(connection);
        }
        finally
        {
            if (busyTimeout is not null)
                RawSql.Run(connection, PragmaSql.Set(PragmaCatalogue.BusyTimeout, busyTimeout), out _);
        }
    }

    private static bool RefreshStale(SqliteConnection connection)
    {
        if (RawSql.Run(connection, PlannerStatisticsSql.HasIndexes) is null)
            return false;

        if (IsStale(connection))
            Analyse(connection);
        else
            RaiseSmallTables(connection);
        return true;
    }

    // A table of a few rows may have millions before the next open, and what is recorded as small is read from end to end for every row.
    private static void RaiseSmallTables(SqliteConnection connection)
    {
        if (RawSql.Run(connection, StatisticsSql.Exist) is null)
            return;

        var small = RawSql.Rows(connection, PlannerStatisticsSql.SmallTables).ConvertAll(row => row[0]!);
        small.RemoveAll(table => Count(connection, table, PlannerStatisticsSql.FewRows) >= PlannerStatisticsSql.FewRows);
        foreach (var table in small)
            SqliteException.ThrowExceptionForRC(
                RawSql.Run(connection, PlannerStatisticsSql.RaiseSmallTable, out _, table),
                connection.Handle
            );
        if (small.Count > 0)
            RawSql.Run(connection, StatisticsSql.Reload);
    }

    private static long Count(SqliteConnection connection, string table, long limit) =>
        long.Parse(RawSql.Run(connection, PlannerStatisticsSql.CountUpTo(table, limit)) ?? "0", CultureInfo.InvariantCulture);

    // Asked here, because the engine would take what is raised for stale at every open.
    private static bool IsStale(SqliteConnection connection)
    {
        if (RawSql.Run(connection, StatisticsSql.Exist) is null)
            return true;

        foreach (var row in RawSql.Rows(connection, PlannerStatisticsSql.Recorded))
        {
            var recorded = row[1] is { } text ? long.Parse(text, CultureInfo.InvariantCulture) : 0;
            if (IsStale(recorded, RowsOf(connection, row[0]!, recorded, hasRowId: row[3] == "0"), lacksAnIndex: row[2] == "1"))
                return true;
        }

        return false;
    }

    private static bool IsStale(long recorded, long actual, bool lacksAnIndex)
    {
        if (actual == 0)
            return recorded > StaleFactor;
        return lacksAnIndex
            || actual / StaleFactor > recorded
            || recorded / StaleFactor > Math.Max(actual, PlannerStatisticsSql.RaisedRows / StaleFactor);
    }

    // A table without rowid has no cheap estimate: it is counted while small, and taken as recorded beyond (the tables it
    // refers to grow with it and have a rowid).
    private static long RowsOf(SqliteConnection connection, string table, long recorded, bool hasRowId)
    {
        if (hasRowId)
            return RawSql.Run(connection, PlannerStatisticsSql.LargestRowId(table)) is { } largest
                ? Math.Max(1, long.Parse(largest, CultureInfo.InvariantCulture))
                : 0;

        var limit = recorded < CountedRows ? StaleFactor * (recorded + 1) : CountedRows;
        var counted = Count(connection, table, limit);
        return counted < limit ? counted : Math.Max(counted, recorded);
    }
}

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
