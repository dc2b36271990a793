// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Reports;

/// <summary>A file, folder or link whose data or metadata is lost.</summary>
/// <param name="Path">Its full path.</param>
/// <param name="Size">Its length in bytes; -1 for folders and links.</param>
public sealed record BrokenFile(string Path, long Size)
{
    /// <summary>
    /// Whether its data can be restored, and only times and permissions are lost: a purge of broken files keeps it, without those. Never
    /// true of a symbolic link, whose target is lost with them.
    /// </summary>
    public bool OnlyMetadata { get; init; }
}

/// <summary>The broken files of one version.</summary>
/// <param name="Version">Position among the versions, 0 = newest.</param>
/// <param name="Time">Its time (local).</param>
/// <param name="Files">The files.</param>
public sealed record BrokenFilesReport(int Version, DateTime Time, IReadOnlyList<BrokenFile> Files);
