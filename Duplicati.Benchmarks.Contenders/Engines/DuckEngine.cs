// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using DuckDB.NET.Data;

namespace Duplicati.Benchmarks.Contenders.Engines;

/// <summary>DuckDB: a table with a primary key, a connection a thread; several rows go through its appender.</summary>
internal sealed class DuckEngine : IEngine
{
    private const string Create =
        "CREATE TABLE IF NOT EXISTS Item (Hash VARCHAR PRIMARY KEY, Size BIGINT NOT NULL, Volume BIGINT NOT NULL)";
    private const string Begin = "BEGIN TRANSACTION";
    private const string Commit = "COMMIT";
    private const string Insert = "INSERT INTO Item VALUES ($1, $2, $3)";
    private const string Find = "SELECT Size, Volume FROM Item WHERE Hash = $1";
    private const string Groups = "SELECT Volume, count(*), CAST(sum(Size) AS BIGINT) FROM Item GROUP BY Volume ORDER BY Volume";
    private const string BringIn = "CHECKPOINT";
    private const string ReadVersion = "SELECT version()";
    private const string ReadSettings =
        "SELECT 'threads ' || current_setting('threads') || ', checkpoint after ' || current_setting('checkpoint_threshold')";

    private readonly string m_path;
    private readonly DuckDBConnection m_connection;

    public DuckEngine(string path)
    {
        m_path = path;
        m_connection = Open(path);
        Run(m_connection, Create);
        Version = $"DuckDB {Run(m_connection, ReadVersion)}";
        Settings = $"{Run(m_connection, ReadSettings)}";
    }

    public string Version { get; }

    public string Settings { get; }

    public IEngineSession OpenSession() => new Session(Open(m_path));

    public long Sum()
    {
        var sum = 0L;
        using var command = m_connection.CreateCommand();
        command.CommandText = Groups;
        using var reader = command.ExecuteReader();
        while (reader.Read())
            sum = Item.Fold(sum, reader.GetInt64(0), reader.GetInt64(1), reader.GetInt64(2));
        return sum;
    }

    public void Dispose()
    {
        Run(m_connection, BringIn);
        m_connection.Dispose();
    }

    private static DuckDBConnection Open(string path)
    {
        var connection = new DuckDBConnection($"Data Source={path}");
        connection.Open();
        return connection;
    }

    private static object? Run(DuckDBConnection connection, string sql)
    {
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        return command.ExecuteScalar();
    }

    private sealed class Session : IEngineSession
    {
        private readonly DuckDBConnection m_connection;
        private readonly DuckDBCommand m_insert;
        private readonly DuckDBCommand m_find;

        public Session(DuckDBConnection connection)
        {
            m_connection = connection;
            m_insert = Prepare(DuckEngine.Insert, 3);
            m_find = Prepare(Find, 1);
        }

        public void Insert(int first, int count)
        {
            if (count == 1)
            {
                m_insert.Parameters[0].Value = Item.Hash(first);
                m_insert.Parameters[1].Value = Item.Size(first);
                m_insert.Parameters[2].Value = Item.Volume(first);
                m_insert.ExecuteNonQuery();
                return;
            }

            Run(m_connection, Begin);
            using (var appender = m_connection.CreateAppender("Item"))
            {
                for (var row = first; row < first + count; row++)
                    appender.CreateRow().AppendValue(Item.Hash(row)).AppendValue(Item.Size(row)).AppendValue(Item.Volume(row)).EndRow();
            }

            Run(m_connection, Commit);
        }

        public long Read(ReadOnlySpan<string> keys)
        {
            var sum = 0L;
            if (keys.Length > 1)
                Run(m_connection, Begin);
            foreach (var key in keys)
            {
                m_find.Parameters[0].Value = key;
                using var reader = m_find.ExecuteReader();
                reader.Read();
                sum = Item.Fold(sum, reader.GetInt64(0), reader.GetInt64(1));
            }

            if (keys.Length > 1)
                Run(m_connection, Commit);
            return sum;
        }

        public void Dispose()
        {
            m_insert.Dispose();
            m_find.Dispose();
            m_connection.Dispose();
        }

        private DuckDBCommand Prepare(string sql, int parameters)
        {
            var command = m_connection.CreateCommand();
            command.CommandText = sql;
            for (var i = 0; i < parameters; i++)
                command.Parameters.Add(new DuckDBParameter());
            command.Prepare();
            return command;
        }
    }
}
