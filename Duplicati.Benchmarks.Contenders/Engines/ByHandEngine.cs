// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Data.Common;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Contenders.Engines;

/// <summary>SQLite by hand: a connection of Microsoft.Data.Sqlite a thread, and commands prepared once.</summary>
internal sealed class ByHandEngine : IEngine
{
    private readonly string m_path;
    private readonly SqliteConnection m_connection;

    public ByHandEngine(string path)
    {
        m_path = path;
        (m_connection, Settings) = SqliteFile.Open(path, SqliteSettings.Full);
        Version = $"SQLite {m_connection.Scalar(ContenderSql.Version)}";
        m_connection.Scalar(ContenderSql.Create);
    }

    public string Version { get; }

    public string Settings { get; }

    public IEngineSession OpenSession() => new Session(SqliteFile.Open(m_path, SqliteSettings.Full).Connection);

    public long Sum() => new ProviderStatements(m_connection).Read(ContenderSql.Sum, FoldVolume);

    public void Dispose() => m_connection.Dispose();

    internal static long FoldVolume(DbDataReader reader, long sum) =>
        Item.Fold(sum, reader.GetInt64(0), reader.GetInt64(1), reader.GetInt64(2));

    private sealed class Session(SqliteConnection connection) : IEngineSession
    {
        private readonly ProviderStatements m_statements = new(connection);

        // A statement by itself is a transaction.
        public void Insert(int first, int count)
        {
            if (count > 1)
                m_statements.Execute(ContenderSql.BeginWriting);
            for (var row = first; row < first + count; row++)
            {
                m_statements.Execute(
                    ContenderSql.Insert,
                    ("@Hash", Item.Hash(row)),
                    ("@Size", Item.Size(row)),
                    ("@Volume", Item.Volume(row))
                );
            }

            if (count > 1)
                m_statements.Execute(ContenderSql.Commit);
        }

        public long Read(ReadOnlySpan<string> keys)
        {
            var sum = 0L;
            if (keys.Length > 1)
                m_statements.Execute(ContenderSql.Begin);
            foreach (var key in keys)
            {
                var before = sum;
                sum = m_statements.Read(
                    ContenderSql.Find,
                    (reader, _) => Item.Fold(before, reader.GetInt64(0), reader.GetInt64(1)),
                    ("@Hash", key)
                );
            }

            if (keys.Length > 1)
                m_statements.Execute(ContenderSql.Commit);
            return sum;
        }

        public void Dispose() => connection.Dispose();
    }
}

/// <summary>Connections of Microsoft.Data.Sqlite, all set alike.</summary>
internal static class SqliteFile
{
    /// <summary>Opens a file, which is made if it is missing.</summary>
    public static (SqliteConnection Connection, string Settings) Open(string path, string synchronous)
    {
        var connection = new SqliteConnection(new SqliteConnectionStringBuilder { DataSource = path, Pooling = false }.ConnectionString);
        connection.Open();
        return (connection, SqliteSettings.Apply(synchronous, connection.Scalar));
    }

    /// <summary>First value of the first row as text; null if there is none.</summary>
    public static string? Scalar(this SqliteConnection connection, string sql)
    {
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        return command.ExecuteScalar() is { } value and not DBNull ? Convert.ToString(value) : null;
    }
}
