// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Utility;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>Fills a file list with the entries of one fileset that pass a filter.</summary>
/// <remarks>Must be called with the connection lock held.</remarks>
internal sealed class FileSelection
{
    // FilesetEntry by its key (FilesetID, FileID), FileLookup and PathPrefix by id; appends in id order.
    private const string FillAll = """
        INSERT INTO temp."RestoreFile" ("ID", "Path", "BlocksetID", "MetadataID", "DataVerified", "LocalSourceExists")
        SELECT l."ID", p."Prefix" || l."Path", l."BlocksetID", l."MetadataID", 0, 0
        FROM "FilesetEntry" e
        CROSS JOIN "FileLookup" l ON l."ID" = e."FileID"
        CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        WHERE e."FilesetID" = ?1
        ORDER BY e."FileID"
        """;

    // As FillAll, as a reader.
    private const string Entries = """
        SELECT l."ID", p."Prefix" || l."Path", l."BlocksetID", l."MetadataID"
        FROM "FilesetEntry" e
        CROSS JOIN "FileLookup" l ON l."ID" = e."FileID"
        CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        WHERE e."FilesetID" = ?1
        ORDER BY e."FileID"
        """;

    // By id; a row that is there already stays.
    private const string Insert = """
        INSERT OR IGNORE INTO temp."RestoreFile" ("ID", "Path", "BlocksetID", "MetadataID", "DataVerified", "LocalSourceExists")
        VALUES (?1, ?2, ?3, ?4, 0, 0)
        """;

    private readonly DatabaseSession m_session;
    private readonly IFilter? m_filter;
    private readonly AlternateStreams m_streams;
    private readonly string[]? m_paths;

    /// <param name="session">The session of the connection.</param>
    /// <param name="filter">Which entries are wanted; null or empty for all.</param>
    /// <param name="streams">Streams that come with the files they belong to.</param>
    internal FileSelection(DatabaseSession session, IFilter? filter, AlternateStreams streams)
    {
        m_session = session;
        m_filter = filter is null || filter.Empty ? null : filter;
        m_streams = streams;
        m_paths = ListedPaths(m_filter);
    }

    /// <summary>Whether the filter is a plain list of paths, which are looked up one by one.</summary>
    internal bool IsListOfPaths => m_paths is not null;

    /// <summary>Adds the entries of a fileset to the list.</summary>
    /// <returns>The listed paths that the fileset does not have; empty for other kinds of filters.</returns>
    internal IReadOnlyList<string> Fill(long fileset)
    {
        var missing = m_paths is not null ? FillListed(fileset, m_paths) : FillMatching(fileset);
        if (m_streams.Exist)
            AddStreamParents(fileset);
        return missing;
    }

    // A list that excludes is no list of wanted paths; where case does not count, neither do the indexes.
    private static string[]? ListedPaths(IFilter? filter)
    {
        if (!Library.Utility.Utility.IsFSCaseSensitive || filter is not FilterExpression { Type: FilterType.Simple } list)
            return null;

        var paths = list.GetSimpleList().Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal).ToArray();
        return paths.Length > 0 && FilterExpression.Matches(filter, paths[0]) ? paths : null;
    }

    private string[] FillListed(long fileset, string[] paths)
    {
        using var timer = new Logging.Timer(RestoreLog.Tag, "InsertFilteredPaths", "Select the listed paths");
        var missing = new List<string>();
        var found = new List<(long Id, long BlocksetId, long MetadataId)>();
        using var lookup = new PathLookup(m_session, fileset);
        using var insert = m_session.Take(Insert);
        foreach (var path in paths)
        {
            found.Clear();
            lookup.Find(path, found);
            if (found.Count == 0)
                missing.Add(path);
            foreach (var (id, blockset, metadata) in found)
                insert.Bind(1, id).Bind(2, path).Bind(3, blockset).Bind(4, metadata).ExecuteNonQuery();
        }

        return missing.Count == paths.Length ? [] : [.. missing];
    }

    private string[] FillMatching(long fileset)
    {
        if (m_filter is null)
        {
            using var fill = m_session.Take(FillAll);
            fill.Bind(1, fileset).ExecuteNonQuery();
            return [];
        }

        using var timer = new Logging.Timer(RestoreLog.Tag, "ApplyFilter", "Apply the filter to the fileset");
        FillWhere(fileset, path => IsWanted(m_filter, path));
        return [];
    }

    private bool IsWanted(IFilter filter, string path) =>
        FilterExpression.Matches(filter, path)
        || (m_streams.IsStream(path) && FilterExpression.Matches(filter, AlternateStreams.ParentOf(path)));

    private void FillWhere(long fileset, Func<string, bool> isWanted)
    {
        using var entries = m_session.Take(Entries);
        using var insert = m_session.Take(Insert);
        entries.Bind(1, fileset);
        while (entries.Read())
        {
            var path = entries.GetString(1)!;
            if (isWanted(path))
                insert
                    .Bind(1, entries.GetInt64(0))
                    .Bind(2, path)
                    .Bind(3, entries.GetInt64(2))
                    .Bind(4, entries.GetInt64(3))
                    .ExecuteNonQuery();
        }
    }

    // A stream cannot be written before the file or folder it belongs to exists.
    private void AddStreamParents(long fileset)
    {
        var parents = new HashSet<string>(
            Library.Utility.Utility.IsFSCaseSensitive ? StringComparer.Ordinal : StringComparer.OrdinalIgnoreCase
        );
        using (var paths = m_session.Take(RestoreFileList.AllPaths))
        {
            while (paths.Read())
            {
                var path = paths.GetString(1)!;
                if (m_streams.IsStream(path))
                    parents.Add(AlternateStreams.ParentOf(path));
            }
        }

        if (parents.Count > 0)
            FillWhere(fileset, path => parents.Contains(path) || parents.Contains(path.TrimEnd('/', '\\')));
    }
}
