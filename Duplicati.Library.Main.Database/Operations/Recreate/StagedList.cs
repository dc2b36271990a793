// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>
/// The content of one blocklist: digests of equal length one after the other or, for hashes without a binary form, texts.
/// </summary>
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

    /// <summary>The ids of the blocks that some entries name; a block that is unknown is added without a volume.</summary>
    /// <param name="blocks">The blocks of the database.</param>
    /// <param name="first">The first entry.</param>
    /// <param name="sizes">The sizes of the blocks, at most <see cref="RecreateBlocks.BlocksAtOnce"/>.</param>
    /// <param name="ids">Room for as many ids.</param>
    internal void FindOrAddBlocks(RecreateBlocks blocks, int first, ReadOnlySpan<long> sizes, Span<long> ids)
    {
        if (m_texts is null)
        {
            blocks.FindOrAddMissing(m_digests.AsSpan(first * m_digestBytes, sizes.Length * m_digestBytes), sizes, ids);
            return;
        }

        for (var i = 0; i < sizes.Length; i++)
            ids[i] = blocks.FindOrAddMissing(m_texts[first + i], sizes[i]);
    }
}
