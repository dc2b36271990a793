// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>
/// Removes the files that no version has, whichever left them behind. A few versions, far apart, are read from start to end, which
/// tells that most files are in one; only the others are looked up one by one.
/// </summary>
/// <remarks>
/// Call with the connection lock held, in a transaction. Memory: a bit for each id from the first to the last, 64 MiB at most.
/// </remarks>
internal static class FilesOfNoVersion
{
    // FileLookup by id, a range; FilesetentryFileIdIndex in the same order.
    private const string DeleteFilesBetween = """
        DELETE FROM "FileLookup"
        WHERE "ID" BETWEEN ?1 AND ?2 AND NOT EXISTS (SELECT 1 FROM "FilesetEntry" e WHERE e."FileID" = "FileLookup"."ID")
        """;

    // The key of FilesetEntry (FilesetID, FileID).
    private const string FilesOfFileset = """SELECT "FileID" FROM "FilesetEntry" WHERE "FilesetID" = ?1""";

    // So many entries take as long to read as one file takes to look up.
    private const int EntriesForALookup = 8;

    /// <summary>Removes them. Reads a version as long as the one before it told enough that was not known.</summary>
    internal static void Delete(DatabaseSession session)
    {
        long first,
            last;
        using (var ends = session.Take(DeletionTables.FileEnds))
        {
            if (!ends.Read() || ends.IsDBNull(0))
                return;
            (first, last) = (ends.GetInt64(0), ends.GetInt64(1));
        }

        using var known = BlockIdSet.Create(first, last);
        if (known is null)
        {
            session.Run(DeletionTables.DeleteFiles);
            return;
        }

        AddFilesOfVersions(session, known);
        using var delete = session.Take(DeleteFilesBetween);
        foreach (var gap in known.Gaps())
            delete.Bind(1, gap.First).Bind(2, gap.Last).ExecuteNonQuery();
    }

    private static void AddFilesOfVersions(DatabaseSession session, BlockIdSet known)
    {
        List<long> filesets;
        using (var ids = session.Take(DeletionTables.FilesetIds))
            filesets = ids.ReadAll(static row => row.GetInt64(0));

        using var files = session.Take(FilesOfFileset);
        foreach (var position in FarApart(filesets.Count))
        {
            var (before, entries) = (known.Count, 0L);
            files.Bind(1, filesets[position]);
            for (; files.Read(); entries++)
                known.Add(files.GetInt64(0));
            if ((known.Count - before) * EntriesForALookup < entries)
                return;
        }
    }

    // The newest, the oldest, the one in the middle, those in the middle of the halves, and so on.
    private static IEnumerable<int> FarApart(int count)
    {
        if (count > 0)
            yield return count - 1;
        if (count > 1)
            yield return 0;
        for (var parts = 2L; parts < count; parts *= 2)
        {
            for (var part = 1L; part < parts; part += 2)
                yield return (int)(count * part / parts);
        }
    }
}
