// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Text;

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>
/// A prepared statement, bound by position (from 1) and read by column (from 0) without boxing or per-row allocation.
/// Obtained from <see cref="StatementCache.Take"/>; disposing resets it, clears its bindings and puts it back.
/// </summary>
/// <remarks>Not thread-safe, like the connection it belongs to. Errors surface as <see cref="Microsoft.Data.Sqlite.SqliteException"/>;
/// a statement that failed is reset and can be used again.</remarks>
public sealed unsafe class Statement : IDisposable
{
    private const int StackBytes = 768;

    private readonly StatementCache m_cache;
    private readonly int m_need;
    private nint m_handle;
    private bool m_active;

    internal Statement(StatementCache cache, string sql, nint handle, bool cached)
    {
        m_cache = cache;
        Sql = sql;
        m_handle = handle;
        IsCached = cached;
        m_need = NativeSqlite.IsReadOnly(handle) != 0 ? LockWait.Reading : LockWait.Writing;
    }

    /// <summary>The text this statement was prepared from.</summary>
    public string Sql { get; }

    internal nint Handle => m_handle;

    internal bool IsCached { get; }

    internal bool IsTaken { get; set; }

    /// <summary>Number of result columns; 0 for a statement that returns no rows.</summary>
    public int FieldCount => NativeSqlite.ColumnCount(m_handle);

    /// <summary>Binds a 64-bit integer to the parameter at <paramref name="index"/> (from 1).</summary>
    public Statement Bind(int index, long value)
    {
        Check(NativeSqlite.BindInt64(m_handle, index, value));
        return this;
    }

    /// <summary>Binds a text; null binds NULL. SQLite keeps its own copy.</summary>
    public Statement Bind(int index, string? value)
    {
        if (value is null)
            return BindNull(index);

        var max = Encoding.UTF8.GetMaxByteCount(value.Length);
        if (max <= StackBytes)
        {
            var buffer = stackalloc byte[StackBytes];
            var written = Encoding.UTF8.GetBytes(value, new Span<byte>(buffer, StackBytes));
            Check(NativeSqlite.BindText(m_handle, index, buffer, written, NativeSqlite.Transient));
            return this;
        }

        return BindUtf8(index, Encoding.UTF8.GetBytes(value));
    }

    /// <summary>Binds a text given as UTF-8. SQLite keeps its own copy.</summary>
    public Statement BindUtf8(int index, ReadOnlySpan<byte> value)
    {
        byte empty = 0;
        fixed (byte* pointer = value)
            Check(NativeSqlite.BindText(m_handle, index, pointer is null ? &empty : pointer, value.Length, NativeSqlite.Transient));
        return this;
    }

    /// <summary>Binds a blob. SQLite keeps its own copy.</summary>
    public Statement BindBlob(int index, ReadOnlySpan<byte> value)
    {
        byte empty = 0;
        fixed (byte* pointer = value)
            Check(NativeSqlite.BindBlob(m_handle, index, pointer is null ? &empty : pointer, value.Length, NativeSqlite.Transient));
        return this;
    }

    /// <summary>Binds a floating-point number.</summary>
    public Statement Bind(int index, double value)
    {
        Check(NativeSqlite.BindDouble(m_handle, index, value));
        return this;
    }

    /// <summary>Binds NULL.</summary>
    public Statement BindNull(int index)
    {
        Check(NativeSqlite.BindNull(m_handle, index));
        return this;
    }

    /// <summary>
    /// Advances to the next row. True: a row can be read. False: the statement is complete and has been reset. Locks of other connections
    /// are waited for, as long as the provider's commands wait for them.
    /// </summary>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">The engine reported an error, or a lock did not go away; the statement has
    /// been reset.</exception>
    /// <exception cref="OperationCanceledException">The wait for a lock was cancelled; the statement has been reset, and has done
    /// nothing.</exception>
    public bool Read()
    {
        var isFirst = !m_active;
        m_active = true;
        m_cache.Running = Sql;
        var rc = isFirst && m_cache.IsInterrupted && !CleansUp(Sql) ? ResultCode.Interrupt : m_cache.InjectedFault(Sql);
        if (rc == NativeSqlite.Ok)
            rc = isFirst ? FirstStep() : NativeSqlite.Step(m_handle);
        if (rc == NativeSqlite.Row)
        {
            m_cache.Figures.RowsRead++;
            return true;
        }

        if (rc != NativeSqlite.Done)
            Fail(rc);
        Reset();
        return false;
    }

    /// <summary>Runs the statement to its end and resets it.</summary>
    /// <returns>Number of rows inserted, updated or deleted.</returns>
    public int ExecuteNonQuery()
    {
        while (Read()) { }

        return m_cache.Changes;
    }

    /// <summary>
    /// Runs the statement and returns the first column of its first row, or <paramref name="defaultValue"/> when there is no row or it is
    /// NULL.
    /// </summary>
    public long ExecuteInt64(long defaultValue = -1)
    {
        if (!Read())
            return defaultValue;

        var result = GetInt64(0, defaultValue);
        Reset();
        return result;
    }

