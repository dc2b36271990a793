// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Common;

/// <summary>Checks paths that come from remote volumes: nobody may steer a restore out of its folder with them.</summary>
internal static class PathCheck
{
    private static readonly char[] s_ofWindows = ['/', '\\'];

    /// <summary>
    /// What is wrong with a source path, or null. A path must be absolute on some platform and have no parent segments. Backslashes are
    /// letters in names of Linux: whoever restores to a system where they are none looks at them again.
    /// </summary>
    internal static string? Problem(string path)
    {
        if (path.Contains('\0', StringComparison.Ordinal))
            return "the path holds a NUL character";
        if (path.Split(path.StartsWith('/') ? ['/'] : s_ofWindows).Contains(".."))
            return "the path points to a parent folder (PathTraversalDetected)";
        return IsAbsolute(path) ? null : "the path is not absolute on any platform (InvalidPath)";
    }

    /// <summary>
    /// What separates the parts of a source path. By its form: the sources may have been on another system, and a name on Linux may hold a
    /// backslash.
    /// </summary>
    internal static char Separator(string path) => path.StartsWith('/') ? '/' : '\\';

    private static bool IsAbsolute(string path) =>
        path.StartsWith('/')
        || path.StartsWith(@"\\", StringComparison.Ordinal)
        || (path.Length >= 3 && char.IsAsciiLetter(path[0]) && path[1] == ':' && path[2] is '\\' or '/');
}

/// <summary>
/// Paths without links, so that two ways to one file can be compared. Parts that do not exist, or cannot be looked at, stay as they are.
/// </summary>
internal static class RealPath
{
    /// <summary>The full path of what a path leads to.</summary>
    internal static string Of(string path)
    {
        var place = Beside(path);
        // What does not exist is no link, and asking for its target throws.
        return Attempt.Read(
            () =>
                new FileInfo(place) is { LinkTarget: not null } link && link.ResolveLinkTarget(returnFinalTarget: true) is { } target
                    ? Of(target.FullName)
                    : place,
            place
        );
    }

    /// <summary>The full path of the entry itself, which may be a link.</summary>
    internal static string Beside(string path)
    {
        var full = Path.TrimEndingDirectorySeparator(Path.GetFullPath(path));
        return Path.GetDirectoryName(full) is { } folder ? Path.Join(Of(folder), Path.GetFileName(full)) : full;
    }
}
