using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>The batch members of this layer, with raw digests: 1,024 blocks a call, and 64 new blocksets a call, which is also a commit; the blocks of eight blocksets a call.</summary>
internal sealed class BatchContender : BlockContender
{
    private const int BlocksPerCall = 1024;
    private const int BlocksetsPerCall = 64;
    private const int BlocksetsPerList = 8;

    private readonly LocalBackupDatabase m_layer;
    private readonly BatchBackup m_batch;
    private readonly BatchBlocksets m_blocksets;
    private readonly BatchBlockRows m_rows = new();
    private readonly byte[] m_digests;
    private readonly long[] m_sizes;
    private readonly long[] m_ids = new long[BlocksPerCall];
    private readonly bool[] m_isNew = new bool[BlocksPerCall];

    public BatchContender(BlockQuestions questions, LocalBackupDatabase layer)
        : base(questions)
    {
        m_layer = layer;
        m_batch = BatchBackup.Of(layer);
        m_blocksets = BatchBlocksets.Of(layer);
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

    public override long Join(long blocksetId)
    {
        m_blocksets.Read([blocksetId], m_rows, default);
        return FoldRows(0..m_rows.Count);
    }

    public override long JoinAll(int blocksets)
    {
        var sum = 0L;
        for (var first = 1; first <= blocksets; first += BlocksetsPerList)
        {
            var ids = m_ids.AsSpan(0, Math.Min(BlocksetsPerList, blocksets + 1 - first));
            for (var i = 0; i < ids.Length; i++)
                ids[i] = first + i;
            m_blocksets.Read(ids, m_rows, default);
            for (var i = 0; i < ids.Length; i++)
                sum = unchecked(sum + FoldRows(m_rows.Rows(i)));
        }

        return sum;
    }

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

    private long FoldRows(Range rows)
    {
        var sum = 0L;
        var (first, count) = rows.GetOffsetAndLength(m_rows.Count);
        var sizes = m_rows.Sizes.Slice(first, count);
        var digests = m_rows.Digests;
        for (var i = 0; i < count; i++)
            sum = Fold(sum, sizes[i] + FirstLetters[digests[(first + i) * BlockKeys.RawBytes] >> 2]);
        return sum;
    }

    // The first six bits of a digest, as the text that other contenders read has them.
    private static ReadOnlySpan<byte> FirstLetters => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"u8;

    private long FoldIds(long sum, int count)
    {
        foreach (var id in m_ids.AsSpan(0, count))
            sum = Fold(sum, id);
        return sum;
    }
}
