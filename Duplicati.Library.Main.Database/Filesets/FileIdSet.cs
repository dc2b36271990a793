#nullable enable

using System.Collections.Generic;

namespace Duplicati.Library.Main.Database.Filesets;

/// <summary>A set of row ids as pages of bits: one bit an id where ids lie close together. Not thread-safe.</summary>
internal sealed class FileIdSet
{
    private const int PageBits = 15;
    private const int WordsPerPage = (1 << PageBits) / 64;

    private readonly Dictionary<long, ulong[]> m_pages = [];
    private ulong[]? m_lastPage;
    private long m_lastNumber;

    /// <summary>Adds an id. False if it is there already.</summary>
    internal bool Add(long id)
    {
        var page = Page(id >> PageBits);
        var bit = (int)id & ((1 << PageBits) - 1);
        var mask = 1UL << (bit & 63);
        if ((page[bit >> 6] & mask) != 0)
            return false;

        page[bit >> 6] |= mask;
        return true;
    }

    /// <summary>Forgets all ids.</summary>
    internal void Clear()
    {
        m_pages.Clear();
        m_lastPage = null;
    }

    private ulong[] Page(long number)
    {
        if (m_lastPage is not null && m_lastNumber == number)
            return m_lastPage;

        if (!m_pages.TryGetValue(number, out var page))
            m_pages.Add(number, page = new ulong[WordsPerPage]);
        m_lastNumber = number;
        return m_lastPage = page;
    }
}
