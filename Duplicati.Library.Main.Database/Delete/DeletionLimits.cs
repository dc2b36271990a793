#nullable enable

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>From which share of a table's rows on a deletion drops indexes of the table, and builds them again for the rows that stay.</summary>
internal sealed record DeletionLimits
{
    /// <summary>What is measured: where a row in an index costs as much to delete as what stays costs to sort.</summary>
    internal static readonly DeletionLimits Measured = new();

    /// <summary>Deletions of fewer rows take so little time that it does not matter.</summary>
    internal long FewestRows { get; init; } = 20_000;

    /// <summary>For tables whose rows go in about the order of all of their indexes.</summary>
    internal double Share { get; init; } = 0.5;

    /// <summary>For all indexes of Block, of which two are in another order than the ids.</summary>
    internal double ShareOfBlocks { get; init; } = 0.4;

    /// <summary>For the indexes of Block by volume and by size: their entries are in the order of the ids, and sorted at once.</summary>
    internal double ShareOfBlocksInOrder { get; init; } = 0.2;

    /// <summary>Rows that are sorted in memory at most, 200 MB. With more the indexes stay.</summary>
    internal long MostRowsInMemory { get; init; } = 2_000_000;

    /// <summary>Gaps between ids that are remembered at most, 16 bytes each. With more the ids are read again.</summary>
    internal int MostGaps { get; init; } = 1 << 20;
}
