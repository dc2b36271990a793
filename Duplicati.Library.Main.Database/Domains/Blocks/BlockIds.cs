// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Text;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>
/// Row ids of blocks in memory by <see cref="KeyHasher">keys</see> of (hash, size), for a backup and for a recreate: by keys; past two
/// thirds of the bound by fingerprints that are verified against the row; past the bound by the table, if its owner wants so behind a
/// filter that knows what is not there. All give the same answers.
/// </summary>
/// <remarks>Call with the connection lock held. 21 to 25 bytes a block, then 6.8 to 7.7, then 1.3 for a filter.</remarks>
internal sealed class BlockIds(DatabaseSession session, BlockAppender appender) : IDisposable
{
    private const int BytesOfKey = 25;

    private readonly LookUpFigures m_lookUps = session.BlockLookUps;
    private long m_maxBytes;
    private KeyMap? m_keys;
    private FingerprintTable? m_fingerprints;
    private BlockFilter? m_filter;
    private ulong m_touched;

    /// <summary>True while every block that was added is known in memory.</summary>
    internal bool IsComplete => m_keys is not null || IsVerifying;

    /// <summary>True while blocks are found by fingerprints, so that rows are read.</summary>
    internal bool IsVerifying => m_fingerprints is not null;

    /// <summary>True if anything is known: all blocks, or what is not there.</summary>
    internal bool IsStarted => IsComplete || m_filter is not null;

    /// <summary>Number of blocks; 0 if they are not complete.</summary>
    internal long Count => m_keys?.Count ?? m_fingerprints?.Count ?? 0;

    /// <summary>Bytes in memory.</summary>
    internal long Bytes => (m_keys?.Bytes ?? 0) + (m_fingerprints?.Bytes ?? 0) + (m_filter?.Bytes ?? 0);

    /// <summary>Name of the structure in use, for tests.</summary>
    internal string Tier =>
        m_keys is not null ? "keys"
        : IsVerifying ? "fingerprints"
        : m_filter is not null ? "filter"
        : "unloaded";

    // While keys move into fingerprints both are there, which together stay below the bound.
    private long MaxKeyBytes => m_maxBytes / 3 * 2;

    /// <summary>Begins empty.</summary>
    /// <param name="maxBytes">The bound.</param>
    /// <param name="expected">Number of blocks that are about to be added; if they do not fit as keys, it begins with fingerprints.</param>
    internal void Start(long maxBytes, long expected = 0)
    {
        Dispose();
        m_maxBytes = maxBytes;
        if (expected * BytesOfKey <= MaxKeyBytes)
            m_keys = new KeyMap(MaxKeyBytes);
        else
            m_fingerprints = new FingerprintTable(maxBytes);
    }

    /// <summary>Begins empty, with nothing but a filter.</summary>
    internal void StartFilter(long maxBytes, long expected)
    {
        Dispose();
        m_filter = new BlockFilter(expected, maxBytes);
    }

    /// <summary>Adds a block that is not there. Past the bound it is not complete any more, and all is forgotten.</summary>
    internal void Add(UInt128 key, long id)
    {
        m_filter?.Add(KeyMap.HashOf(key));
        if (!IsComplete)
            return;

        // Other ids occur in tables written by hand, or where hundreds of millions of blocks have come and gone.
        if (id is <= 0 or > FingerprintTable.MaxId)
        {
            Dispose();
            return;
        }

        m_keys?.Add(key, id);
        m_fingerprints?.Add(KeyMap.HashOf(key), id);
        if (m_keys is { } keys && (keys.IsFull || keys.Bytes > MaxKeyBytes))
            ShrinkToFingerprints();
        if (m_fingerprints is { } fingerprints && (fingerprints.IsFull || fingerprints.Bytes > m_maxBytes))
            Dispose();
    }

    /// <summary>Asks for the memory of several keys that are about to be looked up, so that the waiting for it overlaps.</summary>
    internal void Touch(ReadOnlySpan<UInt128> keys)
    {
        if (m_keys is not { } map)
            return;

        var touched = 0UL;
        foreach (var key in keys)
            touched ^= map.Touch(key);
        m_touched = touched;
    }

    /// <summary>The id of a block, or -1.</summary>
    internal long Find(UInt128 key, string hash, long size)
    {
        if (IsDecided(key, out var id))
            return id;

        var bytes = Encoding.UTF8.GetByteCount(hash);
        Span<byte> text = bytes <= HashText.MaxTextLength ? stackalloc byte[HashText.MaxTextLength] : new byte[bytes];
        return FindRow(key, text[..Encoding.UTF8.GetBytes(hash, text)], size);
    }

    /// <summary><see cref="Find(UInt128, string, long)"/> for a hash in binary form.</summary>
    internal long Find(UInt128 key, ReadOnlySpan<byte> digest, long size)
    {
        if (IsDecided(key, out var id))
            return id;

        Span<byte> text = stackalloc byte[HashText.MaxTextLength];
        return FindRow(key, text[..HashText.Encode(digest, text)], size);
    }

    /// <summary>Forgets everything, and gives the memory back, which is outside of the garbage collector's heap.</summary>
    public void Dispose()
    {
        m_keys?.Dispose();
        m_fingerprints?.Dispose();
        (m_keys, m_fingerprints, m_filter) = (null, null, null);
    }

    // By memory alone.
    private bool IsDecided(UInt128 key, out long id)
    {
        m_lookUps.Requests++;
        id = -1;
        if (m_keys is null)
            return m_filter is not null && !m_filter.MayContain(KeyMap.HashOf(key));
        if (m_keys.TryGet(key, out var known))
            id = known;
        return true;
    }

    private void ShrinkToFingerprints()
    {
        var target = new FingerprintTable(m_maxBytes);
        m_keys!.MoveTo(target);
        (m_keys, m_fingerprints) = (null, target);
    }

    private long FindRow(UInt128 key, ReadOnlySpan<byte> text, long size)
    {
        if (IsVerifying)
            return FindByFingerprint(KeyMap.HashOf(key), text, size);

        // Rows of this call that still wait are not in the table.
        appender.Flush();
        m_lookUps.Misses++;
        BlockIndexes.Of(session).Complete();
        using var find = session.Take(BlockSql.FindId);
        return find.BindUtf8(1, text).Bind(2, size).ExecuteInt64();
    }

    private long FindByFingerprint(ulong hash, ReadOnlySpan<byte> text, long size)
    {
        var position = -1;
        while (m_fingerprints!.TryNext(hash, ref position, out var id))
        {
            if (appender.IsWaiting(id))
                appender.Flush();
            if (IsRow(id, text, size))
                return id;
        }

        return -1;
    }

    private bool IsRow(long id, ReadOnlySpan<byte> text, long size)
    {
        using var row = session.Take(BlockSql.KeyOfId);
        return row.Bind(1, id).Read() && row.GetInt64(1) == size && row.GetUtf8(0).SequenceEqual(text);
    }
}
