// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Main;

/// <summary>The kind of an entry in a file list volume.</summary>
public enum FilelistEntryType
{
    /// <summary>Not known to this release.</summary>
    Unknown,

    /// <summary>A file.</summary>
    File,

    /// <summary>A folder.</summary>
    Folder,

    /// <summary>An alternate data stream of a file.</summary>
    AlternateStream,

    /// <summary>A symbolic link.</summary>
    Symlink,
}
