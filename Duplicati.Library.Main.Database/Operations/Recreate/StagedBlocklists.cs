// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>
/// The contents of blocklists, waiting for the filelists and blocks they connect: by the hash of a blocklist, the digests in it,
/// one after the other as in the volume. 32 bytes an entry (SHA-256) and about 75 bytes a blocklist.
/// </summary>
/// <remarks>
/// Takes the connection lock itself, and lets go of it while a caller's sequence is read. Lists are numbered from 0 in order of arrival.
/// </remarks>
internal sealed class StagedBlocklists : IDisposable
{
    private readonly DatabaseSession m_session;
    private readonly KeyHasher m_keys;
    private readonly SpillBuffer m_digests;
    private readonly KeyMap m_numbers = new();
    private readonly ChunkedList<Entry> m_lists = new();
    private long m_transaction;
    private int m_committed;

    internal StagedBlocklists(DatabaseSession session, KeyHasher keys, long memoryBytes)
    {
        m_session = session;
        m_keys = keys;
        m_digests = new SpillBuffer(memoryBytes);
        m_transaction = session.TransactionCount;
    }

    /// <summary>Where lists are written down; null if nobody will go on with this recreate.</summary>
    internal RecreateJournal? Journal { get; set; }

    /// <summary>Number of lists.</summary>
    internal int Count => m_lists.Count;

    /// <summary>Stages a list unless one with this hash is there already, in which case the sequence is not touched.</summary>
    /// <returns>True unless the hash was there; true also for an empty list, of which nothing is kept.</returns>
    /// <remarks>If the sequence fails half-way, nothing of it is kept: another volume may hold the whole list.</remarks>
    internal bool Add(string hash, IEnumerable<string> entries, CancellationToken token)
    {
        var key = m_keys.OfText(hash, 0);
        lock (m_session.ConnectionLock)
        {
            if (m_numbers.Contains(key))
                return false;
        }

        var list = new ListBuilder();
        foreach (var entry in entries)
        {
            token.ThrowIfCancellationRequested();
            list.Add(entry);
        }

        if (list.Count == 0)
            return true;

        lock (m_session.ConnectionLock)
        {
            if (list.OddTexts is { } texts)
                return Keep(key, new Entry(key, 0, texts.Count, 0, texts));
            return Add(key, list.Digests, list.DigestBytes) && WriteDown(hash, list.Digests, list.DigestBytes);
        }
    }

    /// <summary>Stages a list given as it is in the volume.</summary>
    /// <param name="hash">The list's own digest.</param>
    /// <param name="content">Digests one after the other; the length is a multiple of <paramref name="digestBytes"/>.</param>
    /// <param name="digestBytes">Bytes a digest.</param>
    internal bool Add(ReadOnlySpan<byte> hash, ReadOnlySpan<byte> content, int digestBytes)
    {
        var key = m_keys.OfDigest(hash, 0);
        lock (m_session.ConnectionLock)
        {
            if (content.IsEmpty)
                return !m_numbers.Contains(key);
            return Add(key, content, digestBytes) && WriteDown(Journal is null ? "" : Convert.ToBase64String(hash), content, digestBytes);
        }
    }

    /// <summary>Takes over a list that an interrupted recreate has written down. Call with the connection lock held.</summary>
    internal void Restore(string hash, ReadOnlySpan<byte> content, int digestBytes) => Add(m_keys.OfText(hash, 0), content, digestBytes);

    /// <summary>The number of the list with this hash; -1 if it has not been staged.</summary>
    internal int Find(UInt128 key) => m_numbers.TryGet(key, out var number) ? (int)number : -1;

    /// <summary>The key of the hash of a list, by its number.</summary>
    internal UInt128 KeyOf(int number) => m_lists[number].Key;

    /// <summary>Reads a list.</summary>
    internal StagedList Read(int number)
    {
        var list = m_lists[number];
        if (list.Texts is not null)
            return new StagedList(list.Texts);

        var digests = new byte[(long)list.Count * list.DigestBytes];
        m_digests.Read(list.Position, digests);
        return new StagedList(digests, list.DigestBytes);
    }

    /// <summary>Forgets what was staged since the last commit.</summary>
    internal void Discard()
    {
        NoteCommits(m_session.TransactionCount - 1);
        if (m_committed < m_lists.Count)
        {
            for (var i = m_committed; i < m_lists.Count; i++)
                m_numbers.Remove(m_lists[i].Key);
            m_digests.Truncate(FirstPosition(m_committed));
            m_lists.Truncate(m_committed);
        }

        m_transaction = m_session.TransactionCount;
    }

