// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Text;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Indexes;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>
/// The ids of blocks while a database is rebuilt: by keys in memory; past the bound by fingerprints that are verified against the
/// row; past the bound again by the index of the table, which the owner then builds.
/// </summary>
/// <remarks>Call with the connection lock held. 21 to 25 bytes a block, then 6.8 to 7.7, then none.</remarks>
internal sealed class RecreateBlockMap
{
    private readonly DatabaseSession m_session;
    private readonly BlockAppender m_appender;
    private readonly long m_maxBytes;
    private readonly long m_maxKeyBytes;
    private KeyMap? m_keys;
    private FingerprintTable? m_fingerprints;
    private ulong m_touched;
    private FileMapping m_mapping;

    internal RecreateBlockMap(DatabaseSession session, BlockAppender appender, long maxBytes)
    {
        m_session = session;
        m_appender = appender;
        m_maxBytes = maxBytes;
        // While keys move into fingerprints both are there, which together stay below the bound.
        m_maxKeyBytes = maxBytes / 3 * 2;
    }

    /// <summary>Bytes in memory.</summary>
    internal long Bytes => (m_keys?.Bytes ?? 0) + (m_fingerprints?.Bytes ?? 0);

    /// <summary>True while every block added is known in memory.</summary>
    internal bool IsComplete => m_keys is not null || m_fingerprints is not null;

    /// <summary>Begins empty.</summary>
    internal void Start()
    {
        Forget();
        m_keys = new KeyMap(m_maxKeyBytes);
    }

    /// <summary>Forgets everything and gives the memory back, and the file its mapping.</summary>
    internal void Forget()
    {
        m_keys?.Dispose();
        m_fingerprints?.Dispose();
        (m_keys, m_fingerprints) = (null, null);
        m_mapping.Dispose();
        m_mapping = default;
    }

    /// <summary>Adds a block that is not there; nothing happens once the map is not complete any more.</summary>
    internal void Add(UInt128 key, long id)
    {
        // Other ids only occur in tables written by hand, or with more blocks than the bound lets in.
        if (id is <= 0 or > FingerprintTable.MaxId)
        {
            Forget();
            return;
        }

        m_keys?.Add(key, id);
        m_fingerprints?.Add(KeyMap.HashOf(key), id);
        if (m_keys is { } keys && (keys.IsFull || keys.Bytes > m_maxKeyBytes))
            ShrinkToFingerprints();
        if (m_fingerprints is { } fingerprints && (fingerprints.IsFull || fingerprints.Bytes > m_maxBytes))
            Forget();
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
        m_session.BlockLookUps.Requests++;
        if (m_keys is not null)
            return m_keys.TryGet(key, out var known) ? known : -1;

        var bytes = Encoding.UTF8.GetByteCount(hash);
        Span<byte> text = bytes <= HashText.MaxTextLength ? stackalloc byte[HashText.MaxTextLength] : new byte[bytes];
        return FindRow(key, text[..Encoding.UTF8.GetBytes(hash, text)], size);
    }

    /// <summary><see cref="Find(UInt128, string, long)"/> for a hash in binary form.</summary>
    internal long Find(UInt128 key, ReadOnlySpan<byte> digest, long size)
    {
        m_session.BlockLookUps.Requests++;
        if (m_keys is not null)
            return m_keys.TryGet(key, out var known) ? known : -1;

        Span<byte> text = stackalloc byte[HashText.MaxTextLength];
        return FindRow(key, text[..HashText.Encode(digest, text)], size);
    }

    private void ShrinkToFingerprints()
    {
        var target = new FingerprintTable(m_maxBytes);
        m_keys!.MoveTo(target);
        (m_keys, m_fingerprints) = (null, target);
        // From now on rows are read, in a transaction that has written much.
        m_mapping = FileMapping.Off(m_session.Statements);
    }

    private long FindRow(UInt128 key, ReadOnlySpan<byte> text, long size)
    {
        if (m_fingerprints is not null)
            return FindByFingerprint(KeyMap.HashOf(key), text, size);

        m_session.BlockLookUps.Misses++;
        using var find = m_session.Take(BlockSql.FindId);
        return find.BindUtf8(1, text).Bind(2, size).ExecuteInt64();
    }

    private long FindByFingerprint(ulong hash, ReadOnlySpan<byte> text, long size)
    {
        var position = -1;
        while (m_fingerprints!.TryNext(hash, ref position, out var id))
        {
            if (m_appender.IsWaiting(id))
                m_appender.Flush();
            if (IsRow(id, text, size))
                return id;
        }

        return -1;
    }

    private bool IsRow(long id, ReadOnlySpan<byte> text, long size)
    {
        using var row = m_session.Take(BlockSql.KeyOfId);
        return row.Bind(1, id).Read() && row.GetInt64(1) == size && row.GetUtf8(0).SequenceEqual(text);
    }
}
