using System.Globalization;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>One way of putting questions about blocks. Answers are folded into one number, so that all ways can be held to the same one.</summary>
/// <param name="questions">The blocks that the questions are about.</param>
internal abstract class BlockContender(BlockQuestions questions) : IDisposable
{
    /// <summary>The volume that new blocks are in.</summary>
    public long Volume { get; set; } = 1;

    protected BlockQuestions Questions => questions;

    /// <summary>Folds one more number into an answer, dependent on the order.</summary>
    public static long Fold(long sum, long value) => unchecked((sum * 31) + value);

    /// <summary>Full hash of the blockset with this number.</summary>
    public static string FileHash(int file) => Convert.ToBase64String(FileDigest(file));

    /// <summary>The same as raw bytes.</summary>
    public static byte[] FileDigest(int file)
    {
        var digest = new byte[BlockKeys.RawBytes];
        BitConverter.TryWriteBytes(digest, file + 1);
        return digest;
    }

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

    /// <summary>Adds blocksets of known blocks, full ones, each with the next questions: a commit a blockset, or a batch of them.</summary>
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

    protected static long ToNumber(object? value) => value is null or DBNull ? -1 : Convert.ToInt64(value, CultureInfo.InvariantCulture);
}
