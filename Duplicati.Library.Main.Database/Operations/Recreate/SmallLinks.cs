// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>
/// Blocksets that are a single block. Filelists name them again in every version, so they are de-duplicated in memory. Nearly all
/// have the hash of their block as full hash and belong to a blockset that the next resolve walks over; of these only the key is kept.
/// </summary>
/// <remarks>Call with the connection lock held. 21 to 25 bytes a link; about 300 where the hashes differ.</remarks>
internal sealed class SmallLinks
{
    private const long PlainLink = 0;

    private readonly DatabaseSession m_session;
    private readonly KeyHasher m_keys;

    // By (full hash, length); the value is 0 for a plain link, else the position in m_others plus 1.
    private readonly KeyMap m_byFile = new();

    // By (block hash, size), of the links whose two hashes differ.
    private readonly KeyMap m_byBlock = new();
    private readonly List<Link> m_others = [];

    // The keys since the last commit, for a rollback.
    private readonly List<(UInt128 File, UInt128 Block)> m_uncommitted = [];
    private long m_transaction;
    private long m_lastImplied;

    internal SmallLinks(DatabaseSession session, KeyHasher keys)
    {
        m_session = session;
        m_keys = keys;
        m_transaction = session.TransactionCount;
    }

    /// <summary>
    /// Where links are written down that cannot be told from the blocksets; null if nobody will go on with this recreate.
    /// </summary>
    internal RecreateJournal? Journal { get; set; }

    /// <summary>The links that a walk over the blocksets cannot find by itself, in order of arrival.</summary>
    internal IReadOnlyList<Link> Others => m_others;

    /// <summary>Adds a link, unless one of its hashes is missing or is linked already with this size.</summary>
    /// <param name="fileHash">Full hash of the blockset.</param>
    /// <param name="blockHash">Hash of its only block.</param>
    /// <param name="size">Length of both.</param>
    /// <param name="isWalked">Whether the next resolve comes by the blockset of this key by itself.</param>
    internal void Add(string? fileHash, string? blockHash, long size, Func<UInt128, bool> isWalked)
    {
        if (fileHash is null || blockHash is null)
            return;

        var file = m_keys.OfText(fileHash, size);
        if (m_byFile.Contains(file))
            return;

        var isSame = fileHash == blockHash;
        var block = isSame ? file : m_keys.OfText(blockHash, size);
        if (m_byBlock.Contains(block) || (!isSame && IsPlain(block)))
            return;

        NoteCommits(m_session.TransactionCount);
        m_uncommitted.Add((file, block));
        if (!isSame)
            m_byBlock.Set(block, 0);
        if (isSame && isWalked(file))
        {
            m_byFile.Set(file, PlainLink);
            return;
        }

        var link = new Link(fileHash, blockHash, size);
        m_others.Add(link);
        m_byFile.Set(file, isSame ? PlainLink : m_others.Count);
        Journal?.AddLink(link);
    }

    /// <summary>Takes over a link that an interrupted recreate has written down.</summary>
    internal void Restore(Link link)
    {
        var isSame = link.FileHash == link.BlockHash;
        if (!isSame)
            m_byBlock.Set(m_keys.OfText(link.BlockHash, link.Size), 0);
        m_others.Add(link);
        m_byFile.Set(m_keys.OfText(link.FileHash, link.Size), isSame ? PlainLink : m_others.Count);
    }

    /// <summary>
    /// The blocksets up to this one were added by an interrupted recreate: those of one block are linked to the block of their own hash,
    /// unless there is another link.
    /// </summary>
    internal void ImplyUpTo(long blocksetId) => m_lastImplied = blocksetId;

    /// <summary>The block hash of the link of a blockset; null if it has none.</summary>
    internal string? BlockHashOf(long blocksetId, string fullHash, long length, long blockBytes)
    {
        if (!m_byFile.TryGet(m_keys.OfText(fullHash, length), out var value))
            return blocksetId <= m_lastImplied && length <= blockBytes && (length > 0 || IsMetadata(blocksetId)) ? fullHash : null;
        return value == PlainLink ? fullHash : m_others[(int)value - 1].BlockHash;
    }

    /// <summary>Forgets what was added since the last commit.</summary>
    internal void Discard()
    {
        NoteCommits(m_session.TransactionCount - 1);
        foreach (var (file, block) in m_uncommitted)
        {
            m_byFile.Remove(file);
            m_byBlock.Remove(block);
        }

        m_others.RemoveAll(link => !m_byFile.Contains(m_keys.OfText(link.FileHash, link.Size)));
        m_uncommitted.Clear();
        m_transaction = m_session.TransactionCount;
    }

    // An empty file has no link, but empty metadata has.
    private bool IsMetadata(long blocksetId)
    {
        using var find = m_session.Take(RecreateFilelist.FindMetadatasetSql);
        return find.Bind(1, blocksetId).ExecuteInt64() >= 0;
    }

    private bool IsPlain(UInt128 block) => m_byFile.TryGet(block, out var value) && value == PlainLink;

    private void NoteCommits(long transaction)
    {
        if (transaction == m_transaction)
            return;

        m_transaction = transaction;
        m_uncommitted.Clear();
    }

    /// <summary>A blockset with this full hash and length is this block.</summary>
    internal readonly record struct Link(string FileHash, string BlockHash, long Size);
}
