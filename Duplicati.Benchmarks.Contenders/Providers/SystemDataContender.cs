// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Data.SQLite;
using Duplicati.Benchmarks.Micro;

namespace Duplicati.Benchmarks.Contenders.Providers;

/// <summary>Commands of System.Data.SQLite, prepared once.</summary>
internal sealed class SystemDataContender(BlockQuestions questions, SQLiteConnection connection) : RowContender(questions)
{
    private readonly Dictionary<string, SQLiteCommand> m_commands = [];

    public override void Begin() => Take(BlockTableSql.Begin).ExecuteNonQuery();

    public override void Commit() => Take(BlockTableSql.Commit).ExecuteNonQuery();

    public override long Join(long blocksetId)
    {
        var sum = 0L;
        using var reader = Take(BlockBenchmarkSql.JoinBlockset, ("@BlocksetId", blocksetId)).ExecuteReader();
        while (reader.Read())
            sum = FoldJoined(sum, reader.GetInt64(2), reader.GetString(1));
        return sum;
    }

    public override void Dispose()
    {
        foreach (var command in m_commands.Values)
            command.Dispose();
        base.Dispose();
    }

    protected override long Find(string hash, long size) =>
        Take(BlockBenchmarkSql.Find, ("@Hash", hash), ("@Size", size)).ExecuteScalar() is long id ? id : -1;

    protected override void Add(string hash, long size) => Add(BlockBenchmarkSql.Insert, hash, size);

    protected override void AddOrIgnore(string hash, long size) => Add(BlockBenchmarkSql.InsertOrIgnore, hash, size);

    protected override long AddBlockset(long length, string hash) =>
        (long)Take(BlockBenchmarkSql.InsertBlockset, ("@Length", length), ("@FullHash", hash)).ExecuteScalar();

    protected override void Link(long blocksetId, long index, string hash, long size) =>
        Take(BlockBenchmarkSql.Link, ("@BlocksetId", blocksetId), ("@Index", index), ("@Hash", hash), ("@Size", size)).ExecuteNonQuery();

    private void Add(string sql, string hash, long size) =>
        Take(sql, ("@Hash", hash), ("@Size", size), ("@VolumeId", Volume)).ExecuteNonQuery();

    private SQLiteCommand Take(string sql, params ReadOnlySpan<(string Name, object Value)> values)
    {
        if (!m_commands.TryGetValue(sql, out var command))
        {
            m_commands[sql] = command = new SQLiteCommand(sql, connection);
            foreach (var (name, value) in values)
                command.Parameters.AddWithValue(name, value);
            command.Prepare();
            return command;
        }

        foreach (var (name, value) in values)
            command.Parameters[name].Value = value;
        return command;
    }
}
