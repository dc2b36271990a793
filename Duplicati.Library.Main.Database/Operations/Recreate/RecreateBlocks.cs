// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Indexes;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>
/// The blocks of the database while it is rebuilt: which there are is known in memory, new ones are appended to the table.
/// </summary>
/// <remarks>Call with the connection lock held. The memory is that of <see cref="BlockIds"/>.</remarks>
internal sealed class RecreateBlocks
{
    // Full table in row id order, once for each object that works on a filled database.
    internal const string ReadAll = """SELECT "Hash", "Size", "ID", "VolumeID" FROM "Block" ORDER BY "ID" """;

    // UniqueBlockVolumeDuplicateBlock.
    private const string AddDuplicate = """INSERT OR IGNORE INTO "DuplicateBlock" ("BlockID", "VolumeID") VALUES (?1, ?2)""";

    /// <summary>The volume of a block that is needed but has not been seen in any volume.</summary>
    internal const long NoVolume = -1;

    /// <summary>Most blocks that are looked up together.</summary>
    internal const int BlocksAtOnce = 32;

    private const int RowsBetweenChecks = 4096;

    private readonly DatabaseSession m_session;
    private readonly BulkStart m_start;
    private readonly KeyHasher m_keys;
    private readonly BlockAppender m_appender;
    private readonly TableChanges m_changes;
    private readonly BlockIds m_map;
    private readonly long m_maxBytes;
    private PassingSetting m_mapping;
    private bool m_ready;

    // The count of changed rows that is explained by what this object has done.
    private long m_explained;

    internal RecreateBlocks(DatabaseSession session, BulkStart start, KeyHasher keys, long maxBytes)
    {
        m_session = session;
        m_start = start;
        m_keys = keys;
        m_appender = new BlockAppender(session);
        m_map = new BlockIds(session, m_appender);
        m_maxBytes = maxBytes;
        m_changes = TableWatch.Of(session.Connection).Table("Block");
    }

    /// <summary>
    /// The blocks of each volume; complete after <see cref="Prepare"/> as long as the index of Block by volume is missing.
    /// </summary>
    internal VolumeRanges Ranges { get; } = new();

    /// <summary>Bytes of what is known of the blocks in memory.</summary>
    internal long MapBytes => m_map.Bytes;

    /// <summary>Records that a volume holds a block.</summary>
    /// <returns>First: something changed. Second: the block was new or had no volume before.</returns>
    /// <exception cref="Exception">The row of a known block is gone.</exception>
    internal (bool Changed, bool Gained) Update(string hash, long size, long volumeId, CancellationToken token)
    {
        Prepare(token);
        var key = m_keys.OfText(hash, size);
        if (!TryFind(key, hash, size, out var id))
        {
            Insert(key, hash, size, volumeId);
            return (true, true);
        }

        return UpdateKnown(id, volumeId);
    }

    /// <summary><see cref="Update(string, long, long, CancellationToken)"/> for many blocks in binary form.</summary>
    /// <returns>Number of blocks for which something changed.</returns>
    internal long Update(PackedBlocks blocks, long volumeId, CancellationToken token)
    {
        Prepare(token);
        Span<UInt128> keys = stackalloc UInt128[BlocksAtOnce];
        var changed = 0L;
        try
        {
            for (var i = 0; i < blocks.Count; i++)
            {
                if (i % BlocksAtOnce == 0)
                    Touch(blocks.Slice(i, Math.Min(BlocksAtOnce, blocks.Count - i)), keys);
                changed += Update(keys[i % BlocksAtOnce], blocks.Digest(i), blocks.Size(i), volumeId) ? 1 : 0;
            }

            m_appender.Flush();
        }
        catch
        {
            // The map knows rows that were not written.
            Forget();
            throw;
        }

        return changed;
    }

    private void Touch(PackedBlocks blocks, Span<UInt128> keys)
    {
        for (var i = 0; i < blocks.Count; i++)
            keys[i] = m_keys.OfDigest(blocks.Digest(i), blocks.Size(i));
        m_map.Touch(keys[..blocks.Count]);
    }

    private bool Update(UInt128 key, ReadOnlySpan<byte> digest, long size, long volumeId)
    {
        Prepare();
        if (TryFind(key, digest, size, out var id))
            return UpdateKnown(id, volumeId).Changed;

        Insert(key, digest, size, volumeId);
        return true;
    }

    /// <summary>The id of a block; false if there is none with this hash and size.</summary>
    internal bool TryFind(string hash, long size, out long id)
    {
        Prepare();
        return TryFind(m_keys.OfText(hash, size), hash, size, out id);
    }

    /// <summary>The id of a block, which is added without a volume if there is none.</summary>
    internal long FindOrAddMissing(string hash, long size)
    {
        Prepare();
        var key = m_keys.OfText(hash, size);
        return TryFind(key, hash, size, out var id) ? id : Insert(key, hash, size, NoVolume);
    }

    /// <summary><see cref="FindOrAddMissing(string, long)"/> for hashes in binary form, one after the other.</summary>
    /// <param name="digests">The hashes, all of the same length.</param>
    /// <param name="sizes">The sizes of the blocks, at most <see cref="BlocksAtOnce"/>.</param>
    /// <param name="ids">Room for as many ids.</param>
    internal void FindOrAddMissing(ReadOnlySpan<byte> digests, ReadOnlySpan<long> sizes, Span<long> ids)
    {
        Prepare();
        var length = digests.Length / sizes.Length;
        Span<UInt128> keys = stackalloc UInt128[BlocksAtOnce];
        for (var i = 0; i < sizes.Length; i++)
            keys[i] = m_keys.OfDigest(digests.Slice(i * length, length), sizes[i]);
        m_map.Touch(keys[..sizes.Length]);
        try
        {
            for (var i = 0; i < sizes.Length; i++)
            {
                var digest = digests.Slice(i * length, length);
                ids[i] = TryFind(keys[i], digest, sizes[i], out var id) ? id : Insert(keys[i], digest, sizes[i], NoVolume);
            }

            m_appender.Flush();
        }
        catch
        {
            Forget();
            throw;
        }
    }

