// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Interface;

/// <summary>What happened to an entry between two filesets.</summary>
public enum ListChangesChangeType
{
    /// <summary>It is new.</summary>
    Added,

    /// <summary>It is gone.</summary>
    Deleted,

    /// <summary>It differs.</summary>
    Modified,
}
