// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Backup;

/// <summary>Carries entries over from an earlier fileset. Nothing here commits.</summary>
internal static class PreviousFileset
{
    // Reads Fileset, one row a version.
    private const string Previous =
        """SELECT "ID" FROM "Fileset" WHERE "Timestamp" < ?1 AND "ID" <> ?2 ORDER BY "Timestamp" DESC, "ID" DESC LIMIT 1""";

    // Reads Fileset once, one row a version. Primary key of FilesetEntry from the end, row id of FileLookup, then per path FileLookupPath
    // and, for the previous version and each later one, the primary key of FilesetEntry.
    internal const string AppendSql = """
        WITH "Recent" ("ID", "Timestamp") AS MATERIALIZED (
            SELECT "Fileset"."ID", "Fileset"."Timestamp"
            FROM "Fileset" AS "Before" CROSS JOIN "Fileset"
            WHERE "Before"."ID" = ?2 AND "Fileset"."ID" <> ?1
              AND ("Fileset"."Timestamp", "Fileset"."ID") >= ("Before"."Timestamp", "Before"."ID"))
        INSERT OR IGNORE INTO "FilesetEntry" ("FilesetID", "FileID", "Lastmodified")
        SELECT
            ?1,
            COALESCE((SELECT "Newest"."ID"
             FROM "FileLookup" AS "Newest" CROSS JOIN "Recent"
             CROSS JOIN "FilesetEntry" AS "Used" ON "Used"."FilesetID" = "Recent"."ID" AND "Used"."FileID" = "Newest"."ID"
             WHERE "Newest"."PrefixID" = "FileLookup"."PrefixID" AND "Newest"."Path" = "FileLookup"."Path"
             ORDER BY "Recent"."Timestamp" DESC, "Recent"."ID" DESC, "Newest"."ID" DESC
             LIMIT 1), "FileLookup"."ID"),
            "Previous"."Lastmodified"
        FROM "FilesetEntry" AS "Previous" CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "Previous"."FileID"
        WHERE "Previous"."FilesetID" = ?2
          AND NOT EXISTS (
            SELECT 1 FROM "FileLookup" AS "Other"
            CROSS JOIN "FilesetEntry" AS "Present" ON "Present"."FilesetID" = ?1 AND "Present"."FileID" = "Other"."ID"
            WHERE "Other"."PrefixID" = "FileLookup"."PrefixID" AND "Other"."Path" = "FileLookup"."Path")
        ORDER BY "Previous"."FileID" DESC
        """;

    // Primary key of the temporary table.
    private const string InsertDeletedPath = """INSERT OR IGNORE INTO temp."DeletedPath" ("Path") VALUES (?1)""";

    // Primary key of FilesetEntry, row ids, primary key of the temporary table.
    private const string RemoveDeletedPaths = """
        DELETE FROM "FilesetEntry"
        WHERE "FilesetID" = ?1 AND "FileID" IN (
            SELECT "Entry"."FileID" FROM "FilesetEntry" AS "Entry"
            CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "Entry"."FileID"
            CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
            CROSS JOIN temp."DeletedPath" ON "DeletedPath"."Path" = "PathPrefix"."Prefix" || "FileLookup"."Path"
            WHERE "Entry"."FilesetID" = ?1)
        """;

    // Primary key of FilesetEntry from the last entry seen, row ids.
    private const string PageSql = """
        SELECT "Entry"."FileID", "Entry"."Lastmodified", "PathPrefix"."Prefix" || "FileLookup"."Path", "Blockset"."Length"
        FROM "FilesetEntry" AS "Entry"
        LEFT JOIN "FileLookup" ON "FileLookup"."ID" = "Entry"."FileID"
        LEFT JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "Entry"."FilesetID" = ?1 AND "Entry"."FileID" > ?2
          AND NOT EXISTS (SELECT 1 FROM "FilesetEntry" AS "Present" WHERE "Present"."FilesetID" = ?3 AND "Present"."FileID" = "Entry"."FileID")
        ORDER BY "Entry"."FileID"
        LIMIT ?4
        """;

    // Primary key of FilesetEntry, row ids; sorts the paths of the fileset once.
    private const string RemoveDuplicatePathsSql = """
        DELETE FROM "FilesetEntry"
        WHERE "FilesetID" = ?1 AND "FileID" IN (
            SELECT "FileID" FROM (
                SELECT "Entry"."FileID", ROW_NUMBER() OVER (PARTITION BY "PathPrefix"."Prefix" || "FileLookup"."Path" ORDER BY "Entry"."FileID" DESC) AS "Position"
                FROM "FilesetEntry" AS "Entry"
                CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "Entry"."FileID"
                CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
                WHERE "Entry"."FilesetID" = ?1)
            WHERE "Position" > 1)
        """;

