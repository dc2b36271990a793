// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Backup;

/// <summary>The blocks of a backup: which are there, which have to be stored.</summary>
/// <remarks>Nothing here commits or allocates per block. Use with the connection lock held.</remarks>
internal sealed class BlockAdding(DatabaseSession session, DeletedBlocks deleted)
{
    private readonly BlockMap m_map = BlockMap.Of(session);
    private long m_added;

    /// <summary>The id of a live block, or -1.</summary>
    internal long Find(string hash, long size, CancellationToken token) => m_map.Find(hash, size, token);

    /// <summary>Makes a block live.</summary>
    /// <returns>True if its data must be stored in the volume; false if it is stored already.</returns>
    internal bool Add(string hash, long size, long volumeId, CancellationToken token)
    {
        Span<byte> buffer = stackalloc byte[BlockKey.MaxTextLength];
        if (!BlockKey.TryParse(hash, size, buffer, out var length, out var key))
        {
            FindOrAddText(hash, size, volumeId, out var isNewText, token);
            return isNewText;
        }

        var text = buffer[..length];
        FindOrAdd(key, text, volumeId, out var isNew, token);
        return isNew;
    }

    /// <summary>Finds a block, or makes it live.</summary>
    /// <param name="key">The block.</param>
    /// <param name="text">Its hash as UTF-8 Base64.</param>
    /// <param name="volumeId">The volume it is to be stored in.</param>
    /// <param name="isNew">True if its data must be stored in the volume; false if it is stored already.</param>
    /// <param name="token">Stops filling the map, and waiting for a lock.</param>
    /// <returns>Its id.</returns>
    private long FindOrAdd(in BlockKey key, ReadOnlySpan<byte> text, long volumeId, out bool isNew, CancellationToken token)
    {
        isNew = false;
        var known = m_map.Find(key, text, token);
        if (known < 0 && session.HasToAskAgain(token))
            known = m_map.Find(key, text, token);
        return known >= 0 ? known : AddUnknown(key, text, volumeId, out isNew);
    }

    private long AddUnknown(in BlockKey key, ReadOnlySpan<byte> text, long volumeId, out bool isNew)
    {
        isNew = !deleted.TryTake(key, text, out var storedIn);
        var id = m_map.Add(key, text, isNew ? volumeId : storedIn);
        if (++m_added == BlockIndexes.FewestBlocks)
            DropIndexes();
        return id;
    }

    /// <summary>Finds a block without a binary key, or makes it live.</summary>
    /// <returns>Its id.</returns>
    private long FindOrAddText(string hash, long size, long volumeId, out bool isNew, CancellationToken token)
    {
        isNew = false;
        var id = m_map.FindText(hash, size);
        if (id < 0 && session.HasToAskAgain(token))
            id = m_map.FindText(hash, size);
        if (id >= 0)
            return id;

        isNew = !deleted.TryTake(hash, size, out var storedIn);
        return m_map.AddText(hash, size, isNew ? volumeId : storedIn);
    }

    /// <summary>Moves a live block to another volume.</summary>
    /// <exception cref="Exception">The block is not in the source volume.</exception>
    internal void Move(string hash, long size, long sourceVolumeId, long targetVolumeId, CancellationToken token)
    {
        session.HasToAskAgain(token);
        var id = m_map.Find(hash, size, token);
        using var update = session.Take(BlockSql.MoveToVolume);
        var rows = update.Bind(1, targetVolumeId).Bind(2, id).Bind(3, sourceVolumeId).ExecuteNonQuery();
        m_map.AcceptOwn(rows);
        if (rows != 1)
            throw new Exception($"Expected one block {hash} of size {size} in volume {sourceVolumeId}, moved {rows}.");
    }

    // All blocks there are were added here and are in memory: it is the first backup, it is large, and no look-up needs the table.
    private void DropIndexes()
    {
        if (m_map.Count == m_added)
            BlockIndexes.Of(session).Drop();
    }
}
