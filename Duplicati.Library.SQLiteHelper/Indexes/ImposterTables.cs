#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Indexes;

/// <summary>
/// The indexes of a table as tables of their own for a while, so that the table and each of its indexes are changed apart, each in its
/// own order: every page is read and written once, where a row that is changed in all of them comes to the pages of most in no order.
/// An index has the same form in the file as a table WITHOUT ROWID of its columns; the engine calls a table on the pages of an
/// index an imposter table. Source: https://www.sqlite.org/imposter.html and https://www.sqlite.org/fileformat2.html, 2.5.1.
/// </summary>
/// <remarks>
/// The caller holds the connection and has a transaction open that writes. Only the schema's rows of the indexes are changed, and
/// changed back in the same transaction; root pages, statistics and the order of the schema stay. No commit shows the state between,
/// a kill rolls it back, and the schema gets another number, so that after a rollback every connection reads it again.
/// </remarks>
public sealed class ImposterTables
{
    /// <summary>Entries of a part that is changed by one statement: some hundred pages, which the engine saves in memory meanwhile.</summary>
    public const int EntriesAtOnce = 4096;

    // After a rollback the engine reads the schema again only because the file has another number then; it must not get this one by changes of others, who count up by one.
    private const int VersionStep = 65_537;

    private readonly StatementCache m_statements;
    private readonly List<ImposterTable> m_tables;

    private ImposterTables(StatementCache statements, List<ImposterTable> tables)
    {
        m_statements = statements;
        m_tables = tables;
    }

    /// <summary>Changes a table and each of its indexes apart. While it lasts, nobody else may use the connection.</summary>
    /// <param name="statements">The connection.</param>
    /// <param name="table">The table.</param>
    /// <param name="change">Changes the table and, by members of this class, its indexes. All statements that it begins have to end with it.</param>
    /// <param name="needed">Columns of indexes that the table must have, see <see cref="Get"/>.</param>
    /// <returns>
    /// False if nothing was done: a statement is open on the connection, the engine lets nobody write the schema, an index is not of a
    /// kind that is known, or one that is needed is missing.
    /// </returns>
    /// <exception cref="SqliteException">It has failed. The whole transaction is rolled back.</exception>
    public static bool During(StatementCache statements, string table, Action<ImposterTables> change, params string[][] needed)
    {
        ArgumentNullException.ThrowIfNull(statements);
        ArgumentNullException.ThrowIfNull(change);
        ArgumentNullException.ThrowIfNull(needed);
        if (IsAnyRunning(statements.Database) || ImposterTable.ListOf(statements, table) is not { } tables || !Array.TrueForAll(needed, x => tables.Exists(index => index.HasColumns(x))))
            return false;

        var imposters = new ImposterTables(statements, tables);
        try
        {
            if (!imposters.TryBegin())
                return false;

            change(imposters);
            imposters.End();
            return true;
        }
        catch
        {
            imposters.DisposeTables();
            // Whoever goes on after the error, and commits, must not commit the state between.
            if (!statements.IsAutoCommit)
                statements.Execute(LeftOutIndexSql.Rollback);
            statements.Execute(ImposterSql.ReloadSchema);
            throw;
        }
    }

    /// <summary>The index of certain columns, the row id or the key at the end.</summary>
    /// <exception cref="InvalidOperationException">There is none.</exception>
    public ImposterTable Get(params string[] columns) => m_tables.First(x => x.HasColumns(columns));

    /// <summary>Removes from each index, but those that have lost entries already, what is absent from the set of <see cref="AbsentIds"/>. Linear in the table.</summary>
    /// <param name="entriesAtOnce">Entries that a statement goes through.</param>
    public void DeleteAbsent(int entriesAtOnce)
    {
        foreach (var table in m_tables.Where(x => x.Deleted == 0))
        {
            foreach (var range in table.Ranges(entriesAtOnce))
                table.DeleteAbsent(range);
        }
    }

    /// <summary>Checks that each index has lost as many entries as its table rows.</summary>
    /// <exception cref="SqliteException">One of them has not (code 11): it was damaged before.</exception>
    public void Check(long rows)
    {
        if (m_tables.Find(x => x.Deleted != rows) is { } table)
            throw Damaged($"{rows} rows of {table.Entry.Table} were deleted, and its index {table.Entry.Index} had {table.Deleted} of them");
    }

    /// <summary>Adds to each index the entries of the table's rows behind a row id, in the order of the row ids.</summary>
    /// <exception cref="SqliteException">An index is unique, and has such an entry (code 19).</exception>
    public void AddAfter(long rowId)
    {
        foreach (var table in m_tables)
            table.AddAfter(rowId);
    }

    // A statement, whoever has made it, has begun and is neither at its end nor reset.
    private static unsafe bool IsAnyRunning(nint database)
    {
        for (var handle = NativeSqlite.NextStatement(database, 0); handle != 0; handle = NativeSqlite.NextStatement(database, handle))
        {
            if (NativeSqlite.IsBusy(handle) != 0)
                return true;
        }

        return false;
    }

    // The engine was built, or told, to let nobody write the schema: then it says so before anything has changed.
    private bool TryBegin()
    {
        m_statements.Execute(ImposterSql.WriteSchema);
        try
        {
            using var become = m_statements.Prepare(ImposterSql.BecomeTable);
            foreach (var table in m_tables)
                become.Bind(1, table.Entry.RowId).Bind(2, table.Entry.Imposter).Bind(3, table.Definition).Execute();
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode == ResultCode.Error)
        {
            m_statements.Execute(ImposterSql.ReloadSchema);
            return false;
        }

        m_statements.Execute(ImposterSql.SetSchemaVersion((m_statements.ReadNumber(ImposterSql.ReadSchemaVersion) + VersionStep) & int.MaxValue));
        m_statements.Execute(ImposterSql.ReloadSchema);
        return true;
    }

    private void End()
    {
        DisposeTables();
        m_statements.Execute(ImposterSql.WriteSchema);
        using (var become = m_statements.Prepare(ImposterSql.BecomeIndex))
        {
            foreach (var entry in m_tables.Select(x => x.Entry))
            {
                become.Bind(1, entry.RowId).Bind(2, entry.Index).Bind(3, entry.Table).Bind(4, entry.Sql).Bind(5, entry.RootPage).Bind(6, entry.Imposter);
                if (become.Execute() != 1)
                    throw Damaged($"its index {entry.Index} is another one than before");
            }
        }

        m_statements.Execute(ImposterSql.ReloadSchema);
    }

    private void DisposeTables() => m_tables.ForEach(x => x.Dispose());

    private SqliteException Damaged(string how) => new($"The database {m_statements.Connection.DataSource} is damaged: {how}", ResultCode.Corrupt);
}
