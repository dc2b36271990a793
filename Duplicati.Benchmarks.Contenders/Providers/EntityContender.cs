// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Micro;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Metadata.Builders;
using Microsoft.EntityFrameworkCore.Storage;

namespace Duplicati.Benchmarks.Contenders.Providers;

/// <summary>EF Core as it is mostly used: <c>Find</c> by the key, and <c>SaveChanges</c> for each row.</summary>
internal class EntityContender(BlockQuestions questions, BlockContext context) : RowContender(questions)
{
    private IDbContextTransaction? m_transaction;

    protected BlockContext Context => context;

    public override void Begin() => m_transaction = Context.Database.BeginTransaction();

    public override void Commit()
    {
        m_transaction!.Commit();
        m_transaction.Dispose();
        Context.ChangeTracker.Clear();
    }

    public override long Join(long blocksetId)
    {
        var rows =
            from entry in Context.Entries
            join block in Context.Blocks on entry.BlockId equals block.Id
            where entry.BlocksetId == blocksetId
            orderby entry.Index
            select new { block.Size, block.Hash };
        return rows.AsEnumerable().Aggregate(0L, (sum, row) => FoldJoined(sum, row.Size, row.Hash));
    }

    public override void Dispose()
    {
        Context.Dispose();
        base.Dispose();
        GC.SuppressFinalize(this);
    }

    // What is tracked makes every SaveChanges slower.
    protected override long Find(string hash, long size)
    {
        var id = Context.Blocks.Find(hash, size)?.Id ?? -1;
        Context.ChangeTracker.Clear();
        return id;
    }

    protected override void Add(string hash, long size)
    {
        Context.Blocks.Add(NewBlock(hash, size));
        Save();
    }

    protected override void AddOrIgnore(string hash, long size)
    {
        if (Find(hash, size) < 0)
            Add(hash, size);
    }

    protected override long AddBlockset(long length, string hash)
    {
        var added = Context.Add(new Blockset { Length = length, FullHash = hash }).Entity;
        Save();
        return added.Id;
    }

    protected override void AddBlockset(int file, int first, int count, long blocksize)
    {
        base.AddBlockset(file, first, count, blocksize);
        Save();
    }

    // All of a blockset are saved together.
    protected override void Link(long blocksetId, long index, string hash, long size) =>
        Context.Entries.Add(
            new Entry
            {
                BlocksetId = blocksetId,
                Index = index,
                BlockId = IdOf(hash, size),
            }
        );

    protected virtual long IdOf(string hash, long size) => Context.Blocks.Find(hash, size)!.Id;

    protected Block NewBlock(string hash, long size) =>
        new()
        {
            Hash = hash,
            Size = size,
            VolumeId = Volume,
        };

    protected void Save()
    {
        Context.SaveChanges();
        Context.ChangeTracker.Clear();
    }
}

/// <summary>EF Core in bulk: compiled queries without tracking, and all new rows of a call in one <c>SaveChanges</c>.</summary>
internal sealed class BulkEntityContender(BlockQuestions questions, BulkBlockContext context) : EntityContender(questions, context)
{
    private static readonly Func<BlockContext, string, long, long?> s_find = EF.CompileQuery(
        (BlockContext context, string hash, long size) =>
            context.Blocks.Where(x => x.Hash == hash && x.Size == size).Select(x => (long?)x.Id).FirstOrDefault()
    );

    public override void Insert(int first, int count)
    {
        Context.Blocks.AddRange(Enumerable.Range(first, count).Select(i => NewBlock(Hash(i), Size(i))));
        Save();
    }

    // No question comes twice.
    public override long SelectThenInsert(int first, int count)
    {
        var added = Enumerable.Range(first, count).Where(i => Find(Hash(i), Size(i)) < 0).Select(i => NewBlock(Hash(i), Size(i))).ToList();
        Context.Blocks.AddRange(added);
        Save();
        return added.Count;
    }

    public override long InsertThenSelect(int first, int count)
    {
        var ids = new long[count];
        var added = new List<(int Place, Block Block)>();
        for (var place = 0; place < count; place++)
        {
            ids[place] = Find(Hash(first + place), Size(first + place));
            if (ids[place] < 0)
                added.Add((place, NewBlock(Hash(first + place), Size(first + place))));
        }

        Context.Blocks.AddRange(added.Select(x => x.Block));
        Save();
        foreach (var (place, block) in added)
            ids[place] = block.Id;
        return ids.Aggregate(0L, BlockTable.Fold);
    }

    protected override long Find(string hash, long size) => s_find(Context, hash, size) ?? -1;

    protected override long IdOf(string hash, long size) => Find(hash, size);
}

/// <summary>The three tables. The key of a block is what it is asked for by, for which the table has a unique index.</summary>
internal class BlockContext(SqliteConnection connection) : DbContext
{
    public DbSet<Block> Blocks => Set<Block>();

    public DbSet<Entry> Entries => Set<Entry>();

    protected override void OnConfiguring(DbContextOptionsBuilder optionsBuilder) => optionsBuilder.UseSqlite(connection);

    protected virtual void SetKey(EntityTypeBuilder<Block> block) => block.HasKey(x => new { x.Hash, x.Size });

    protected override void OnModelCreating(ModelBuilder modelBuilder)
    {
        modelBuilder.Entity<Block>(block =>
        {
            block.ToTable("Block");
            SetKey(block);
            block.Property(x => x.Id).HasColumnName("ID").ValueGeneratedOnAdd();
            block.Property(x => x.VolumeId).HasColumnName("VolumeID");
        });
        modelBuilder.Entity<Blockset>(blockset =>
        {
            blockset.ToTable("Blockset").HasKey(x => x.Id);
            blockset.Property(x => x.Id).HasColumnName("ID");
        });
        modelBuilder.Entity<Entry>(entry =>
        {
            entry.ToTable("BlocksetEntry").HasKey(x => new { x.BlocksetId, x.Index });
            entry.Property(x => x.BlocksetId).HasColumnName("BlocksetID");
            entry.Property(x => x.BlockId).HasColumnName("BlockID");
        });
    }
}

/// <summary>The same with the id as the key of a block. Rows are inserted in the order of their keys, and ids must come in that of the rows.</summary>
internal sealed class BulkBlockContext(SqliteConnection connection) : BlockContext(connection)
{
    protected override void SetKey(EntityTypeBuilder<Block> block) => block.HasKey(x => x.Id);
}

/// <summary>A row of Block.</summary>
internal sealed class Block
{
    public long Id { get; set; }

    public string Hash { get; set; } = "";

    public long Size { get; set; }

    public long VolumeId { get; set; }
}

/// <summary>A row of Blockset.</summary>
internal sealed class Blockset
{
    public long Id { get; set; }

    public long Length { get; set; }

    public string FullHash { get; set; } = "";
}

/// <summary>A row of BlocksetEntry.</summary>
internal sealed class Entry
{
    public long BlocksetId { get; set; }

    public long Index { get; set; }

    public long BlockId { get; set; }
}
