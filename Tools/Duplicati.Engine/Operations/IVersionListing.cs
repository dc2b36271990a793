// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Library.Utility;

namespace Duplicati.Engine.Operations;

/// <summary>Something that knows the versions of a backup. Versions are counted from 0, the newest.</summary>
public interface IVersionListing
{
    /// <summary>The versions, newest first.</summary>
    Task<IReadOnlyList<ListedVersion>> VersionsAsync(CancellationToken token);

    /// <summary>The entries of a version that a filter wants, by path; an empty filter wants all.</summary>
    /// <exception cref="UserInformationException">Help id <c>InvalidVersion</c>.</exception>
    Task<IReadOnlyList<ListedEntry>> EntriesAsync(int version, IFilter filter, CancellationToken token);

    /// <summary>The paths of all versions that a filter wants, with their sizes, by path; an empty filter wants all.</summary>
    Task<IReadOnlyList<FoundPath>> FindAsync(IFilter filter, CancellationToken token);

    /// <summary>What lies directly in a folder of a version, by path.</summary>
    /// <param name="folder">With or without a separator at its end; blank for the topmost entries.</param>
    /// <param name="version">The version.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="UserInformationException">Help ids <c>InvalidVersion</c>, <c>FolderNotInVersion</c>.</exception>
    Task<IReadOnlyList<ListedEntry>> FolderAsync(string folder, int version, CancellationToken token);

    /// <summary>The versions that hold given paths, with or without a separator at their end, in the order of the paths.</summary>
    Task<IReadOnlyList<PathVersions>> FileVersionsAsync(IReadOnlyList<string> paths, CancellationToken token);
}

/// <summary>A path in the versions of a backup.</summary>
/// <param name="Path">Source path; folders end with a separator.</param>
/// <param name="Versions">Its size in each version, the newest first.</param>
public sealed record FoundPath(string Path, IReadOnlyList<FoundSize> Versions);

/// <summary>The size of a path in one version.</summary>
/// <param name="Version">0 = newest.</param>
/// <param name="Time">When the version was made (UTC).</param>
/// <param name="Size">Bytes of the file; -1 where there is none of that path, or a folder or symbolic link.</param>
public sealed record FoundSize(long Version, DateTime Time, long Size);

/// <summary>The versions that hold a path.</summary>
/// <param name="Path">The path as it was asked for.</param>
/// <param name="Versions">What it is in them, the newest first.</param>
public sealed record PathVersions(string Path, IReadOnlyList<PathVersion> Versions);

/// <summary>A path in one version.</summary>
/// <param name="Version">0 = newest.</param>
/// <param name="VersionTime">When the version was made (UTC).</param>
/// <param name="Type">File, Folder or Symlink.</param>
/// <param name="Size">Bytes of a file; -1 for others.</param>
/// <param name="Time">Last change of a file (UTC); null where it is not known.</param>
public sealed record PathVersion(long Version, DateTime VersionTime, string Type, long Size, DateTime? Time);
