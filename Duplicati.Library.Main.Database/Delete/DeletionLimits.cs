#nullable enable

using System;
using Duplicati.Library.SQLiteHelper.Indexes;

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>From which share of a table's rows on a deletion treats its indexes apart from the table, or drops them and builds them again for the rows that stay.</summary>
internal sealed record DeletionLimits
{
    /// <summary>What is measured: where a row in an index costs as much to delete as what stays costs to sort.</summary>
    internal static readonly DeletionLimits Measured = new();

    /// <summary>Deletions of fewer rows take so little time that it does not matter.</summary>
    internal long FewestRows { get; init; } = 20_000;

    /// <summary>For tables whose rows go in about the order of all of their indexes.</summary>
    internal double Share { get; init; } = 0.5;

    /// <summary>From which share of the blocks on all indexes of Block are dropped. Up to there it costs less to go through each of them.</summary>
    internal double ShareOfBlocks { get; init; } = 0.5;

    /// <summary>From which share of the blocks on each index of Block is gone through by itself, which reads all of it. Below, blocks go one by one in the order of their hashes.</summary>
    internal double ShareOfBlocksApart { get; init; } = 0.03;

    /// <summary>Rows that are sorted in memory at most, 200 MB. Where more stay the indexes stay, and more blocks that go are found without a sort.</summary>
    internal long MostRowsInMemory { get; init; } = 2_000_000;

    /// <summary>
    /// The page cache while blocks go in the order of their hashes, which is not that of Block itself: each page of it is changed many
    /// times. As much as the map of blocks of a backup may take, which is given back before, and at most a quarter of the memory there is.
    /// </summary>
    internal long PageCacheBytes { get; } = QuarterOfMemory(384L << 20);

    /// <summary>Entries of an index that one statement goes through.</summary>
    internal int EntriesAtOnce { get; init; } = ImposterTables.EntriesAtOnce;

    /// <summary>
    /// Ids of blocks of which the volumes are held in memory at most, 2 bytes each. Where there are more, the index by hash and volume is read
    /// beside that by hash and size: to look blocklists up before reads an index once more, which is no longer in memory then.
    /// </summary>
    internal long MostIdsWithVolumes { get; init; } = 1 << 21;

    /// <summary>Gaps between ids that are remembered at most, 16 bytes each. With more the ids are read again.</summary>
    internal int MostGaps { get; init; } = 1 << 20;

    private static long QuarterOfMemory(long most) => Math.Min(most, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 4);
}
