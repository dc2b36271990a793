// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Indexes;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>Takes out of the tables what turned out not to be there, or not to be used.</summary>
/// <remarks>Call with the connection lock held. Linear in blocks and duplicates.</remarks>
internal sealed class RecreateCleanup
{
    // Remotevolume in full.
    internal const string CountVolumes = """SELECT COUNT(*) FROM "Remotevolume" WHERE "Type" = 'Blocks' AND "State" = 'Temporary'""";

    // DuplicateBlock in full, row ids of Block and Remotevolume.
    internal const string ListSwapsSql = """
        SELECT d."BlockID", MIN(d."VolumeID"), b."VolumeID"
        FROM "DuplicateBlock" d
        CROSS JOIN "Block" b ON b."ID" = d."BlockID"
        CROSS JOIN "Remotevolume" old ON old."ID" = b."VolumeID" AND old."State" = 'Temporary'
        CROSS JOIN "Remotevolume" new ON new."ID" = d."VolumeID" AND new."State" = 'Verified'
        GROUP BY d."BlockID"
        """;

    // UniqueBlockVolumeDuplicateBlock.
    private const string SetDuplicateVolume = """UPDATE "DuplicateBlock" SET "VolumeID" = ?3 WHERE "BlockID" = ?1 AND "VolumeID" = ?2""";

    // Remotevolume in full, a look-up in Block_IndexByVolumeId each (in a set made of Block while that is deferred).
    private const string ListUnusedVolumes = """
        SELECT "ID" FROM "Remotevolume"
        WHERE "Type" = 'Blocks' AND "State" = 'Temporary' AND "ID" NOT IN (SELECT "VolumeID" FROM "Block")
        """;

    // IndexBlockLink in full, a row for each index file; ?1 = a list of ids as JSON.
    private const string DeleteLinks = """DELETE FROM "IndexBlockLink" WHERE "BlockVolumeID" IN (SELECT "value" FROM json_each(?1))""";

    // DuplicateBlock in full; ?1 = a list of ids as JSON.
    internal const string DeleteDuplicates = """DELETE FROM "DuplicateBlock" WHERE "VolumeID" IN (SELECT "value" FROM json_each(?1))""";

    // Row id; ?1 = a list of ids as JSON.
    private const string DeleteVolumes = """DELETE FROM "Remotevolume" WHERE "ID" IN (SELECT "value" FROM json_each(?1))""";

    // Block in full, a set of the volumes that are there: half the cost of asking for the volume of each block.
    internal const string DeleteLostBlocks = """
        DELETE FROM "Block" WHERE "VolumeID" NOT IN (SELECT "ID" FROM "Remotevolume" WHERE "State" <> 'Temporary')
        """;

    // Block in row id order beside BlocksetEntry_IndexIdsBackwards in full, one pass over both; a set of the blocklist hashes for the
    // few that are left. The limit, which is none, keeps newer engines from leaving the order out and collecting all blocks in a tree.
    internal const string ListUnusedBlocks = """
        SELECT b."ID"
        FROM (SELECT "ID" FROM "Block" EXCEPT SELECT "BlockID" FROM "BlocksetEntry" ORDER BY 1 LIMIT -1) unused
        CROSS JOIN "Block" b ON b."ID" = unused."ID"
        WHERE b."Hash" NOT IN (SELECT "Hash" FROM "BlocklistHash")
        """;

    // Row id, DeletedBlockHashVolumeID: a filled database may have booked the block in that volume before.
    private const string CopyDeletedBlock = """
        INSERT OR IGNORE INTO "DeletedBlock" ("Hash", "Size", "VolumeID") SELECT "Hash", "Size", "VolumeID" FROM "Block" WHERE "ID" = ?1
        """;

    // DuplicateBlock in full, the row id of Block for each.
    internal const string DeleteDuplicatesOfNothing = """
        DELETE FROM "DuplicateBlock" WHERE NOT EXISTS (SELECT 1 FROM "Block" b WHERE b."ID" = "DuplicateBlock"."BlockID")
        """;

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
        var before = CountMissingBeforeWriting(token);
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
        if (CountMissingBeforeWriting(token) > 0)
            SwapWithDuplicates(token);
    }

    /// <summary>
    /// Removes blocks that no volume holds, and books blocks that nothing uses as deleted. Builds the two deferred indexes that this needs.
    /// </summary>
    internal void RemoveUnusedBlocks(CancellationToken token)
    {
        BookDeleted(RemoveLost(DeferredIndexes.Of(m_session)), token);
        // The ids of blocks that are gone are given to others, which would inherit the copies.
        m_session.Run(DeleteDuplicatesOfNothing);
    }

    // Returns the blocks that nothing uses. Everything is read from end to end, so that a large page cache would only take memory.
    private List<long> RemoveLost(DeferredIndexes indexes)
    {
        using var runs = SortRuns.Shorten(m_session.Statements);
        indexes.Restore("BlocklistHash");
        indexes.RestoreOne("BlocksetEntry_IndexIdsBackwards");
        m_blocks.Forget();
        // Before the indexes of Block are built, so that they need not be kept up to date.
        m_session.Run(DeleteLostBlocks);
        return ListIds(ListUnusedBlocks);
    }

    private long CountMissing() => m_session.ReadNumber(CountVolumes);

    // What is read next must be so when rows are changed by it.
    private long CountMissingBeforeWriting(CancellationToken token) =>
        m_session.AskBeforeWriting(this, static (_, cleanup) => cleanup.CountMissing(), static count => count > 0, token);

    private void SwapWithDuplicates(CancellationToken token)
    {
        foreach (var (block, present, missing) in ListSwaps())
        {
            token.ThrowIfCancellationRequested();
            using (var duplicate = m_session.Take(SetDuplicateVolume))
                duplicate.Bind(1, block).Bind(2, present).Bind(3, missing).ExecuteNonQuery();
            using var volume = m_session.Take(BlockSql.SetVolume);
            volume.Bind(1, block).Bind(2, present).ExecuteNonQuery();
            m_blocks.Ranges.Add(block, present);
        }
    }

    private List<(long Block, long Present, long Missing)> ListSwaps()
    {
        using var list = m_session.Take(ListSwapsSql);
        return list.ReadAll(static row => (row.GetInt64(0), row.GetInt64(1), row.GetInt64(2)));
    }

    private void RemoveUnusedVolumes()
    {
        var volumes = ListIds(ListUnusedVolumes);
        if (volumes.Count == 0)
            return;

        var json = "[" + string.Join(',', volumes.Select(id => id.ToString(CultureInfo.InvariantCulture))) + "]";
        Delete(DeleteLinks, json);
        Delete(DeleteDuplicates, json);
        Delete(DeleteVolumes, json);
    }

    private void Delete(string sql, string ids)
    {
        using var delete = m_session.Take(sql);
        delete.Bind(1, ids).ExecuteNonQuery();
    }

    private List<long> ListIds(string sql)
    {
        using var list = m_session.Take(sql);
        return list.ReadAll(static row => row.GetInt64(0));
    }

    private void BookDeleted(List<long> blocks, CancellationToken token)
    {
        foreach (var block in blocks)
        {
            token.ThrowIfCancellationRequested();
            using (var copy = m_session.Take(CopyDeletedBlock))
                copy.Bind(1, block).ExecuteNonQuery();
            using var delete = m_session.Take(BlockSql.DeleteBlock);
            delete.Bind(1, block).ExecuteNonQuery();
        }
    }
}
