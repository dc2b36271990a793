// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using BenchmarkDotNet.Attributes;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Benchmarks.Micro;

/// <summary>One look-up of a block by hash and size, in random order: of blocks that are all there, or all not there.</summary>
public class SelectBlocks : BlockBenchmark
{
    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => [.. BlockWays.All, BlockWays.Inside];

    /// <summary>Whether the blocks are there.</summary>
    [Params(true, false)]
    public bool Hit { get; set; }

    protected override int Rows => BenchmarkScale.Of(300_000, 5_000);

    protected override long ExpectedAnswer =>
        Enumerable.Range(0, Rows).Aggregate(0L, (sum, step) => BlockContender.Fold(sum, Hit ? Index(step) + 1 : -1));

    protected override void Work()
    {
        if (Way == BlockWays.Inside)
            RunInside();
        else
            Answer = Contender.Select(0, Rows);
    }

    protected override int Index(int step) => BlockTable.Scatter(step, TableRows) + (Hit ? 0 : TableRows);

    private void RunInside()
    {
        var map = BlockMap.Of(Layer.Session);
        var (texts, sizes) = (Questions.Texts, Questions.Sizes);
        Answer = 0;
        for (var step = 0; step < Rows; step++)
            Answer = BlockContender.Fold(Answer, map.Find(texts[step], sizes[step]));
    }
}

/// <summary>New blocks in random order into a table with all its indexes; one commit at the end.</summary>
public class InsertBlocks : BlockBenchmark
{
    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => BlockWays.All;

    protected override int Rows => Math.Min(TableRows, BenchmarkScale.Of(100_000, 10_000));

    protected override long ExpectedAnswer =>
        Enumerable.Range(0, Rows).Aggregate(0L, (sum, step) => FoldBlock(sum, TableRows + step + 1, Index(step), 1));

    protected override void Work()
    {
        Contender.Begin();
        Contender.Insert(0, Rows);
        Contender.Commit();
    }

    protected override int Index(int step) => TableRows + step;

    protected override void ReadAnswer() => Answer = FoldBlocks(0, TableRows);
}

/// <summary>
/// Select, then insert: blocks of a backup that continues, every second one is there, the others are added; one commit at the end.
/// </summary>
public class FindOrInsertBlocks : BlockBenchmark
{
    private long m_added;

    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => BlockWays.All;

    protected override int Rows => Math.Min(TableRows, BenchmarkScale.Of(100_000, 10_000));

    protected override long ExpectedAnswer => ExpectedRows(Rows / 2);

    protected override void Work()
    {
        Contender.Begin();
        m_added = Contender.SelectThenInsert(0, Rows);
        Contender.Commit();
    }

    protected override int Index(int step) => BlockTable.Scatter(step / 2, TableRows) + (step % 2 == 0 ? 0 : TableRows);

    protected override void ReadAnswer() => Answer = FoldBlocks(m_added, TableRows);

    private long ExpectedRows(long sum) =>
        Enumerable.Range(0, Rows / 2).Aggregate(sum, (current, i) => FoldBlock(current, TableRows + i + 1, Index((2 * i) + 1), 1));
}

/// <summary>
/// Insert or ignore, then select: the id of each block is wanted, every second one is there already; one commit at the end.
/// </summary>
public class InsertFirstBlocks : BlockBenchmark
{
    private long m_ids;

    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => BlockWays.All;

    protected override int Rows => Math.Min(TableRows, BenchmarkScale.Of(100_000, 10_000));

    protected override long ExpectedAnswer
    {
        get
        {
            var sum = Enumerable
                .Range(0, Rows)
                .Aggregate(
                    0L,
                    (current, step) => BlockContender.Fold(current, step % 2 == 0 ? Index(step) + 1 : TableRows + (step / 2) + 1)
                );
            return Enumerable
                .Range(0, Rows / 2)
                .Aggregate(sum, (current, i) => FoldBlock(current, TableRows + i + 1, Index((2 * i) + 1), 1));
        }
    }

    protected override void Work()
    {
        Contender.Begin();
        m_ids = Contender.InsertThenSelect(0, Rows);
        Contender.Commit();
    }

    protected override int Index(int step) => BlockTable.Scatter(step / 2, TableRows) + (step % 2 == 0 ? 0 : TableRows);

    protected override void ReadAnswer() => Answer = FoldBlocks(m_ids, TableRows);
}

/// <summary>A whole list of blocks at once, every second one of them there: through a temporary table and a join, or by look-ups.</summary>
public class JoinBlocks : BlockBenchmark
{
    private ProviderStatements m_provider = null!;

    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => [BlockWays.Provider, BlockWays.Api];

