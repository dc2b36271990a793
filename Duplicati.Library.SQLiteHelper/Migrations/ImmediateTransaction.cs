// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Data;
using Duplicati.Library.SQLiteHelper.Scripts;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Library.SQLiteHelper.Migrations;

/// <summary>A transaction that holds the write lock from its begin and is rolled back unless it is committed.</summary>
/// <remarks>
/// Not the provider's own: when COMMIT fails on a full disk, SQLite rolls back by itself, and then the provider's transaction fails to
/// roll back once more when it is disposed and again when its connection is closed, which hides the first error.
/// </remarks>
internal sealed class ImmediateTransaction : IDisposable
{
    /// <summary>Takes the write lock at once, so that what is read next cannot change before it is written.</summary>
    internal const string BEGIN = "BEGIN IMMEDIATE";

    /// <summary>Ends the transaction.</summary>
    private const string COMMIT = "COMMIT";

    /// <summary>Undoes the transaction.</summary>
    private const string ROLLBACK = "ROLLBACK";

    private const string READ_LOCKING = "PRAGMA locking_mode";
    private const string READ_PAGE = "PRAGMA schema_version";
    private const string LOCK_EXCLUSIVELY = "PRAGMA locking_mode = EXCLUSIVE";
    private const string LOCK_NORMALLY = "PRAGMA locking_mode = NORMAL";

    private readonly IDbConnection m_connection;
    private readonly bool m_isExclusive;
    private bool m_isCommitted;
    private bool m_isDisposed;

    /// <summary>
    /// Begins the transaction; waits for another one as long as the connection waits. Others may read meanwhile, also where the connection
    /// is set to lock them out: a safety copy is made by another one.
    /// </summary>
    /// <param name="connection">An open database without a transaction.</param>
    public ImmediateTransaction(IDbConnection connection)
    {
        m_connection = connection;
        m_isExclusive = SchemaVersion.Scalar(connection, READ_LOCKING) is "exclusive";
        if (m_isExclusive)
        {
            Execute(LOCK_NORMALLY);
            // With the next read the lock goes.
            SchemaVersion.Scalar(connection, READ_PAGE);
        }

        Execute(BEGIN);
    }

    /// <summary>Commits. If that fails, nothing is committed.</summary>
    public void Commit()
    {
        Execute(COMMIT);
        m_isCommitted = true;
    }

    /// <summary>Rolls back what is not committed; does nothing the second time.</summary>
    public void Dispose()
    {
        if (m_isDisposed)
            return;
        m_isDisposed = true;
        if (!m_isCommitted && !WasRolledBackBySqlite())
            Execute(ROLLBACK);
        if (m_isExclusive)
            Execute(LOCK_EXCLUSIVELY);
    }

    private bool WasRolledBackBySqlite() =>
        m_connection is SqliteConnection { Handle: { } handle } && raw.sqlite3_get_autocommit(handle) != 0;

    private void Execute(string sql)
    {
        using var command = m_connection.CreateCommand();
        command.CommandText = sql;
        command.ExecuteNonQuery();
    }
}
