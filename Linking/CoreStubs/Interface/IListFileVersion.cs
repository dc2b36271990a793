// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Interface;

/// <summary>One version of a file.</summary>
public interface IListFileVersion
{
    /// <summary>The position of its fileset among all filesets, newest first, from 0.</summary>
    long Version { get; }

    /// <summary>The time of its fileset, UTC.</summary>
    DateTime Time { get; }

    /// <summary>The path.</summary>
    string Path { get; }

    /// <summary>The length in bytes, 0 without content.</summary>
    long Size { get; }

    /// <summary>Whether it is a folder.</summary>
    bool IsDirectory { get; }

    /// <summary>Whether it is a symbolic link.</summary>
    bool IsSymlink { get; }

    /// <summary>The time of the last change, UTC.</summary>
    DateTime LastModified { get; }
}
