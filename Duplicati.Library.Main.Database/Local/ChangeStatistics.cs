// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Threading;
using System.Threading.Tasks;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database;

/// <summary>Counts what changed between two filesets.</summary>
public static class ChangeStatistics
{
    // No fileset has this id: everything of the other one counts as without counterpart.
    private const long NO_FILESET = -1;

    /// <summary>Compares two filesets by path and sets the nine counters of a backup's results.</summary>
    /// <param name="cmd">A command bound to the open transaction; its text and parameters are overwritten.</param>
    /// <param name="results">Takes the counters.</param>
    /// <param name="currentFilesetId">The new fileset. If it is the previous one too, its entries count as deleted.</param>
    /// <param name="previousFilesetId">The fileset before it; an id that does not exist makes everything added.</param>
    /// <param name="token">Interrupts the comparison.</param>
    /// <remarks>
    /// Reads only. Two passes over the primary key of each fileset; paths are compared only for entries the filesets do not share.
    /// </remarks>
    internal static async Task UpdateChangeStatisticsAsync(
        SqliteCommand cmd,
        BackupResults results,
        long currentFilesetId,
        long previousFilesetId,
        CancellationToken token
    )
    {
        if (currentFilesetId == previousFilesetId)
            currentFilesetId = NO_FILESET;

        var added = await CountUnmatchedAsync(cmd, currentFilesetId, previousFilesetId, token).ConfigureAwait(false);
        var deleted = await CountUnmatchedAsync(cmd, previousFilesetId, currentFilesetId, token).ConfigureAwait(false);
        var modified = await CountModifiedAsync(cmd, currentFilesetId, previousFilesetId, token).ConfigureAwait(false);

        (results.AddedFolders, results.AddedSymlinks, results.AddedFiles) = added;
        (results.DeletedFolders, results.DeletedSymlinks, results.DeletedFiles) = deleted;
        (results.ModifiedFolders, results.ModifiedSymlinks, results.ModifiedFiles) = modified;
    }

    private static Task<(long Folders, long Symlinks, long Files)> CountUnmatchedAsync(
        SqliteCommand cmd,
        long filesetId,
        long otherFilesetId,
        CancellationToken token
    )
    {
        cmd.SetCommandAndParameters(ChangeStatisticsSql.ENTRIES_WITHOUT_COUNTERPART)
            .SetParameterValue("@FilesetId", filesetId)
            .SetParameterValue("@OtherFilesetId", otherFilesetId);
        return ReadCountersAsync(cmd, token);
    }

    private static Task<(long Folders, long Symlinks, long Files)> CountModifiedAsync(
        SqliteCommand cmd,
        long currentFilesetId,
        long previousFilesetId,
        CancellationToken token
    )
    {
        cmd.SetCommandAndParameters(ChangeStatisticsSql.MODIFIED_PAIRS)
            .SetParameterValue("@CurrentFilesetId", currentFilesetId)
            .SetParameterValue("@PreviousFilesetId", previousFilesetId);
        return ReadCountersAsync(cmd, token);
    }

    private static async Task<(long Folders, long Symlinks, long Files)> ReadCountersAsync(SqliteCommand cmd, CancellationToken token)
    {
        var counters = new long[3];
        await foreach (var row in cmd.ExecuteReaderEnumerableAsync(token).ConfigureAwait(false))
            counters[row.GetInt64(0)] = row.GetInt64(1);
        return (counters[0], counters[1], counters[2]);
    }
}
