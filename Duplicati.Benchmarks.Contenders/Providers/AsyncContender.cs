// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Data.Common;
using System.Globalization;
using Duplicati.Benchmarks.Micro;

namespace Duplicati.Benchmarks.Contenders.Providers;

// What is measured is the provider's own methods, as a caller without a layer has them.
#pragma warning disable RS0030

/// <summary>Prepared commands of the provider through its asynchronous methods, two awaits deep.</summary>
internal sealed class AsyncContender(BlockQuestions questions, DbConnection connection) : BlockContender(questions)
{
    private readonly ProviderStatements m_statements = new(connection);
    private readonly string[] m_texts = questions.Texts;
    private readonly long[] m_sizes = questions.Sizes;

    public override void Begin() => m_statements.Execute(BlockTableSql.Begin);

    public override void Commit() => m_statements.Execute(BlockTableSql.Commit);

    public override long Select(int first, int count) => Wait(SelectAsync(first, count));

    public override void Insert(int first, int count) => Wait(InsertAsync(first, count));

    public override long SelectThenInsert(int first, int count) => Wait(SelectThenInsertAsync(first, count));

    public override long InsertThenSelect(int first, int count) => Wait(InsertThenSelectAsync(first, count));

    public override long Join(long blocksetId) => Wait(JoinAsync(blocksetId));

    protected override void AddBlockset(int file, int first, int count, long blocksize) =>
        Wait(AddBlocksetAsync(file, first, count, blocksize));

    private static long Wait(Task<long> task) => task.GetAwaiter().GetResult();

    private async Task<long> SelectAsync(int first, int count)
    {
        var sum = 0L;
        for (var i = first; i < first + count; i++)
            sum = BlockTable.Fold(sum, await FindAsync(i));
        return sum;
    }

    private async Task<long> InsertAsync(int first, int count)
    {
        var added = 0L;
        for (var i = first; i < first + count; i++)
            added += await InsertAsync(BlockBenchmarkSql.Insert, i);
        return added;
    }

    private async Task<long> SelectThenInsertAsync(int first, int count)
    {
        var added = 0L;
        for (var i = first; i < first + count; i++)
        {
            if (await FindAsync(i) < 0)
                added += await InsertAsync(BlockBenchmarkSql.Insert, i);
        }

        return added;
    }

    private async Task<long> InsertThenSelectAsync(int first, int count)
    {
        var sum = 0L;
        for (var i = first; i < first + count; i++)
        {
            await InsertAsync(BlockBenchmarkSql.InsertOrIgnore, i);
            sum = BlockTable.Fold(sum, await FindAsync(i));
        }

        return sum;
    }

    private async Task<long> JoinAsync(long blocksetId)
    {
        var sum = 0L;
        var reader = await m_statements
            .Take(BlockBenchmarkSql.JoinBlockset, ("@BlocksetId", blocksetId))
            .ExecuteReaderAsync(CancellationToken.None);
        await using (reader)
        {
            while (await reader.ReadAsync(CancellationToken.None))
                sum = BlockTable.Fold(sum, reader.GetInt64(2) + reader.GetString(1)[0]);
        }

        return sum;
    }

    private async Task<long> AddBlocksetAsync(int file, int first, int count, long blocksize)
    {
        var insert = m_statements.Take(
            BlockBenchmarkSql.InsertBlockset,
            ("@Length", count * blocksize),
            ("@FullHash", BlockTable.FileHash(file))
        );
        var id = ToNumber(await insert.ExecuteScalarAsync(CancellationToken.None));
        for (var i = 0; i < count; i++)
        {
            var link = m_statements.Take(
                BlockBenchmarkSql.Link,
                ("@BlocksetId", id),
                ("@Index", (long)i),
                ("@Hash", m_texts[first + i]),
                ("@Size", blocksize)
            );
            await link.ExecuteNonQueryAsync(CancellationToken.None);
        }

        return id;
    }

    private async Task<long> FindAsync(int i) =>
        ToNumber(
            await m_statements
                .Take(BlockBenchmarkSql.Find, ("@Hash", m_texts[i]), ("@Size", m_sizes[i]))
                .ExecuteScalarAsync(CancellationToken.None)
        );

    private async Task<int> InsertAsync(string sql, int i) =>
        await m_statements
            .Take(sql, ("@Hash", m_texts[i]), ("@Size", m_sizes[i]), ("@VolumeId", Volume))
            .ExecuteNonQueryAsync(CancellationToken.None);

    private static long ToNumber(object? value) => value is null or DBNull ? -1 : Convert.ToInt64(value, CultureInfo.InvariantCulture);
}
