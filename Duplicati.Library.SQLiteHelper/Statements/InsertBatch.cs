// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>
/// Inserts many rows into one table: where no transaction is open several rows a statement, and a commit every so many rows; in a caller's
/// transaction a statement a row. Set the columns of a row, then call <see cref="EndRow"/>; one that is not set is NULL. What is pending is
/// written by <see cref="Flush"/> or <see cref="Dispose"/>.
/// </summary>
/// <remarks>
/// For programs that use this assembly alone, such as an import or a copy of tables; the data layer writes through its own buffers.
/// Not thread-safe, like the connection. Memory: the values of one statement's rows. After an error nothing is pending, the rows of the
/// current commit interval are rolled back, and earlier intervals stay. In a caller's transaction only the failing statement is undone:
/// the rows before it stay and are counted by <see cref="WrittenRows"/>, that row and those after it were not written.
/// </remarks>
public sealed class InsertBatch : IDisposable
{
    /// <summary>Rows a statement unless told otherwise: more gains little and costs longer texts.</summary>
    public const int DefaultRowsPerStatement = 32;

    // A statement that may have to undo several rows by itself copies each page that it changes first, which costs more than the rows. Here
    // the whole interval is undone instead.
    private const string InsertSeveral = "INSERT OR FAIL";
    private const string InsertSingle = "INSERT";
    private const string BeginWriting = "BEGIN IMMEDIATE";
    private const string CommitWritten = "COMMIT";

    // The limit of SQLite before 3.32.
    private const int MostParameters = 999;

    private readonly StatementCache m_statements;
    private readonly string m_several;
    private readonly string m_single;
    private readonly Value[] m_values;
    private readonly int m_columns;
    private readonly int m_rowsPerStatement;
    private readonly int m_rowsPerCommit;
    private readonly bool m_ownsTransaction;
    private int m_rows;
    private int m_uncommitted;
    private bool m_began;

    // NULL unless something is set.
    private readonly record struct Value(bool IsNumber, long Number, string? Text, byte[]? Blob);

    /// <summary>Prepares a batch.</summary>
    /// <param name="statements">The statements of the connection.</param>
    /// <param name="table">The table.</param>
    /// <param name="columns">Its columns in the order of <see cref="Set(int, long)"/>.</param>
    /// <param name="rowsPerCommit">Rows after which is committed, if no transaction is open now; 0 commits once, at the end.</param>
    /// <param name="rowsPerStatement">Rows written by one statement; in a caller's transaction rows that are collected before they are
    /// written.</param>
    /// <exception cref="InvalidOperationException">A transaction is open and a commit interval was given.</exception>
    public InsertBatch(
        StatementCache statements,
        string table,
        IReadOnlyList<string> columns,
        int rowsPerCommit = 0,
        int rowsPerStatement = DefaultRowsPerStatement
    )
    {
        ArgumentNullException.ThrowIfNull(statements);
        ArgumentException.ThrowIfNullOrEmpty(table);
        ArgumentNullException.ThrowIfNull(columns);
        ArgumentOutOfRangeException.ThrowIfZero(columns.Count, nameof(columns));
        ArgumentOutOfRangeException.ThrowIfNegative(rowsPerCommit);
        ArgumentOutOfRangeException.ThrowIfLessThan(rowsPerStatement, 1);
        m_ownsTransaction = statements.IsAutoCommit;
        if (!m_ownsTransaction && rowsPerCommit > 0)
            throw new InvalidOperationException("A transaction is open; the commit interval would end it.");

        m_statements = statements;
        m_columns = columns.Count;
        m_rowsPerStatement = Math.Max(1, Math.Min(rowsPerStatement, MostParameters / m_columns));
        m_rowsPerCommit = rowsPerCommit;
        m_values = new Value[m_columns * m_rowsPerStatement];
        // Interned, because the cache of statements compares texts by reference and the next batch on the table is to find them.
        m_single = string.Intern(Text(InsertSingle, table, columns, 1));
        m_several = string.Intern(Text(InsertSeveral, table, columns, m_rowsPerStatement));
    }