    protected override int Rows => Math.Min(TableRows, BenchmarkScale.Of(100_000, 10_000));

    protected override long ExpectedAnswer =>
        Enumerable.Range(0, Rows).Aggregate(0L, (sum, step) => BlockContender.Fold(sum, step % 2 == 0 ? Index(step) + 1 : -1));

    protected override void Work()
    {
        if (Way == BlockWays.Provider)
            RunProvider();
        else
            Answer = Contender.Select(0, Rows);
    }

    protected override void Prepare()
    {
        base.Prepare();
        m_provider = new ProviderStatements(Connection);
    }

    protected override int Index(int step) => BlockTable.Scatter(step / 2, TableRows) + (step % 2 == 0 ? 0 : TableRows);

    private void RunProvider()
    {
        var (texts, sizes) = (Questions.Texts, Questions.Sizes);
        m_provider.Execute(BlockTableSql.Begin);
        m_provider.Execute(BlockBenchmarkSql.CreateWanted);
        for (var step = 0; step < Rows; step++)
            m_provider.Execute(BlockBenchmarkSql.InsertWanted, ("@Hash", texts[step]), ("@Size", sizes[step]));
        Answer = m_provider.Read(BlockBenchmarkSql.JoinWanted, static (reader, sum) => BlockContender.Fold(sum, reader.GetInt64(0)));
        m_provider.Execute(BlockTableSql.Commit);
    }
}

/// <summary>
/// Join of blocksets to blocks: hash and size of each block of a file, for files of 1,000 blocks that lie anywhere in the table, as a
/// restore asks.
/// </summary>
public class JoinBlockset : BlockBenchmark
{
    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => BlockWays.All;

    protected override int Rows => Math.Min(TableRows, BenchmarkScale.Of(300_000, 5_000));

    protected override string? Template => BlockDatabase.TemplateWithBlocksets(TableRows);

    protected override long ExpectedAnswer => Enumerable.Range(0, Files).Aggregate(0L, (sum, file) => unchecked(sum + ExpectedOf(file)));

    protected override void Work() => Answer = Contender.JoinAll(Files);

    protected override int Index(int step) => new FullBlocks(TableRows).Index(step);

    // Steady state: what is opened and prepared once a restore is no part of the question. There is no blockset 0.
    private protected override void PrepareLayer()
    {
        CommitLayer();
        _ = Contender.Join(0);
    }

    private protected override BlockQuestions MakeQuestions() => new(0, Index);

    private int Files => Rows / BlockDatabase.BlocksPerBlockset;

    private long ExpectedOf(int file) =>
        Enumerable
            .Range(file * BlockDatabase.BlocksPerBlockset, BlockDatabase.BlocksPerBlockset)
            .Aggregate(0L, (sum, step) => BlockContender.Fold(sum, BlockKeys.Size(Index(step)) + BlockKeys.Latest.Text(Index(step))[0]));
}

/// <summary>New blocksets of known blocks: one entry a block, each found by hash and size, a commit a blockset.</summary>
public class LinkBlocks : BlockBenchmark
{
    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => BlockWays.All;

    /// <summary>Blocks of one blockset.</summary>
    [Params(100, 10_000)]
    public int BlocksPerFile { get; set; }

    protected override int Rows => BenchmarkScale.Of(100_000, 10_000);

    protected override long ExpectedAnswer =>
        Enumerable
            .Range(0, Rows)
            .Aggregate(0L, (sum, step) => FoldEntry(sum, (step / BlocksPerFile) + 1, step % BlocksPerFile, Index(step) + 1));

    protected override void Work() => Contender.AddBlocksets(Rows / BlocksPerFile, BlocksPerFile, BlockDatabase.Blocksize);

    protected override int Index(int step) => new FullBlocks(TableRows).Index(step);

    protected override void ReadAnswer()
    {
        Answer = 0;
        using var read = Statements.Take(BlockBenchmarkSql.ReadEntries);
        while (read.Read())
            Answer = FoldEntry(Answer, read.GetInt64(0), read.GetInt64(1), read.GetInt64(2));
    }

    private static long FoldEntry(long sum, long blocksetId, long index, long blockId) =>
        BlockContender.Fold(BlockContender.Fold(BlockContender.Fold(sum, blocksetId), index), blockId);
}

/// <summary>
/// Reading all blocks into memory, which the layer does once an operation that looks up many; with the provider, into a dictionary.
/// </summary>
public class FillMap : BlockBenchmark
{
    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => [BlockWays.Provider, BlockWays.Inside];

    protected override int Rows => TableRows;

