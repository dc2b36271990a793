// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Library.Interface;
using Duplicati.Library.Utility;

namespace Duplicati.Engine.Backup;

/// <summary>Lists everything below the given sources: folders first, links not followed, each path once.</summary>
/// <remarks>What cannot be read is reported and skipped. Memory: one folder's entries per level.</remarks>
/// <param name="report">Told the path that was skipped and why.</param>
/// <param name="exclusions">What is left out without a word; nothing below a folder that is left out is looked at.</param>
/// <param name="own">What the backup itself writes, which is left out as well.</param>
internal sealed class SourceScanner(Action<string, string> report, IFilter exclusions, OwnFiles own)
{
    private static readonly char s_separator = Path.DirectorySeparatorChar;

    /// <summary>Lists the sources lazily.</summary>
    /// <exception cref="UserInformationException">A source does not exist; help id <c>SourceIsMissing</c>. All are left out; help id
    /// <c>AllSourcesAreExcluded</c>.</exception>
    internal IEnumerable<SourceEntry> Scan(IReadOnlyList<string> sources)
    {
        var roots = Require(sources);
        // A source below another one is listed with that one.
        return roots.Where(x => !roots.Any(y => y != x && IsBelow(x, y))).SelectMany(Descend);
    }

    /// <summary>The full paths of the sources, each once. Throws as the listing does, before anything is made or changed.</summary>
    internal IReadOnlyList<string> Require(IReadOnlyList<string> sources)
    {
        var roots = sources
            .Select(Path.GetFullPath)
            .Select(x => x.Length > 1 ? x.TrimEnd(s_separator) : x)
            .Distinct(StringComparer.Ordinal)
            .ToList();
        foreach (var root in roots)
        {
            if (!Exists(root))
                throw new UserInformationException(
                    $"The source {root} does not exist; check the path, or leave it out.",
                    "SourceIsMissing"
                );
        }

        if (roots.Count > 0 && roots.TrueForAll(x => IsExcluded(Info(x))))
            throw new UserInformationException(
                "Every source is excluded, so there is nothing to back up; check --exclude.",
                "AllSourcesAreExcluded"
            );
        return roots;
    }

    private IEnumerable<SourceEntry> Descend(string root)
    {
        var pending = new Stack<FileSystemInfo>();
        pending.Push(Info(root));
        while (pending.TryPop(out var info))
        {
            if (IsExcluded(info) || own.Has(info) || Describe(info) is not { } entry)
                continue;

            yield return entry;
            if (entry.Kind != SourceKind.Folder)
                continue;

            foreach (var child in Children((DirectoryInfo)info))
                pending.Push(child);
        }
    }

    // Folders, and links to them, have a separator at their end, as in the version.
    private bool IsExcluded(FileSystemInfo info) =>
        !exclusions.Empty
        && !FilterExpression.Matches(exclusions, info is DirectoryInfo ? info.FullName.TrimEnd(s_separator) + s_separator : info.FullName);

    private static FileSystemInfo Info(string path) => IsFolder(path) ? new DirectoryInfo(path) : new FileInfo(path);

    private SourceEntry? Describe(FileSystemInfo info)
    {
        try
        {
            // The runtime shows bytes that are no letters so, and finds no file of that name.
            if (info.Name.Contains('\uFFFD', StringComparison.Ordinal) && !info.Exists && info.LinkTarget is null)
            {
                report(info.FullName, "its name is not UTF-8; give it another one to have it backed up");
                return null;
            }

            var modified = info.LastWriteTimeUtc;
            if (info.LinkTarget is not null)
                return new SourceEntry(
                    info is DirectoryInfo ? info.FullName + s_separator : info.FullName,
                    SourceKind.Symlink,
                    0,
                    modified
                );
            if (info is DirectoryInfo)
                return new SourceEntry(info.FullName.TrimEnd(s_separator) + s_separator, SourceKind.Folder, 0, modified);
            if (UnixFile.IsSpecial(info.FullName))
            {
                report(info.FullName, "neither a file, a folder nor a symbolic link");
                return null;
            }

            return new SourceEntry(info.FullName, SourceKind.File, ((FileInfo)info).Length, modified);
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            report(info.FullName, ex.Message);
            return null;
        }
    }

    private FileSystemInfo[] Children(DirectoryInfo folder)
    {
        try
        {
            var children = folder.GetFileSystemInfos();
            // Pushed on a stack: the last one is listed first.
            Array.Sort(children, static (x, y) => string.CompareOrdinal(y.Name, x.Name));
            return children;
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            report(folder.FullName, ex.Message);
            return [];
        }
    }

    private static bool Exists(string path) => File.Exists(path) || Directory.Exists(path) || new FileInfo(path).LinkTarget is not null;

    private static bool IsFolder(string path) => Directory.Exists(path) && new DirectoryInfo(path).LinkTarget is null;

    private static bool IsBelow(string path, string folder) =>
        path.StartsWith(folder.EndsWith(s_separator) ? folder : folder + s_separator, StringComparison.Ordinal);
}
