// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Interface;

/// <summary>How an entry of a remote volume compares with the database.</summary>
public enum TestEntryStatus
{
    /// <summary>In the database only.</summary>
    Missing = 0,

    /// <summary>In the remote volume only.</summary>
    Extra = 1,

    /// <summary>On both sides, with different values.</summary>
    Modified = 2,

    /// <summary>The comparison itself failed.</summary>
    Error = 3,
}
