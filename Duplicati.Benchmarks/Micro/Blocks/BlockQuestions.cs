using System.Text;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>
/// Blocks in the order in which they are asked about, in every form that a contender wants them in: a caller has just computed the
/// hash it asks for, so forms made in the order of the questions come close to what is in a processor's cache then.
/// </summary>
internal sealed class BlockQuestions(int count, Func<int, int> index)
{
    private string[]? m_texts;
    private byte[]? m_utf8;
    private byte[]? m_digests;
    private long[]? m_sizes;

    /// <summary>Number of questions.</summary>
    public int Count => count;

    /// <summary>The number of the block that a question is about.</summary>
    public int Index(int step) => index(step);

    /// <summary>Hashes as strings.</summary>
    public string[] Texts => m_texts ??= [.. Enumerable.Range(0, count).Select(step => Encoding.ASCII.GetString(BlockKeys.Latest.Text(index(step))))];

    /// <summary>Hashes as UTF-8 Base64, one after the other.</summary>
    public byte[] Utf8 => m_utf8 ??= Pack(BlockKeys.TextBytes, step => BlockKeys.Latest.Text(index(step)));

    /// <summary>Hashes as raw digests, one after the other.</summary>
    public byte[] Digests => m_digests ??= Pack(BlockKeys.RawBytes, step => BlockKeys.Latest.Raw(index(step)));

    /// <summary>Sizes in bytes.</summary>
    public long[] Sizes => m_sizes ??= [.. Enumerable.Range(0, count).Select(step => BlockKeys.Size(index(step)))];

    private byte[] Pack(int bytes, KeyPart part)
    {
        var packed = new byte[count * bytes];
        for (var step = 0; step < count; step++)
            part(step).CopyTo(packed.AsSpan(step * bytes));
        return packed;
    }

    private delegate ReadOnlySpan<byte> KeyPart(int step);
}
