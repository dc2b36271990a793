// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Micro;
using SQLite;

namespace Duplicati.Benchmarks.Contenders.Providers;

/// <summary>sqlite-net: objects for rows that are inserted, SQL for the rest.</summary>
internal sealed class SqliteNetContender(BlockQuestions questions, SQLiteConnection connection) : RowContender(questions)
{
    public override void Begin() => connection.Execute(BlockTableSql.Begin);

    public override void Commit() => connection.Execute(BlockTableSql.Commit);

    public override long Join(long blocksetId) =>
        connection
            .DeferredQuery<Block>(BlockBenchmarkSql.JoinBlocksetNative, blocksetId)
            .Aggregate(0L, (sum, row) => FoldJoined(sum, row.Size, row.Hash));

    protected override long Find(string hash, long size) => connection.FindWithQuery<Block>(BlockTableSql.Find, hash, size)?.ID ?? -1;

    protected override void Add(string hash, long size) => connection.Insert(NewBlock(hash, size));

    protected override void AddOrIgnore(string hash, long size) => connection.Insert(NewBlock(hash, size), "OR IGNORE");

    protected override long AddBlockset(long length, string hash)
    {
        var added = new Blockset { Length = length, FullHash = hash };
        connection.Insert(added);
        return added.ID;
    }

    protected override void Link(long blocksetId, long index, string hash, long size) =>
        connection.Execute(BlockBenchmarkSql.LinkNative, blocksetId, index, hash, size);

    private Block NewBlock(string hash, long size) =>
        new()
        {
            Hash = hash,
            Size = size,
            VolumeID = Volume,
        };

    [Table("Block")]
    private sealed class Block
    {
        [PrimaryKey, AutoIncrement]
        public long ID { get; set; }

        public string Hash { get; set; } = "";

        public long Size { get; set; }

        public long VolumeID { get; set; }
    }

    [Table("Blockset")]
    private sealed class Blockset
    {
        [PrimaryKey, AutoIncrement]
        public long ID { get; set; }

        public long Length { get; set; }

        public string FullHash { get; set; } = "";
    }
}
