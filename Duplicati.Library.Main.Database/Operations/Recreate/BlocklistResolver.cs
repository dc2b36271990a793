// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>
/// Finds out which blocks make up each blockset: walks over the blocksets and their blocklists in key order and writes the entries
/// in that order. Later calls handle only blocksets, blocklists and links that are new since.
/// </summary>
/// <remarks>
/// Linear in the entries written. Keeps the blocklists that could not be followed yet, about 200 bytes each; a list that stands again
/// and again in a row, as in a file of zeros, is kept once. All or nothing: a call
/// that fails leaves the tables as they were, and the next one begins anew. Call with the connection lock held.
/// </remarks>
internal sealed class BlocklistResolver
{
    // Row id range of Blockset, then BlocklistHashBlocksetIDIndex for each: rows come in the order of BlocksetEntry's key, without sorting.
    private const string WalkSql = """
        SELECT s."ID", s."Length", s."FullHash", l."Index", l."Hash"
        FROM "Blockset" s LEFT JOIN "BlocklistHash" l ON l."BlocksetID" = s."ID"
        WHERE s."ID" > ?1 ORDER BY s."ID", l."Index"
        """;

    private const string Savepoint = """SAVEPOINT "resolve" """;

    private const string Release = """RELEASE "resolve" """;

    private const string RollBack = """ROLLBACK TO "resolve" """;

    private const int EntriesBetweenChecks = 4096;

    private static readonly string LOGTAG = Log.LogTagFromType<LocalRecreateDatabase>();

    private readonly DatabaseSession m_session;
    private readonly KeyHasher m_keys;
    private readonly RecreateBlocks m_blocks;
    private readonly StagedBlocklists m_lists;
    private readonly SmallLinks m_links;
    private readonly RecreateFilelist m_filelist;
    private readonly BlocksetEntryAppender m_entries;

    // Blocklists whose content is not staged, by the key of their hash; those whose own block is unknown.
    private readonly Dictionary<UInt128, List<Slot>> m_waiting = [];
    private List<Slot> m_blocked = [];
    private int m_listsSeen;
    private int m_linksSeen;

    private long m_listBytes;
    private long m_hashBytes;
    private long m_blockBytes;
    private long m_lastKnownBlock;
    private bool m_withLinks;

    internal BlocklistResolver(
        DatabaseSession session,
        KeyHasher keys,
        RecreateBlocks blocks,
        StagedBlocklists lists,
        SmallLinks links,
        RecreateFilelist filelist
    )
    {
        m_session = session;
        m_keys = keys;
        m_blocks = blocks;
        m_lists = lists;
        m_links = links;
        m_filelist = filelist;
        m_entries = new BlocksetEntryAppender(session);
    }

    /// <summary>The highest id of a blockset that has been walked over.</summary>
    internal long LastBlockset { get; private set; }

    /// <summary>Follows every blocklist and link that can be followed now, and adds the blocks they name and nobody has.</summary>
    /// <param name="hashBytes">Bytes of a block digest.</param>
    /// <param name="blockBytes">Bytes of a full block.</param>
    /// <param name="withLinks">False to leave the single-block blocksets out.</param>
    /// <param name="failureId">Log id of a failure while writing.</param>
    /// <param name="token">Cancels within a few thousand entries.</param>
    /// <exception cref="Exception">Entries could not be written; logged as error before.</exception>
    internal void Resolve(long hashBytes, long blockBytes, bool withLinks, string failureId, CancellationToken token)
    {
        m_hashBytes = hashBytes;
        m_blockBytes = blockBytes;
        m_listBytes = blockBytes / hashBytes * hashBytes;
        m_withLinks = withLinks;
        DeferredIndexes.Of(m_session).Restore("BlocklistHash");
        m_session.Execute(Savepoint);
        try
        {
            ResolveAll(token);
            m_session.Statements.Execute(Release);
        }
        catch (Exception ex)
        {
            Undo();
            // A full disk, a lock or an error of the disk is no fault of the program.
            if (ex is not SqliteException { SqliteErrorCode: ResultCode.Constraint or ResultCode.Error })
                throw;

            Log.WriteErrorMessage(LOGTAG, failureId, ex, "Failed to connect blocks and blocksets: {0}", ex.Message);
            throw new Exception($"Failed to connect blocks and blocksets, please report this as a bug: {ex.Message}", ex);
        }

        // Links that were left out now must be found by the next walk.
        if (!withLinks)
            Restart();
    }

    /// <summary>Forgets what has been done: the next call walks over everything, which changes nothing where it was done before.</summary>
    internal void Restart()
    {
        m_waiting.Clear();
        m_blocked.Clear();
        m_listsSeen = 0;
        m_linksSeen = 0;
        LastBlockset = 0;
    }

    /// <summary>The blocksets with a blocklist whose content is known, and of another length than the blockset needs.</summary>
    internal IEnumerable<long> WithImpossibleLists()
    {
        foreach (var slot in m_blocked)
        {
            var list = m_lists.Find(m_keys.OfText(slot.Hash, 0));
            if (list < 0)
                continue;
            // Of those in a row only the last one can be shorter.
            var bytes = m_lists.Read(list).Count * m_hashBytes;
            if (bytes != BytesOfList(slot) || bytes != BytesOfList(slot with { Position = slot.Position + slot.Count - 1 }))
                yield return slot.BlocksetId;
        }
    }

