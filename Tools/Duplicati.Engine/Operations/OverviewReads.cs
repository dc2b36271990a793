// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Reports;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Operations;

/// <summary>Adds up what fills versions, by statements that aggregate.</summary>
/// <param name="connection">An open database of the current schema; gets a temporary table.</param>
/// <param name="most">How many parts are told one by one.</param>
internal sealed class OverviewReads(SqliteConnection connection, int most)
{
    /// <summary>When a content was first in a version, one row a content; on disk or in memory as the connection has it.</summary>
    internal const string FIRST_SEEN = """
        CREATE TEMP TABLE "FirstSeen" ("BlocksetID" INTEGER PRIMARY KEY, "Timestamp" INTEGER NOT NULL)
        """;

    /// <summary>Reads nn_FileLookup_BlockMeta in order; the versions of a file by FilesetentryFileIdIndex, Fileset by row id.</summary>
    internal const string FILL_FIRST_SEEN = """
        INSERT INTO "FirstSeen" ("BlocksetID", "Timestamp")
        SELECT "BlocksetID", MIN("First")
        FROM (
            SELECT "FileLookup"."BlocksetID", (
                SELECT MIN("Fileset"."Timestamp")
                FROM "FilesetEntry" CROSS JOIN "Fileset" ON "Fileset"."ID" = "FilesetEntry"."FilesetID"
                WHERE "FilesetEntry"."FileID" = "FileLookup"."ID") AS "First"
            FROM "FileLookup"
            WHERE "FileLookup"."BlocksetID" >= 0)
        WHERE "First" IS NOT NULL
        GROUP BY "BlocksetID"
        """;

    /// <summary>Scans the contents that were found; Blockset by row id.</summary>
    internal const string NEW_BYTES = """
        SELECT "FirstSeen"."Timestamp", SUM("Blockset"."Length")
        FROM temp."FirstSeen" CROSS JOIN "Blockset" ON "Blockset"."ID" = "FirstSeen"."BlocksetID"
        GROUP BY "FirstSeen"."Timestamp"
        """;

    /// <summary>Scans BlocksetEntry_IndexIdsBackwards in the order of blocks, once; contents and Block by row id.</summary>
    internal const string STORED_BYTES = """
        SELECT "Blocks"."First", SUM("Block"."Size")
        FROM (
            SELECT "BlocksetEntry"."BlockID", MIN("FirstSeen"."Timestamp") AS "First"
            FROM "BlocksetEntry" CROSS JOIN temp."FirstSeen" ON "FirstSeen"."BlocksetID" = "BlocksetEntry"."BlocksetID"
            GROUP BY "BlocksetEntry"."BlockID") AS "Blocks"
        CROSS JOIN "Block" ON "Block"."ID" = "Blocks"."BlockID"
        GROUP BY "Blocks"."First"
        """;

    /// <summary>Scans Fileset, one row a version.</summary>
    internal const string NEWEST = """SELECT "ID" FROM "Fileset" ORDER BY "Timestamp" DESC, "ID" DESC LIMIT 1""";

    /// <summary>The entries of a version by the primary key, FileLookup and PathPrefix by row id.</summary>
    internal const string OUTERMOST = """
        SELECT MIN("PathPrefix"."Prefix"), MAX("PathPrefix"."Prefix")
        FROM "FilesetEntry"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID" AND "FileLookup"."BlocksetID" >= 0
        CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        WHERE "FilesetEntry"."FilesetID" = $fileset
        """;

    /// <summary>The entries of a version by the primary key, FileLookup, Blockset and PathPrefix by row id; sorts the folders.</summary>
    internal const string FOLDERS = """
        SELECT "PathPrefix"."Prefix", "Sums"."Files", "Sums"."Bytes"
        FROM (
            SELECT "FileLookup"."PrefixID", COUNT(*) AS "Files", SUM("Blockset"."Length") AS "Bytes"
            FROM "FilesetEntry"
            CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
            CROSS JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
            WHERE "FilesetEntry"."FilesetID" = $fileset
            GROUP BY "FileLookup"."PrefixID") AS "Sums"
        CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "Sums"."PrefixID"
        ORDER BY "PathPrefix"."Prefix"
        """;

    /// <summary>
    /// The entries of a version by the primary key, FileLookup and Blockset by row id. What follows the last point of a name, unless that
    /// begins the name.
    /// </summary>
    internal const string TYPES = """
        SELECT lower(CASE WHEN length("Stem") > 1 THEN substr("Path", length("Stem") + 1) ELSE '' END) AS "Ending", COUNT(*), SUM("Length")
        FROM (
            SELECT "FileLookup"."Path", rtrim("FileLookup"."Path", replace("FileLookup"."Path", '.', '')) AS "Stem", "Blockset"."Length"
            FROM "FilesetEntry"
            CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
            CROSS JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
            WHERE "FilesetEntry"."FilesetID" = $fileset)
        GROUP BY "Ending"
        """;

