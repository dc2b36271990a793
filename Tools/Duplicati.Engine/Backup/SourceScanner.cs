// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Data;
using Duplicati.Library.Interface;
using Duplicati.Library.Utility;

namespace Duplicati.Engine.Backup;

/// <summary>Lists everything below the given sources: folders first, links not followed, each path once.</summary>
/// <remarks>What cannot be read is reported and skipped. Memory: one folder's entries per level.</remarks>
/// <param name="report">Told the path that was skipped and why, and the error if there was one.</param>
/// <param name="exclusions">What is left out without a word; nothing below a folder that is left out is looked at.</param>
/// <param name="own">What the backup itself writes, which is left out as well.</param>
internal sealed class SourceScanner(Action<string, string, Exception?> report, IFilter exclusions, OwnFiles own)
{
    private const string NotUtf8 = "its name is not UTF-8; give it another one to have it backed up";

    private static readonly char s_separator = Path.DirectorySeparatorChar;

    /// <summary>Told of each folder before this call chain lists it; for tests of disks that fail.</summary>
    internal static readonly AsyncLocal<Action<string>?> Listing = new();

    /// <summary>The full paths of the sources, each once.</summary>
    /// <exception cref="UserInformationException">A source does not exist; help id <c>SourceIsMissing</c>. All are left out; help id
    /// <c>AllSourcesAreExcluded</c>.</exception>
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

    /// <summary>Whether the exclusions leave out a source.</summary>
    internal bool LeavesOut(string source) => IsExcluded(Info(source));

    /// <summary>
    /// Whether the exclusions leave out a folder below a source. It is not looked at: its server may be off, and never answer.
    /// </summary>
    internal bool LeavesOut(string source, string folder)
    {
        for (var at = folder; at.Length > source.Length; at = Path.GetDirectoryName(at)!)
        {
            if (IsExcluded(new DirectoryInfo(at)))
                return true;
        }

        return LeavesOut(source);
    }

    /// <summary>Whether there is something at a path, if only a link.</summary>
    internal static bool Exists(string path) => File.Exists(path) || Directory.Exists(path) || new FileInfo(path).LinkTarget is not null;

    /// <summary>What there is at a path; null if nothing that a version can have.</summary>
    internal static SourceKind? KindOf(string path) =>
        new FileInfo(path).LinkTarget is not null ? SourceKind.Symlink
        : Directory.Exists(path) ? SourceKind.Folder
        : File.Exists(path) && !UnixFile.IsSpecial(path) ? SourceKind.File
        : null;

    /// <summary>Whether a path is that of a folder, and not of a link to one.</summary>
    internal static bool IsFolder(string path) => Directory.Exists(path) && new DirectoryInfo(path).LinkTarget is null;

    /// <summary>Whether a folder can be listed, or this process is only not allowed to.</summary>
    internal static bool CanList(string folder)
    {
        try
        {
            _ = List(new DirectoryInfo(folder));
            return true;
        }
        catch (UnauthorizedAccessException)
        {
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }

    /// <summary>Lists sources lazily. What has gone meanwhile is reported as skipped.</summary>
    /// <param name="roots">What <see cref="Require"/> gave.</param>
    internal IEnumerable<SourceEntry> Scan(IReadOnlyList<string> roots)
    {
        // A source below another one is listed with that one, if that one comes to it: it may lie behind a link, or in what is left out.
        var nested = roots.Where(x => roots.Any(y => y != x && IsBelow(x, y))).ToHashSet(StringComparer.Ordinal);
        var met = new HashSet<string>(StringComparer.Ordinal);
        foreach (var root in roots.OrderBy(x => nested.Contains(x) ? x.Length : 0))
        {
            if (met.Contains(root))
                continue;
            foreach (var entry in Descend(root, x => _ = nested.Contains(x) && met.Add(x)))
                yield return entry;
        }
    }

    private IEnumerable<SourceEntry> Descend(string root, Action<string> meets)
    {
        var pending = new Stack<FileSystemInfo>();
        pending.Push(Info(root));
        while (pending.TryPop(out var info))
        {
            meets(info.FullName);
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
                report(info.FullName, NotUtf8, null);
                return null;
            }

            var modified = FileTimes.LastWrite(info);
            if (info.LinkTarget is { } target)
            {
                if (target.Contains('\uFFFD', StringComparison.Ordinal) && !UnixFile.LeadsTo(info.FullName, target))
                {
                    report(info.FullName, "the path that it leads to is not UTF-8; make it anew to have it backed up", null);
                    return null;
                }

                return new SourceEntry(
                    info is DirectoryInfo ? info.FullName + s_separator : info.FullName,
                    SourceKind.Symlink,
                    0,
                    modified
                );
            }

            if (info is DirectoryInfo)
                return new SourceEntry(info.FullName.TrimEnd(s_separator) + s_separator, SourceKind.Folder, 0, modified);
            if (UnixFile.IsSpecial(info.FullName))
            {
                report(info.FullName, "neither a file, a folder nor a symbolic link", null);
                return null;
            }

            return new SourceEntry(info.FullName, SourceKind.File, ((FileInfo)info).Length, modified);
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            report(info.FullName, ex.Message, ex);
            return null;
        }
    }

