// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Blocksets;
using Duplicati.Library.Main.Database.Metadata;

namespace Duplicati.Library.Main.Database.Local;

internal partial class LocalBackupDatabase
{
    private const int HashesAtOnce = 1024;

    /// <summary>
    /// Finds the blockset with this content or adds it, with its blocklists and links to its blocks, which must be live. One of which
    /// blocks were lost is made of them again. Completes synchronously; linear in its blocks.
    /// </summary>
    /// <param name="filehash">Hash of the whole content.</param>
    /// <param name="size">Its length in bytes.</param>
    /// <param name="blocksize">Size in bytes of all blocks but the last.</param>
    /// <param name="hashes">Hashes of the blocks in order; enumerated at most once, only for one that is added or made again, without the
    /// connection lock.</param>
    /// <param name="blocklistHashes">Hashes of the blocklists in order, or null; enumerated like <paramref name="hashes"/>.</param>
    /// <param name="token">Seen before the work starts.</param>
    /// <returns>Whether it is new, and its id. A new one has been committed.</returns>
    /// <exception cref="Exception">A block is not live.</exception>
    /// <exception cref="InvalidOperationException">A block has gone, or has got another id, while the sequences were read.</exception>
    public Task<(bool, long)> AddBlocksetAsync(
        string filehash,
        long size,
        int blocksize,
        IEnumerable<string> hashes,
        IEnumerable<string> blocklistHashes,
        CancellationToken token
    )
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled<(bool, long)>(token);

        using var timer = Profile("AddBlockset");
        try
        {
            var known = FindBlockset(filehash, size, token, out var isLost, out var seen);
            return Task.FromResult(
                known >= 0 && !isLost
                    ? (false, known)
                    : AddBlockset(new ContentBlocks(Session, filehash, size, blocksize, seen), hashes, blocklistHashes, known, token)
            );
        }
        catch (Exception ex)
        {
            return Session.Failed<(bool, long)>(ex);
        }
    }

    private long FindBlockset(
        string filehash,
        long size,
        CancellationToken token,
        out bool isLost,
        out (long Changes, long Transaction, long ExternalWrites) seen
    )
    {
        lock (Session.ConnectionLock)
        {
            Session.ThrowIfRolledBack();
            Session.LockForAnswers(token);
            var known = Session.FindBeforeInserting((filehash, size), static (x, y) => BlocksetReads.Find(x, y.filehash, y.size), token);
            isLost = known >= 0 && Session.AskBeforeWriting(known, BlocksetReads.HasLostEntries, static isLost => isLost, token);
            if (known >= 0)
                m_told.Blockset(known, filehash, size);
            seen = Session.Stamp;
            return known;
        }
    }

    // The sequences are the caller's code, which may use this very database: they are read without the connection lock. Nothing is written
    // before they have ended, and then all at once, so that nobody else, and no commit, ever sees a part.
    private (bool, long) AddBlockset(
        ContentBlocks blocks,
        IEnumerable<string> hashes,
        IEnumerable<string>? blocklistHashes,
        long known,
        CancellationToken token
    )
    {
        List<string> blocklists = [.. blocklistHashes ?? []];
        foreach (var part in hashes.Chunk(HashesAtOnce))
        {
            lock (Session.ConnectionLock)
                blocks.Find(part, token);
        }

        lock (Session.ConnectionLock)
        {
            blocks.Enter(token);
            var isLost = known >= 0;
            if (blocks.IsDoubtful)
                known = FindBlockset(blocks.FullHash, blocks.Length, token, out isLost, out _);
            if (known >= 0 && !isLost)
                return (false, known);

            blocks.Confirm();
            if (known >= 0)
            {
                BlocksetWrites.Mend(Session, known, blocks.Ids);
                return (false, known);
            }

            var id = BlocksetWrites.Add(Session, blocks.FullHash, blocks.Length, blocklists, blocks.Ids);
            m_told.Blockset(id, blocks.FullHash, blocks.Length);
            m_rtr.Commit("AddBlockset");
            return (true, id);
        }
    }

    /// <summary>
    /// Whether there is metadata with this content, and its id, -1 without; -2 if the size is not positive. Completes synchronously.
    /// </summary>
    public Task<(bool, long)> GetMetadatasetIDAsync(string filehash, long size, CancellationToken token)
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled<(bool, long)>(token);

        using var timer = Profile("GetMetadatasetID");
        try
        {
            lock (Session.ConnectionLock)
            {
                Session.LockForAnswers(token);
                var id = MetadatasetReads.Find(Session, filehash, size);
                m_told.Metadata(id, filehash, size);
                return Task.FromResult((id >= 0, id));
            }
        }
        catch (Exception ex)
        {
            return Session.Failed<(bool, long)>(ex);
        }
    }

    /// <summary>
    /// Finds the metadata with this content or adds it. Returns whether it is new, and its id; a new one has been committed. Completes
    /// synchronously.
    /// </summary>
    public Task<(bool, long)> AddMetadatasetAsync(string filehash, long size, long blocksetid, IMetahash metahash, CancellationToken token)
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled<(bool, long)>(token);

        using var timer = Profile("AddMetadataset");
        try
        {
            lock (Session.ConnectionLock)
            {
                Session.LockForAnswers(token);
                var known = Session.FindBeforeInserting(
                    (filehash, size),
                    static (x, y) => MetadatasetReads.Find(x, y.filehash, y.size),
                    token
                );
                if (known >= 0)
                {
                    m_told.Metadata(known, filehash, size);
                    return Task.FromResult((false, known));
                }

                m_told.RequireBlockset(blocksetid);
                var id = MetadatasetWrites.Add(Session, blocksetid, m_storeMetadataContent ? metahash.Blob : null);
                m_told.Metadata(id, filehash, size);
                m_rtr.Commit("AddMetadataset");
                return Task.FromResult((true, id));
            }
        }
        catch (Exception ex)
        {
            return Session.Failed<(bool, long)>(ex);
        }
    }

    /// <summary>Distinct hashes of the blocklists stored in a volume. May run long.</summary>
    public Task<string[]> GetBlocklistHashesAsync(string name, CancellationToken token) =>
        Session.LongAsync(Locked(session => BlocksetReads.BlocklistsInVolume(session, name), token), token);
}