    /// <summary>Scans RemoteOperation and LogData, the history of a month, once; Operation by row id.</summary>
    internal const string SLOWEST = """
        SELECT "Operation"."Timestamp", "Operation"."Description", MAX("Log"."Timestamp") - "Operation"."Timestamp" AS "Seconds", COUNT(*)
        FROM (
            SELECT "OperationID", "Timestamp" FROM "RemoteOperation"
            UNION ALL
            SELECT "OperationID", "Timestamp" FROM "LogData") AS "Log"
        CROSS JOIN "Operation" ON "Operation"."ID" = "Log"."OperationID"
        GROUP BY "Operation"."ID"
        ORDER BY "Seconds" DESC, "Operation"."ID"
        LIMIT $most
        """;

    /// <summary>By the time of a version: bytes of its new contents, and of its new blocks.</summary>
    internal (Dictionary<long, long> New, Dictionary<long, long> Stored) Added()
    {
        DumpQuery.Execute(connection, FIRST_SEEN);
        DumpQuery.Execute(connection, FILL_FIRST_SEEN);
        return (Sums(NEW_BYTES), Sums(STORED_BYTES));
    }

    /// <summary>What fills the newest version, by folder and by type.</summary>
    internal (SpaceShares Folders, SpaceShares Types) Newest()
    {
        var versions = DumpQuery.Rows(connection, NEWEST, row => row.GetInt64(0)).ToList();
        if (versions.Count == 0)
            return (new SpaceShares([], null), new SpaceShares([], null));
        var fileset = ("$fileset", (object)versions[0]);
        var shared = DumpQuery
            .Rows(connection, OUTERMOST, row => Shared(row.TextOrNull(0) ?? "", row.TextOrNull(1) ?? ""), fileset)
            .Single();
        return (
            Largest(most, Folders(DumpQuery.Rows(connection, FOLDERS, Share, fileset), shared)),
            Largest(most, DumpQuery.Rows(connection, TYPES, Share, fileset))
        );
    }

    /// <summary>The operations that took longest.</summary>
    internal List<LoggedOperation> Slowest() =>
        [
            .. DumpQuery.Rows(
                connection,
                SLOWEST,
                row => new LoggedOperation(DumpQuery.Time(row.GetInt64(0)), row.GetString(1), row.GetInt64(2), row.GetInt64(3)),
                ("$most", most)
            ),
        ];

    /// <summary>The largest of many parts, and the sum of the rest. Memory: those that are kept.</summary>
    internal static SpaceShares Largest(int most, IEnumerable<SpaceShare> shares)
    {
        var kept = new PriorityQueue<SpaceShare, long>();
        SpaceShare? other = null;
        foreach (var share in shares)
        {
            kept.Enqueue(share, share.Bytes);
            if (kept.Count > most && kept.Dequeue() is var least)
                other = new SpaceShare("other", (other?.Count ?? 0) + least.Count, (other?.Bytes ?? 0) + least.Bytes);
        }

        var ordered = kept
            .UnorderedItems.Select(x => x.Element)
            .OrderByDescending(x => x.Bytes)
            .ThenBy(x => x.Name, StringComparer.Ordinal);
        return new SpaceShares([.. ordered], other);
    }

    // What lies in one folder comes one after the other, as the folders are in order.
    private static IEnumerable<SpaceShare> Folders(IEnumerable<SpaceShare> folders, string shared)
    {
        SpaceShare? last = null;
        foreach (var folder in folders)
        {
            var name = Ancestor(folder.Name, shared.Length);
            if (last is not null && last.Name != name)
                yield return last;
            last = new SpaceShare(
                name,
                (last?.Name == name ? last.Count : 0) + folder.Count,
                (last?.Name == name ? last.Bytes : 0) + folder.Bytes
            );
        }

        if (last is not null)
            yield return last;
    }

    // Two levels below what all share.
    private static string Ancestor(string folder, int shared)
    {
        var end = shared;
        for (var level = 0; level < 2 && end < folder.Length; level++)
            end = folder.IndexOf(PathCheck.Separator(folder), end) is var next and >= 0 ? next + 1 : folder.Length;
        return folder[..end];
    }

    // Of the first and the last in order, and so of all.
    private static string Shared(string first, string last)
    {
        var same = first.AsSpan().CommonPrefixLength(last);
        return first[..(first.LastIndexOf(PathCheck.Separator(first), Math.Max(same - 1, 0)) is var end && end < same ? end + 1 : 0)];
    }

    private static SpaceShare Share(SqliteDataReader row) => new(row.GetString(0), row.GetInt64(1), row.GetInt64(2));

    private Dictionary<long, long> Sums(string sql) =>
        DumpQuery.Rows(connection, sql, row => KeyValuePair.Create(row.GetInt64(0), row.GetInt64(1))).ToDictionary();
}
