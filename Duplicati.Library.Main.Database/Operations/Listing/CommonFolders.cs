// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>The longest folder that a set of paths has in common; one a root where there are several drives or servers.</summary>
internal sealed class CommonFolders
{
    private readonly List<string> m_roots = [];
    private readonly Dictionary<string, string> m_common = new(StringComparer.Ordinal);
    private bool m_hasOther;

    /// <summary>
    /// The folders, each with its separator at the end: drives by first appearance, then servers; one empty text if there is none in
    /// common.
    /// </summary>
    internal static List<string> Of(IEnumerable<string> paths)
    {
        var folders = new CommonFolders();
        foreach (var path in paths)
            folders.Add(path);
        return folders.Result();
    }

    private void Add(string path)
    {
        var root = RootOf(path);
        m_hasOther |= root.Length == 0;
        if (m_common.TryGetValue(root, out var common))
        {
            m_common[root] = common[..common.AsSpan().CommonPrefixLength(path)];
            return;
        }

        m_common.Add(root, path);
        m_roots.Add(root);
    }

    private List<string> Result()
    {
        if (m_roots.Count == 0 || (m_hasOther && m_roots.Count > 1))
            return [""];

        return [.. m_roots.OrderBy(x => x.StartsWith(@"\\", StringComparison.Ordinal)).Select(x => Folder(m_common[x]))];
    }

    private static string Folder(string common) => common[..(common.AsSpan().LastIndexOfAny(common.StartsWith('/') ? "/" : @"/\") + 1)];

    // A drive with its separator, or a server with the two before and the one behind its name.
    private static string RootOf(string path)
    {
        if (path.Length >= 3 && char.IsAsciiLetter(path[0]) && path[1] == ':' && path[2] == '\\')
            return path[..3];

        var end = path.StartsWith(@"\\", StringComparison.Ordinal) ? path.IndexOf('\\', 2) : -1;
        return end < 0 ? "" : path[..(end + 1)];
    }
}
