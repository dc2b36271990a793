// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Repair;

/// <summary>The blocks of one lost volume, in a temporary table, and which of them have been found.</summary>
/// <remarks>Marking a block is four look-ups by key. One flow at a time.</remarks>
internal sealed class MissingBlockList : LocalRepairDatabase.IMissingBlockList
{
    private const long PageRows = 4096;

    private readonly DatabaseSession m_session;
    private readonly string m_volumeName;
    private readonly long m_list;
    private bool m_disposed;

    private MissingBlockList(DatabaseSession session, string volumeName, long list)
    {
        m_session = session;
        m_volumeName = volumeName;
        m_list = list;
    }

    /// <summary>Lists the blocks of a volume. Call with the session's gate held.</summary>
    /// <exception cref="Exception">There are none.</exception>
    internal static MissingBlockList Create(DatabaseSession session, string volumeName)
    {
        // Other lists may be in the table, so it is not emptied.
        session.Run(MissingBlockSql.Create);
        var list = session.ReadNumberDirect(MissingBlockSql.NextList, ifNone: 1);
        using var fill = session.Take(MissingBlockSql.Fill);
        if (fill.Bind(1, list).Bind(2, volumeName).ExecuteNonQuery() == 0)
            throw new Exception($"No blocks are registered in the volume {volumeName}.");
        return new MissingBlockList(session, volumeName, list);
    }

    public Task<bool> SetBlockRestoredAsync(string hash, long size, long volumeId, CancellationToken token) =>
        m_session.ShortAsync(_ => SetRestored(hash, size, volumeId), token);

    public IAsyncEnumerable<LocalRepairDatabase.BlockWithSourceData> GetSourceFilesWithBlocksAsync(
        long blocksize,
        CancellationToken token
    ) =>
        m_session.SnapshotAsync(
            session =>
            {
                var result = new List<LocalRepairDatabase.BlockWithSourceData>();
                using var rows = session.Take(MissingBlockSql.SourceFiles);
                for (rows.Bind(1, m_list).Bind(2, blocksize); rows.Read(); )
                    result.Add(
                        new LocalRepairDatabase.BlockWithSourceData(
                            rows.GetString(0)!,
                            rows.GetInt64(1),
                            rows.GetString(2)!,
                            rows.GetInt64(3)
                        )
                    );
                return result;
            },
            token
        );

    public IAsyncEnumerable<LocalRepairDatabase.BlockWithMetadataSourceData> GetSourceItemsWithMetadataBlocksAsync(
        CancellationToken token
    ) =>
        m_session.SnapshotAsync(
            session =>
            {
                var result = new List<LocalRepairDatabase.BlockWithMetadataSourceData>();
                using var rows = session.Take(MissingBlockSql.MetadataSources);
                for (rows.Bind(1, m_list); rows.Read(); )
                    result.Add(
                        new LocalRepairDatabase.BlockWithMetadataSourceData(rows.GetString(0)!, rows.GetInt64(1), rows.GetString(2)!)
                    );
                return result;
            },
            token
        );

    // Marking changes which blocklists are missing, but not what is in a blockset: the blocksets are copied, their entries are read as they
    // are needed.
    public async IAsyncEnumerable<LocalRepairDatabase.BlocklistHashesEntry> GetBlocklistHashesAsync(
        long hashesPerBlock,
        [EnumeratorCancellation] CancellationToken token
    )
    {
        foreach (var blocksetId in await m_session.LongAsync(BlocksetsToRebuild, token).ConfigureAwait(false))
        {
            var first = 0L;
            while (true)
            {
                var page = await m_session
                    .LongAsync(session => Entries(session, blocksetId, hashesPerBlock, first), token)
                    .ConfigureAwait(false);
                if (page.Count == 0)
                    break;

                foreach (var entry in page)
                    yield return entry;
                first = page[^1].Index + 1L;
            }
        }
    }

