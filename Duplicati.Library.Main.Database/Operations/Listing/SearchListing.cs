// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Model;
using Duplicati.Library.Main.Database.Paths;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.Utility;

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>Finds files by path and metadata in some or all versions.</summary>
internal sealed class SearchListing
{
    // Rules are rows of a table and options are parameters, so no text of a caller becomes part of a statement.

    // Appends; the text takes the case in which it will be compared.
    private const string Insert = """
        INSERT INTO temp."SearchRule" ("Text", "IsPattern", "IsInclude") VALUES (CASE WHEN ?4 THEN ?1 ELSE LOWER(?1) END, ?2, ?3)
        """;

    // A rule holds if it fits the path or, when asked for, one of the names that the metadata has.
    private const string Holds = """
        (CASE WHEN "Rule"."IsPattern" THEN (CASE WHEN ?2 THEN "FullPath" ELSE LOWER("FullPath") END) GLOB "Rule"."Text"
            ELSE INSTR(CASE WHEN ?2 THEN "FullPath" ELSE LOWER("FullPath") END, "Rule"."Text") > 0 END
        OR (?3 AND EXISTS (
            SELECT 1 FROM json_each((SELECT "Metadataset"."Content" FROM "Metadataset" WHERE "Metadataset"."ID" = "MetadataID")) AS "Item"
            WHERE "Item"."key" IN ('o365:Name', 'o365:DisplayName', 'o365:Type', 'gsuite:Name', 'gsuite:DisplayName', 'gsuite:SpaceName', 'gsuite:Type')
                AND CASE WHEN "Rule"."IsPattern" THEN (CASE WHEN ?2 THEN "Item"."value" ELSE LOWER("Item"."value") END) GLOB "Rule"."Text"
                    ELSE INSTR(CASE WHEN ?2 THEN "Item"."value" ELSE LOWER("Item"."value") END, "Rule"."Text") > 0 END)))
        """;

    // The first rule that holds decides; ?1 decides without one.
    private const string IsWanted = $"""
        COALESCE((SELECT "Rule"."IsInclude" FROM temp."SearchRule" AS "Rule" WHERE {Holds} ORDER BY "Rule"."Index" LIMIT 1), ?1)
        """;

    // PathPrefixPrefix and FileLookupPath, in whose order the rows come; every path is tested.
    private const string Everywhere = $"""
        SELECT "FileID", "Prefix", "Name"
        FROM (
            SELECT "FileLookup"."ID" AS "FileID", "PathPrefix"."Prefix" AS "Prefix", "FileLookup"."Path" AS "Name",
                "PathPrefix"."Prefix" || "FileLookup"."Path" AS "FullPath", "FileLookup"."MetadataID" AS "MetadataID"
            FROM "PathPrefix" CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID")
        WHERE {IsWanted}
        ORDER BY "Prefix", "Name"
        """;

    // PathPrefixPrefix and FileLookupPath, in whose order the rows come; every path of the folder is tested.
    private const string InFolder = $"""
        SELECT "FileID", "Prefix", "Name"
        FROM (
            SELECT "FileLookup"."ID" AS "FileID", "PathPrefix"."Prefix" AS "Prefix", "FileLookup"."Path" AS "Name",
                "PathPrefix"."Prefix" || "FileLookup"."Path" AS "FullPath", "FileLookup"."MetadataID" AS "MetadataID"
            FROM "PathPrefix" CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID"
            WHERE "PathPrefix"."Prefix" = ?4)
        WHERE {IsWanted}
        ORDER BY "Prefix", "Name"
        """;

    // PathPrefixPrefix, in its order.
    private const string Prefixes = """SELECT "ID", "Prefix" FROM "PathPrefix" ORDER BY "Prefix" """;

    // PathPrefixPrefix.
    private const string PrefixSql = """SELECT "ID", "Prefix" FROM "PathPrefix" WHERE "Prefix" = ?1""";

    // FileLookupPath, in whose order the names come, each once.
    private const string NamesOfPrefix = """SELECT DISTINCT "Path" FROM "FileLookup" WHERE "PrefixID" = ?1 ORDER BY "Path" """;

    // FileLookupPath.
    private const string FilesOfName = """SELECT "ID" FROM "FileLookup" WHERE "PrefixID" = ?1 AND "Path" = ?2""";

    private readonly DatabaseSession m_session;
    private readonly SearchRules m_rules;
    private readonly bool m_caseSensitive;
    private readonly bool m_searchMetadata;
    private readonly PageWindow m_window;
    private readonly VersionMap m_versions;
    private readonly List<ISearchFileVersion> m_items = [];
    private readonly List<VersionEntry> m_group = [];
    private (string Prefix, string Name) m_path;
    private StoredFile? m_file;
    private long m_total;

