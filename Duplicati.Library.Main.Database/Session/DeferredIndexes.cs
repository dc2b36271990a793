// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Indexes;
using Duplicati.Library.SQLiteHelper.Migrations;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Session;

/// <summary>
/// Loading into empty tables without their indexes, which are built by sorting once the rows are there: a quarter of the cost of
/// keeping them up to date in hash order. The indexes of Block, Blockset, BlocksetEntry, BlocklistHash, FileLookup and FilesetEntry
/// are dropped, and the file is marked in the same transaction (see <see cref="LeftOutIndexes"/>), so a commit at any point leaves a
/// file that knows what it lacks; it is completed when it is opened the next time, after the loader has ended.
/// </summary>
/// <remarks>
/// Among them are four unique ones. While they are missing, the loader itself keeps their promise: BlockHashSize, BlocksetFullHash
/// and FileLookupPath are guarded by a map of every row, BlocklistHashBlocksetIDIndex by writing the rows of a blockset once, at its
/// creation, counted. The primary keys of BlocksetEntry and FilesetEntry and the unique index of DuplicateBlock are never dropped.
/// Every query still works without the indexes, only slower. Call with the connection lock held.
/// </remarks>
internal sealed class DeferredIndexes : ITransactionCache, IDisposable
{
    // Automatic indexes have no text; they belong to their table and stay. Upgraded files spell some table names differently.
    private const string ListIndexes = """
        SELECT "name", "tbl_name", "sql" FROM "sqlite_master"
        WHERE "type" = 'index' AND "sql" IS NOT NULL
          AND "tbl_name" COLLATE NOCASE IN ('Block', 'Blockset', 'BlocksetEntry', 'BlocklistHash', 'FileLookup', 'FilesetEntry')
        ORDER BY "rootpage"
        """;

    // Each sub-select stops at the first row of its table.
    private const string AnyRows = """
        SELECT EXISTS (SELECT 1 FROM "Block") OR EXISTS (SELECT 1 FROM "Blockset") OR EXISTS (SELECT 1 FROM "BlocksetEntry")
            OR EXISTS (SELECT 1 FROM "BlocklistHash") OR EXISTS (SELECT 1 FROM "FileLookup") OR EXISTS (SELECT 1 FROM "FilesetEntry")
        """;

    // Each sub-select stops at the row of that number.
    private const string MoreRows = """
        SELECT EXISTS (SELECT 1 FROM "Block" LIMIT 1 OFFSET ?1) OR EXISTS (SELECT 1 FROM "Blockset" LIMIT 1 OFFSET ?1) OR EXISTS (SELECT 1 FROM "BlocksetEntry" LIMIT 1 OFFSET ?1)
            OR EXISTS (SELECT 1 FROM "BlocklistHash" LIMIT 1 OFFSET ?1) OR EXISTS (SELECT 1 FROM "FileLookup" LIMIT 1 OFFSET ?1) OR EXISTS (SELECT 1 FROM "FilesetEntry" LIMIT 1 OFFSET ?1)
        """;

    // Primary key. The row without a name holds the mark of who leaves the indexes out.
    private const string AbandonSql = """UPDATE "DeferredIndex" SET "Sql" = '' WHERE "Name" = '' AND "Sql" = ?1""";

    private static readonly string LOGTAG = Log.LogTagFromType<DeferredIndexes>();

    private readonly DatabaseSession m_session;
    private bool? m_active;
    private string? m_owner;

    private DeferredIndexes(DatabaseSession session)
    {
        m_session = session;
        session.ExternalUse += RestoreOwn;
    }

    /// <summary>True if any index is missing at present.</summary>
    internal bool IsActive => m_active ??= LeftOutIndexes.Exist(m_session.Statements);

    /// <summary>The one instance of a session.</summary>
    internal static DeferredIndexes Of(DatabaseSession session) => session.Service(s => new DeferredIndexes(s));

    /// <summary>True if any index of a table is missing at present.</summary>
    internal bool IsDeferred(string table) =>
        // Another connection may have completed the file between two transactions.
        IsActive && LeftOutIndexes.Exist(m_session.Statements) && LeftOutIndexes.Any(m_session.Statements, table);

    /// <summary>Drops the indexes if all tables concerned are empty.</summary>
    /// <returns>
    /// True if the tables are empty, and indexes are missing now or the file is still marked; false if the tables have rows and keep their
    /// indexes, or a reader is open.
    /// </returns>
    internal bool DropIfEmpty()
    {
        if (m_session.ReadNumber(AnyRows) != 0)
            return false;

        return IsActive || Drop(_ => true);
    }