    protected override long ExpectedAnswer => TableRows;

    protected override void Work() => Answer = Way == BlockWays.Inside ? FillInside() : FillDictionary();

    protected override int Index(int step) => TableRows - 1;

    private protected override void PrepareLayer() => CommitLayer();

    private long FillInside()
    {
        var map = BlockMap.Of(Layer.Session);
        map.Fill();
        return map.Find(Questions.Texts[0], Questions.Sizes[0]);
    }

    private long FillDictionary()
    {
        var ids = new Dictionary<(string, long), long>();
        new ProviderStatements(Connection).Read(
            BlockBenchmarkSql.ReadKeys,
            (reader, count) =>
            {
                ids.Add((reader.GetString(0), reader.GetInt64(1)), reader.GetInt64(2));
                return count + 1;
            }
        );
        return ids[(Questions.Texts[0], Questions.Sizes[0])];
    }

    private protected override BlockQuestions MakeQuestions() => new(1, Index);
}

/// <summary>
/// A first backup: from no blocks to so many, each offered twice, a commit after each volume, and all indexes built at the end.
/// </summary>
public class FirstBackup : BlockBenchmark
{
    private const int BlocksPerVolume = 500;

    private long m_added;

    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => BlockWays.Few;

    protected override int Rows => 2 * TableRows;

    protected override long ExpectedAnswer =>
        Enumerable.Range(0, TableRows).Aggregate((long)TableRows, (sum, i) => FoldBlock(sum, i + 1, i, 2 * i / BlocksPerVolume));

    protected override string? Template => BlockDatabase.Template(0);

    protected override void Work()
    {
        m_added = 0;
        for (var first = 0; first < Rows; first += BlocksPerVolume)
        {
            Contender.Volume = first / BlocksPerVolume;
            Contender.Begin();
            m_added += Contender.SelectThenInsert(first, Math.Min(BlocksPerVolume, Rows - first));
            Contender.Commit();
        }

        if (UsesLayer)
            CompleteIndexes();
    }

    // New ones in order, and in between those that were new before.
    protected override int Index(int step) => step % 2 == 0 ? step / 2 : step / 4;

    protected override void ReadAnswer() => Answer = FoldBlocks(m_added, 0);

    // What the end of a backup does.
    private void CompleteIndexes()
    {
        BlockIndexes.Of(Layer.Session).Complete();
        CommitLayer();
    }
}

/// <summary>
/// The links of a first backup: its blocks have been added before the clock starts, by the layer all in this operation; then files are
/// linked to them, a commit a file, and the indexes of the links are built at the end.
/// </summary>
public class FirstLinks : BlockBenchmark
{
    private const int BlocksPerVolume = 500;
    private const int BlocksPerFile = 100;

    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => BlockWays.Few;

    protected override int Rows => FullBlocks / BlocksPerFile * BlocksPerFile;

    protected override long ExpectedAnswer => Enumerable.Range(0, Rows).Aggregate(0L, (sum, step) => FoldEntry(sum, step, Index(step) + 1));

    // To contenders without a memory it makes no difference when the blocks were added.
    protected override string? Template => BlockDatabase.Template(UsesLayer ? 0 : TableRows);

    private int FullBlocks => TableRows - ((TableRows + 9) / 10);

    protected override void Work()
    {
        Contender.AddBlocksets(Rows / BlocksPerFile, BlocksPerFile, BlockDatabase.Blocksize);
        if (!UsesLayer)
            return;

        BlockIndexes.Of(Layer.Session).Complete();
        CommitLayer();
    }

    // In the order in which a first backup comes by them.
    protected override int Index(int step) => (step / 9 * 10) + 1 + (step % 9);

    protected override void ReadAnswer()
    {
        Answer = 0;
        var step = 0;
        using var read = Statements.Take(BlockBenchmarkSql.ReadEntries);
        for (; read.Read(); step++)
            Answer = FoldEntry(Answer, step, read.GetInt64(2));
    }

    protected override void Prepare()
    {
        base.Prepare();
        if (!UsesLayer)
            return;

        using var adding = new ApiContender(new BlockQuestions(TableRows, step => step), Layer);
        for (var first = 0; first < TableRows; first += BlocksPerVolume)
        {
            adding.Insert(first, Math.Min(BlocksPerVolume, TableRows - first));
            adding.Commit();
        }

        // The indexes of the blocks belong to adding them.
        DeferredIndexes.Of(Layer.Session).Restore("Block");
        CommitLayer();
    }

    private static long FoldEntry(long sum, int step, long blockId) => BlockContender.Fold(BlockContender.Fold(sum, step), blockId);
}
