// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>
/// From which share of a table's rows on a deletion drops indexes of the table, and builds them again for the rows that stay.
/// </summary>
internal sealed record DeletionLimits
{
    /// <summary>What is measured: where a row in an index costs as much to delete as what stays costs to sort.</summary>
    internal static readonly DeletionLimits Measured = new();

    /// <summary>Deletions of fewer rows take so little time that it does not matter.</summary>
    internal long FewestRows { get; init; } = 20_000;

    /// <summary>From which share on.</summary>
    internal double Share { get; init; } = 0.5;

    /// <summary>
    /// The same for the indexes of Block by volume and by size alone: their entries are in the order of the ids, and sorted at once.
    /// </summary>
    internal double ShareOfBlocksInOrder { get; init; } = 0.2;

    /// <summary>
    /// Rows that are sorted in memory at most, 200 MB. Where more stay the indexes stay, and more blocks that go are found by their index,
    /// which is read from start to end.
    /// </summary>
    internal long MostRowsInMemory { get; init; } = 2_000_000;

    /// <summary>
    /// The page cache while blocks go in the order of their hashes, which is not that of Block itself: each page of it is changed many
    /// times. As much as the map of blocks of a backup may take, which is given back before, and at most a quarter of the memory there is.
    /// </summary>
    internal long PageCacheBytes { get; } = QuarterOfMemory(384L << 20);

    /// <summary>Gaps between ids that are remembered at most, 16 bytes each. With more the ids are read again.</summary>
    internal int MostGaps { get; init; } = 1 << 20;

    private static long QuarterOfMemory(long most) => Math.Min(most, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 4);
}
