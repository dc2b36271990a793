// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Backup;

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
