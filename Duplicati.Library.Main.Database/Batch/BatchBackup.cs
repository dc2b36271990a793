// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using Duplicati.Library.Main.Database.Backup;
using Duplicati.Library.Main.Database.Batch;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Library.Main.Database;

/// <summary>
/// The members of a backup that are called for each block, for many blocks at a time and without texts: hashes are raw digests,
/// packed one after the other, of any one length (32 bytes for SHA-256). For programs that have many digests at hand at once, such as
/// ones that import or compare; a backup that compresses and hashes as it goes gains nothing, so the engine keeps to the members.
/// </summary>
/// <remarks>
/// A second way into the same transaction, buffers and maps as those of the database object it is made from; both may be used in
/// any order, one flow at a time or several. Works on the caller's thread. Nothing is allocated for a block or an entry. When the
/// database object is disposed, this ends with it.
/// </remarks>
internal sealed class BatchBackup
{
    private readonly LocalBackupDatabase m_database;
    private readonly BlockBatch m_blocks;

    private BatchBackup(LocalBackupDatabase database)
    {
        m_database = database;
        m_blocks = new BlockBatch(database.Session, database.BlockAdding);
    }

    /// <summary>The batch members of a backup database.</summary>
    internal static BatchBackup Of(LocalBackupDatabase database)
    {
        ArgumentNullException.ThrowIfNull(database);
        return new BatchBackup(database);
    }

    /// <summary>Looks live blocks up; answers as <see cref="LocalBackupDatabase.FindBlockIDAsync"/> does one by one.</summary>
    /// <param name="hashes">The digests of the blocks, one after the other.</param>
    /// <param name="sizes">Their sizes in bytes.</param>
    /// <param name="ids">Receives an id a block, -1 where there is none.</param>
    /// <param name="token">Seen every few thousand blocks.</param>
    /// <returns>Number of blocks found.</returns>
    /// <exception cref="ArgumentException">The digests do not divide by the number of sizes, or there is too little room for the
    /// ids.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled; the ids mean nothing.</exception>
    public int Find(ReadOnlySpan<byte> hashes, ReadOnlySpan<long> sizes, Span<long> ids, CancellationToken token)
    {
        var blocks = new PackedBlocks(hashes, sizes);
        var answers = Room(ids, blocks.Count, nameof(ids));
        token.ThrowIfCancellationRequested();
        lock (m_database.Session.Gate)
        {
            m_database.Session.LockForAnswers(token);
            return m_blocks.Find(blocks, answers, token);
        }
    }

    /// <summary>
    /// Makes blocks live; the same as <see cref="LocalBackupDatabase.AddBlockAsync"/> one after the other, so the second of two equal
    /// blocks is not new. Does not commit.
    /// </summary>
    /// <param name="hashes">The digests of the blocks, one after the other.</param>
    /// <param name="sizes">Their sizes in bytes.</param>
    /// <param name="volumeId">The volume that the new ones are to be stored in.</param>
    /// <param name="ids">Receives the id of each block.</param>
    /// <param name="isNew">Receives true for each block whose data must be stored, false for one that is stored already.</param>
    /// <param name="token">Seen every few thousand blocks.</param>
    /// <returns>Number of blocks that are new.</returns>
    /// <exception cref="ArgumentException">The digests do not divide by the number of sizes, or there is too little room for the
    /// answers.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled. As after any other failure, blocks whose id is -1 have
    /// not been touched, and the others are live as if they had been offered one by one.</exception>
    public int Add(
        ReadOnlySpan<byte> hashes,
        ReadOnlySpan<long> sizes,
        long volumeId,
        Span<long> ids,
        Span<bool> isNew,
        CancellationToken token
    )
    {
        var blocks = new PackedBlocks(hashes, sizes);
        var answers = Room(ids, blocks.Count, nameof(ids));
        var news = Room(isNew, blocks.Count, nameof(isNew));
        answers.Fill(-1);
        news.Clear();
        token.ThrowIfCancellationRequested();
        lock (m_database.Session.Gate)
        {
            m_database.Session.LockForAnswers(token);
            return m_blocks.Add(blocks, volumeId, answers, news, token);
        }
    }

    /// <summary>
    /// Finds blocksets or adds them, with their blocklists and the links to their blocks; what
    /// <see cref="LocalBackupDatabase.AddBlocksetAsync"/>
    /// does one by one. All are added or, after a failure, none. Commits once, at the end, if one is new.
    /// </summary>
    /// <param name="blocksets">The blocksets.</param>
    /// <param name="blocksize">Size in bytes of all blocks of a blockset but the last.</param>
    /// <param name="ids">Receives the id of each blockset; means nothing after a failure.</param>
    /// <param name="isNew">Receives true for each blockset that was added; the second of two equal ones is not new.</param>
    /// <param name="token">Seen before each blockset; a cancelled batch leaves nothing.</param>
    /// <returns>Number of blocksets added.</returns>
    /// <exception cref="ArgumentException">There is too little room for the answers, or the digests of blocklists do not divide by their
    /// number.</exception>
    /// <exception cref="Exception">There are more or fewer blocks than the length asks for, or an id is not that of a live block of the
    /// size that belongs at its place.</exception>
    public int Link(ReadOnlySpan<BatchBlockset> blocksets, int blocksize, Span<long> ids, Span<bool> isNew, CancellationToken token)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(blocksize);
        var answers = Room(ids, blocksets.Length, nameof(ids));
        var news = Room(isNew, blocksets.Length, nameof(isNew));
        token.ThrowIfCancellationRequested();
        lock (m_database.Session.Gate)
        {
            m_database.Session.LockForAnswers(token);
            var added = BlocksetBatch.Add(m_database.Session, blocksets, blocksize, answers, news, token);
            if (added > 0)
                m_database.Transaction.Commit("AddBlocksets");
            return added;
        }
    }

    private static Span<T> Room<T>(Span<T> span, int count, string name) =>
        span.Length >= count
            ? span[..count]
            : throw new ArgumentException($"There is room for {span.Length} answers, {count} are to be given.", name);
}

/// <summary>Content that was split into blocks, for <see cref="BatchBackup.Link"/>.</summary>
/// <param name="FullHash">The raw digest of the whole content.</param>
/// <param name="Length">Its length in bytes.</param>
/// <param name="BlockIds">The ids of its blocks in order, as <see cref="BatchBackup.Add"/> or <see cref="BatchBackup.Find"/> gave them in
/// this operation.</param>
/// <param name="BlocklistHashes">The digests of its blocklists in order, one after the other; empty without blocklists.</param>
/// <param name="Blocklists">Number of blocklists.</param>
internal readonly record struct BatchBlockset(
    ReadOnlyMemory<byte> FullHash,
    long Length,
    ReadOnlyMemory<long> BlockIds,
    ReadOnlyMemory<byte> BlocklistHashes = default,
    int Blocklists = 0
);
