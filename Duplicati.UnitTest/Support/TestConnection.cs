// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Support;

/// <summary>An open connection to a new database file, with both removed at the end.</summary>
internal sealed class TestConnection : IDisposable
{
    private readonly TestFolder m_folder = new();

    internal TestConnection(string? schema = null)
    {
        Connection = Databases.Open(Path);
        if (schema != null)
            Run(schema);
    }

    internal SqliteConnection Connection { get; }

    /// <summary>The path of the database file.</summary>
    internal string Path => m_folder.File("test.sqlite");

    /// <summary>Runs statements, in the transaction that is open if there is one.</summary>
    internal void Run(string sql) => Connection.Execute(sql);

    /// <summary>The one value of a query.</summary>
    internal object? Scalar(string sql)
    {
        using var command = Connection.CreateCommand();
        command.CommandText = sql;
        return command.ExecuteScalar();
    }

    public void Dispose()
    {
        Connection.Dispose();
        m_folder.Dispose();
    }
}
