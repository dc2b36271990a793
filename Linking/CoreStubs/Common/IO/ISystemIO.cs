// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Common.IO;

/// <summary>File operations that differ between operating systems.</summary>
public interface ISystemIO
{
    /// <summary>Whether a file exists.</summary>
    /// <param name="path">Its path.</param>
    /// <returns>True if it does and is not a folder.</returns>
    bool FileExists(string path);

    /// <summary>Lets only the current user read and write a file.</summary>
    /// <param name="path">Its path.</param>
    /// <exception cref="IOException">The file system has no permissions.</exception>
    void FileSetPermissionUserRWOnly(string path);

    /// <summary>Whether a path names an alternate data stream of a file (Windows only).</summary>
    /// <param name="path">A full path.</param>
    /// <returns>True if it does.</returns>
    bool IsAlternateDataStream(string path);
}