    /// <summary>Removes the temporary file, if there is one.</summary>
    public void Dispose()
    {
        m_digests.Dispose();
        m_numbers.Dispose();
    }

    private bool Add(UInt128 key, ReadOnlySpan<byte> digests, int digestBytes)
    {
        if (m_numbers.Contains(key))
            return false;

        NoteCommits(m_session.TransactionCount);
        var position = m_digests.Append(digests);
        return Keep(key, new Entry(key, position, digests.Length / digestBytes, digestBytes, null));
    }

    // Lists of texts that are no digests come from callers only that nobody goes on after.
    private bool WriteDown(string hash, ReadOnlySpan<byte> content, int digestBytes)
    {
        Journal?.AddBlocklist(hash, digestBytes, content);
        return true;
    }

    private bool Keep(UInt128 key, Entry entry)
    {
        if (m_numbers.Contains(key))
            return false;

        NoteCommits(m_session.TransactionCount);
        m_numbers.Set(key, m_lists.Count);
        m_lists.Add(entry);
        return true;
    }

    private void NoteCommits(long transaction)
    {
        if (transaction == m_transaction)
            return;

        m_transaction = transaction;
        m_committed = m_lists.Count;
    }

    private long FirstPosition(int number)
    {
        for (var i = number; i < m_lists.Count; i++)
        {
            if (m_lists[i].Texts is null)
                return m_lists[i].Position;
        }

        return m_digests.Length;
    }

    private readonly record struct Entry(UInt128 Key, long Position, int Count, int DigestBytes, List<string>? Texts);

    // Collects digests; becomes a list of texts at the first entry that has no binary form or another length.
    private sealed class ListBuilder
    {
        private byte[] m_buffer = new byte[1024];
        private int m_length;

        internal int Count { get; private set; }

        internal int DigestBytes { get; private set; }

        internal List<string>? OddTexts { get; private set; }

        internal ReadOnlySpan<byte> Digests => m_buffer.AsSpan(0, m_length);

        internal void Add(string entry)
        {
            ArgumentNullException.ThrowIfNull(entry);
            Count++;
            if (OddTexts is null && TryAddDigest(entry))
                return;

            OddTexts ??= ToTexts();
            OddTexts.Add(entry);
        }

        private bool TryAddDigest(string entry)
        {
            if (m_buffer.Length - m_length < HashText.MaxDigestBytes)
                Array.Resize(ref m_buffer, m_buffer.Length * 2);
            if (!HashText.TryDecode(entry, m_buffer.AsSpan(m_length), out var length) || (Count > 1 && length != DigestBytes))
                return false;

            DigestBytes = length;
            m_length += length;
            return true;
        }

        private List<string> ToTexts()
        {
            var texts = new List<string>();
            for (var i = 0; i < m_length; i += DigestBytes)
                texts.Add(Convert.ToBase64String(m_buffer, i, DigestBytes));
            return texts;
        }
    }
}

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

/// <summary>A list that grows by pieces of 512 elements and so never copies them, nor leaves its old memory to be collected.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class ChunkedList<T>
{
    private const int ChunkShift = 9;
    private const int ChunkMask = (1 << ChunkShift) - 1;

    private readonly List<T[]> m_chunks = [];

    /// <summary>Number of elements.</summary>
    internal int Count { get; private set; }

    /// <summary>An element.</summary>
    internal T this[int index] =>
        index < Count ? m_chunks[index >> ChunkShift][index & ChunkMask] : throw new ArgumentOutOfRangeException(nameof(index));

    /// <summary>Adds an element at the end.</summary>
    internal void Add(T item)
    {
        if (Count >> ChunkShift == m_chunks.Count)
            m_chunks.Add(new T[1 << ChunkShift]);
        m_chunks[Count >> ChunkShift][Count & ChunkMask] = item;
        Count++;
    }

    /// <summary>Forgets the elements from an index on.</summary>
    internal void Truncate(int count)
    {
        if (count >= Count)
            return;

        var chunks = (count + ChunkMask) >> ChunkShift;
        m_chunks.RemoveRange(chunks, m_chunks.Count - chunks);
        if ((count & ChunkMask) != 0)
            Array.Clear(m_chunks[^1], count & ChunkMask, (1 << ChunkShift) - (count & ChunkMask));
        Count = count;
    }
}
