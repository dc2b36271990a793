using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>The members of this layer as core calls them.</summary>
internal sealed class DoorContender : BlockContender
{
    private readonly LocalBackupDatabase m_layer;
    private readonly string[] m_texts;
    private readonly long[] m_sizes;
    private LocalRestoreDatabase? m_restore;

    public DoorContender(BlockQuestions questions, LocalBackupDatabase layer)
        : base(questions)
    {
        m_layer = layer;
        m_texts = questions.Texts;
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
        for (var i = first; i < first + count; i++)
            sum = Fold(sum, m_layer.FindBlockIDAsync(m_texts[i], m_sizes[i], default).GetAwaiter().GetResult());
        return sum;
    }

    public override void Insert(int first, int count) => SelectThenInsert(first, count);

    public override long SelectThenInsert(int first, int count)
    {
        var added = 0;
        for (var i = first; i < first + count; i++)
            added += m_layer.AddBlockAsync(m_texts[i], m_sizes[i], Volume, default).GetAwaiter().GetResult() ? 1 : 0;
        return added;
    }

    public override long InsertThenSelect(int first, int count)
    {
        var sum = 0L;
        for (var i = first; i < first + count; i++)
        {
            m_layer.AddBlockAsync(m_texts[i], m_sizes[i], Volume, default).GetAwaiter().GetResult();
            sum = Fold(sum, m_layer.FindBlockIDAsync(m_texts[i], m_sizes[i], default).GetAwaiter().GetResult());
        }

        return sum;
    }

    public override long Join(long blocksetId) => JoinAsync(blocksetId).GetAwaiter().GetResult();

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
        m_layer.AddBlocksetAsync(FileHash(file), count * blocksize, (int)blocksize, new ArraySegment<string>(m_texts, first, count), [], default).GetAwaiter().GetResult();

    private async Task<long> JoinAsync(long blocksetId)
    {
        m_restore ??= await LocalRestoreDatabase.CreateAsync(m_layer, null, default).ConfigureAwait(false);
        var sum = 0L;
        await foreach (var block in m_restore.GetBlocksFromFileAsync(blocksetId, default).ConfigureAwait(false))
            sum = Fold(sum, block.BlockSize + block.BlockHash[0]);
        return sum;
    }
}
