// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Immutable;
using System.IO;
using Duplicati.Library.Common.IO;
using Duplicati.Library.Main.Database.Paths;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>
/// Where each file is restored to: a function of the path it was backed up from. Paths of the other operating system's form
/// are translated to this one's.
/// </summary>
/// <remarks>Immutable. Names are data: nothing in them is checked or cleaned here, only separators and drives are rewritten.</remarks>
internal sealed class TargetPaths
{
    private const string Slash = "/";
    private const string Backslash = "\\";
    private const string NetworkRoot = @"\\";

    private readonly Func<string, string> m_map;

    /// <param name="separator">Separator of the paths in the backup.</param>
    /// <param name="prefix">What all of them begin with; cut off if there is a destination.</param>
    /// <param name="destination">Folder to restore to; empty for the place the files came from.</param>
    /// <param name="onWindows">Whether this system separates with backslashes.</param>
    /// <param name="systemDrive">Root that slash paths are put under on Windows, such as <c>C:\</c>.</param>
    internal TargetPaths(string separator, string prefix, string destination, bool onWindows, string systemDrive)
    {
        var cut = prefix.Length == 0 || destination.Length == 0 ? 0 : PathEnd.WithSeparator(prefix, separator).Length;
        var root = destination.Length == 0 ? "" : PathEnd.WithSeparator(destination, onWindows ? Backslash : Slash);
        var relative = Relative(separator, destination.Length == 0, cut, onWindows, systemDrive);
        var translate = Translation(separator, onWindows);
        m_map = path => root + translate(relative(path));
        KeepsOrder = separator == Slash && !onWindows;
        SortFrom = KeepsOrder && cut > 0 ? CodePoints(PathEnd.WithSeparator(prefix, separator)) + 1 : 1;
    }

    /// <summary>The mapping on the running system.</summary>
    internal static TargetPaths Create(string separator, string prefix, string destination) =>
        new(separator, prefix, destination, OperatingSystem.IsWindows(), Path.GetPathRoot(Path.GetTempPath()) ?? Backslash);

    /// <summary>Whether targets sort, by code points, as the source paths do from <see cref="SortFrom"/> on.</summary>
    internal bool KeepsOrder { get; }

    /// <summary>The character, counted from 1, that sorting begins at.</summary>
    internal long SortFrom { get; }

    /// <summary>The target of a source path.</summary>
    internal string Map(string path) => m_map(path);

    private static Func<string, string> Relative(string separator, bool inPlace, int cut, bool onWindows, string systemDrive)
    {
        if (cut > 0)
            return path => path.Length <= cut ? "" : path[cut..];
        if (!inPlace)
            return WithoutDrive;
        if (!onWindows && separator == Backslash)
            return path => HasDrive(path) ? NetworkRoot + WithoutDrive(path) : path;
        if (!onWindows || separator != Slash)
            return path => path;

        var drive = PathEnd.WithSeparator(systemDrive.Replace('\\', '/'), Slash);
        return path => path.StartsWith('/') ? string.Concat(drive, path.AsSpan(1)) : path;
    }

    // The drive's colon, or one of the two backslashes of a network path, cannot stand in the middle of a path.
    private static string WithoutDrive(string path)
    {
        if (HasDrive(path))
            return string.Concat(path.AsSpan(0, 1), path.AsSpan(2));
        return path.StartsWith(NetworkRoot, StringComparison.Ordinal) ? path[1..] : path;
    }

    private static bool HasDrive(string path) =>
        path.Length >= 2 && path[1] == ':' && char.IsAsciiLetter(path[0]) && (path.Length == 2 || path[2] is '\\' or '/');

    private static Func<string, string> Translation(string separator, bool onWindows)
    {
        if (!onWindows && separator == Backslash)
            return path => path.Replace('\\', '/');
        if (onWindows && separator == Slash)
            return path => path.Replace('\\', '_').Replace('/', '\\');
        return path => path;
    }

    private static int CodePoints(string text)
    {
        var count = 0;
        foreach (var _ in text.EnumerateRunes())
            count++;
        return count;
    }
}

/// <summary>The targets of all entries at one moment.</summary>
/// <param name="Paths">Where entries go by rule.</param>
/// <param name="Renamed">Entries that go elsewhere, by id.</param>
internal readonly record struct TargetSnapshot(TargetPaths Paths, ImmutableDictionary<long, string> Renamed)
{
    /// <summary>Whether targets sort as the source paths do from <see cref="SortFrom"/> on.</summary>
    internal bool KeepsOrder => Paths.KeepsOrder && Renamed.IsEmpty;

    /// <summary>The character, counted from 1, that sorting begins at.</summary>
    internal long SortFrom => Paths.SortFrom;

    /// <summary>The target of an entry.</summary>
    internal string Of(long id, string path) => Renamed.TryGetValue(id, out var target) ? target : Paths.Map(path);
}

/// <summary>Finds the longest folder that all paths lie in, in one pass over their UTF-8 bytes.</summary>
internal sealed class CommonFolder
{
    private readonly byte m_separator;
    private byte[] m_first = [];
    private int m_common = -1;

    /// <param name="separator">A directory separator, one ASCII character.</param>
    internal CommonFolder(string separator) => m_separator = (byte)separator[0];

    /// <summary>Takes one more path into account.</summary>
    internal void Add(ReadOnlySpan<byte> path)
    {
        if (m_common < 0)
        {
            m_first = path.ToArray();
            m_common = path.Length;
            return;
        }

        m_common = m_first.AsSpan(0, m_common).CommonPrefixLength(path);
    }

    /// <summary>The folder with its trailing separator; empty if there is none.</summary>
    public override string ToString()
    {
        var end = m_common <= 0 ? -1 : m_first.AsSpan(0, m_common).LastIndexOf(m_separator);
        return System.Text.Encoding.UTF8.GetString(m_first, 0, end + 1);
    }
}

/// <summary>Alternate data streams: <c>folder\file:stream</c>, on Windows only. Elsewhere a colon is a letter like any other.</summary>
internal sealed class AlternateStreams
{
    private readonly Func<string, bool>? m_isStream;

    /// <param name="isStream">Tells streams; null if the system has none.</param>
    internal AlternateStreams(Func<string, bool>? isStream) => m_isStream = isStream;

    /// <summary>Those of the running system.</summary>
    internal static AlternateStreams OfSystem { get; } = new(OperatingSystem.IsWindows() ? SystemIO.IO_OS.IsAlternateDataStream : null);

    /// <summary>No path is a stream.</summary>
    internal static AlternateStreams None { get; } = new(null);

    /// <summary>Whether any path can be one.</summary>
    internal bool Exist => m_isStream is not null;

    /// <summary>Whether the path is one.</summary>
    internal bool IsStream(string path) => m_isStream is not null && m_isStream(path);

    /// <summary>The file or folder that a stream belongs to: all before the last colon.</summary>
    internal static string ParentOf(string stream)
    {
        var colon = stream.LastIndexOf(':');
        return colon < 0 ? stream : stream[..colon];
    }
}
