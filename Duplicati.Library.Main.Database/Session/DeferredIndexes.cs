#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Logging;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Session;

/// <summary>
/// Loading into empty tables without their indexes, which are built by sorting once the rows are there: a quarter of the cost of
/// keeping them up to date in hash order. The indexes of Block, Blockset, BlocksetEntry, BlocklistHash, FileLookup and FilesetEntry
/// are dropped, and their exact definitions are kept in a table of the same database and the same transaction, so a commit at any
/// point leaves a file that knows what it lacks; it is completed when it is opened the next time.
/// </summary>
/// <remarks>
/// Among them are four unique ones. While they are missing, the loader itself keeps their promise: BlockHashSize, BlocksetFullHash
/// and FileLookupPath are guarded by a map of every row, BlocklistHashBlocksetIDIndex by writing the rows of a blockset once, at its
/// creation, counted. The primary keys of BlocksetEntry and FilesetEntry and the unique index of DuplicateBlock are never dropped.
/// Every query still works without the indexes, only slower. Call with the session's gate held.
/// </remarks>
internal sealed class DeferredIndexes : IWriteBuffer
{
    private static readonly string LOGTAG = Log.LogTagFromType<DeferredIndexes>();

    // Sorting takes about 100 bytes a row of memory, or temporary files in runs of the size of the page cache.
    private const long RowsToSortInMemory = 500_000;
    private const int TempStoreInMemory = 2;

    private readonly DatabaseSession m_session;
    private bool? m_active;

    private DeferredIndexes(DatabaseSession session) => m_session = session;

    /// <summary>True if any index is missing at present.</summary>
    internal bool IsActive => m_active ??= Exists(m_session.Statements);

    /// <summary>The one instance of a session.</summary>
    internal static DeferredIndexes Of(DatabaseSession session) => session.Service(s => new DeferredIndexes(s));

    /// <summary>True if any index of a table is missing at present.</summary>
    internal bool IsDeferred(string table)
    {
        // Another connection may have completed the file between two transactions.
        if (!IsActive || !Exists(m_session.Statements))
            return false;

        using var any = m_session.TakeDirect(DeferredIndexSql.AnyRemembered);
        return any.Bind(1, table).ExecuteInt64(0) != 0;
    }

    /// <summary>Drops the indexes if all tables concerned are empty.</summary>
    /// <returns>True if indexes are missing now; false if the tables have rows and keep their indexes.</returns>
    internal bool DropIfEmpty()
    {
        if (IsActive)
            return true;

        using (var rows = m_session.Take(DeferredIndexSql.AnyRows))
        {
            if (rows.ExecuteInt64() != 0)
                return false;
        }

        m_session.Statements.Execute(DeferredIndexSql.CreateMarker);
        m_active = true;
        foreach (var index in ReadIndexes())
        {
            if (!TryDrop(index))
            {
                Restore();
                return false;
            }
        }

        return true;
    }

    /// <summary>
    /// Drops some indexes, whatever is in their tables: for a loader that can answer for them. As long as this process runs,
    /// others that open the file leave completing it to this one, which may hold no lock at the moment.
    /// </summary>
    /// <returns>True if they are missing now; false if nothing has changed, because others are missing or a reader is open.</returns>
    internal bool Drop(IReadOnlyCollection<string> names)
    {
        if (IsActive)
            return false;

        m_session.Statements.Execute(DeferredIndexSql.CreateMarker);
        m_active = true;
        foreach (var index in ReadIndexes())
        {
            if (names.Contains(index.Name, StringComparer.OrdinalIgnoreCase) && !TryDrop(index))
            {
                Restore();
                return false;
            }
        }

        using var remember = m_session.TakeDirect(DeferredIndexSql.Remember);
        remember.Bind(1, "").Bind(2, "").Bind(3, ProcessMark.Current()).Execute();
        return true;
    }

    /// <summary>Builds the missing indexes, of one table or of all; nothing happens if none is missing. Rows x log(rows).</summary>
    /// <exception cref="SqliteException">Rows break a unique index (code 19), or the file cannot be written.</exception>
    internal void Restore(string? table = null)
    {
        if (!IsActive)
            return;

        m_session.Flush();
        // Another connection may have completed the file between two transactions.
        if (Exists(m_session.Statements))
            m_active = !Restore(m_session.Statements, table);
        else
            m_active = false;
    }

    /// <summary>Nothing is pending: rows and definitions are written at once.</summary>
    public void Flush()
    {
    }

    /// <summary>After a rollback the database is asked again.</summary>
    public void Discard() => m_active = null;

