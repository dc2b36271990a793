// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Data.Common;
using Duplicati.Benchmarks.Micro;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Contenders.Providers;

/// <summary>
/// One way of putting questions about blocks. Answers are folded into one number, so that all ways can be held to the same one.
/// </summary>
/// <param name="questions">The blocks that the questions are about.</param>
internal abstract class BlockContender(BlockQuestions questions) : IDisposable
{
    /// <summary>The volume that new blocks are in.</summary>
    protected const long Volume = 1;

    protected BlockQuestions Questions => questions;

    /// <summary>Begins a transaction.</summary>
    public abstract void Begin();

    /// <summary>Commits it.</summary>
    public abstract void Commit();

    /// <summary>Ids of blocks, -1 where there is none; folded.</summary>
    public abstract long Select(int first, int count);

    /// <summary>Adds blocks that are not there.</summary>
    public abstract void Insert(int first, int count);

    /// <summary>Adds blocks unless they are there, asking first.</summary>
    /// <returns>How many were added.</returns>
    public abstract long SelectThenInsert(int first, int count);

    /// <summary>Adds blocks unless they are there, and asks for the id in any case.</summary>
    /// <returns>The ids, folded.</returns>
    public abstract long InsertThenSelect(int first, int count);

    /// <summary>Size and first character of the hash of each block of a blockset in order; folded.</summary>
    public abstract long Join(long blocksetId);

    /// <summary>What <see cref="Join"/> gives for each of the blocksets from 1 on, added up.</summary>
    public virtual long JoinAll(int blocksets)
    {
        var sum = 0L;
        for (var id = 1; id <= blocksets; id++)
            sum = unchecked(sum + Join(id));
        return sum;
    }

    /// <summary>Adds blocksets of known blocks, full ones, each with the next questions: a commit a blockset.</summary>
    public virtual void AddBlocksets(int files, int blocks, long blocksize)
    {
        for (var file = 0; file < files; file++)
        {
            Begin();
            AddBlockset(file, file * blocks, blocks, blocksize);
            Commit();
        }
    }

    /// <inheritdoc />
    public virtual void Dispose() => GC.SuppressFinalize(this);

    protected abstract void AddBlockset(int file, int first, int count, long blocksize);
}

/// <summary>The members of this layer as core calls them.</summary>
internal sealed class ApiContender(BlockQuestions questions, LocalBackupDatabase layer) : BlockContender(questions)
{
    private readonly string[] m_texts = questions.Texts;
    private readonly long[] m_sizes = questions.Sizes;
    private LocalRestoreDatabase? m_restore;

    public override void Begin()
    {
        // The layer always has a transaction.
    }

    public override void Commit() => layer.Transaction.CommitAsync(default(CancellationToken)).Await();

    public override long Select(int first, int count)
    {
        var sum = 0L;
        for (var i = first; i < first + count; i++)
            sum = BlockTable.Fold(sum, layer.FindBlockIDAsync(m_texts[i], m_sizes[i], default).Await());
        return sum;
    }

    public override void Insert(int first, int count) => SelectThenInsert(first, count);

    public override long SelectThenInsert(int first, int count)
    {
        var added = 0;
        for (var i = first; i < first + count; i++)
            added += layer.AddBlockAsync(m_texts[i], m_sizes[i], Volume, default).Await() ? 1 : 0;
        return added;
    }

    public override long InsertThenSelect(int first, int count)
    {
        var sum = 0L;
        for (var i = first; i < first + count; i++)
        {
            layer.AddBlockAsync(m_texts[i], m_sizes[i], Volume, default).Await();
            sum = BlockTable.Fold(sum, layer.FindBlockIDAsync(m_texts[i], m_sizes[i], default).Await());
        }

        return sum;
    }

    public override long Join(long blocksetId) => JoinAsync(blocksetId).Await();

    public override void AddBlocksets(int files, int blocks, long blocksize)
    {
        // A new one is committed by the member itself.
        for (var file = 0; file < files; file++)
            AddBlockset(file, file * blocks, blocks, blocksize);
    }

    public override void Dispose()
    {
        m_restore?.Dispose();
        base.Dispose();
    }

    protected override void AddBlockset(int file, int first, int count, long blocksize) =>
        layer
            .AddBlocksetAsync(
                BlockTable.FileHash(file),
                count * blocksize,
                (int)blocksize,
                new ArraySegment<string>(m_texts, first, count),
                [],
                default
            )
            .Await();

    private async Task<long> JoinAsync(long blocksetId)
    {
        m_restore ??= await LocalRestoreDatabase.CreateAsync(layer, null, default);
        var sum = 0L;
        await foreach (var block in m_restore.GetBlocksFromFileAsync(blocksetId, default))
            sum = BlockTable.Fold(sum, block.BlockSize + block.BlockHash[0]);
        return sum;
    }
}

/// <summary>Commands of a provider, synchronously.</summary>
internal sealed class ProviderContender(BlockQuestions questions, DbConnection connection) : RowContender(questions)
{
    private readonly ProviderStatements m_statements = new(connection);

    public override void Begin() => m_statements.Execute(BlockTableSql.Begin);

    public override void Commit() => m_statements.Execute(BlockTableSql.Commit);

    public override long Join(long blocksetId) =>
        m_statements.Read(
            BlockBenchmarkSql.JoinBlockset,
            static (reader, sum) => FoldJoined(sum, reader.GetInt64(2), reader.GetString(1)),
            ("@BlocksetId", blocksetId)
        );

    public override void Dispose()
    {
        m_statements.Close();
        base.Dispose();
    }

    protected override long Find(string hash, long size) => m_statements.Scalar(BlockBenchmarkSql.Find, ("@Hash", hash), ("@Size", size));

    protected override void Add(string hash, long size) => Add(BlockBenchmarkSql.Insert, hash, size);

    protected override void AddOrIgnore(string hash, long size) => Add(BlockBenchmarkSql.InsertOrIgnore, hash, size);

    protected override long AddBlockset(long length, string hash) =>
        m_statements.Scalar(BlockBenchmarkSql.InsertBlockset, ("@Length", length), ("@FullHash", hash));

    protected override void Link(long blocksetId, long index, string hash, long size) =>
        m_statements.Execute(BlockBenchmarkSql.Link, ("@BlocksetId", blocksetId), ("@Index", index), ("@Hash", hash), ("@Size", size));

    private void Add(string sql, string hash, long size) =>
        m_statements.Execute(sql, ("@Hash", hash), ("@Size", size), ("@VolumeId", Volume));
}
