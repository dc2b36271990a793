// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Dapper;
using Duplicati.Benchmarks.Micro;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Contenders.Providers;

/// <summary>Dapper on a connection of Microsoft.Data.Sqlite.</summary>
internal sealed class DapperContender(BlockQuestions questions, SqliteConnection connection) : RowContender(questions)
{
    private SqliteTransaction? m_transaction;

    public override void Begin() => m_transaction = connection.BeginTransaction();

    public override void Commit()
    {
        m_transaction!.Commit();
        m_transaction.Dispose();
        m_transaction = null;
    }

    public override long Join(long blocksetId) =>
        connection
            .Query<Joined>(BlockBenchmarkSql.JoinBlockset, new { BlocksetId = blocksetId }, buffered: false)
            .Aggregate(0L, (sum, row) => FoldJoined(sum, row.Size, row.Hash));

    protected override long Find(string hash, long size) =>
        connection.QueryFirstOrDefault<long?>(BlockBenchmarkSql.Find, new { Hash = hash, Size = size }, m_transaction) ?? -1;

    protected override void Add(string hash, long size) => Add(BlockBenchmarkSql.Insert, hash, size);

    protected override void AddOrIgnore(string hash, long size) => Add(BlockBenchmarkSql.InsertOrIgnore, hash, size);

    protected override long AddBlockset(long length, string hash) =>
        connection.ExecuteScalar<long>(BlockBenchmarkSql.InsertBlockset, new { Length = length, FullHash = hash }, m_transaction);

    protected override void Link(long blocksetId, long index, string hash, long size) =>
        connection.Execute(
            BlockBenchmarkSql.Link,
            new
            {
                BlocksetId = blocksetId,
                Index = index,
                Hash = hash,
                Size = size,
            },
            m_transaction
        );

    private void Add(string sql, string hash, long size) =>
        connection.Execute(
            sql,
            new
            {
                Hash = hash,
                Size = size,
                VolumeId = Volume,
            },
            m_transaction
        );

    private sealed class Joined
    {
        public string Hash { get; set; } = "";

        public long Size { get; set; }
    }
}
