// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Duplicati.Engine.Common;

namespace Duplicati.Engine.Restore;

/// <summary>Names that a restore gives: those of what is not complete yet, and free ones beside what is in the way.</summary>
internal static class TargetNames
{
    /// <summary>Begins every name of what is not complete.</summary>
    internal const string TemporaryPrefix = ".restoring-";

    // Most file systems allow as much: of UTF-8 on Linux, of UTF-16 elsewhere.
    private const int MostLength = 255;

    /// <summary>
    /// The name beside a path under which something is made. The next restore of the same content finds what a killed one left there.
    /// </summary>
    /// <param name="path">Full path of the entry.</param>
    /// <param name="content">The hash of a file, or what a link leads to.</param>
    internal static string Temporary(string path, string content)
    {
        var hash = SHA256.HashData(Encoding.UTF8.GetBytes(Path.GetFileName(path) + '\0' + content));
        return Path.Combine(Path.GetDirectoryName(path)!, TemporaryPrefix + Convert.ToHexStringLower(hash.AsSpan(0, 8)));
    }

    /// <summary>A path beside another one at which nothing is, for what could be restored of a file that is not complete.</summary>
    internal static string Incomplete(string path)
    {
        for (var i = 0; ; i++)
        {
            var candidate = Beside(path, Path.GetFileName(path), i == 0 ? ".incomplete" : $".incomplete ({i})");
            if (!IsTaken(candidate))
                return candidate;
        }
    }

    /// <summary>
    /// A path with the time of the version in its name at which nothing is. Of a name that would be too long the end goes.
    /// </summary>
    internal static string Free(string path, DateTime versionTime)
    {
        var stamp = versionTime.ToLocalTime().ToString("yyyy-MM-dd", CultureInfo.InvariantCulture);
        var (stem, extension) = (Path.GetFileNameWithoutExtension(path), Path.GetExtension(path));
        // What takes half of the name is no extension.
        if (Length(extension) > MostLength / 2)
            (stem, extension) = (Path.GetFileName(path), "");
        for (var i = 0; ; i++)
        {
            var end = i == 0 ? $".{stamp}{extension}" : $".{stamp} ({i}){extension}";
            var candidate = Beside(path, stem, end);
            if (!IsTaken(candidate))
                return candidate;
        }
    }

    /// <summary>
    /// Whether something is at a path. A link that leads nowhere does not exist for those who follow it, but takes the name.
    /// </summary>
    internal static bool IsTaken(string path) => Path.Exists(path) || IsLink(path);

    /// <summary>Whether two names that differ in nothing but case are of one file or link; true if it cannot be told.</summary>
    internal static bool AreOne(string path, string other)
    {
        var (leadsTo, otherLeadsTo) = (new FileInfo(path).LinkTarget, new FileInfo(other).LinkTarget);
        if (leadsTo is not null || otherLeadsTo is not null)
            return leadsTo == otherLeadsTo;
        try
        {
            using var open = File.OpenHandle(path);
            return UnixFile.IsAt(open, other);
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            return Path.Exists(path);
        }
    }

    /// <summary>Whether there is a folder, and not a link to one.</summary>
    internal static bool IsFolder(string path) => Directory.Exists(path) && !IsLink(path);

    /// <summary>Whether there is a link.</summary>
    internal static bool IsLink(string path) => new FileInfo(path).LinkTarget is not null;

    /// <summary>Whether no usual file system takes the name at the end of a path.</summary>
    internal static bool IsTooLong(string path) => Length(Path.GetFileName(path)) > MostLength;

    private static string Beside(string path, string stem, string end) =>
        Path.Combine(Path.GetDirectoryName(path)!, Cut(stem, MostLength - Length(end)) + end);

    private static int Length(string name) => OperatingSystem.IsLinux() ? Encoding.UTF8.GetByteCount(name) : name.Length;

    private static string Cut(string name, int length)
    {
        while (Length(name) > length)
            name = name[..^(name.Length > 1 && char.IsLowSurrogate(name[^1]) ? 2 : 1)];
        return name;
    }
}
