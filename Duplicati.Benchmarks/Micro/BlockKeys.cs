using System.Buffers.Text;

namespace Duplicati.Benchmarks.Micro;

/// <summary>
/// Block hashes, the same on every run: uniformly random, as digests are. 32 bytes an entry raw and 44 as Base64, both
/// kept, so that making them is no part of what is measured.
/// </summary>
internal sealed class BlockKeys
{
    public const int RawBytes = 32;
    public const int TextBytes = 44;
    public const int Seed = 20260821;

    private static BlockKeys? s_latest;

    private readonly byte[] m_raw;
    private readonly byte[] m_text;

    private BlockKeys(int count)
    {
        Count = count;
        m_raw = new byte[count * RawBytes];
        m_text = new byte[count * TextBytes];
        new Random(Seed).NextBytes(m_raw);
        for (var index = 0; index < count; index++)
            Base64.EncodeToUtf8(Raw(index), m_text.AsSpan(index * TextBytes, TextBytes), out _, out _);
    }

    public int Count { get; }

    /// <summary>At least so many keys; a longer list begins with the same ones.</summary>
    public static BlockKeys Get(int count)
    {
        if (s_latest is null || s_latest.Count < count)
            s_latest = new BlockKeys(count);
        return s_latest;
    }

    /// <summary>The keys last made.</summary>
    public static BlockKeys Latest => s_latest!;

    /// <summary>Digests one after the other.</summary>
    public ReadOnlySpan<byte> Raw(int first, int count) => m_raw.AsSpan(first * RawBytes, count * RawBytes);

    public ReadOnlySpan<byte> Raw(int index) => m_raw.AsSpan(index * RawBytes, RawBytes);

    public ReadOnlySpan<byte> Text(int index) => m_text.AsSpan(index * TextBytes, TextBytes);

    /// <summary>The size recorded with a block: mostly full, every tenth the rest of a file.</summary>
    public static long Size(int index) => index % 10 == 0 ? 1 + index * 7919L % 102400 : 102400;
}
