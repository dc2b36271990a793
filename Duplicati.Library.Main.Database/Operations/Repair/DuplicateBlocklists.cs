// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Main.Database.Verify;

namespace Duplicati.Library.Main.Database.Repair;

/// <summary>Leaves the first blocklist for each position of a blockset.</summary>
internal static class DuplicateBlocklists
{
    // BlocklistHashBlocksetIDIndex, read in order: rows, and pairs of blockset and position.
    internal const string CountSql = """
        SELECT IFNULL(SUM("Rows"), 0), COUNT(*) FROM (SELECT COUNT(*) AS "Rows" FROM "BlocklistHash" GROUP BY "BlocksetID", "Index")
        """;

    // Reads BlocklistHash, only after duplicates were found; a set of the rows that stay.
    internal const string DeleteDuplicates = """
        DELETE FROM "BlocklistHash"
        WHERE rowid NOT IN (SELECT MIN(rowid) FROM "BlocklistHash" GROUP BY "BlocksetID", "Index")
        """;

    private static readonly string LOGTAG = Log.LogTagFromType<LocalRepairDatabase>();

    /// <summary>Returns whether there was anything to do.</summary>
    internal static bool Fix(DatabaseSession session, long blocksize, long hashsize, CancellationToken token)
    {
        var (rows, positions) = session.AskBeforeWriting(0, static (x, _) => Count(x), static x => x.Rows != x.Positions, token);
        if (rows == positions)
            return false;

        Log.WriteInformationMessage(
            LOGTAG,
            "DuplicateBlocklistHashes",
            "Found {0} duplicate blocklist hashes, repairing",
            rows - positions
        );
        var deleted = session.Run(DeleteDuplicates);
        if (deleted != rows - positions)
            throw new Exception($"Unexpected number of blocklist hashes deleted: {deleted}, expected {rows - positions}.");
        if (Count(session) != (positions, positions))
            throw new UserInformationException(
                "The repair failed, there are still duplicate blocklist hashes.",
                "DuplicateBlocklistHashesRepairFailed"
            );

        Verify(session, blocksize, hashsize, token);
        Log.WriteInformationMessage(LOGTAG, "DuplicateBlocklistHashesRepaired", "Duplicate blocklist hashes repaired successfully");
        return true;
    }

    private static void Verify(DatabaseSession session, long blocksize, long hashsize, CancellationToken token)
    {
        try
        {
            ConsistencyCheck.Run(session, new ConsistencyScope(blocksize, hashsize, Volumes: true, FileLists: true), token);
        }
        catch (Exception ex) when (!token.IsCancellationRequested)
        {
            throw new UserInformationException(
                "The repair of duplicate blocklist hashes failed, the database is not consistent afterwards.",
                "DuplicateBlocklistHashesRepairFailed",
                ex
            );
        }
    }

    private static (long Rows, long Positions) Count(DatabaseSession session)
    {
        using var count = session.Take(CountSql);
        return count.Read() ? (count.GetInt64(0), count.GetInt64(1)) : default;
    }
}
