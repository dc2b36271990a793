// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>
/// All uses of blocks by a prepared list, volume by volume in the order of volume ids, so that a restore can open each volume
/// once and write everything it is needed for.
/// </summary>
/// <remarks>
/// One pass over the blocksets of the list when all uses fit into memory at once (40 bytes a use, <see cref="UsesInMemory"/> of
/// them, or <see cref="UsesInLittleMemory"/>). A larger restore is counted by that pass, and takes one more for each part of that size.
/// No reader is open while the consumer works, which may write and commit; the list must stay as it is.
/// </remarks>
internal sealed class VolumePass
{
    /// <summary>Uses that are collected at a time: 160 MiB.</summary>
    internal const int UsesInMemory = 1 << 22;

    /// <summary>The same with the preset <c>small</c>: 20 MiB.</summary>
    internal const int UsesInLittleMemory = 1 << 19;

    private readonly DatabaseSession m_session;
    private readonly bool m_skipMetadata;
    private readonly int m_limit;

    internal VolumePass(DatabaseSession session, bool skipMetadata)
        : this(session, skipMetadata, ConnectionOptions.Current.IsSmall ? UsesInLittleMemory : UsesInMemory) { }

    internal VolumePass(DatabaseSession session, bool skipMetadata, int limit)
    {
        m_session = session;
        m_skipMetadata = skipMetadata;
        m_limit = limit;
    }

    /// <summary>The volumes, each once.</summary>
    internal async IAsyncEnumerable<VolumeNeed> ReadAsync([EnumeratorCancellation] CancellationToken token)
    {
        var counts = new SortedDictionary<long, long>();
        var uses = new List<BlockUse>();
        var total = 0L;
        await foreach (var use in UsesAsync(token).ConfigureAwait(false))
        {
            counts[use.VolumeId] = counts.GetValueOrDefault(use.VolumeId) + 1;
            if (++total <= m_limit)
                uses.Add(use);
        }

        foreach (var (first, last, count) in Parts(counts, m_limit))
        {
            if (total > m_limit)
                await CollectAsync(uses, first, last, count, token).ConfigureAwait(false);
            uses.Sort(InOrder);
            foreach (var (start, end) in Groups(uses, 0, uses.Count, static use => use.VolumeId))
                yield return m_session.Do(session => ReadVolume(session, uses, start, end), token);
        }
    }

    private IAsyncEnumerable<BlockUse> UsesAsync(CancellationToken token) =>
        Paged.PagesAsync<BlockUse>(m_session, () => new UseCursor(m_skipMetadata).Next, token);

    // A volume with more uses than the limit is a part of its own.
    private static IEnumerable<(long First, long Last, long Uses)> Parts(SortedDictionary<long, long> counts, long limit)
    {
        long first = 0,
            last = 0,
            uses = 0;
        foreach (var (volume, count) in counts)
        {
            if (uses > 0 && uses + count > limit)
            {
                yield return (first, last, uses);
                uses = 0;
            }

            first = uses == 0 ? volume : first;
            last = volume;
            uses += count;
        }

        if (uses > 0)
            yield return (first, last, uses);
    }

    // Into the memory of the part before.
    private async Task CollectAsync(List<BlockUse> uses, long first, long last, long count, CancellationToken token)
    {
        uses.Clear();
        uses.EnsureCapacity((int)count);
        await foreach (var use in UsesAsync(token).ConfigureAwait(false))
        {
            if (use.VolumeId >= first && use.VolumeId <= last)
                uses.Add(use);
        }
    }

    private static int InOrder(BlockUse a, BlockUse b)
    {
        var order = a.VolumeId.CompareTo(b.VolumeId);
        order = order != 0 ? order : a.BlockId.CompareTo(b.BlockId);
        order = order != 0 ? order : a.FileId.CompareTo(b.FileId);
        order = order != 0 ? order : a.IsMetadata.CompareTo(b.IsMetadata);
        return order != 0 ? order : a.Index.CompareTo(b.Index);
    }

    private static IEnumerable<(int Start, int End)> Groups(List<BlockUse> uses, int start, int end, Func<BlockUse, long> key)
    {
        while (start < end)
        {
            var next = start + 1;
            while (next < end && key(uses[next]) == key(uses[start]))
                next++;
            yield return (start, next);
            start = next;
        }
    }

    private static VolumeNeed ReadVolume(DatabaseSession session, List<BlockUse> uses, int start, int end)
    {
        var places = new BlockPlace[end - start];
        for (var i = start; i < end; i++)
            places[i - start] = new BlockPlace(uses[i].FileId, uses[i].Index, uses[i].IsMetadata);

        var blocks = new List<BlockNeed>();
        using var rows = session.Take(BlockSql.KeyOfId);
        foreach (var (first, next) in Groups(uses, start, end, static use => use.BlockId))
        {
            rows.Bind(1, uses[first].BlockId);
            if (rows.Read())
                blocks.Add(
                    new BlockNeed(uses[first].BlockId, rows.GetString(0)!, rows.GetInt64(1), places.AsMemory(first - start, next - first))
                );
            rows.Reset();
        }

        using var volume = session.Take(BlockReads.VolumeSql);
        volume.Bind(1, uses[start].VolumeId);
        return volume.Read()
            ? new VolumeNeed(uses[start].VolumeId, volume.GetString(0) ?? "", volume.GetInt64(1, -1), volume.GetString(2) ?? "", blocks)
            : new VolumeNeed(uses[start].VolumeId, "", -1, "", blocks);
    }
}

/// <summary>Everything one volume is needed for by a prepared list.</summary>
/// <param name="VolumeId">The volume; -1 for blocks whose volume is unknown.</param>
/// <param name="Name">Its remote name; empty if the database does not know the volume.</param>
/// <param name="Size">Bytes; -1 if unknown.</param>
/// <param name="Hash">Base64 hash of the remote file; empty if unknown.</param>
/// <param name="Blocks">The blocks needed, by id, each once.</param>
internal sealed record VolumeNeed(long VolumeId, string Name, long Size, string Hash, IReadOnlyList<BlockNeed> Blocks);

/// <summary>One block of a volume and all the places it is to be written to.</summary>
/// <param name="BlockId">The block.</param>
/// <param name="Hash">Base64.</param>
/// <param name="Size">Bytes.</param>
/// <param name="Uses">The places, by file and index; 24 bytes each.</param>
internal sealed record BlockNeed(long BlockId, string Hash, long Size, ReadOnlyMemory<BlockPlace> Uses);

/// <summary>A place a block is to be written to.</summary>
/// <param name="FileId">Id of the entry in the list.</param>
/// <param name="Index">Position in the file or its metadata, from 0; times the block size it is the offset in bytes.</param>
/// <param name="IsMetadata">Whether it is part of the metadata.</param>
internal readonly record struct BlockPlace(long FileId, long Index, bool IsMetadata);
