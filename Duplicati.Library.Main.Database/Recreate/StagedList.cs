#nullable enable

using System;
using System.Collections.Generic;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>The content of one blocklist: digests of equal length one after the other or, for hashes without a binary form, texts.</summary>
internal readonly struct StagedList
{
    private readonly byte[] m_digests;
    private readonly int m_digestBytes;
    private readonly List<string>? m_texts;

    internal StagedList(byte[] digests, int digestBytes)
    {
        m_digests = digests;
        m_digestBytes = digestBytes;
        m_texts = null;
    }

    internal StagedList(List<string> texts)
    {
        m_digests = [];
        m_digestBytes = 0;
        m_texts = texts;
    }

    /// <summary>Number of entries.</summary>
    internal int Count => m_texts?.Count ?? m_digests.Length / m_digestBytes;

    /// <summary>The id of the block that an entry names, which is added without a volume if it is unknown.</summary>
    internal long FindOrAddBlock(RecreateBlocks blocks, int entry, long size) => m_texts is null
        ? blocks.FindOrAddMissing(m_digests.AsSpan(entry * m_digestBytes, m_digestBytes), size)
        : blocks.FindOrAddMissing(m_texts[entry], size);
}
