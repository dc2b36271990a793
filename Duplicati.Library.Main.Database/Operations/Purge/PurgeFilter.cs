// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Threading;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Utility;

namespace Duplicati.Library.Main.Database.Purge;

/// <summary>Marks the entries of a fileset that a filter wants.</summary>
internal static class PurgeFilter
{
    // {0} stands for the digits of the table that lists the files to remove.

    // PathPrefixPrefix, FileLookupPath, key of FilesetEntry.
    private const string MarkPath = """
        INSERT OR IGNORE INTO temp."TempDeletedFilesTable-{0}" ("FileID")
        SELECT l."ID"
        FROM "PathPrefix" p
        CROSS JOIN "FileLookup" l ON l."PrefixID" = p."ID" AND l."Path" = ?2
        CROSS JOIN "FilesetEntry" e ON e."FilesetID" = ?3 AND e."FileID" = l."ID"
        WHERE p."Prefix" = ?1
        """;

    // Part of the key of FilesetEntry, FileLookup and PathPrefix by id.
    private const string Paths = """
        SELECT l."ID", p."Prefix" || l."Path"
        FROM "FilesetEntry" e
        CROSS JOIN "FileLookup" l ON l."ID" = e."FileID"
        CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        WHERE e."FilesetID" = ?1
        """;

    // By id.
    private const string MarkSql = """INSERT OR IGNORE INTO temp."TempDeletedFilesTable-{0}" ("FileID") VALUES (?1)""";

    /// <summary>
    /// Marks them in the table with these digits. Plain paths cost a few look-ups each, any other filter reads every entry.
    /// </summary>
    internal static void Mark(DatabaseSession session, string digits, long filesetId, IFilter filter, CancellationToken token)
    {
        // A list of paths to leave alone wants all the others, as it does everywhere else.
        if (Library.Utility.Utility.IsFSCaseSensitive && filter is FilterExpression { Type: FilterType.Simple, Result: true } paths)
            MarkPaths(session, digits, filesetId, paths.GetSimpleList());
        else
            MarkMatches(session, digits, filesetId, filter, token);
    }

    private static void MarkPaths(DatabaseSession session, string digits, long filesetId, string[] paths)
    {
        using var mark = session.Statements.Prepare(TempTableTemplate.Text(MarkPath, digits));
        foreach (var path in paths)
        {
            // A path is stored in two pieces, cut behind a separator; which one depends on the version that stored it.
            for (var cut = 0; cut <= path.Length; cut++)
            {
                if (cut == 0 || cut == path.Length || path[cut - 1] is '/' or '\\')
                    mark.Bind(1, path[..cut]).Bind(2, path[cut..]).Bind(3, filesetId).ExecuteNonQuery();
            }
        }
    }

    private static void MarkMatches(DatabaseSession session, string digits, long filesetId, IFilter filter, CancellationToken token)
    {
        using var rows = session.Take(Paths);
        using var mark = session.Statements.Prepare(TempTableTemplate.Text(MarkSql, digits));
        rows.Bind(1, filesetId);
        while (rows.Read())
        {
            token.ThrowIfCancellationRequested();
            if (FilterExpression.Matches(filter, rows.GetString(1)!))
                mark.Bind(1, rows.GetInt64(0)).ExecuteNonQuery();
        }
    }
}