    private SearchListing(
        DatabaseSession session,
        SearchRules rules,
        bool caseSensitive,
        long[]? filesetIds,
        bool searchMetadata,
        PageWindow window
    )
    {
        m_session = session;
        m_rules = rules;
        m_caseSensitive = caseSensitive;
        m_searchMetadata = searchMetadata;
        m_window = window;
        m_versions = new VersionMap(session, filesetIds, window);
    }

    /// <summary>
    /// A page of the entries that a filter wants: by prefix, then by name, then the oldest first. Tests each path of the database,
    /// or of the folders, once; then looks up the entries of those that fit. Memory: the page.
    /// </summary>
    /// <exception cref="UserInformationException">Help id FilterTypeNotSupported: the filter has something else than plain texts and
    /// wildcards.</exception>
    internal static IPaginatedResults<ISearchFileVersion> Page(
        DatabaseSession session,
        IEnumerable<string>? folders,
        IFilter? filter,
        bool caseSensitive,
        long[]? filesetIds,
        bool searchMetadata,
        PageWindow window
    )
    {
        var search = new SearchListing(session, new SearchRules(filter), caseSensitive, filesetIds, searchMetadata, window);
        List<string?> distinct = [.. (folders ?? []).Distinct(StringComparer.Ordinal).Order(BinaryOrder.Instance)];
        search.Read(distinct.Count > 0 ? distinct : [null]);
        return window.Result(search.m_items, search.m_total);
    }

    private void Read(List<string?> folders)
    {
        if (!m_searchMetadata && PathRules.TryCreate(m_rules, m_caseSensitive) is { } rules)
        {
            folders.ForEach(folder => ReadPaths(rules, folder));
            return;
        }

        WriteRules();
        folders.ForEach(ReadRows);
    }

    // Each path is tested once, whatever the number of its contents.
    private void ReadPaths(PathRules rules, string? folder)
    {
        using var prefixes = m_session.Take(folder is null ? Prefixes : PrefixSql);
        using var names = m_session.Take(NamesOfPrefix);
        using var files = m_session.Take(FilesOfName);
        using var entries = m_versions.Take();
        if (folder is not null)
            prefixes.Bind(1, folder);
        while (prefixes.Read())
        {
            rules.SetPrefix(prefixes.GetUtf8(1));
            names.Bind(1, prefixes.GetInt64(0));
            while (names.Read())
            {
                if (!rules.Want(names.GetUtf8(0)))
                    continue;
                files.Bind(1, prefixes.GetInt64(0)).BindUtf8(2, names.GetUtf8(0));
                while (files.Read())
                    m_versions.Read(entries, files.GetInt64(0), m_group);
                EndGroup();
            }
        }
    }

    private void WriteRules()
    {
        SearchTables.SearchRule.Reset(m_session);
        using var insert = m_session.Take(Insert);
        foreach (var (text, isPattern, isInclude) in m_rules.All)
            insert.Bind(1, text).Bind(2, isPattern ? 1 : 0).Bind(3, isInclude ? 1 : 0).Bind(4, m_caseSensitive ? 1 : 0).ExecuteNonQuery();
    }

    private void ReadRows(string? folder)
    {
        using var select = m_session.Take(folder is null ? Everywhere : InFolder);
        using var entries = m_versions.Take();
        select.Bind(1, m_rules.KeepsUnmatched ? 1 : 0).Bind(2, m_caseSensitive ? 1 : 0).Bind(3, m_searchMetadata ? 1 : 0);
        if (folder is not null)
            select.Bind(4, folder);
        while (select.Read())
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
            if (!m_window.Contains(m_total++))
                continue;
            // Neighbouring versions mostly have the same content.
            if (m_file is not { } file || file.Id != entry.FileId)
                m_file = file = StoredFile.Read(m_session, entry.FileId);
            m_items.Add(Item(file, entry, m_versions.LastModified(entry)));
        }

        m_group.Clear();
    }

    private static SearchFileVersion Item(StoredFile file, VersionEntry entry, DateTime lastModified) =>
        new(
            FileId: file.Id,
            Version: entry.Fileset.Version,
            Time: entry.Fileset.Utc,
            Path: file.Prefix + file.Name,
            Size: file.Length,
            IsDirectory: file.BlocksetId == SpecialBlocksets.Folder,
            IsSymlink: file.BlocksetId == SpecialBlocksets.Symlink,
            LastModified: lastModified,
            MatchedPathRange: new Range(0, 0),
            Metadata: null
        );
}

/// <summary>The temporary tables of searching. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class SearchTables
{
    // The rules in the order in which they are tried.
    private const string Create = """
        CREATE TEMP TABLE IF NOT EXISTS "SearchRule" ("Index" INTEGER PRIMARY KEY, "Text" TEXT NOT NULL, "IsPattern" INTEGER NOT NULL, "IsInclude" INTEGER NOT NULL)
        """;

    internal static readonly TempTable SearchRule = new("SearchRule", Create);
}
