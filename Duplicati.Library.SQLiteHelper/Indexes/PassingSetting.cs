// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Indexes;

/// <summary>A setting of a connection that is another one until this is disposed; the default value has set nothing.</summary>
/// <remarks>Same thread rules as the connection. After an interrupt, all statements have to be reset before it is disposed.</remarks>
internal readonly struct PassingSetting : IDisposable
{
    private readonly StatementCache? m_statements;
    private readonly string? m_back;

    private PassingSetting(StatementCache statements, string back)
    {
        m_statements = statements;
        m_back = back;
    }

    /// <summary>From now on.</summary>
    /// <param name="statements">The connection's statements.</param>
    /// <param name="sql">Sets it.</param>
    /// <param name="back">Sets it as it was before.</param>
    internal static PassingSetting Begin(StatementCache statements, string sql, string back)
    {
        var setting = new PassingSetting(statements, back);
        try
        {
            statements.Execute(sql);
            return setting;
        }
        catch (SqliteException)
        {
            // The engine sets it when the statement is prepared, and may be interrupted when it is run.
            setting.Dispose();
            throw;
        }
    }

    /// <summary>As it was before.</summary>
    public void Dispose() => m_statements?.Execute(m_back!);
}
