// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Main;

/// <summary>What a remote volume holds. Stored by name, and by number in the verification file.</summary>
public enum RemoteVolumeType
{
    /// <summary>Blocks (dblock).</summary>
    Blocks = 0,

    /// <summary>A list of files (dlist).</summary>
    Files = 1,

    /// <summary>An index of block volumes (dindex).</summary>
    Index = 2,
}
