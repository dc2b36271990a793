// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Data;
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
    private const string BEGIN = "BEGIN IMMEDIATE";

    /// <summary>Ends the transaction.</summary>
    private const string COMMIT = "COMMIT";

    /// <summary>Undoes the transaction.</summary>
    private const string ROLLBACK = "ROLLBACK";

    private readonly IDbConnection m_connection;
    private bool m_ended;

    /// <summary>Begins the transaction; waits for another one as long as the connection waits.</summary>
    /// <param name="connection">An open database without a transaction.</param>
    public ImmediateTransaction(IDbConnection connection)
    {
        m_connection = connection;
        Execute(BEGIN);
    }

    /// <summary>Commits. If that fails, nothing is committed.</summary>
    public void Commit()
    {
        Execute(COMMIT);
        m_ended = true;
    }

    /// <summary>Rolls back what is not committed; does nothing the second time.</summary>
    public void Dispose()
    {
        if (!m_ended && !WasRolledBackBySqlite())
            Execute(ROLLBACK);
        m_ended = true;
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
