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
        var key = m_map.KeyOf(hash, size);
        var known = session.FindBeforeInserting(
            (m_map, key, hash, size, token),
            static (_, x) => x.m_map.Find(x.key, x.hash, x.size, x.token),
            token
        );
        if (known >= 0)
            return false;

        var isNew = !deleted.TryTake(hash, size, out var storedIn);
        m_map.Add(key, hash, size, isNew ? volumeId : storedIn);
        if (++m_added == BlockIndexes.FewestBlocks)
            DropIndexes();
        return isNew;
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