    /// <summary>
    /// Drops the indexes, whatever is in the tables: for a loader that goes on where another one was interrupted, and reads what is there.
    /// What that one has left out stays so, and is this one's from now on.
    /// </summary>
    /// <returns>True if indexes are missing now, be it some of them only; false if a reader is open.</returns>
    internal bool DropAll()
    {
        if (!IsActive)
            return Drop(_ => true);

        LeftOutIndexes.Remember(m_session.Statements, "", "", m_owner ??= ProcessMark.Take());
        return true;
    }

    /// <summary>Drops some indexes, whatever is in their tables: for a loader that can answer for them.</summary>
    /// <returns>True if they are missing now; false if nothing has changed, because others are missing or a reader is open.</returns>
    internal bool Drop(IReadOnlyCollection<string> names) => !IsActive && Drop(x => names.Contains(x, StringComparer.OrdinalIgnoreCase));

    /// <summary>After a rollback the database is asked again.</summary>
    public void Discard() => m_active = null;

    /// <summary>Whatever is still missing may be completed by others from now on.</summary>
    public void Dispose()
    {
        if (m_owner is not null)
            ProcessMark.Release(m_owner);
    }

    /// <summary>
    /// To be called outside a transaction when the connection is about to be closed: what is still missing is left to whoever opens the
    /// file next, in any process.
    /// </summary>
    internal void Abandon()
    {
        if (m_owner is null || !LeftOutIndexes.Exist(m_session.Statements))
            return;

        var timeout = (int)ReadTimeout();
        var commandTimeout = m_session.Connection.DefaultTimeout;
        try
        {
            // If another one is writing, others take this process for the loader until it ends.
            EngineControl.SetBusyTimeout(m_session.Connection, 0);
            m_session.Connection.DefaultTimeout = -1;
            using var abandon = m_session.Take(AbandonSql);
            abandon.Bind(1, m_owner).ExecuteNonQuery();
        }
        catch (SqliteException ex)
        {
            Log.WriteVerboseMessage(
                LOGTAG,
                "DeferredIndexesNotAbandoned",
                ex,
                "The database lacks indexes and cannot be written at present"
            );
        }
        finally
        {
            EngineControl.SetBusyTimeout(m_session.Connection, timeout);
            m_session.Connection.DefaultTimeout = commandTimeout;
        }
    }

    /// <summary>Completes a file whose loading was interrupted, and brings its schema up to date.</summary>
    /// <param name="connection">A connection without a transaction.</param>
    /// <param name="path">The database file.</param>
    /// <param name="token">Stops the completion.</param>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="UserInformationException">As <see cref="DatabaseUpgrader.UpgradeDatabase"/>; <c>DatabaseFormatError</c> also for a
    /// file that is locked or damaged.</exception>
    internal static void RestoreAndUpgrade(SqliteConnection connection, string path, CancellationToken token) =>
        SchemaUpgrade.Run(connection, path, typeof(DatabaseSchemaMarker), RestoreAfterInterruption(connection, token));

    /// <summary>Completes a file whose loading was interrupted; see <see cref="LeftOutIndexes.Complete"/>.</summary>
    /// <param name="connection">A connection without a transaction.</param>
    /// <param name="token">Stops what is being built; what was built before is kept.</param>
    /// <returns>True if something was missing, built or not.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="UserInformationException">Help id <c>DatabaseFormatError</c>: the file cannot be read.</exception>
    internal static bool RestoreAfterInterruption(SqliteConnection connection, CancellationToken token)
    {
        using var interrupt = CommandInterrupt.Start(connection, token);
        try
        {
            return LeftOutIndexes.Complete(connection, typeof(DatabaseSchemaMarker), token);
        }
        catch (SqliteException ex) when (CommandInterrupt.EndsCall(interrupt, ex, token))
        {
            throw new OperationCanceledException(ex.Message, ex, token);
        }
    }

    private bool Drop(Func<string, bool> isWanted)
    {
        var isBegun = false;
        foreach (var (name, table, sql) in ReadIndexes().Where(x => isWanted(x.Name)))
        {
            if (!IndexBuilding.TryDrop(m_session.Statements, name))
            {
                if (isBegun)
                    Restore();
                return false;
            }

            if (!isBegun)
                LeftOutIndexes.Begin(m_session.Statements, m_owner ??= ProcessMark.Take());
            isBegun = true;
            m_active = true;
            LeftOutIndexes.Remember(m_session.Statements, name, table, sql);
        }

        return true;
    }

