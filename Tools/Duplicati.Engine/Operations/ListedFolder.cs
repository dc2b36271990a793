// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Paths;

namespace Duplicati.Engine.Operations;

/// <summary>Folders within the entries of a version.</summary>
internal static class ListedFolder
{
    /// <summary>A folder's path as it is stored: with the separator of its kind of path at the end.</summary>
    internal static string Name(string folder)
    {
        var separator = Separator(folder);
        return folder.EndsWith(separator) ? folder : folder + separator;
    }

    /// <summary>
    /// Whether a version may have it: its paths are absolute. The layer takes a bare name for that of an entry in any folder.
    /// </summary>
    internal static bool CanBe(string path) => PathCheck.Problem(Name(path)) is null;

    /// <summary>Help id <c>FolderNotInVersion</c>.</summary>
    internal static UserInformationException Missing(string folder, int version) =>
        new($"Version {version} has no folder '{folder}'; list its parent, or another version.", "FolderNotInVersion");

    /// <summary>What lies directly in a folder; the topmost entries for a blank one.</summary>
    /// <exception cref="UserInformationException">Help id <c>FolderNotInVersion</c>.</exception>
    internal static IReadOnlyList<ListedEntry> Children(IEnumerable<ListedEntry> entries, string folder, int version)
    {
        var sorted = entries.OrderBy(x => x.Path, BinaryOrder.Instance);
        if (string.IsNullOrWhiteSpace(folder))
            return Roots(sorted);

        var name = Name(folder);
        var inside = sorted.Where(x => x.Path.StartsWith(name, StringComparison.Ordinal)).ToList();
        if (inside.Count == 0)
            throw Missing(folder, version);
        var separator = Separator(folder);
        return inside.FindAll(x =>
            x.Path.Length > name.Length && x.Path.IndexOf(separator, name.Length) is var cut && (cut < 0 || cut == x.Path.Length - 1)
        );
    }

    private static List<ListedEntry> Roots(IEnumerable<ListedEntry> sorted)
    {
        var roots = new List<ListedEntry>();
        foreach (var entry in sorted)
        {
            if (
                roots.Count == 0
                || roots[^1].Type != ListedEntry.Folder
                || !entry.Path.StartsWith(roots[^1].Path, StringComparison.Ordinal)
            )
                roots.Add(entry);
        }

        return roots;
    }

    private static char Separator(string path) => path.Contains('/', StringComparison.Ordinal) ? '/' : '\\';
}