    /// <summary>The highest id in use, 0 if there is no block.</summary>
    internal long LastId() => m_session.ReadNumber(BlockSql.MaxId);

    /// <summary>Forgets what is known and what waits; the next use reads the table again.</summary>
    internal void Forget()
    {
        m_map.Dispose();
        m_mapping.Dispose();
        m_mapping = default;
        m_ready = false;
        Ranges.Clear();
        m_appender.Forget();
    }

    private (bool Changed, bool Gained) UpdateKnown(long id, long volumeId)
    {
        // The same block twice in one call.
        if (m_appender.IsWaiting(id))
            m_appender.Flush();
        long present;
        using (var volume = m_session.Take(BlockSql.VolumeOf))
            present = volume.Bind(1, id).ExecuteInt64(long.MinValue);

        if (present == volumeId && present != NoVolume)
            return (false, false);

        if (present is not NoVolume and not long.MinValue)
        {
            using var duplicate = m_session.Take(AddDuplicate);
            duplicate.Bind(1, id).Bind(2, volumeId).ExecuteNonQuery();
            return (true, false);
        }

        using var update = m_session.Take(BlockSql.SetVolume);
        var rows = update.Bind(1, id).Bind(2, volumeId).ExecuteNonQuery();
        if (rows != 1)
            throw new Exception($"Giving a block its volume changed {rows} rows instead of 1.");

        m_explained++;
        Ranges.Add(id, volumeId);
        return (true, true);
    }

    /// <summary>
    /// Gets to know the table: on empty tables the map is complete from the start; on filled ones, and after somebody else has
    /// changed rows on this connection, it is read from the table, in one pass; cancelled, it is read anew by the next use.
    /// </summary>
    internal void Prepare(CancellationToken token = default)
    {
        m_start.BeginWriting();
        if (m_ready)
        {
            if (m_changes.Count == m_explained + m_appender.RowsWritten)
                return;

            Forget();
        }

        m_start.IsBulk();
        Ranges.Clear();
        m_map.Start(m_maxBytes);
        using (var all = m_session.Take(ReadAll))
        {
            for (var rows = 0L; m_map.IsComplete && all.Read(); rows++)
            {
                if (rows % RowsBetweenChecks == 0)
                    token.ThrowIfCancellationRequested();
                Ranges.Add(all.GetInt64(2), all.GetInt64(3));
                Remember(m_keys.OfUtf8(all.GetUtf8(0), all.GetInt64(1)), all.GetInt64(2));
            }
        }

        m_appender.Forget();
        m_explained = m_changes.Count - m_appender.RowsWritten;
        m_ready = true;
        if (!m_map.IsComplete)
            DeferredIndexes.Of(m_session).Restore("Block");
    }

    private bool TryFind(UInt128 key, string hash, long size, out long id)
    {
        id = m_map.Find(key, hash, size);
        return id >= 0;
    }

    private bool TryFind(UInt128 key, ReadOnlySpan<byte> digest, long size, out long id)
    {
        id = m_map.Find(key, digest, size);
        return id >= 0;
    }

    private long Insert(UInt128 key, string hash, long size, long volumeId) =>
        Inserted(key, m_appender.Add(hash, size, volumeId), volumeId);

    private long Insert(UInt128 key, ReadOnlySpan<byte> digest, long size, long volumeId) =>
        Inserted(key, m_appender.AddOneOfMany(digest, size, volumeId), volumeId);

    private long Inserted(UInt128 key, long id, long volumeId)
    {
        Ranges.Add(id, volumeId);
        var wasComplete = m_map.IsComplete;
        Remember(key, id);
        if (wasComplete && !m_map.IsComplete)
            DeferredIndexes.Of(m_session).Restore("Block");
        return id;
    }

    private void Remember(UInt128 key, long id)
    {
        var wasVerifying = m_map.IsVerifying;
        m_map.Add(key, id);
        // From now on rows are read, in a transaction that has written much.
        if (m_map.IsVerifying && !wasVerifying)
            m_mapping = FileMapping.Off(m_session.Statements);
    }
}

/// <summary>
/// Which blocks were given to a volume, as ranges of ids: blocks are appended volume by volume, so a volume has one range, and
/// another one for each time it was interrupted. Stands in for the index by volume while that is deferred.
/// </summary>
/// <remarks>Not thread-safe. About 100 bytes a volume. A block that was moved later is in the ranges of both volumes.</remarks>
internal sealed class VolumeRanges
{
    private readonly Dictionary<long, List<(long First, long Last)>> m_ranges = [];

    /// <summary>Records that a block belongs to a volume.</summary>
    internal void Add(long blockId, long volumeId)
    {
        if (!m_ranges.TryGetValue(volumeId, out var ranges))
            m_ranges.Add(volumeId, ranges = new List<(long, long)>(1));

        if (ranges.Count > 0 && ranges[^1].Last == blockId - 1)
            ranges[^1] = (ranges[^1].First, blockId);
        else
            ranges.Add((blockId, blockId));
    }

    /// <summary>The ranges of ids, both ends included, in which a volume's blocks are.</summary>
    internal IReadOnlyList<(long First, long Last)> Of(long volumeId) => m_ranges.TryGetValue(volumeId, out var ranges) ? ranges : [];

    /// <summary>Forgets everything.</summary>
    internal void Clear() => m_ranges.Clear();
}
