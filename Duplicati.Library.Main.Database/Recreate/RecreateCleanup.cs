// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Indexes;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>Takes out of the tables what turned out not to be there, or not to be used.</summary>
/// <remarks>Call with the session's gate held. Linear in blocks and duplicates.</remarks>
internal sealed class RecreateCleanup
{
    private static readonly string LOGTAG = Log.LogTagFromType<LocalRecreateDatabase>();

    private readonly DatabaseSession m_session;
    private readonly RecreateBlocks m_blocks;

    internal RecreateCleanup(DatabaseSession session, RecreateBlocks blocks)
    {
        m_session = session;
        m_blocks = blocks;
    }

    /// <summary>
    /// Gives blocks of volumes that are not there (state Temporary) to a volume that has a copy, and removes those volumes that are
    /// left without blocks. Nothing happens, and nothing is logged, if no volume is missing.
    /// </summary>
    internal void RemoveMissingVolumes(CancellationToken token)
    {
        var before = CountMissing();
        if (before == 0)
            return;

        try
        {
            SwapWithDuplicates(token);
            RemoveUnusedVolumes();
        }
        catch (Exception ex) when (ex is not OperationCanceledException)
        {
            Log.WriteWarningMessage(
                LOGTAG,
                "MissingVolumesDetected",
                ex,
                "Failed to clean up {0} missing volumes: {1}",
                before,
                ex.Message
            );
            throw;
        }

        Log.WriteWarningMessage(
            LOGTAG,
            "MissingVolumesDetected",
            null,
            "Found {0} missing volumes, of which {1} are still referred to",
            before,
            CountMissing()
        );
    }

    /// <summary>
    /// Gives blocks of volumes that are not there (state Temporary) to a volume that has a copy. Reads DuplicateBlock if there are any.
    /// </summary>
    internal void TakeOverMissing(CancellationToken token)
    {
        if (CountMissing() > 0)
            SwapWithDuplicates(token);
    }

    /// <summary>
    /// Removes blocks that no volume holds, and books blocks that nothing uses as deleted. Builds the two deferred indexes that this needs.
    /// </summary>
    internal void RemoveUnusedBlocks(CancellationToken token)
    {
        BookDeleted(RemoveLost(DeferredIndexes.Of(m_session)), token);
        // The ids of blocks that are gone are given to others, which would inherit the copies.
        m_session.Run(CleanupSql.DeleteDuplicatesOfNothing);
    }

    // Returns the blocks that nothing uses. Everything is read from end to end, so that a large page cache would only take memory.
    private List<long> RemoveLost(DeferredIndexes indexes)
    {
        using var runs = SortRuns.Shorten(m_session.Statements);
        indexes.Restore("BlocklistHash");
        indexes.RestoreOne("BlocksetEntry_IndexIdsBackwards");
        m_blocks.Forget();
        // Before the indexes of Block are built, so that they need not be kept up to date.
        m_session.Run(CleanupSql.DeleteLostBlocks);
        return ListIds(CleanupSql.ListUnusedBlocks);
    }

    private long CountMissing() => m_session.ReadNumber(CleanupSql.CountVolumes);

    private void SwapWithDuplicates(CancellationToken token)
    {
        foreach (var (block, present, missing) in ListSwaps())
        {
            token.ThrowIfCancellationRequested();
            using (var duplicate = m_session.Take(CleanupSql.SetDuplicateVolume))
                duplicate.Bind(1, block).Bind(2, present).Bind(3, missing).ExecuteNonQuery();
            using var volume = m_session.Take(CleanupSql.SetVolume);
            volume.Bind(1, block).Bind(2, present).ExecuteNonQuery();
            m_blocks.Ranges.Add(block, present);
        }
    }

    private List<(long Block, long Present, long Missing)> ListSwaps()
    {
        using var list = m_session.Take(CleanupSql.ListSwaps);
        var result = new List<(long, long, long)>();
        while (list.Read())
            result.Add((list.GetInt64(0), list.GetInt64(1), list.GetInt64(2)));
        return result;
    }

    private void RemoveUnusedVolumes()
    {
        var volumes = ListIds(CleanupSql.ListUnusedVolumes);
        if (volumes.Count == 0)
            return;

        var json = "[" + string.Join(',', volumes.Select(id => id.ToString(CultureInfo.InvariantCulture))) + "]";
        Delete(CleanupSql.DeleteLinks, json);
        Delete(CleanupSql.DeleteDuplicates, json);
        Delete(CleanupSql.DeleteVolumes, json);
    }

    private void Delete(string sql, string ids)
    {
        using var delete = m_session.Take(sql);
        delete.Bind(1, ids).ExecuteNonQuery();
    }

    private List<long> ListIds(string sql)
    {
        using var list = m_session.Take(sql);
        var result = new List<long>();
        while (list.Read())
            result.Add(list.GetInt64(0));
        return result;
    }

    private void BookDeleted(List<long> blocks, CancellationToken token)
    {
        foreach (var block in blocks)
        {
            token.ThrowIfCancellationRequested();
            using (var copy = m_session.Take(CleanupSql.CopyDeletedBlock))
                copy.Bind(1, block).ExecuteNonQuery();
            using var delete = m_session.Take(CleanupSql.DeleteBlock);
            delete.Bind(1, block).ExecuteNonQuery();
        }
    }
}