    /// <summary>Rows written so far, those pending not counted.</summary>
    public long WrittenRows { get; private set; }

    /// <summary>Sets a column of the current row.</summary>
    public void Set(int column, long value) => At(column) = new Value(true, value, null, null);

    /// <summary>Sets a column of the current row; null is NULL.</summary>
    public void Set(int column, string? value) => At(column) = new Value(false, 0, value, null);

    /// <summary>Sets a column of the current row to a blob, which must not change before the row is written.</summary>
    public void Set(int column, byte[] value) => At(column) = new Value(false, 0, null, value);

    /// <summary>Ends the current row, and writes when enough rows are pending.</summary>
    public void EndRow()
    {
        if (++m_rows == m_rowsPerStatement)
            WritePending();
    }

    /// <summary>Writes what is pending and, without a caller's transaction, commits it.</summary>
    public void Flush()
    {
        WritePending();
        Commit();
    }

    /// <summary>Writes and commits what is pending.</summary>
    public void Dispose() => Flush();

    private ref Value At(int column)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(column, m_columns);
        return ref m_values[(m_rows * m_columns) + column];
    }

    private void WritePending()
    {
        if (m_rows == 0)
            return;

        var rows = m_rows;
        m_rows = 0;
        try
        {
            Begin();
            Write(rows);
        }
        catch
        {
            RollBack();
            throw;
        }
        finally
        {
            Array.Clear(m_values, 0, rows * m_columns);
        }

        if (m_rowsPerCommit > 0 && m_uncommitted >= m_rowsPerCommit)
            Commit();
    }

    private void Write(int rows)
    {
        if (m_ownsTransaction && rows == m_rowsPerStatement)
        {
            WriteSeveral();
            return;
        }

        using var single = m_statements.Take(m_single);
        for (var row = 0; row < rows; row++)
        {
            for (var column = 0; column < m_columns; column++)
                Bind(single, column + 1, m_values[(row * m_columns) + column]);
            single.ExecuteNonQuery();
            Count(1);
        }
    }

    private void WriteSeveral()
    {
        using var several = m_statements.Take(m_several);
        for (var i = 0; i < m_values.Length; i++)
            Bind(several, i + 1, m_values[i]);
        several.ExecuteNonQuery();
        Count(m_rowsPerStatement);
    }

    private void Count(int rows)
    {
        WrittenRows += rows;
        m_uncommitted += rows;
    }

    private static void Bind(Statement statement, int index, in Value value)
    {
        if (value.Blob is not null)
            statement.BindBlob(index, value.Blob);
        else if (value.IsNumber)
            statement.Bind(index, value.Number);
        else
            statement.Bind(index, value.Text);
    }

    private void Begin()
    {
        if (!m_ownsTransaction || m_began)
            return;

        m_statements.Run(BeginWriting);
        m_began = true;
    }

    private void Commit()
    {
        if (!m_began)
            return;

        try
        {
            m_statements.Run(CommitWritten);
        }
        catch
        {
            RollBack();
            throw;
        }

        m_began = false;
        m_uncommitted = 0;
    }

    private void RollBack()
    {
        if (!m_began)
            return;

        m_began = false;
        WrittenRows -= m_uncommitted;
        m_uncommitted = 0;
        if (!m_statements.IsAutoCommit)
            m_statements.Execute("ROLLBACK");
    }

    private static string Text(string verb, string table, IReadOnlyList<string> columns, int rows)
    {
        var values = Enumerable
            .Range(0, rows)
            .Select(row =>
                $"({string.Join(", ", Enumerable.Range(1, columns.Count).Select(x => string.Create(CultureInfo.InvariantCulture, $"?{(row * columns.Count) + x}")))})"
            );
        return $"{verb} INTO {SqlName.Quote(table)} ({string.Join(", ", columns.Select(SqlName.Quote))}) VALUES {string.Join(", ", values)}";
    }
}
