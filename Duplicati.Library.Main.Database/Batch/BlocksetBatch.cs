// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Buffers.Text;
using System.Threading;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Blocksets;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Batch;

/// <summary>
/// Adds many blocksets at a time, given by the ids of their blocks. Nothing here commits. Use with the session's gate held.
/// </summary>
internal static class BlocksetBatch
{
    // Primary key of BlocksetEntry, row ids of Block; all blocks but the last have the full size.
    private const string CountFittingEntries = """
        SELECT count(*) FROM "BlocksetEntry" CROSS JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
        WHERE "BlocksetEntry"."BlocksetID" = ?1 AND "Block"."Size" = MIN(?2, ?3 - ("BlocksetEntry"."Index" * ?2))
        """;

    private const int MaxDigestBytes = PackedBlocks.MaxDigestBytes;

    /// <summary>Finds or adds each blockset; all or, after a failure, none.</summary>
    /// <returns>Number of blocksets added.</returns>
    internal static int Add(
        DatabaseSession session,
        ReadOnlySpan<BatchBlockset> blocksets,
        int blocksize,
        Span<long> ids,
        Span<bool> isNew,
        CancellationToken token
    )
    {
        var added = 0;
        var done = 0;
        // The blocks must be in the table for their sizes to be checked.
        try
        {
            for (; done < blocksets.Length; done++)
            {
                token.ThrowIfCancellationRequested();
                ids[done] = FindOrAdd(session, blocksets[done], blocksize, out isNew[done], token);
                added += isNew[done] ? 1 : 0;
            }

            return added;
        }
        catch
        {
            Remove(session, ids[..done], isNew[..done]);
            throw;
        }
    }

    private static long FindOrAdd(
        DatabaseSession session,
        in BatchBlockset blockset,
        int blocksize,
        out bool isNew,
        CancellationToken token
    )
    {
        isNew = false;
        Span<byte> buffer = stackalloc byte[Base64.GetMaxEncodedToUtf8Length(MaxDigestBytes)];
        var fullHash = Encode(blockset.FullHash.Span, buffer);
        var known = BlocksetReads.Find(session, fullHash, blockset.Length);
        if (known < 0 && session.HasToAskAgain(token))
            known = BlocksetReads.Find(session, fullHash, blockset.Length);
        if (known >= 0)
            return known;

        var id = BlocksetWrites.Insert(session, fullHash, blockset.Length);
        try
        {
            AddBlocklists(session, id, blockset);
            Link(session, id, blockset, blocksize);
        }
        catch
        {
            BlocksetWrites.Remove(session, id);
            throw;
        }

        isNew = true;
        return id;
    }

    private static void AddBlocklists(DatabaseSession session, long blocksetId, in BatchBlockset blockset)
    {
        if (blockset.Blocklists == 0 && blockset.BlocklistHashes.IsEmpty)
            return;

        var bytes = blockset.Blocklists <= 0 ? 0 : blockset.BlocklistHashes.Length / blockset.Blocklists;
        if (bytes is 0 or > MaxDigestBytes || bytes * blockset.Blocklists != blockset.BlocklistHashes.Length)
            throw new ArgumentException(
                $"{blockset.BlocklistHashes.Length} bytes are not the digests of {blockset.Blocklists} blocklists."
            );

        Span<byte> text = stackalloc byte[Base64.GetMaxEncodedToUtf8Length(MaxDigestBytes)];
        using var insert = session.TakeDirect(BlocksetWrites.InsertBlocklist);
        for (var i = 0; i < blockset.Blocklists; i++)
        {
            var hash = Encode(blockset.BlocklistHashes.Span.Slice(i * bytes, bytes), text);
            insert.Bind(1, blocksetId).Bind(2, (long)i).BindUtf8(3, hash).ExecuteNonQuery();
        }
    }

    private static void Link(DatabaseSession session, long blocksetId, in BatchBlockset blockset, int blocksize)
    {
        var blocks = blockset.Length <= 0 ? 0 : ((blockset.Length - 1) / blocksize) + 1;
        if (blocks != blockset.BlockIds.Length)
            throw new Exception(
                $"Cannot link {blockset.BlockIds.Length} blocks to a blockset of {blockset.Length} bytes: it has {blocks} of {blocksize} bytes."
            );

        var entries = BlocksetEntryWriter.Of(session);
        entries.Begin(blocksetId);
        foreach (var id in blockset.BlockIds.Span)
            entries.Add(id);
        entries.End();

        using var count = session.TakeDirect(CountFittingEntries);
        var fitting = count.Bind(1, blocksetId).Bind(2, (long)blocksize).Bind(3, blockset.Length).ExecuteInt64(0);
        if (fitting != blockset.BlockIds.Length)
            throw new Exception(
                $"Cannot link {blockset.BlockIds.Length} blocks to a blockset of {blockset.Length} bytes: {blockset.BlockIds.Length - fitting} of the ids are not those of a live block of the size that belongs there."
            );
    }

    private static void Remove(DatabaseSession session, ReadOnlySpan<long> ids, Span<bool> isNew)
    {
        for (var i = ids.Length - 1; i >= 0; i--)
        {
            if (isNew[i])
                BlocksetWrites.Remove(session, ids[i]);
            isNew[i] = false;
        }
    }

    private static ReadOnlySpan<byte> Encode(ReadOnlySpan<byte> digest, Span<byte> text)
    {
        if (digest.Length is 0 or > MaxDigestBytes)
            throw new ArgumentException($"A digest has 1 to {MaxDigestBytes} bytes, not {digest.Length}.", nameof(digest));
        Base64.EncodeToUtf8(digest, text, out _, out var length);
        return text[..length];
    }
}
