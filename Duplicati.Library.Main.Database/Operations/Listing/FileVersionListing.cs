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

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>The versions of given files.</summary>
internal static class FileVersionListing
{
    // PathPrefixPrefix, FileLookupPath.
    private const string ByFullPath = """
        SELECT "FileLookup"."ID"
        FROM "PathPrefix" CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID" AND "FileLookup"."Path" = ?2
        WHERE "PathPrefix"."Prefix" = ?1
        """;

    /// <summary>
    /// A page of the versions of the files whose last path component or full path is given, with or without a separator at the
    /// end: by component, then the oldest first. Costs a few look-ups a full path; one a folder of the database for all components.
    /// </summary>
    internal static IPaginatedResults<IListFileVersion> Page(
        DatabaseSession session,
        IEnumerable<string> paths,
        long[]? filesetIds,
        PageWindow window
    )
    {
        var files = FileIds(session, paths).Select(id => StoredFile.Read(session, id)).ToList();
        files.Sort((x, y) => BinaryOrder.Instance.Compare(x.Name, y.Name));
        var versions = new VersionMap(session, filesetIds, window);
        var items = new List<IListFileVersion>();
        var total = 0L;
        using var select = versions.Take();
        for (var next = 0; next < files.Count; )
        {
            // All files of one name, wherever they are stored, are one list by time.
            var entries = new List<VersionEntry>();
            var group = new Dictionary<long, StoredFile>();
            for (var name = files[next].Name; next < files.Count && files[next].Name == name; next++)
            {
                group.Add(files[next].Id, files[next]);
                versions.Read(select, files[next].Id, entries);
            }

            entries.Sort(VersionEntry.OldestFirst);
            items.AddRange(entries.Where(_ => window.Contains(total++)).Select(x => Item(group[x.FileId], x, versions.LastModified(x))));
        }

        return window.Result(items, total);
    }

    private static HashSet<long> FileIds(DatabaseSession session, IEnumerable<string> paths)
    {
        var result = new HashSet<long>();
        var spellings = paths.Where(x => !string.IsNullOrEmpty(x)).SelectMany(Spellings).Distinct(StringComparer.Ordinal).ToList();
        foreach (var path in spellings)
            AddByFullPath(session, path, result);
        NameLookup.Add(session, spellings.Where(CanBeName), result);
        return result;
    }

    private static IEnumerable<string> Spellings(string path)
    {
        // In a path that begins with a slash, a backslash is a letter; of a name alone nobody knows.
        char[] separators = path[0] == '/' ? ['/'] : ['/', '\\'];
        var bare = path.TrimEnd(separators);
        return bare.Length == 0 ? [path] : [path, bare, .. separators.Select(x => bare + x)];
    }

    // Only at its end can a component have a slash; a backslash is a letter like others in names from most file systems.
    private static bool CanBeName(string path) => path.AsSpan().TrimEnd('/').IndexOf('/') < 0;

    private static void AddByFullPath(DatabaseSession session, string path, HashSet<long> result)
    {
        using var select = session.Take(ByFullPath);
        foreach (var (prefix, name) in StoredPath.Cuts(path))
        {
            select.Bind(1, prefix).Bind(2, name);
            while (select.Read())
                result.Add(select.GetInt64(0));
        }
    }

    private static ListFileVersion Item(StoredFile file, VersionEntry entry, DateTime lastModified) =>
        new(
            Version: entry.Fileset.Version,
            Time: entry.Fileset.Utc,
            Path: file.Name,
            Size: file.Length,
            IsDirectory: file.BlocksetId == SpecialBlocksets.Folder,
            IsSymlink: file.BlocksetId == SpecialBlocksets.Symlink,
            LastModified: lastModified
        );
}

/// <summary>A row of FileLookup with its folder and its length.</summary>
/// <param name="Id">Row id.</param>
/// <param name="Prefix">The folder with its separator.</param>
/// <param name="Name">The last component of the path.</param>
/// <param name="BlocksetId">The blockset, or the mark of a folder or symbolic link.</param>
/// <param name="Length">Bytes; 0 without a blockset.</param>
internal readonly record struct StoredFile(long Id, string Prefix, string Name, long BlocksetId, long Length)
{
    // Row ids.
    private const string File = """
        SELECT "FileLookup"."Path", "FileLookup"."BlocksetID", "Blockset"."Length", "PathPrefix"."Prefix"
        FROM "FileLookup"
        LEFT JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "FileLookup"."ID" = ?1
        """;

    /// <summary>The row with an id, which must exist. Row ids only.</summary>
    internal static StoredFile Read(DatabaseSession session, long id)
    {
        using var select = session.Take(File);
        select.Bind(1, id);
        return select.Read()
            ? new StoredFile(id, select.GetString(3) ?? "", select.GetString(0) ?? "", select.GetInt64(1), select.GetInt64(2, 0))
            : throw new InvalidOperationException($"The file with id {id} has vanished.");
    }
}

/// <summary>A path is stored in two pieces, cut behind a separator; which one depends on the version that stored it.</summary>
internal static class StoredPath
{
    /// <summary>All the ways to cut a path, also with one piece empty.</summary>
    internal static IEnumerable<(string Prefix, string Name)> Cuts(string path)
    {
        for (var cut = 0; cut <= path.Length; cut++)
        {
            if (cut == 0 || cut == path.Length || path[cut - 1] is '/' or '\\')
                yield return (path[..cut], path[cut..]);
        }
    }
}
