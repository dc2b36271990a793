// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Main.Operation.Restore;

/// <summary>What is asked of the block manager.</summary>
internal enum BlockRequestType
{
    /// <summary>The block's bytes.</summary>
    Download,

    /// <summary>Nothing more: the block is no longer needed for this use.</summary>
    CacheEvict,
}