    private FileSystemInfo[] Children(DirectoryInfo folder)
    {
        try
        {
            var children = List(folder);
            // Pushed on a stack: the last one is listed first.
            Array.Sort(children, static (x, y) => string.CompareOrdinal(y.Name, x.Name));
            return Array.Exists(children, HasNoPath) || HasTwins(children) ? Proper(folder, children) : children;
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            report(folder.FullName, ex.Message, ex);
            return [];
        }
    }

    private static FileSystemInfo[] List(DirectoryInfo folder)
    {
        Listing.Value?.Invoke(folder.FullName);
        return folder.GetFileSystemInfos();
    }

    // The runtime has no path for what lies deeper than the system allows.
    private static bool HasNoPath(FileSystemInfo info) => info.FullName.Length == 0;

    // Names that are not UTF-8 look alike, and like one that is.
    private static bool HasTwins(FileSystemInfo[] children)
    {
        for (var i = 1; i < children.Length; i++)
        {
            if (children[i].Name == children[i - 1].Name)
                return true;
        }

        return false;
    }

    // Each path once, and the one that is there.
    private FileSystemInfo[] Proper(DirectoryInfo folder, FileSystemInfo[] children)
    {
        var proper = new List<FileSystemInfo>();
        foreach (var alike in children.GroupBy(x => x.FullName, StringComparer.Ordinal))
        {
            var kept = alike.Key.Length == 0 ? null : alike.FirstOrDefault(x => x.Exists || x.LinkTarget is not null) ?? alike.First();
            if (kept is not null)
                proper.Add(kept);
            foreach (var other in alike.Where(x => x != kept))
                report(Path.Join(folder.FullName, other.Name), kept is null ? "its path is too long" : NotUtf8, null);
        }

        return [.. proper];
    }

    private static bool IsBelow(string path, string folder) =>
        path.StartsWith(folder.EndsWith(s_separator) ? folder : folder + s_separator, StringComparison.Ordinal);
}

/// <summary>One file, folder or symbolic link of the sources.</summary>
/// <param name="Path">Full path; folders, and links to folders, end with the directory separator.</param>
/// <param name="Kind">What it is.</param>
/// <param name="Length">Length in bytes when it was listed; 0 for folders and links.</param>
/// <param name="LastModified">Time of the last change (UTC).</param>
public sealed record SourceEntry(string Path, SourceKind Kind, long Length, DateTime LastModified)
{
    /// <summary>The path without the separator at its end, as the file system wants it.</summary>
    public string FileSystemPath => Path.Length > 1 ? Path.TrimEnd(System.IO.Path.DirectorySeparatorChar) : Path;
}

/// <summary>What a source entry is.</summary>
public enum SourceKind
{
    /// <summary>A regular file.</summary>
    File,

    /// <summary>A folder.</summary>
    Folder,

    /// <summary>A symbolic link, to anything.</summary>
    Symlink,
}