    /// <summary>
    /// Completes a file whose loading was interrupted. A file that another process is writing, or that cannot be written, is left
    /// as it is: it answers everything, more slowly.
    /// </summary>
    /// <param name="connection">A connection without a transaction.</param>
    /// <param name="ownerIsDone">True if the loader itself calls, at its end.</param>
    internal static void RestoreAfterInterruption(SqliteConnection connection, bool ownerIsDone = false)
    {
        using var statements = new StatementCache(connection);
        if (!Exists(statements) || (!ownerIsDone && IsOwnerAlive(statements)))
            return;

        var timeout = (int)ReadNumber(statements, DeferredIndexSql.BusyTimeout);
        try
        {
            EngineControl.SetBusyTimeout(connection, 0);
            statements.Execute(DeferredIndexSql.Begin);
            if (Exists(statements))
                Restore(statements, null);
            statements.Execute(DeferredIndexSql.Commit);
            Log.WriteInformationMessage(LOGTAG, "DeferredIndexesRestored", "The indexes that were left out while the database was filled have been completed");
        }
        catch (SqliteException ex)
        {
            GiveUp(statements, ex);
        }
        finally
        {
            EngineControl.SetBusyTimeout(connection, timeout);
        }
    }

    private static void GiveUp(StatementCache statements, SqliteException ex)
    {
        if (!statements.IsAutoCommit)
            statements.Execute(DeferredIndexSql.Rollback);

        if (ex.SqliteErrorCode is ResultCode.Busy or ResultCode.Locked or ResultCode.ReadOnly)
            Log.WriteVerboseMessage(LOGTAG, "DeferredIndexesNotRestored", ex, "The database lacks indexes and cannot be written at present");
        else
            Log.WriteWarningMessage(LOGTAG, "DeferredIndexesNotRestored", ex, "The database lacks indexes, and completing them failed: {0}", ex.Message);
    }

    private static bool Exists(StatementCache statements)
    {
        using var exists = statements.Take(DeferredIndexSql.MarkerExists);
        return exists.ExecuteInt64(0) != 0;
    }

    private static bool IsOwnerAlive(StatementCache statements)
    {
        using var owner = statements.Take(DeferredIndexSql.Owner);
        return ProcessMark.IsAlive(owner.ExecuteString());
    }

    private static long ReadNumber(StatementCache statements, string sql)
    {
        using var query = statements.Take(sql);
        return query.ExecuteInt64(0);
    }

    // Returns true if nothing is missing any more.
    private static bool Restore(StatementCache statements, string? table)
    {
        var onDisk = TrySortOnDisk(statements);
        try
        {
            using var runs = SortRuns.Shorten(statements);
            foreach (var (name, sql) in ReadRemembered(statements, table))
                Build(statements, name, sql);
        }
        finally
        {
            if (onDisk)
                statements.Execute(DeferredIndexSql.SortInMemory);
        }

        using (var any = statements.Take(DeferredIndexSql.AnyRemembered))
        {
            if (any.ExecuteInt64(0) != 0)
                return false;
        }

        return TryExecute(statements, DeferredIndexSql.DropMarker);
    }

    private static void Build(StatementCache statements, string name, string sql)
    {
        // The text comes from the schema table of this very file.
        statements.Execute(sql);
        using var forget = statements.Take(DeferredIndexSql.Forget);
        forget.Bind(1, name).Execute();
    }

    // Where the runs go can be changed inside a transaction only as long as the connection has no temporary tables; with some, memory it is.
    private static bool TrySortOnDisk(StatementCache statements)
    {
        if (ReadNumber(statements, DeferredIndexSql.LastBlock) < RowsToSortInMemory || ReadNumber(statements, DeferredIndexSql.ReadTempStore) != TempStoreInMemory)
            return false;

        try
        {
            statements.Execute(DeferredIndexSql.SortOnDisk);
            return true;
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode == ResultCode.Error)
        {
            return false;
        }
    }

    // Nothing can be dropped while a reader is open on the connection (code 6).
    private static bool TryExecute(StatementCache statements, string sql)
    {
        try
        {
            statements.Execute(sql);
            return true;
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode == ResultCode.Locked)
        {
            return false;
        }
    }

    private static List<(string Name, string Sql)> ReadRemembered(StatementCache statements, string? table)
    {
        using var list = statements.Take(DeferredIndexSql.ListRemembered);
        list.Bind(1, table);
        var result = new List<(string, string)>();
        while (list.Step())
            result.Add((list.GetString(0)!, list.GetString(1)!));
        return result;
    }

    private List<(string Name, string Table, string Sql)> ReadIndexes()
    {
        using var list = m_session.TakeDirect(DeferredIndexSql.ListIndexes);
        var result = new List<(string, string, string)>();
        while (list.Step())
            result.Add((list.GetString(0)!, list.GetString(1)!, list.GetString(2)!));
        return result;
    }

    private bool TryDrop((string Name, string Table, string Sql) index)
    {
        if (!TryExecute(m_session.Statements, $"DROP INDEX \"{index.Name.Replace("\"", "\"\"", StringComparison.Ordinal)}\""))
            return false;

        using var remember = m_session.TakeDirect(DeferredIndexSql.Remember);
        remember.Bind(1, index.Name).Bind(2, index.Table).Bind(3, index.Sql).Execute();
        return true;
    }
}
