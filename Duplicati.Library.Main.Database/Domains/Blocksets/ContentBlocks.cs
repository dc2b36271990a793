// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Blocksets;

/// <summary>
/// The blocks of a content that is to be written, which must be live. Their hashes come in parts, as the caller's sequence gives them;
/// between two parts others may work on the connection.
/// </summary>
/// <remarks>8 bytes a block; the hashes are not kept. All members are to be called with the connection lock.</remarks>
/// <param name="session">The session.</param>
/// <param name="fullHash">Hash of the whole content.</param>
/// <param name="length">Its length in bytes.</param>
/// <param name="blocksize">Size in bytes of all blocks but the last.</param>
/// <param name="seen">The <see cref="DatabaseSession.Stamp"/> of the moment from which on changes count.</param>
internal sealed class ContentBlocks(
    DatabaseSession session,
    string fullHash,
    long length,
    int blocksize,
    (long Changes, long Transaction, long ExternalWrites) seen
)
{
    private readonly BlockMap m_map = BlockMap.Of(session);
    private readonly List<long> m_ids = [];
    private (long, long, long) m_seen = seen;
    private UInt128 m_sum;

    /// <summary>Hash of the whole content.</summary>
    internal string FullHash { get; } = fullHash;

    /// <summary>Its length in bytes.</summary>
    internal long Length { get; } = length;

    /// <summary>The ids of the blocks in order.</summary>
    internal IReadOnlyList<long> Ids => m_ids;

    /// <summary>Whether rows may have changed, by whomever, since the moment from which on changes count.</summary>
    internal bool IsDoubtful { get; private set; }

    /// <summary>Begins to work on the database: takes the write lock, and looks whether others have done so.</summary>
    internal void Enter(CancellationToken token)
    {
        session.ThrowIfRolledBack();
        // A caller's statement has ended the transaction: each row would be durable alone, and nothing kept other connections from writing.
        if (session.Statements.IsAutoCommit)
        {
            session.RecoverTransaction();
            IsDoubtful = true;
        }

        session.LockForAnswers(token);
        IsDoubtful |= session.Stamp != m_seen;
    }

    /// <summary>Finds the next blocks.</summary>
    /// <param name="hashes">Their hashes.</param>
    /// <param name="token">Stops filling the map of blocks.</param>
    /// <exception cref="Exception">A block is not live; logged as error before.</exception>
    internal void Find(string[] hashes, CancellationToken token)
    {
        Enter(token);
        foreach (var hash in hashes)
        {
            var offset = (long)m_ids.Count * blocksize;
            var size = Math.Min(blocksize, Length - offset);
            var key = m_map.KeyOf(hash, size);
            var id = m_map.Find(key, hash, size, token);
            if (id < 0)
                throw BlocksetWrites.MissingBlock(session, FullHash, hash, size, offset);
            m_ids.Add(id);
            m_sum = Add(m_sum, key);
        }

        m_seen = session.Stamp;
    }

    /// <summary>Makes sure, before they are written, that the ids are still those of the blocks.</summary>
    /// <exception cref="InvalidOperationException">They are not.</exception>
    internal void Confirm()
    {
        if (!IsDoubtful)
            return;

        UInt128 sum = 0;
        foreach (var id in m_ids)
            sum = Add(sum, m_map.KeyOfRow(id));
        if (sum != m_sum)
            throw new InvalidOperationException(
                "Blocks of the content were removed, or have gone with a rollback, while their hashes were being read."
            );
    }

    // Depends on the order. The keys are drawn by a secret, so that nobody can make two sequences of the same sum.
    private static UInt128 Add(UInt128 sum, UInt128 key) => (sum * 0x9e3779b97f4a7c15) + key;
}
