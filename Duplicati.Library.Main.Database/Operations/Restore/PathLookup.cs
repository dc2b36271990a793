// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Paths;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>
/// Finds the entries of one fileset that have a given full path, through the indexes: O(depth of the path), whatever the
/// size of the fileset. The path is tried with every split after a separator, of either system, since the backup may come from the other.
/// </summary>
/// <remarks>Ask in sorted order: prefixes that were found are remembered for the next path. Holds two statements; dispose it.</remarks>
internal sealed class PathLookup : IDisposable
{
    // FileLookupPath (PrefixID, Path), then the key of FilesetEntry.
    private const string EntriesOfPath = """
        SELECT l."ID", l."BlocksetID", l."MetadataID"
        FROM "FileLookup" l
        CROSS JOIN "FilesetEntry" e ON e."FilesetID" = ?1 AND e."FileID" = l."ID"
        WHERE l."PrefixID" = ?2 AND l."Path" = ?3
        """;

    private const int RememberedPrefixes = 256;

    private readonly Statement m_prefix;
    private readonly Statement m_entries;
    private readonly long m_fileset;
    private readonly Dictionary<string, long> m_prefixIds = new(StringComparer.Ordinal);

    internal PathLookup(DatabaseSession session, long fileset)
    {
        m_prefix = session.Take(PathPrefixCache.Prefix);
        m_entries = session.Take(EntriesOfPath);
        m_fileset = fileset;
    }

    /// <summary>Adds the entries with that path to <paramref name="found"/>: id, blockset, metadataset.</summary>
    internal void Find(string path, List<(long Id, long BlocksetId, long MetadataId)> found)
    {
        for (var split = path.Length; split >= 0; split--)
        {
            if (split > 0 && path[split - 1] is not ('/' or '\\'))
                continue;

            var prefix = PrefixId(path[..split]);
            if (prefix >= 0)
                AddEntries(prefix, path[split..], found);
        }
    }

    public void Dispose()
    {
        m_prefix.Dispose();
        m_entries.Dispose();
    }

    private long PrefixId(string prefix)
    {
        if (m_prefixIds.TryGetValue(prefix, out var id))
            return id;

        if (m_prefixIds.Count >= RememberedPrefixes)
            m_prefixIds.Clear();
        id = m_prefix.Bind(1, prefix).ExecuteInt64();
        m_prefixIds.Add(prefix, id);
        return id;
    }

    private void AddEntries(long prefix, string name, List<(long Id, long BlocksetId, long MetadataId)> found)
    {
        m_entries.Bind(1, m_fileset).Bind(2, prefix).Bind(3, name);
        while (m_entries.Read())
            found.Add((m_entries.GetInt64(0), m_entries.GetInt64(1), m_entries.GetInt64(2)));
    }
}
