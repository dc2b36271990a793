#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Model;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.Utility;

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>Finds files by path and metadata in some or all versions.</summary>
internal sealed class SearchListing
{
    private readonly DatabaseSession m_session;
    private readonly SearchRules m_rules;
    private readonly bool m_caseSensitive;
    private readonly bool m_searchMetadata;
    private readonly PageWindow m_window;
    private readonly VersionMap m_versions;
    private readonly List<ISearchFileVersion> m_items = [];
    private readonly List<VersionEntry> m_group = [];
    private (string Prefix, string Name) m_path;
    private long m_total;

    private SearchListing(DatabaseSession session, SearchRules rules, bool caseSensitive, long[]? filesetIds, bool searchMetadata, PageWindow window)
    {
        m_session = session;
        m_rules = rules;
        m_caseSensitive = caseSensitive;
        m_searchMetadata = searchMetadata;
        m_window = window;
        m_versions = new VersionMap(session, filesetIds);
    }

    /// <summary>
    /// A page of the entries that a filter wants: by prefix, then by name, then the oldest first. Tests each path of the database,
    /// or of the folders, once; then looks up the entries of those that fit. Memory: the page.
    /// </summary>
    /// <exception cref="UserInformationException">Help id FilterTypeNotSupported: the filter has something else than plain texts and wildcards.</exception>
    internal static IPaginatedResults<ISearchFileVersion> Page(
        DatabaseSession session, IEnumerable<string>? folders, IFilter? filter, bool caseSensitive, long[]? filesetIds, bool searchMetadata, PageWindow window)
    {
        var search = new SearchListing(session, new SearchRules(filter), caseSensitive, filesetIds, searchMetadata, window);
        search.WriteRules();
        var distinct = folders?.Distinct(StringComparer.Ordinal).Order(BinaryOrder.Instance).ToList();
        if (distinct is { Count: > 0 })
            distinct.ForEach(search.ReadFolder);
        else
            search.Read(SearchSql.Everywhere, null);
        return window.Result(search.m_items, search.m_total);
    }

    private void WriteRules()
    {
        SearchTables.SearchRule.Reset(m_session);
        using var insert = m_session.TakeDirect(SearchSql.Insert);
        foreach (var (text, isPattern, isInclude) in m_rules.All)
            insert.Bind(1, text).Bind(2, isPattern ? 1 : 0).Bind(3, isInclude ? 1 : 0).Bind(4, m_caseSensitive ? 1 : 0).Execute();
    }

    private void ReadFolder(string folder) => Read(SearchSql.InFolder, folder);

    private void Read(string sql, string? folder)
    {
        using var select = m_session.Take(sql);
        using var entries = m_versions.Take();
        select.Bind(1, m_rules.KeepsUnmatched ? 1 : 0).Bind(2, m_caseSensitive ? 1 : 0).Bind(3, m_searchMetadata ? 1 : 0);
        if (folder is not null)
            select.Bind(4, folder);
        while (select.Step())
            Add(select, entries);
        EndGroup();
    }

    // Rows of one path, with different content, follow each other; their versions are one list by time.
    private void Add(Statement file, Statement entries)
    {
        var path = (file.GetString(1) ?? "", file.GetString(2) ?? "");
        if (path != m_path)
            EndGroup();
        m_path = path;
        m_versions.Read(entries, file.GetInt64(0), m_group);
    }

    private void EndGroup()
    {
        m_group.Sort(VersionEntry.OldestFirst);
        foreach (var entry in m_group)
        {
            if (m_window.Contains(m_total++))
                m_items.Add(Item(StoredFile.Read(m_session, entry.FileId), entry));
        }

        m_group.Clear();
    }

    private static SearchFileVersion Item(StoredFile file, VersionEntry entry) => new(
        FileId: file.Id,
        Version: entry.Fileset.Version,
        Time: entry.Fileset.Utc,
        Path: file.Prefix + file.Name,
        Size: file.Length,
        IsDirectory: file.BlocksetId == SpecialBlocksets.Folder,
        IsSymlink: file.BlocksetId == SpecialBlocksets.Symlink,
        LastModified: new DateTime(entry.LastModified, DateTimeKind.Utc),
        MatchedPathRange: new Range(0, 0),
        Metadata: null);
}

/// <summary>The rules of a filter as a search understands them, in written order.</summary>
internal sealed class SearchRules
{
    private readonly List<(string Text, bool IsPattern, bool IsInclude)> m_rules = [];

    /// <summary>Takes the rules out of a filter; null or an empty one has none.</summary>
    /// <exception cref="UserInformationException">Help id FilterTypeNotSupported: there is something else than plain texts and wildcards.</exception>
    internal SearchRules(IFilter? filter) => Add(filter);

    internal IReadOnlyList<(string Text, bool IsPattern, bool IsInclude)> All => m_rules;

    /// <summary>What happens to paths that no rule fits: only a filter that does nothing but include leaves them out.</summary>
    internal bool KeepsUnmatched => m_rules.Count == 0 || m_rules.Exists(x => !x.IsInclude);

    private void Add(IFilter? filter)
    {
        switch (filter)
        {
            case null or FilterExpression { Type: FilterType.Empty }:
                return;
            case JoinedFilterExpression joined:
                Add(joined.First);
                Add(joined.Second);
                return;
            case FilterExpression { Type: FilterType.Simple or FilterType.Wildcard } leaf:
                m_rules.AddRange(leaf.GetSimpleList().Select(text => (text, leaf.Type == FilterType.Wildcard, leaf.Result)));
                return;
            default:
                throw new UserInformationException($"A search understands plain texts and wildcards only, not the filter {filter}", "FilterTypeNotSupported");
        }
    }
}

/// <summary>The temporary tables of searching. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class SearchTables
{
    internal static readonly TempTable SearchRule = new("SearchRule", SearchSql.Create, SearchSql.Clear);
}
