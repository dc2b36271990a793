// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Micro;

namespace Duplicati.Benchmarks.Contenders.Providers;

/// <summary>A provider that is asked row by row, as its users do.</summary>
internal abstract class RowContender(BlockQuestions questions) : BlockContender(questions)
{
    public override long Select(int first, int count)
    {
        var sum = 0L;
        for (var i = first; i < first + count; i++)
            sum = BlockTable.Fold(sum, Find(Hash(i), Size(i)));
        return sum;
    }

    public override void Insert(int first, int count)
    {
        for (var i = first; i < first + count; i++)
            Add(Hash(i), Size(i));
    }

    public override long SelectThenInsert(int first, int count)
    {
        var added = 0L;
        for (var i = first; i < first + count; i++)
        {
            if (Find(Hash(i), Size(i)) >= 0)
                continue;
            Add(Hash(i), Size(i));
            added++;
        }

        return added;
    }

    public override long InsertThenSelect(int first, int count)
    {
        var sum = 0L;
        for (var i = first; i < first + count; i++)
        {
            AddOrIgnore(Hash(i), Size(i));
            sum = BlockTable.Fold(sum, Find(Hash(i), Size(i)));
        }

        return sum;
    }

    protected override void AddBlockset(int file, int first, int count, long blocksize)
    {
        var id = AddBlockset(count * blocksize, BlockTable.FileHash(file));
        for (var i = 0; i < count; i++)
            Link(id, i, Hash(first + i), blocksize);
    }

    /// <summary>The hash of a question.</summary>
    protected string Hash(int question) => Questions.Texts[question];

    /// <summary>The size of a question.</summary>
    protected long Size(int question) => Questions.Sizes[question];

    /// <summary>Folds a row of <see cref="BlockContender.Join"/> in.</summary>
    protected static long FoldJoined(long sum, long size, string hash) => BlockTable.Fold(sum, size + hash[0]);

    /// <summary>The id of a block, or -1.</summary>
    protected abstract long Find(string hash, long size);

    protected abstract void Add(string hash, long size);

    protected abstract void AddOrIgnore(string hash, long size);

    /// <summary>Adds a blockset and returns its id.</summary>
    protected abstract long AddBlockset(long length, string hash);

    protected abstract void Link(long blocksetId, long index, string hash, long size);
}