    private List<(string Name, string Table, string Sql)> ReadIndexes()
    {
        using var list = m_session.Take(ListIndexes);
        return list.ReadAll(static row => (row.GetString(0)!, row.GetString(1)!, row.GetString(2)!));
    }

    private long ReadTimeout() => m_session.ReadNumber(PragmaSql.ReadBusyTimeout);

    // Building the indexes that were left out.

    /// <summary>Up to this many rows of a table its indexes are built by who gives up filling it, in some tens of milliseconds.</summary>
    internal const int RowsBuiltWhenGivingUp = 16 * 1024;

    /// <summary>
    /// Up to this many rows of each table all indexes are built in one transaction; of more, each in one of its own where a commit is
    /// allowed. The log is then as large as one index and not as all of them, and what looks for pages in it takes less time.
    /// </summary>
    internal long MostRowsAtOnce { get; set; } = 2_000_000;

    /// <summary>Builds the missing indexes, of one table or of all; nothing happens if none is missing. Rows x log(rows).</summary>
    /// <exception cref="SqliteException">Rows break a unique index (code 19), or the file cannot be written.</exception>
    internal void Restore(string? table = null)
    {
        if (!IsActive)
            return;

        // Another connection may have completed the file between two transactions.
        m_active = LeftOutIndexes.Exist(m_session.Statements) && !LeftOutIndexes.Build(m_session.Statements, table);
    }

    /// <summary>Builds one index if it is missing; the mark of the file stays, also if it was the last one.</summary>
    /// <exception cref="SqliteException">As <see cref="Restore(string?)"/>.</exception>
    internal void RestoreOne(string name)
    {
        if (!IsActive)
            return;

        if (LeftOutIndexes.Exist(m_session.Statements))
            LeftOutIndexes.BuildOne(m_session.Statements, name);
    }

    /// <summary>
    /// Builds the missing indexes for a caller who may commit: of large tables one by one, with a commit before each, so that an
    /// interruption loses one of them at most. Taking the mark off the file is left in the open transaction.
    /// </summary>
    /// <param name="commit">Commits with a message, and begins the next transaction.</param>
    /// <param name="token">Seen between two indexes.</param>
    /// <exception cref="SqliteException">As <see cref="Restore(string?)"/>; or another connection is writing (code 5).</exception>
    internal void Restore(Action<string> commit, CancellationToken token)
    {
        // Another connection may have completed the file between two transactions.
        if (IsActive && LeftOutIndexes.Exist(m_session.Statements) && HasMoreRows(MostRowsAtOnce))
            RestoreEach(commit, token);
        Restore();
    }

    /// <summary>
    /// Builds the missing indexes for a caller who has not said that he commits: as
    /// <see cref="Restore(Action{string}, CancellationToken)"/> if nothing
    /// was written since his last commit, so that another one shows nothing of his; in the open transaction otherwise.
    /// </summary>
    /// <param name="commit">Commits with a message, and begins the next transaction.</param>
    /// <param name="token">Seen between two indexes.</param>
    /// <exception cref="SqliteException">As <see cref="Restore(Action{string}, CancellationToken)"/>.</exception>
    internal void RestoreBetweenWrites(Action<string> commit, CancellationToken token)
    {
        if (!IsActive)
            return;

        if (m_session.HasUncommittedChanges)
            Restore();
        else
            Restore(commit, token);
    }

    private void RestoreEach(Action<string> commit, CancellationToken token)
    {
        foreach (var name in LeftOutIndexes.List(m_session.Statements))
        {
            commit("BuildDeferredIndex");
            token.ThrowIfCancellationRequested();
            m_session.BeginWriting();
            if (!LeftOutIndexes.Exist(m_session.Statements))
                break;
            LeftOutIndexes.BuildOne(m_session.Statements, name);
        }
    }

    /// <summary>
    /// For a loader that ends, perhaps before its work does and not to be kept waiting: builds the indexes of small tables. Those of large
    /// ones are left to whoever opens the file next.
    /// </summary>
    internal void RestoreIfSmall()
    {
        if (!IsActive)
            return;

        if (!HasMoreRows(RowsBuiltWhenGivingUp))
            Restore();
    }

    private bool HasMoreRows(long count)
    {
        using var rows = m_session.Take(MoreRows);
        return rows.Bind(1, count).ExecuteInt64() != 0;
    }

    // Whoever comes beside the loader finds the tables complete.
    private void RestoreOwn()
    {
        if (m_owner is not null)
            Restore();
    }
}
