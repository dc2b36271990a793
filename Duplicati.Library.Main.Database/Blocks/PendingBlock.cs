// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>A block that has an id but is not yet in the table. 64 bytes; its text is in a buffer of the writer.</summary>
internal struct PendingBlock
{
    internal BlockKey Key;
    internal long VolumeId;
    internal int TextOffset;

    // Kept after a failed flush, so that a second attempt does not repeat the rows of the first.
    internal bool IsWritten;
}