    public Task<long> GetMissingBlockCountAsync(CancellationToken token) =>
        m_session.ShortAsync(
            session =>
            {
                using var count = session.Take(MissingBlockSql.CountMissing);
                return count.Bind(1, m_list).ExecuteInt64(0);
            },
            token
        );

    public IAsyncEnumerable<IRemoteVolume> GetFilesetsUsingMissingBlocksAsync(CancellationToken token) =>
        m_session.SnapshotAsync(
            session =>
            {
                using var rows = session.Take(MissingBlockSql.ListsUsing);
                return RepairVolumes.Volumes(rows.Bind(1, m_list));
            },
            token
        );

    public IAsyncEnumerable<IRemoteVolume> GetMissingBlockSourcesAsync(CancellationToken token) =>
        m_session.SnapshotAsync(
            session =>
            {
                using var rows = session.Take(MissingBlockSql.OtherVolumes);
                return RepairVolumes.Volumes(rows.Bind(1, m_list).Bind(2, m_volumeName));
            },
            token
        );

    public void Dispose()
    {
        if (m_disposed)
            return;

        m_disposed = true;
        m_session.TryRemove(Remove);
    }

    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    private void Remove(DatabaseSession session)
    {
        // A rollback may have undone the table's creation.
        using (var create = session.TakeDirect(MissingBlockSql.Create))
            create.ExecuteNonQuery();
        using var remove = session.TakeDirect(MissingBlockSql.Remove);
        remove.Bind(1, m_list).ExecuteNonQuery();
    }

    private bool SetRestored(string hash, long size, long volumeId)
    {
        m_session.BeginWriting();
        using var find = m_session.Take(MissingBlockSql.Find);
        var blockId = find.Bind(1, m_list).Bind(2, hash).Bind(3, size).ExecuteInt64();
        if (blockId < 0)
            return false;

        using (var duplicate = m_session.TakeDirect(MissingBlockSql.AddDuplicate))
            duplicate.Bind(1, blockId).ExecuteNonQuery();
        using (var move = m_session.TakeDirect(MissingBlockSql.SetVolume))
        {
            var changed = move.Bind(1, blockId).Bind(2, volumeId).ExecuteNonQuery();
            if (changed != 1)
                throw new Exception(
                    $"Unexpected number of blocks moved to volume {volumeId}: {changed}, expected 1 (hash {hash}, size {size})."
                );
        }

        using var mark = m_session.TakeDirect(MissingBlockSql.SetRestored);
        mark.Bind(1, m_list).Bind(2, hash).Bind(3, size).ExecuteNonQuery();
        return true;
    }

    private List<long> BlocksetsToRebuild(DatabaseSession session)
    {
        var result = new List<long>();
        using var rows = session.Take(MissingBlockSql.BlocksetsOfMissingBlocklists);
        for (rows.Bind(1, m_list); rows.Read(); )
            result.Add(rows.GetInt64(0));
        return result;
    }

    private static List<LocalRepairDatabase.BlocklistHashesEntry> Entries(
        DatabaseSession session,
        long blocksetId,
        long hashesPerBlock,
        long first
    )
    {
        var result = new List<LocalRepairDatabase.BlocklistHashesEntry>();
        using var rows = session.Take(MissingBlockSql.EntriesOfBlockset);
        for (rows.Bind(1, blocksetId).Bind(2, hashesPerBlock).Bind(3, first).Bind(4, PageRows); rows.Read(); )
        {
            var index = rows.GetInt64(2);
            var blocklist =
                rows.GetString(0) ?? throw new Exception($"Blockset {blocksetId} has no blocklist at position {index / hashesPerBlock}.");
            result.Add(
                new LocalRepairDatabase.BlocklistHashesEntry(
                    blocksetId,
                    blocklist,
                    rows.GetInt64(1),
                    index / hashesPerBlock,
                    (int)index,
                    rows.GetString(3)!
                )
            );
        }

        return result;
    }
}
