// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Dapper;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Contenders.Engines;

/// <summary>SQLite through Dapper: a connection a thread.</summary>
internal sealed class DapperEngine : IEngine
{
    private readonly string m_path;
    private readonly SqliteConnection m_connection;

    public DapperEngine(string path)
    {
        m_path = path;
        (m_connection, Settings) = SqliteFile.Open(path, SqliteSettings.Full);
        Version = $"SQLite {m_connection.Scalar(ContenderSql.Version)}";
        m_connection.Execute(ContenderSql.Create);
    }

    public string Version { get; }

    public string Settings { get; }

    public IEngineSession OpenSession() => new Session(SqliteFile.Open(m_path, SqliteSettings.Full).Connection);

    public long Sum() =>
        m_connection.Query<Total>(ContenderSql.Sum).Aggregate(0L, (sum, row) => Item.Fold(sum, row.Volume, row.Count, row.Size));

    public void Dispose() => m_connection.Dispose();

    private sealed class Session(SqliteConnection connection) : IEngineSession
    {
        public void Insert(int first, int count)
        {
            using var transaction = count > 1 ? connection.BeginTransaction() : null;
            for (var row = first; row < first + count; row++)
            {
                connection.Execute(
                    ContenderSql.Insert,
                    new
                    {
                        Hash = Item.Hash(row),
                        Size = Item.Size(row),
                        Volume = Item.Volume(row),
                    },
                    transaction
                );
            }

            transaction?.Commit();
        }

        public long Read(ReadOnlySpan<string> keys)
        {
            var sum = 0L;
            using var transaction = keys.Length > 1 ? connection.BeginTransaction(deferred: true) : null;
            foreach (var key in keys)
            {
                var found = connection.QueryFirst<Total>(ContenderSql.Find, new { Hash = key }, transaction);
                sum = Item.Fold(sum, found.Size, found.Volume);
            }

            transaction?.Commit();
            return sum;
        }

        public void Dispose() => connection.Dispose();
    }

    private sealed class Total
    {
        public long Volume { get; set; }

        public long Count { get; set; }

        public long Size { get; set; }
    }
}
