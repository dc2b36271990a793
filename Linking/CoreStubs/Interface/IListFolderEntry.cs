// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Interface;

/// <summary>An entry of a folder listing.</summary>
public interface IListFolderEntry
{
    /// <summary>The full path; a folder ends with its separator.</summary>
    string Path { get; }

    /// <summary>The length in bytes, -1 without content.</summary>
    long Size { get; }

    /// <summary>Whether it is a folder.</summary>
    bool IsDirectory { get; }

    /// <summary>Whether it is a symbolic link.</summary>
    bool IsSymlink { get; }

    /// <summary>The time of the last change, UTC.</summary>
    DateTime LastModified { get; }

    /// <summary>The metadata, if it was asked for.</summary>
    Dictionary<string, string?>? Metadata { get; }
}
