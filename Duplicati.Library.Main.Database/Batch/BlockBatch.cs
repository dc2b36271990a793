// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Buffers.Text;
using System.Threading;
using Duplicati.Library.Main.Database.Backup;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Batch;

/// <summary>
/// Look-ups and additions of many blocks by their digests. Nothing here commits or allocates per block. Use with the session's gate held.
/// </summary>
internal sealed class BlockBatch(DatabaseSession session, BlockAdding adding)
{
    // Enough to keep as many reads of memory under way as a processor can, few enough for the stack.
    private const int KeysAtOnce = 32;
    private const int BlocksBetweenChecks = 4096;

    private readonly BlockMap m_map = BlockMap.Of(session);

    /// <summary>Gives the id of each live block, -1 for the others, and returns how many there are.</summary>
    internal int Find(PackedBlocks blocks, Span<long> ids, CancellationToken token)
    {
        var found = 0;
        Span<BlockKey> keys = stackalloc BlockKey[KeysAtOnce];
        for (var start = 0; start < blocks.Count; start += KeysAtOnce)
        {
            if (start % BlocksBetweenChecks == 0)
                token.ThrowIfCancellationRequested();

            var some = blocks.Slice(start, Math.Min(KeysAtOnce, blocks.Count - start));
            var answers = ids.Slice(start, some.Count);
            if (!TryGetKeys(some, keys) || !m_map.TryFind(keys[..some.Count], answers))
                FindEach(some, answers, token);
            foreach (var id in answers)
                found += id >= 0 ? 1 : 0;
        }

        return found;
    }

    /// <summary>Finds each block or makes it live, and returns how many must be stored.</summary>
    internal int Add(PackedBlocks blocks, long volumeId, Span<long> ids, Span<bool> isNew, CancellationToken token)
    {
        var added = 0;
        Span<BlockKey> keys = stackalloc BlockKey[KeysAtOnce];
        Span<long> known = stackalloc long[KeysAtOnce];
        for (var start = 0; start < blocks.Count; start += KeysAtOnce)
        {
            if (start % BlocksBetweenChecks == 0)
                token.ThrowIfCancellationRequested();

            var some = blocks.Slice(start, Math.Min(KeysAtOnce, blocks.Count - start));
            var haveKeys = TryGetKeys(some, keys);
            var answered = haveKeys && m_map.TryFind(keys[..some.Count], known[..some.Count]);
            for (var i = 0; i < some.Count; i++)
            {
                if (answered && known[i] >= 0)
                {
                    ids[start + i] = known[i];
                    continue;
                }

                ids[start + i] = haveKeys
                    ? FindOrAdd(keys[i], some.Digest(i), volumeId, out isNew[start + i], token)
                    : FindOrAdd(some.Digest(i), some.Size(i), volumeId, out isNew[start + i], token);
                added += isNew[start + i] ? 1 : 0;
            }
        }

        return added;
    }

    private static bool TryGetKeys(PackedBlocks blocks, Span<BlockKey> keys)
    {
        for (var i = 0; i < blocks.Count; i++)
        {
            if (!BlockKey.TryFromDigest(blocks.Digest(i), blocks.Size(i), out keys[i]))
                return false;
        }

        return true;
    }

    private void FindEach(PackedBlocks blocks, Span<long> ids, CancellationToken token)
    {
        Span<byte> text = stackalloc byte[BlockKey.MaxTextLength];
        for (var i = 0; i < blocks.Count; i++)
        {
            ids[i] = BlockKey.TryFromDigest(blocks.Digest(i), blocks.Size(i), out var key)
                ? m_map.Find(key, Encode(blocks.Digest(i), text), token)
                : m_map.FindText(Convert.ToBase64String(blocks.Digest(i)), blocks.Size(i));
        }
    }

    private long FindOrAdd(ReadOnlySpan<byte> digest, long size, long volumeId, out bool isNew, CancellationToken token) =>
        BlockKey.TryFromDigest(digest, size, out var key)
            ? FindOrAdd(key, digest, volumeId, out isNew, token)
            : adding.FindOrAddText(Convert.ToBase64String(digest), size, volumeId, out isNew, token);

    private long FindOrAdd(in BlockKey key, ReadOnlySpan<byte> digest, long volumeId, out bool isNew, CancellationToken token)
    {
        Span<byte> buffer = stackalloc byte[BlockKey.MaxTextLength];
        // Asked again even if it was not there a moment ago: the same block may have been added since, from the same batch.
        return adding.FindOrAdd(key, Encode(digest, buffer), volumeId, out isNew, token);
    }

    private static ReadOnlySpan<byte> Encode(ReadOnlySpan<byte> digest, Span<byte> text)
    {
        Base64.EncodeToUtf8(digest, text, out _, out var length);
        return text[..length];
    }
}
