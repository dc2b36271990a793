// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Model;
using Duplicati.Library.Main.Database.Paths;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>The entries of one fileset, folder by folder.</summary>
internal static class FolderListing
{
    // Row id.
    private const string PrefixText = """SELECT "Prefix" FROM "PathPrefix" WHERE "ID" = ?1""";

    // FileLookupPath, covering, in whose order the names come, and the primary key of FilesetEntry.
    private const string EntriesOfPrefix = """
        SELECT "FileLookup"."ID", "FileLookup"."Path", "FileLookup"."BlocksetID", "FilesetEntry"."Lastmodified"
        FROM "FileLookup"
        CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FilesetID" = ?1 AND "FilesetEntry"."FileID" = "FileLookup"."ID"
        WHERE "FileLookup"."PrefixID" = ?2
        ORDER BY "FileLookup"."Path"
        """;

    // Row id.
    private const string LengthOfBlockset = """SELECT "Length" FROM "Blockset" WHERE "ID" = ?1""";

    // Primary key of FilesetEntry, row ids.
    private const string EntrySql = """
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path", "FileLookup"."BlocksetID", "Blockset"."Length", "FilesetEntry"."Lastmodified"
        FROM "FilesetEntry"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "FilesetEntry"."FilesetID" = ?1 AND "FilesetEntry"."FileID" = ?2
        """;

    // Primary key of FilesetEntry, row ids; sorts paths and ids only.
    private const string EntriesByPath = """
        SELECT "FileLookup"."ID", "PathPrefix"."Prefix" || "FileLookup"."Path" AS "FullPath"
        FROM "FilesetEntry"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        WHERE "FilesetEntry"."FilesetID" = ?1
        ORDER BY "FullPath"
        """;

    /// <summary>Ids of those of the prefixes that exist, compared exactly, in the order given. One index look-up each.</summary>
    internal static List<long> PrefixIds(DatabaseSession session, IEnumerable<string> prefixes)
    {
        var result = new List<long>();
        using var select = session.Take(PathPrefixCache.Prefix);
        foreach (var prefix in prefixes.Distinct(StringComparer.Ordinal))
        {
            var id = select.Bind(1, prefix).ExecuteInt64();
            if (id >= 0)
                result.Add(id);
        }

        return result;
    }

    /// <summary>
    /// A page of the direct entries of some folders, by prefix and then by name. Walks the names of the folders in index order
    /// without sorting, and looks up lengths only of entries on the page.
    /// </summary>
    internal static IPaginatedResults<IListFolderEntry> Page(
        DatabaseSession session,
        List<long> prefixIds,
        long filesetId,
        PageWindow window
    )
    {
        if (prefixIds.Count == 0)
            return window.Nothing<IListFolderEntry>();

        var items = new List<IListFolderEntry>();
        var total = 0L;
        using var select = session.Take(EntriesOfPrefix);
        using var length = session.Take(LengthOfBlockset);
        foreach (var (prefixId, prefix) in InOrder(session, prefixIds))
        {
            select.Bind(1, filesetId).Bind(2, prefixId);
            while (select.Read())
            {
                if (window.Contains(total++))
                    items.Add(
                        Entry(
                            select.GetInt64(0),
                            prefix + select.GetString(1),
                            select.GetInt64(2),
                            length.Bind(1, select.GetInt64(2)).ExecuteInt64(),
                            select.GetInt64(3)
                        )
                    );
            }
        }

        return window.Result(items, total);
    }

    /// <summary>
    /// The topmost entries of a fileset by path: those that lie in no folder that is an entry itself. Reads all entries, sorted.
    /// </summary>
    internal static List<IListFolderEntry> Roots(DatabaseSession session, long filesetId)
    {
        var ids = new List<long>();
        byte[]? last = null;
        using (var select = session.Take(EntriesByPath))
        {
            select.Bind(1, filesetId);
            while (select.Read())
            {
                var path = select.GetUtf8(1);
                if (last is not null && IsAtOrBelow(path, last))
                    continue;

                last = path.ToArray();
                ids.Add(select.GetInt64(0));
            }
        }

        return Entries(session, filesetId, ids);
    }

    // A file's name may continue another file's name; only a folder, which ends with a separator, holds what begins with it.
    private static bool IsAtOrBelow(ReadOnlySpan<byte> path, ReadOnlySpan<byte> root) =>
        path.StartsWith(root)
        && (path.Length == root.Length || (root.Length > 0 && (root[^1] == (byte)'/' || (root[^1] == (byte)'\\' && root[0] != (byte)'/'))));

    private static IEnumerable<(long Id, string Text)> InOrder(DatabaseSession session, IEnumerable<long> prefixIds)
    {
        var prefixes = new List<(long Id, string Text)>();
        using var select = session.Take(PrefixText);
        foreach (var id in prefixIds.Distinct())
        {
            if (select.Bind(1, id).ExecuteString() is { } text)
                prefixes.Add((id, text));
        }

        return prefixes.OrderBy(x => x.Text, BinaryOrder.Instance);
    }

    private static List<IListFolderEntry> Entries(DatabaseSession session, long filesetId, List<long> fileIds)
    {
        var result = new List<IListFolderEntry>(fileIds.Count);
        using var select = session.Take(EntrySql);
        foreach (var id in fileIds)
        {
            select.Bind(1, filesetId).Bind(2, id);
            if (select.Read())
                result.Add(Entry(id, select.GetString(0) ?? "", select.GetInt64(1), select.GetInt64(2, -1), select.GetInt64(3)));
            select.Reset();
        }

        return result;
    }

    private static LocalListDatabase.FolderEntry Entry(long id, string path, long blockset, long length, long ticks) =>
        new(
            id,
            path,
            length,
            blockset == SpecialBlocksets.Folder,
            blockset == SpecialBlocksets.Symlink,
            new DateTime(ticks, DateTimeKind.Utc),
            null
        );
}