    // Reads Fileset, one row a version; primary key of FilesetEntry, row ids.
    private const string NewestFilesSql = """
        SELECT COUNT(*), SUM("Blockset"."Length")
        FROM "FilesetEntry"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "FilesetEntry"."FilesetID" = (SELECT "ID" FROM "Fileset" ORDER BY "Timestamp" DESC, "ID" DESC LIMIT 1)
          AND "FileLookup"."BlocksetID" >= 0
        """;

    private const long PageRows = 4096;

    /// <summary>
    /// The given fileset if it is one, else the newest one before a time other than the current one; -1 if there is none.
    /// </summary>
    internal static long IdOf(DatabaseSession session, long explicitId, long currentId, DateTime before)
    {
        if (explicitId >= 0)
            return explicitId;

        using var find = session.Take(Previous);
        return find.Bind(1, Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(before)).Bind(2, currentId).ExecuteInt64();
    }

    /// <summary>
    /// Adds every path of the previous fileset that the current one has not got, in the form of the newest fileset that has it, from the
    /// previous one on, with the time of change it has in the previous one. Near-linear in the entries of the previous fileset, times the
    /// filesets that are newer.
    /// </summary>
    internal static void Append(DatabaseSession session, long currentId, long previousId)
    {
        using var append = session.Take(AppendSql);
        append.Bind(1, currentId).Bind(2, previousId).ExecuteNonQuery();
    }

    /// <summary>Removes the entries of a fileset that have one of these full paths (ordinal). Linear in its entries.</summary>
    internal static void RemovePaths(DatabaseSession session, long filesetId, IEnumerable<string> paths)
    {
        PreviousTables.DeletedPath.Reset(session);
        using (var insert = session.Take(InsertDeletedPath))
        {
            foreach (var path in paths)
                insert.Bind(1, path).ExecuteNonQuery();
        }

        using var delete = session.Take(RemoveDeletedPaths);
        delete.Bind(1, filesetId).ExecuteNonQuery();
        PreviousTables.DeletedPath.Reset(session);
    }

    /// <summary>The next entries of the previous fileset whose file is not in the current one, in the order of their file ids.</summary>
    /// <exception cref="Exception">An entry has no path.</exception>
    internal static List<PreviousEntry> Page(DatabaseSession session, long currentId, long previousId, long afterFileId)
    {
        var entries = new List<PreviousEntry>();
        using var page = session.Take(PageSql);
        for (page.Bind(1, previousId).Bind(2, afterFileId).Bind(3, currentId).Bind(4, PageRows); page.Read(); )
        {
            var path = page.GetString(2) ?? throw new Exception($"File {page.GetInt64(0)} of fileset {previousId} has no path.");
            entries.Add(new PreviousEntry(page.GetInt64(0), page.GetInt64(1), path, page.GetInt64(3, -1)));
        }

        return entries;
    }

    /// <summary>Adds entries as they are.</summary>
    internal static void Append(DatabaseSession session, long currentId, List<PreviousEntry> entries)
    {
        foreach (var entry in entries)
            FilesetWrites.AddEntry(session, currentId, entry.FileId, entry.Ticks);
    }

    /// <summary>Keeps only the entry with the highest file id of each path. Returns the number removed.</summary>
    internal static int RemoveDuplicatePaths(DatabaseSession session, long filesetId)
    {
        using var delete = session.Take(RemoveDuplicatePathsSql);
        return delete.Bind(1, filesetId).ExecuteNonQuery();
    }

    /// <summary>Number of files in the newest fileset and the sum of their lengths in bytes, -1 if there is nothing to sum.</summary>
    internal static Tuple<long, long> NewestFiles(DatabaseSession session)
    {
        using var count = session.Take(NewestFilesSql);
        return count.Read() ? Tuple.Create(count.GetInt64(0), count.GetInt64(1, -1)) : Tuple.Create(0L, -1L);
    }
}

/// <summary>An entry of an earlier fileset.</summary>
/// <param name="FileId">Row id in FileLookup.</param>
/// <param name="Ticks">Time of last change, 100 ns ticks, UTC.</param>
/// <param name="Path">Full path.</param>
/// <param name="Length">Bytes; -1 for a folder or symbolic link.</param>
internal readonly record struct PreviousEntry(long FileId, long Ticks, string Path, long Length);

/// <summary>
/// The temporary tables of taking over entries of the version before. Each has a primary key or an index for every column that it is joined
/// on.
/// </summary>
internal static class PreviousTables
{
    // Full paths to be taken out of a fileset.
    private const string CreateDeletedPath =
        """CREATE TEMP TABLE IF NOT EXISTS "DeletedPath" ("Path" TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID""";

    internal static readonly TempTable DeletedPath = new("DeletedPath", CreateDeletedPath);
}
