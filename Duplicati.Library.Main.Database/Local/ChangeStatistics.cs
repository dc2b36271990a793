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
    // An entry that both filesets share by its file id is the same path, content and metadata in both, so it is passed over by a look-up in
    // the primary key of FilesetEntry; only the few others are compared by path. CROSS JOIN keeps that order whatever the planner's
    // statistics say. Kind: 0 folder, 1 symbolic link, 2 file.

    // FilesetEntry primary key (FilesetID), FileLookup row id; then FileLookupPath (PrefixID, Path) and the primary key once a path.
    private const string ENTRIES_WITHOUT_COUNTERPART = """
        SELECT CASE "F"."BlocksetID" WHEN -100 THEN 0 WHEN -200 THEN 1 ELSE 2 END AS "Kind", COUNT(*)
        FROM "FilesetEntry" AS "E"
        CROSS JOIN "FileLookup" AS "F" ON "F"."ID" = "E"."FileID"
        WHERE "E"."FilesetID" = @FilesetId
            AND NOT EXISTS (SELECT 1 FROM "FilesetEntry" AS "S" WHERE "S"."FilesetID" = @OtherFilesetId AND "S"."FileID" = "E"."FileID")
            AND NOT EXISTS (
                SELECT 1 FROM "FileLookup" AS "P"
                CROSS JOIN "FilesetEntry" AS "O" ON "O"."FilesetID" = @OtherFilesetId AND "O"."FileID" = "P"."ID"
                WHERE "P"."PrefixID" = "F"."PrefixID" AND "P"."Path" = "F"."Path")
        GROUP BY "Kind"
        """;

    // FilesetEntry primary key (FilesetID), FileLookup row id, FileLookupPath (PrefixID, Path), FilesetEntry primary key; metadata by row
    // id.
    // The second half finds pairs whose current entry is in both filesets: there were two entries of one path, and one of them is gone.
    private const string MODIFIED_PAIRS = """
        SELECT CASE "PreviousBlocksetID" WHEN -100 THEN 0 WHEN -200 THEN 1 ELSE 2 END AS "Kind", COUNT(*)
        FROM (
            SELECT "PF"."BlocksetID" AS "PreviousBlocksetID", "PF"."MetadataID" AS "PreviousMetadataID", "CF"."BlocksetID" AS "CurrentBlocksetID", "CF"."MetadataID" AS "CurrentMetadataID"
            FROM "FilesetEntry" AS "C"
            CROSS JOIN "FileLookup" AS "CF" ON "CF"."ID" = "C"."FileID"
            CROSS JOIN "FileLookup" AS "PF" ON "PF"."PrefixID" = "CF"."PrefixID" AND "PF"."Path" = "CF"."Path"
            CROSS JOIN "FilesetEntry" AS "P" ON "P"."FilesetID" = @PreviousFilesetId AND "P"."FileID" = "PF"."ID"
            WHERE "C"."FilesetID" = @CurrentFilesetId
                AND NOT EXISTS (SELECT 1 FROM "FilesetEntry" AS "S" WHERE "S"."FilesetID" = @PreviousFilesetId AND "S"."FileID" = "C"."FileID")
            UNION ALL
            SELECT "PF"."BlocksetID", "PF"."MetadataID", "CF"."BlocksetID", "CF"."MetadataID"
            FROM "FilesetEntry" AS "P"
            CROSS JOIN "FileLookup" AS "PF" ON "PF"."ID" = "P"."FileID"
            CROSS JOIN "FileLookup" AS "CF" ON "CF"."PrefixID" = "PF"."PrefixID" AND "CF"."Path" = "PF"."Path"
            CROSS JOIN "FilesetEntry" AS "C" ON "C"."FilesetID" = @CurrentFilesetId AND "C"."FileID" = "CF"."ID"
            CROSS JOIN "FilesetEntry" AS "S" ON "S"."FilesetID" = @PreviousFilesetId AND "S"."FileID" = "CF"."ID"
            WHERE "P"."FilesetID" = @PreviousFilesetId
                AND NOT EXISTS (SELECT 1 FROM "FilesetEntry" AS "K" WHERE "K"."FilesetID" = @CurrentFilesetId AND "K"."FileID" = "P"."FileID")
        )
        WHERE ("PreviousBlocksetID" NOT IN (-100, -200) AND "PreviousBlocksetID" <> "CurrentBlocksetID")
            OR (SELECT "B"."FullHash" FROM "Metadataset" AS "M" CROSS JOIN "Blockset" AS "B" ON "B"."ID" = "M"."BlocksetID" WHERE "M"."ID" = "PreviousMetadataID")
                IS NOT (SELECT "B"."FullHash" FROM "Metadataset" AS "M" CROSS JOIN "Blockset" AS "B" ON "B"."ID" = "M"."BlocksetID" WHERE "M"."ID" = "CurrentMetadataID")
        GROUP BY "Kind"
        """;

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
        cmd.SetCommandAndParameters(ENTRIES_WITHOUT_COUNTERPART)
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
        cmd.SetCommandAndParameters(MODIFIED_PAIRS)
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
