// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Main;

/// <summary>What a synchronisation does with a remote file. Stored by name.</summary>
public enum SyncOperation
{
    /// <summary>A new file is written.</summary>
    Upload,

    /// <summary>A file is written over.</summary>
    Update,

    /// <summary>A file is removed.</summary>
    Delete,
}
