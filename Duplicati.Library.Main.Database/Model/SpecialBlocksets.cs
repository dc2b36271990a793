// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Model;

/// <summary>Blockset ids of entries without content; they name no row of table Blockset.</summary>
internal static class SpecialBlocksets
{
    /// <summary>The entry is a folder.</summary>
    internal const long Folder = -100;

    /// <summary>The entry is a symbolic link.</summary>
    internal const long Symlink = -200;
}
