// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Interface;

/// <summary>The kind of an entry in a comparison.</summary>
public enum ListChangesElementType
{
    /// <summary>A folder.</summary>
    Folder,

    /// <summary>A symbolic link.</summary>
    Symlink,

    /// <summary>A file.</summary>
    File,
}
