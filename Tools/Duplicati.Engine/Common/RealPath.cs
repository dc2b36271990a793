// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Common;

/// <summary>
/// Paths without links, so that two ways to one file can be compared. Parts that do not exist, or cannot be looked at, stay as they are.
/// </summary>
internal static class RealPath
{
    /// <summary>The full path of what a path leads to.</summary>
    internal static string Of(string path)
    {
        var place = Beside(path);
        try
        {
            // What does not exist is no link, and asking for its target throws.
            return new FileInfo(place) is { LinkTarget: not null } link && link.ResolveLinkTarget(returnFinalTarget: true) is { } target
                ? Of(target.FullName)
                : place;
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            return place;
        }
    }

    /// <summary>The full path of the entry itself, which may be a link.</summary>
    internal static string Beside(string path)
    {
        var full = Path.TrimEndingDirectorySeparator(Path.GetFullPath(path));
        return Path.GetDirectoryName(full) is { } folder ? Path.Join(Of(folder), Path.GetFileName(full)) : full;
    }
}
