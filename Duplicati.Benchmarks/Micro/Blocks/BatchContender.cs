using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>The batch members of this layer, with raw digests: 1,024 blocks a call, and 64 new blocksets a call, which is also a commit.</summary>
internal sealed class BatchContender : BlockContender
{
    private const int BlocksPerCall = 1024;
    private const int BlocksetsPerCall = 64;

    private readonly LocalBackupDatabase m_layer;
    private readonly BatchBackup m_batch;
    private readonly byte[] m_digests;
    private readonly long[] m_sizes;
    private readonly long[] m_ids = new long[BlocksPerCall];
    private readonly bool[] m_isNew = new bool[BlocksPerCall];

    public BatchContender(BlockQuestions questions, LocalBackupDatabase layer)
        : base(questions)
    {
        m_layer = layer;
        m_batch = BatchBackup.Of(layer);
        m_digests = questions.Digests;
        m_sizes = questions.Sizes;
    }

    public override void Begin()
    {
        // The layer always has a transaction.
    }

    public override void Commit() => m_layer.Transaction.CommitAsync(default(CancellationToken)).GetAwaiter().GetResult();

    public override long Select(int first, int count)
    {
        var sum = 0L;
        for (var start = first; start < first + count; start += BlocksPerCall)
        {
            var some = Math.Min(BlocksPerCall, first + count - start);
            m_batch.Find(Digests(start, some), m_sizes.AsSpan(start, some), m_ids, default);
            sum = FoldIds(sum, some);
        }

        return sum;
    }

    public override void Insert(int first, int count) => SelectThenInsert(first, count);

    public override long SelectThenInsert(int first, int count)
    {
        var added = 0;
        for (var start = first; start < first + count; start += BlocksPerCall)
            added += Add(start, Math.Min(BlocksPerCall, first + count - start));
        return added;
    }

    public override long InsertThenSelect(int first, int count)
    {
        var sum = 0L;
        for (var start = first; start < first + count; start += BlocksPerCall)
        {
            var some = Math.Min(BlocksPerCall, first + count - start);
            Add(start, some);
            sum = FoldIds(sum, some);
        }

        return sum;
    }

    public override long Join(long blocksetId) => throw new NotSupportedException("Blocks of a blockset are not read in batches.");

    public override void AddBlocksets(int files, int blocks, long blocksize)
    {
        var blocksets = new BatchBlockset[BlocksetsPerCall];
        var ids = new long[BlocksetsPerCall * blocks];
        for (var first = 0; first < files; first += BlocksetsPerCall)
        {
            var some = Math.Min(BlocksetsPerCall, files - first);
            m_batch.Find(Digests(first * blocks, some * blocks), m_sizes.AsSpan(first * blocks, some * blocks), ids, default);
            for (var i = 0; i < some; i++)
                blocksets[i] = new BatchBlockset(FileDigest(first + i), blocks * blocksize, ids.AsMemory(i * blocks, blocks));
            m_batch.Link(blocksets.AsSpan(0, some), (int)blocksize, m_ids, m_isNew, default);
        }
    }

    protected override void AddBlockset(int file, int first, int count, long blocksize) => AddBlocksets(1, count, blocksize);

    private int Add(int start, int count) =>
        m_batch.Add(Digests(start, count), m_sizes.AsSpan(start, count), Volume, m_ids, m_isNew, default);

    private ReadOnlySpan<byte> Digests(int start, int count) => m_digests.AsSpan(start * BlockKeys.RawBytes, count * BlockKeys.RawBytes);

    private long FoldIds(long sum, int count)
    {
        foreach (var id in m_ids.AsSpan(0, count))
            sum = Fold(sum, id);
        return sum;
    }
}
