// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Contenders.Engines;

/// <summary>SQLite through <see cref="ConcurrentDatabase"/>: all threads share it, its writer commits in groups.</summary>
internal sealed class ConcurrentEngine : IEngine
{
    private readonly ConcurrentDatabase m_database;

    public ConcurrentEngine(string path)
    {
        m_database = ConcurrentDatabase.OpenAsync(path, ConnectionPreset.Durable).Await();
        if (!m_database.IsDurable)
            throw new InvalidOperationException("The database is not durable.");
        Settings = SqliteSettings.ReadBack(SqliteSettings.Full, Scalar);
        Version = $"SQLite {Scalar(ContenderSql.Version)}";
        Scalar(ContenderSql.Create);
    }

    public string Version { get; }

    public string Settings { get; }

    public IEngineSession OpenSession() => new Session(m_database);

    public long Sum() =>
        m_database
            .ReadAsync(statements =>
            {
                var sum = 0L;
                using var read = statements.Take(ContenderSql.Sum);
                while (read.Read())
                    sum = Item.Fold(sum, read.GetInt64(0), read.GetInt64(1), read.GetInt64(2));
                return sum;
            })
            .Await();

    public void Dispose() => m_database.DisposeAsync().AsTask().Await();

    private string? Scalar(string sql) =>
        m_database
            .WriteAsync(statements =>
            {
                using var statement = statements.Prepare(sql);
                return statement.ExecuteString();
            })
            .Await();

    private sealed class Session(ConcurrentDatabase database) : IEngineSession
    {
        public void Insert(int first, int count) =>
            database
                .WriteAsync(statements =>
                {
                    using var insert = statements.Take(ContenderSql.Insert);
                    for (var row = first; row < first + count; row++)
                        insert.Bind(1, Item.Hash(row)).Bind(2, Item.Size(row)).Bind(3, Item.Volume(row)).ExecuteNonQuery();
                })
                .Await();

        public long Read(ReadOnlySpan<string> keys)
        {
            var asked = keys.ToArray();
            return database
                .ReadAsync(statements =>
                {
                    var sum = 0L;
                    using var find = statements.Take(ContenderSql.Find);
                    foreach (var key in asked)
                    {
                        find.Bind(1, key).Read();
                        sum = Item.Fold(sum, find.GetInt64(0), find.GetInt64(1));
                        find.Reset();
                    }

                    return sum;
                })
                .Await();
        }

        public void Dispose()
        {
            // The database belongs to all.
        }
    }
}
