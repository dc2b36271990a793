// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Reports;

/// <summary>What to search for.</summary>
public sealed record SearchRequest
{
    /// <summary>
    /// Texts that occur in the path, or patterns with <c>*</c>, <c>?</c> and <c>[…]</c> that fit all of it; none for everything.
    /// </summary>
    public IReadOnlyList<string> Patterns { get; init; } = [];

    /// <summary>The same for what is not wanted.</summary>
    public IReadOnlyList<string> Exclusions { get; init; } = [];

    /// <summary>Folders, with or without a separator at the end: only what lies directly in them; none for everywhere.</summary>
    public IReadOnlyList<string> Folders { get; init; } = [];

    /// <summary>Versions to search, 0 = newest; none for all.</summary>
    public IReadOnlyList<long> Versions { get; init; } = [];

    /// <summary>Whether a and A differ.</summary>
    public bool CaseSensitive { get; init; }

    /// <summary>Whether names stored with the metadata fit as well.</summary>
    public bool Metadata { get; init; }

    /// <summary>Entries to leave out at the beginning; needs a limit.</summary>
    public long Offset { get; init; }

    /// <summary>Entries to give at most; 0 for all.</summary>
    public long Limit { get; init; }
}

/// <summary>What a search found.</summary>
/// <param name="Total">Entries found in all.</param>
/// <param name="Offset">How many of them come before those given.</param>
/// <param name="Entries">The entries, by path, then the oldest version first.</param>
public sealed record SearchReport(long Total, long Offset, IReadOnlyList<FoundEntry> Entries);

/// <summary>An entry of one version.</summary>
/// <param name="Path">Source path; folders end with a separator.</param>
/// <param name="Version">0 = newest.</param>
/// <param name="VersionTime">When the version was made (UTC).</param>
/// <param name="Type">File, Folder or Symlink.</param>
/// <param name="Size">Bytes of a file; -1 for others.</param>
/// <param name="Time">Last change of a file (UTC); null where it is not known.</param>
public sealed record FoundEntry(string Path, long Version, DateTime VersionTime, string Type, long Size, DateTime? Time);