    /// <summary>Runs the statement and returns the first column of its first row as text, or null.</summary>
    public string? ExecuteString()
    {
        if (!Read())
            return null;

        var result = GetString(0);
        Reset();
        return result;
    }

    /// <summary>True if the column of the current row is NULL.</summary>
    public bool IsDBNull(int column) => NativeSqlite.ColumnType(m_handle, column) == NativeSqlite.TypeNull;

    /// <summary>The column as a 64-bit integer, converted by SQLite's rules (NULL gives 0).</summary>
    public long GetInt64(int column) => NativeSqlite.ColumnInt64(m_handle, column);

    /// <summary>The column as a 64-bit integer, or <paramref name="defaultValue"/> when it is NULL.</summary>
    public long GetInt64(int column, long defaultValue) => IsDBNull(column) ? defaultValue : GetInt64(column);

    /// <summary>The column as a floating-point number.</summary>
    public double GetDouble(int column) => NativeSqlite.ColumnDouble(m_handle, column);

    /// <summary>The column as text; null when it is NULL.</summary>
    public string? GetString(int column)
    {
        var text = NativeSqlite.ColumnText(m_handle, column);
        return text is null ? null : Encoding.UTF8.GetString(text, NativeSqlite.ColumnBytes(m_handle, column));
    }

    /// <summary>The column as UTF-8 text, valid until the next step, reset or dispose; empty when it is NULL.</summary>
    public ReadOnlySpan<byte> GetUtf8(int column)
    {
        var text = NativeSqlite.ColumnText(m_handle, column);
        return text is null ? default : new ReadOnlySpan<byte>(text, NativeSqlite.ColumnBytes(m_handle, column));
    }

    /// <summary>The column as a blob, valid until the next step, reset or dispose; empty when it is NULL.</summary>
    public ReadOnlySpan<byte> GetBlob(int column)
    {
        var blob = NativeSqlite.ColumnBlob(m_handle, column);
        return blob is null ? default : new ReadOnlySpan<byte>(blob, NativeSqlite.ColumnBytes(m_handle, column));
    }

    /// <summary>Ends the current run; bindings stay. Safe at any time.</summary>
    public void Reset()
    {
        if (!m_active)
            return;

        m_active = false;
        // The return code repeats the error of the last step, which has been thrown already.
        _ = NativeSqlite.Reset(m_handle);
    }

    /// <summary>Resets, clears the bindings and hands the statement back to its cache. May be called more than once.</summary>
    public void Dispose() => m_cache.Return(this);

    internal void ResetAndClear()
    {
        Reset();
        if (m_handle != 0)
            _ = NativeSqlite.ClearBindings(m_handle);
    }

    internal void Close()
    {
        var handle = m_handle;
        m_handle = 0;
        m_active = false;
        if (handle != 0)
            _ = NativeSqlite.FinalizeStatement(handle);
    }

    // Locks are taken by the first step, which has not done anything if it meets one of others.
    private int FirstStep()
    {
        var locks = m_cache.Locks;
        var rc = m_need > locks.BusyTimeoutCovers ? locks.Step(m_handle) : NativeSqlite.Step(m_handle);
        return (rc & 0xff) == ResultCode.Busy ? StepAfterWait(rc) : rc;
    }

    private int StepAfterWait(int rc)
    {
        try
        {
            return m_cache.Locks.Repeat(
                () => NativeSqlite.Step(m_handle),
                m_cache.CreateException(rc, Sql),
                m_cache.RenewTransaction,
                () => NativeSqlite.Reset(m_handle)
            );
        }
        catch
        {
            Reset();
            throw;
        }
    }

    private void Check(int rc)
    {
        if (rc != NativeSqlite.Ok)
            Fail(rc);
    }

    // What a cancelled call has to do before it ends.
    private static bool CleansUp(string sql) =>
        sql.StartsWith("ROLLBACK", StringComparison.Ordinal)
        || sql.StartsWith("RELEASE", StringComparison.Ordinal)
        || sql.StartsWith("DELETE FROM temp.", StringComparison.Ordinal)
        || sql.StartsWith("DROP TABLE", StringComparison.Ordinal)
        || (sql.StartsWith("PRAGMA", StringComparison.Ordinal) && sql.Contains('=', StringComparison.Ordinal));

    private void Fail(int rc)
    {
        // The message lives on the connection and is overwritten by the reset, so the exception is made first.
        var exception = m_cache.CreateException(rc, Sql);
        Reset();
        throw exception;
    }
}

/// <summary>Answers of many rows.</summary>
internal static class StatementRows
{
    /// <summary>Reads to the end.</summary>
    /// <param name="rows">The statement, with its parameters bound.</param>
    /// <param name="row">Makes something of the row at hand; a static delegate allocates nothing.</param>
    internal static List<T> ReadAll<T>(this Statement rows, Func<Statement, T> row)
    {
        var result = new List<T>();
        while (rows.Read())
            result.Add(row(rows));
        return result;
    }
}