    private void Undo()
    {
        m_entries.Clear();
        m_blocks.Forget();
        Restart();
        if (m_session.Statements.IsAutoCommit)
        {
            // The engine has rolled everything back by itself.
            m_session.RecoverTransaction();
            return;
        }

        m_session.Statements.Execute(RollBack);
        m_session.Statements.Execute(Release);
    }

    private void ResolveAll(CancellationToken token)
    {
        // A block that this very call adds does not make a blocklist known.
        m_lastKnownBlock = m_blocks.LastId();
        RetryBlocked(token);
        FollowNewLists(token);
        Walk(token);
        if (m_withLinks)
            FollowOtherLinks(token);
        m_entries.Flush();
    }

    private void RetryBlocked(CancellationToken token)
    {
        var blocked = m_blocked;
        m_blocked = [];
        foreach (var slot in blocked)
            FollowAll(slot, token);
    }

    private void FollowNewLists(CancellationToken token)
    {
        for (; m_listsSeen < m_lists.Count; m_listsSeen++)
        {
            if (!m_waiting.Remove(m_lists.KeyOf(m_listsSeen), out var slots))
                continue;
            foreach (var slot in slots)
                FollowAll(slot, token);
        }
    }

    private void Walk(CancellationToken token)
    {
        using var walk = m_session.Take(WalkSql);
        walk.Bind(1, LastBlockset);
        while (walk.Read())
        {
            token.ThrowIfCancellationRequested();
            var blockset = walk.GetInt64(0);
            var length = walk.GetInt64(1);
            if (blockset != LastBlockset && m_withLinks)
                FollowLink(blockset, length, walk.GetString(2)!);

            LastBlockset = blockset;
            if (walk.GetString(4) is { } hash)
                Follow(new Slot(blockset, length, walk.GetInt64(3), 1, hash), token);
        }
    }

    private void FollowLink(long blockset, long length, string fullHash)
    {
        if (m_links.BlockHashOf(blockset, fullHash, length, m_blockBytes) is not { } blockHash)
            return;

        var block = m_blocks.FindOrAddMissing(blockHash, length);
        if (length <= m_blockBytes)
            m_entries.Add(blockset, 0, block);
    }

    private void FollowOtherLinks(CancellationToken token)
    {
        for (; m_linksSeen < m_links.Others.Count; m_linksSeen++)
        {
            token.ThrowIfCancellationRequested();
            var link = m_links.Others[m_linksSeen];
            var block = m_blocks.FindOrAddMissing(link.BlockHash, link.Size);
            var blockset = m_filelist.FindBlockset(link.FileHash, link.Size);
            if (blockset >= 0 && link.Size <= m_blockBytes)
                m_entries.Add(blockset, 0, block);
        }
    }

    private void FollowAll(Slot slot, CancellationToken token)
    {
        for (var i = 0L; i < slot.Count; i++)
        {
            token.ThrowIfCancellationRequested();
            Follow(slot with { Position = slot.Position + i, Count = 1 }, token);
        }
    }

    private void Follow(Slot slot, CancellationToken token)
    {
        var key = m_keys.OfText(slot.Hash, 0);
        var list = m_lists.Find(key);
        if (list < 0)
            AddWaiting(key, slot);
        else if (m_blocks.TryFind(slot.Hash, BytesOfList(slot), out var own) && own <= m_lastKnownBlock)
            Expand(slot, m_lists.Read(list), token);
        else
            Add(m_blocked, slot);
    }

    private void AddWaiting(UInt128 key, Slot slot)
    {
        if (!m_waiting.TryGetValue(key, out var slots))
            m_waiting.Add(key, slots = new List<Slot>(1));
        Add(slots, slot);
    }

    private static void Add(List<Slot> slots, Slot slot)
    {
        if (slots.Count > 0 && slots[^1].IsBefore(slot))
            slots[^1] = slots[^1] with { Count = slots[^1].Count + 1 };
        else
            slots.Add(slot);
    }

    private void Expand(Slot slot, StagedList list, CancellationToken token)
    {
        // Entries past a full list, which no true list has, would take the places of the next list's.
        var entriesInList = m_listBytes / m_hashBytes;
        var first = slot.Position * entriesInList;
        var count = (int)Math.Min(list.Count, entriesInList);
        Span<long> sizes = stackalloc long[RecreateBlocks.BlocksAtOnce];
        Span<long> ids = stackalloc long[RecreateBlocks.BlocksAtOnce];
        for (var start = 0; start < count; start += RecreateBlocks.BlocksAtOnce)
        {
            if (start % EntriesBetweenChecks == 0)
                token.ThrowIfCancellationRequested();

            var some = Math.Min(RecreateBlocks.BlocksAtOnce, count - start);
            for (var i = 0; i < some; i++)
                sizes[i] = Math.Min(m_blockBytes, slot.Length - ((first + start + i) * m_blockBytes));
            list.FindOrAddBlocks(m_blocks, start, sizes[..some], ids);
            for (var i = 0; i < some; i++)
                m_entries.Add(slot.BlocksetId, first + start + i, ids[i]);
        }
    }

    // A full list, or what is left for the last one.
    private long BytesOfList(Slot slot)
    {
        var blocks = (slot.Length + m_blockBytes - 1) / m_blockBytes;
        return Math.Min(m_listBytes, (blocks * m_hashBytes) - (slot.Position * m_listBytes));
    }

    // One row of BlocklistHash with the length of its blockset, or several in a row with the same hash.
    private readonly record struct Slot(long BlocksetId, long Length, long Position, long Count, string Hash)
    {
        internal bool IsBefore(Slot next) => BlocksetId == next.BlocksetId && Position + Count == next.Position && Hash == next.Hash;
    }
}
