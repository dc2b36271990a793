// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Main.Database.Verify;

namespace Duplicati.Library.Main.Database.Repair;

/// <summary>
/// Leaves each full path once in a fileset: in the version with the highest file id. Paths are compared by a fingerprint first
/// (16 bytes a file), so that only paths with several versions are looked at in the filesets.
/// </summary>
internal static class DuplicatePaths
{
    // Reads FileLookup in row order, PathPrefix by id. Once a repair.
    internal const string AllPaths = """
        SELECT l."ID", p."Prefix", l."Path"
        FROM "FileLookup" l CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        ORDER BY l."ID"
        """;

    // FileLookup and PathPrefix by id.
    private const string PathSql = """
        SELECT p."Prefix" || l."Path"
        FROM "FileLookup" l CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        WHERE l."ID" = ?1
        """;

    // Key of FilesetEntry.
    private const string DeleteEntry = """DELETE FROM "FilesetEntry" WHERE "FilesetID" = ?1 AND "FileID" = ?2""";

    private static readonly string LOGTAG = Log.LogTagFromType<LocalRepairDatabase>();

    /// <summary>Returns whether there was anything to do.</summary>
    internal static bool Fix(DatabaseSession session)
    {
        var duplicates = session.AskBeforeWriting(0, static (x, _) => Find(x), static x => x.Count > 0);
        if (duplicates.Count == 0)
            return false;

        Log.WriteInformationMessage(
            LOGTAG,
            "DuplicatePathsInFilesets",
            "Found {0} duplicate paths in filesets, repairing",
            duplicates.Count
        );
        using var delete = session.Take(DeleteEntry);
        foreach (var (filesetId, fileId) in duplicates)
            delete.Bind(1, filesetId).Bind(2, fileId).ExecuteNonQuery();

        Log.WriteInformationMessage(LOGTAG, "DuplicatePathsInFilesetsFixed", "Removed {0} duplicate paths from filesets", duplicates.Count);
        return true;
    }

    /// <summary>The entries that are to go.</summary>
    private static List<(long FilesetId, long FileId)> Find(DatabaseSession session)
    {
        var files = Fingerprints(session);
        var result = new List<(long, long)>();
        for (var start = 0; start < files.Count; )
        {
            var end = start + 1;
            while (end < files.Count && files[end].Fingerprint == files[start].Fingerprint)
                end++;
            if (end - start > 1)
                FindInGroup(session, files, start, end, result);
            start = end;
        }

        return result;
    }

    // Highest file id first: the first file with a path in a fileset stays.
    private static void FindInGroup(
        DatabaseSession session,
        List<(ulong Fingerprint, long FileId)> files,
        int start,
        int end,
        List<(long FilesetId, long FileId)> result
    )
    {
        var kept = new HashSet<(long FilesetId, string Path)>();
        using var filesets = session.Take(FilesetReads.OfFile);
        for (var i = end - 1; i >= start; i--)
        {
            var path = PathOf(session, files[i].FileId);
            for (filesets.Bind(1, files[i].FileId); filesets.Read(); )
            {
                if (!kept.Add((filesets.GetInt64(0), path)))
                    result.Add((filesets.GetInt64(0), files[i].FileId));
            }
        }
    }

    private static string PathOf(DatabaseSession session, long fileId)
    {
        using var path = session.Take(PathSql);
        return path.Bind(1, fileId).ExecuteString()!;
    }

    /// <summary>All files, ordered by fingerprint and then by id; what is equal by fingerprint is compared as text.</summary>
    private static List<(ulong Fingerprint, long FileId)> Fingerprints(DatabaseSession session)
    {
        var result = new List<(ulong Fingerprint, long FileId)>();
        using var rows = session.Take(AllPaths);
        while (rows.Read())
            result.Add((PathTable.Hash(PathTable.Hash(PathTable.EmptyHash, rows.GetUtf8(1)), rows.GetUtf8(2)), rows.GetInt64(0)));
        result.Sort();
        return result;
    }
}
